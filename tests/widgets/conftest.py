"""Explorers for the tests, and expected values from plain Python: never from gradlab."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest


def squared_error(x: Any, w: Any, b: Any, target: Any) -> Any:
    """The first example, usable with plain numbers too."""
    prediction = x * w + b
    error = prediction - target
    return error**2


START = {"x": 2.0, "w": -3.0, "b": 1.0, "target": 4.0}


def slope(f: Callable[..., float], name: str, values: dict[str, float], step: float = 1e-6) -> float:
    """The derivative of `f` by one argument, by central differences."""
    low, high = (f(**{**values, name: values[name] + sign * step}) for sign in (-1, 1))
    return (high - low) / (2 * step)


@pytest.fixture
def explore() -> Iterator[Callable[..., Any]]:
    """`explore`, with everything it made closed afterwards."""
    from gradlab.widgets.explorer import explore as make

    made = []

    def start(f: Any, /, **values: Any) -> Any:
        made.append(make(f, **values))
        return made[-1]

    yield start
    for one in made:
        one.close()


@pytest.fixture
def first(explore: Callable[..., Any]) -> Any:
    """The example everyone sees first."""
    return explore(squared_error, **START)
