"""Live pictures: the explorer. Traits and wiring; the mathematics and the layout come from the floors below."""
