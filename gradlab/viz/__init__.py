"""Pictures of graphs: plain view data, its layout, and what is made from both (SVG, DOT, text, formulas, steps)."""
