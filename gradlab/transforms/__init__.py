"""Functions over recorded graphs: gradients of functions, products with Jacobians, and the check against central differences."""
