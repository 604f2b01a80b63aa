"""The small models that several lessons look at, each as a function and as a table of its named steps."""

from __future__ import annotations

from typing import Any

MODEL = {"x": 2.0, "w": -3.0, "b": 1.0, "target": 4.0}
"""The start values of the model that everyone sees first: its prediction is −5, and its loss 81."""


def squared_error(x: Any, w: Any, b: Any, target: Any) -> Any:
    """How far the prediction x·w + b is off its target, squared."""
    prediction = x * w + b
    error = prediction - target
    loss = error**2
    return loss  # the names of local variables are the names in the picture


def steps(x: Any, w: Any, b: Any, target: Any) -> dict[str, Any]:
    """The computed numbers of `squared_error`, by the names in its picture."""
    product = x * w
    prediction = product + b
    error = prediction - target
    return {"x·w": product, "prediction": prediction, "error": error, "loss": error**2}
