"""One number as an answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gradlab.lessons import speech
from gradlab.lessons.plan import Unfit

CLOSE = 1e-4
"""Relative difference up to which two answers are the same: learners round to five digits and should not be held up."""
NEAR = 0.02
"""Relative difference up to which an answer is called rounded rather than wrong."""


def close(one: float, other: float, within: float = CLOSE) -> bool:
    """Whether two numbers are the same answer."""
    return math.isclose(one, other, rel_tol=within, abs_tol=within * 1e-3)


def read_number(value: Any) -> float | Unfit:
    """A number out of what was given: a Python or NumPy number, an array without axes, or a node of one number."""
    complaint = _unfit(value)
    if complaint:
        return Unfit(complaint)
    data = getattr(value, "data", value) if speech.is_node(value) else value
    try:
        number = float(data)
    except (TypeError, ValueError, OverflowError):
        return Unfit(f"One number is wanted here, and this is {speech.described(value)}.")
    if math.isnan(number):
        return Unfit(
            "This is nan, “not a number”. It comes from a step without a result, such as ∞ − ∞ or 0/0; look for that step."
        )
    if math.isinf(number):
        return Unfit("This is infinite. Look for a division by zero, or for a number that grew too large.")
    return number


def _unfit(value: Any) -> str:
    """Why this is not one number, each case in its own words; empty when it may be one."""
    for applies, says in _NOT_A_NUMBER:
        if applies(value):
            return says(value)
    return ""


def _looks_numeric(text: str) -> bool:
    try:
        float(text.replace(",", ".").replace("−", "-"))
    except ValueError:
        return False
    return True


def _text(value: str) -> str:
    inside = value.strip()
    if _looks_numeric(inside):
        return f"This is the text {speech.quoted(inside)}, not the number. Leave out the quotation marks: `{inside.replace(',', '.')}`."
    return f"This is text ({speech.quoted(value)}), and one number is wanted."


def _sequence(value: Any) -> str:
    kind = type(value).__name__
    if len(value) == 1:
        return f"This is a {kind} with one number in it. Give the number itself, without brackets."
    if isinstance(value, tuple) and len(value) == 2:
        return "Python reads `2,5` as two numbers. Write the decimal with a point: `2.5`."
    return f"One number is wanted here, and this is {speech.described(value)}."


def _array(value: Any) -> str:
    return (
        f"One number is wanted here, and this is {speech.described(value)}. Pick an element, or add them up."
    )


_NOT_A_NUMBER: tuple[tuple[Callable[[Any], bool], Callable[[Any], str]], ...] = (
    (
        lambda value: value is None,
        lambda value: (
            "This is `None`, so nothing has arrived. A function without `return` gives `None`, and so does `print(…)`."
        ),
    ),
    (
        lambda value: isinstance(value, bool),
        lambda value: f"`{value}` answers yes or no. One number is wanted here.",
    ),
    (lambda value: isinstance(value, str), _text),
    (lambda value: isinstance(value, list | tuple | set | frozenset), _sequence),
    (
        lambda value: isinstance(value, complex),
        lambda value: (
            "This number has an imaginary part. An ordinary number is wanted; look for the root of a negative number."
        ),
    ),
    (
        lambda value: isinstance(value, type) or (callable(value) and not speech.is_node(value)),
        lambda value: (
            f"This is {speech.described(value)} itself. Call it, with its arguments in round brackets, and give the result."
        ),
    ),
    (lambda value: speech.is_array(value) and math.prod(value.shape) != 1, _array),
    (
        lambda value: bool(getattr(value, "shape", ())),
        lambda value: f"This is {speech.described(value)} around one number. Take the number out: `.item()`.",
    ),
)


@dataclass(frozen=True)
class Number:
    """One number, computed by `compute`. `unit` is said with it."""

    compute: Callable[[], float]
    unit: str = ""
    wants: str = "one number"

    def expected(self) -> float:
        """The right number."""
        return float(self.compute())

    def read(self, value: Any) -> float | Unfit:
        """The number that was given."""
        return read_number(value)

    def same(self, one: float, other: float) -> bool:
        """Equal to five digits."""
        return close(one, other)

    def near(self, given: float, expected: float) -> Unfit | None:
        """A sign, a rounding, or a decimal point away."""
        if expected and close(given, -expected):
            return Unfit(
                "The size is right and the sign is not. Go through the subtractions once more.", "incorrect"
            )
        if expected and close(given, expected, NEAR):
            return Unfit("Very near. It looks rounded on the way; keep all digits until the end.", "partly")
        if expected and given and any(close(given, expected * shift) for shift in (0.01, 0.1, 10, 100)):
            return Unfit("The digits are right and the decimal point is not where it should be.", "incorrect")
        return None

    def show(self, answer: float) -> str:
        """The number, with its unit."""
        return speech.number(answer) + (f" {self.unit}" if self.unit else "")
