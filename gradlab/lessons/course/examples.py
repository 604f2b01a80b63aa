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


def turned(x: Any, w: Any, b: Any, target: Any) -> Any:
    """The same model, written so that the order on the page is not the order of the calculation."""
    prediction = b + x * w
    error = target - prediction
    loss = error**2
    return loss


def turned_steps(x: Any, w: Any, b: Any, target: Any) -> dict[str, Any]:
    """The computed numbers of `turned`, in the order in which its one-line formula mentions them."""
    product = x * w
    prediction = b + product
    error = target - prediction
    return {"error": error, "prediction": prediction, "x·w": product, "loss": error**2}


def square(x: Any) -> Any:
    """A number times itself: one node, used twice."""
    return x * x


def with_product(x: Any, w: Any, b: Any, target: Any) -> Any:
    """The squared error as a product: the node error goes into × twice."""
    error = x * w + b - target
    loss = error * error
    return loss


def with_cut(x: Any, w: Any, b: Any, target: Any) -> Any:
    """The same with the number taken out of one of the two uses."""
    error = x * w + b - target
    return error * error.data


def with_copy(x: Any, w: Any, b: Any, target: Any) -> Any:
    """The same with the error computed twice."""
    return (x * w + b - target) * (x * w + b - target)


def with_sum(x: Any, w: Any, b: Any, target: Any) -> Any:
    """Added to itself instead of multiplied."""
    error = x * w + b - target
    return error + error


def rebound(length: Any, width: Any) -> Any:
    """What the four lines record: the second use of the name length is no part of it."""
    area = length * width
    return area


def after_rebinding() -> float:
    """What `area` holds after the four lines: computed by doing the same."""
    from gradlab import Value

    names = {"length": Value(2.0), "width": Value(3.0)}
    names["area"] = names["length"] * names["width"]
    names["length"] = Value(10.0)
    return float(names["area"].data)
