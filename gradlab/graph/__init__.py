"""The recorded graph: nodes, the walks over them, and the frozen form."""
