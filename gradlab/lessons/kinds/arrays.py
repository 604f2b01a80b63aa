"""Several numbers as an answer: a sequence with names, or an array with a shape."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradlab.lessons import speech
from gradlab.lessons.kinds.number import close, read_number
from gradlab.lessons.plan import Unfit

Nested = Any
"""A number, or a list of these."""


@dataclass(frozen=True)
class Read:
    """Numbers that were read: their shape, and all of them in reading order."""

    shape: tuple[int, ...]
    numbers: tuple[float, ...]


def _shape(nested: Nested) -> tuple[int, ...] | None:
    """The shape of nested lists, or None when the rows differ in length."""
    if not isinstance(nested, list | tuple):
        return ()
    inner = {_shape(row) for row in nested}
    if len(inner) > 1 or None in inner:
        return None
    return (len(nested), *(next(iter(inner)) or ())) if inner else (0,)


def _flat(nested: Nested) -> list[Any]:
    return [leaf for row in nested for leaf in _flat(row)] if isinstance(nested, list | tuple) else [nested]


def _plain(value: Any) -> Nested:
    """Nested lists out of an array, or out of a node that holds one."""
    data = value.data if speech.is_node(value) else value
    data = data.get() if hasattr(data, "get") and speech.is_array(data) else data  # from a graphics card
    return data.tolist() if speech.is_array(data) else data


@dataclass(frozen=True)
class Array:
    """Numbers in the shape that `compute` gives. `names` are those of a short sequence; `as_list` lets a list stand for an array."""

    compute: Callable[[], Any]
    names: tuple[str, ...] = ()
    as_list: bool = False

    @property
    def wants(self) -> str:
        """How many numbers, or which."""
        if self.names:
            return f"{len(self.names)} numbers in order: {speech.listed(speech.code(self.names))}"
        return f"an array of shape {self.expected().shape}"

    def expected(self) -> Read:
        """The right numbers."""
        nested = _plain(self.compute())
        return Read(_shape(nested) or (), tuple(float(number) for number in _flat(nested)))

    def read(self, value: Any) -> Read | Unfit:
        """The numbers that were given."""
        if isinstance(value, Mapping) and self.names:
            missing = [name for name in self.names if name not in value]
            if missing:
                return Unfit(
                    f"{speech.listed(speech.code(missing))} {'is' if len(missing) == 1 else 'are'} missing.",
                    "partly",
                )
            value = [value[name] for name in self.names]
        if isinstance(value, list | tuple):
            if not (self.names or self.as_list):
                return Unfit(
                    "This is a list, and an array is wanted. Wrap it: `np.array(…)`, or `gl.tensor(…)` for a node."
                )
            if any(item is Ellipsis for item in _flat(value)):
                return Unfit("Put a number in place of each `...`.", "not attempted")
        elif not (speech.is_array(value) or (speech.is_node(value) and speech.is_array(value.data))):
            return self._not_several(value)
        return self._numbers(_plain(value))

    def _not_several(self, value: Any) -> Unfit:
        one = read_number(value)
        if isinstance(one, Unfit):
            return Unfit(
                f"{self.wants[0].upper()}{self.wants[1:]} is wanted, and this is {speech.described(value)}."
            )
        return Unfit(f"This is one number. Wanted: {self.wants}.")

    def _numbers(self, nested: Nested) -> Read | Unfit:
        shape = _shape(nested)
        if shape is None:
            return Unfit("The rows have different lengths, so this is not an array.")
        numbers = []
        for place, item in enumerate(_flat(nested)):
            number = read_number(item)
            if isinstance(number, Unfit):
                return Unfit(f"{self._place(place)}: {number.message}")
            numbers.append(number)
        wanted = self.expected().shape
        if shape != wanted:
            turned = " It has the shape of the transpose." if shape == wanted[::-1] else ""
            if len(shape) == len(wanted) == 1:
                return Unfit(f"{speech.counted(shape[0], 'number')} given, {wanted[0]} wanted.")
            return Unfit(f"Its shape is {shape}, and {wanted} is wanted.{turned}")
        return Read(shape, tuple(numbers))

    def _place(self, place: int) -> str:
        return f"`{self.names[place]}`" if place < len(self.names) else f"Number {place + 1}"

    def same(self, one: Read, other: Read) -> bool:
        """Equal shapes, and equal numbers everywhere."""
        return one.shape == other.shape and not _differences(one, other)

    def near(self, given: Read, expected: Read) -> Unfit | None:
        """Swapped, of the opposite sign, or right in some places."""
        wrong = _differences(given, expected)
        if self.names and len(wrong) > 1 and _same_numbers(given.numbers, expected.numbers):
            return Unfit(
                f"The right numbers in another order. The order is {speech.listed(speech.code(self.names))}.",
                "partly",
            )
        if all(close(a, -b) for a, b in zip(given.numbers, expected.numbers, strict=True)):
            return Unfit("Every size is right and every sign is not.", "incorrect")
        if len(wrong) < len(given.numbers):
            right = len(given.numbers) - len(wrong)
            first = self._place(wrong[0])
            return Unfit(
                (
                    f"{right} of {len(given.numbers)} are right. The first that differs is "
                    f"{first[0].lower()}{first[1:]}."
                ),
                "partly",
            )
        return None

    def show(self, answer: Read) -> str:
        """The numbers, with their names or their shape."""
        if self.names:
            return ", ".join(
                f"{name} = {speech.number(n)}" for name, n in zip(self.names, answer.numbers, strict=True)
            )
        return (
            f"[{', '.join(map(speech.number, answer.numbers[:8]))}{', …' if len(answer.numbers) > 8 else ''}]"
        )


def _differences(one: Read, other: Read) -> list[int]:
    """Places where two answers of one shape differ. Zero counts as equal to what is tiny beside the largest number."""
    scale = max([math.fabs(number) for number in other.numbers] or [1.0]) * 1e-7
    return [
        place
        for place, (a, b) in enumerate(zip(one.numbers, other.numbers, strict=True))
        if not (close(a, b) or math.fabs(a - b) <= scale)
    ]


def _same_numbers(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(close(a, b) for a, b in zip(sorted(one), sorted(other), strict=True))
