"""A function as an answer: called on several inputs and compared by what it returns."""

from __future__ import annotations

import inspect
import linecache
import os
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gradlab
from gradlab.errors import GradlabError
from gradlab.lessons import oracle, speech
from gradlab.lessons.kinds.number import close, read_number
from gradlab.lessons.plan import Unfit

_PACKAGE = os.path.dirname(os.path.abspath(gradlab.__file__ or "")) + os.sep
_LONGEST_REASON = 160


def call(function: Callable[..., Any], args: Sequence[Any], told: str) -> Any:
    """Call a learner's function. What it raises comes back as an Unfit, with the learner's line and never with gradlab's."""
    try:
        return function(*args)
    except (Exception, SystemExit) as error:
        return Unfit(f"{told} your code raised {_reason(error)}{_line(error)}.")


def _reason(error: BaseException) -> str:
    says = " ".join(str(error).split())
    says = says if len(says) <= _LONGEST_REASON else says[: _LONGEST_REASON - 1] + "…"
    name = type(error).__name__
    if isinstance(error, GradlabError) or not says:
        return says or f"`{name}`"
    return f"`{name}`: {says}"


def _line(error: BaseException) -> str:
    """The innermost line that the learner wrote."""
    if isinstance(error, GradlabError):  # names the line itself
        return ""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not frame.filename.startswith(_PACKAGE):
            text = linecache.getline(frame.filename, frame.lineno or 0).strip()
            return f", in line {frame.lineno}" + (f" (`{text[:80]}`)" if text else "")
    return ""


def called(names: Sequence[str], args: Sequence[float]) -> str:
    """`x = 2, w = −3`."""
    return ", ".join(f"{name} = {speech.number(arg)}" for name, arg in zip(names, args, strict=True))


@dataclass(frozen=True)
class Function:
    """A function of numbers. `reference` computes what is right at each of `inputs`, in the order of `names`.

    With `of_nodes` it is called with `Value` nodes, as code under test that has to record a graph.
    """

    names: tuple[str, ...]
    reference: Callable[..., Any]
    inputs: tuple[tuple[float, ...], ...]
    of_nodes: bool = False

    @property
    def wants(self) -> str:
        """What is wanted, with the arguments."""
        return f"a function of {speech.listed(speech.code(self.names))}"

    def expected(self) -> tuple[float, ...]:
        """The right results, one per input, by the engine and in plain floats."""
        return tuple(
            oracle.value(self.reference, dict(zip(self.names, args, strict=True))) for args in self.inputs
        )

    def read(self, value: Any) -> tuple[float, ...] | Unfit:
        """What the given function returns for each input."""
        unfit = self._unfit(value)
        if unfit:
            return Unfit(unfit)
        results = []
        for args in self.inputs:
            result = self._result(value, args)
            if isinstance(result, Unfit):
                return result
            results.append(result)
        return tuple(results)

    def _unfit(self, value: Any) -> str:
        if isinstance(value, type) or not callable(value) or speech.is_node(value):
            hint = " Give its name without brackets: `check(name)`, not `check(name(…))`."
            called_it = isinstance(value, int | float) or value is None or speech.is_node(value)
            return f"{self.wants.capitalize()} is wanted, and this is {speech.described(value)}." + (
                hint if called_it else ""
            )
        try:
            signature = inspect.signature(value)
            signature.bind(*self.inputs[0])
        except TypeError:
            takes = speech.listed(speech.code(signature.parameters)) or "no arguments"
            return f"It is called with {len(self.names)} numbers ({', '.join(self.names)}), and your function takes {takes}."
        except ValueError:  # some built-ins have no signature
            pass
        return ""

    def _result(self, function: Callable[..., Any], args: tuple[float, ...]) -> float | Unfit:
        at = called(self.names, args)
        given: tuple[Any, ...] = args
        if self.of_nodes:
            given = tuple(gradlab.Value(arg, label=name) for name, arg in zip(self.names, args, strict=True))
        result = call(function, given, f"With {at}")
        if isinstance(result, Unfit):
            return result
        if result is Ellipsis:
            return Unfit("The function still returns `...`. Put your own line there.", "not attempted")
        if result is None:
            return Unfit(
                "Your function gave back `None`. Python gives that when the last line has no `return`."
            )
        number = read_number(result)
        return (
            Unfit(f"With {at} your function gave something else than one number. {number.message}")
            if isinstance(number, Unfit)
            else number
        )

    def same(self, one: Sequence[float], other: Sequence[float]) -> bool:
        """Equal results for every input."""
        return all(close(a, b) for a, b in zip(one, other, strict=True))

    def near(self, given: Sequence[float], expected: Sequence[float]) -> Unfit | None:
        """The first input for which it differs, and for how many it does not."""
        right = [close(a, b) for a, b in zip(given, expected, strict=True)]
        first = right.index(False)
        at = called(self.names, self.inputs[first])
        case = f"With {at} it gives {speech.number(given[first])}, and {speech.number(expected[first])} is wanted"
        if any(right):
            return Unfit(f"Right for {sum(right)} of {len(right)} inputs. {case}.", "partly")
        if len({round(value, 12) for value in given}) == 1:
            return Unfit(
                (
                    f"It gives {speech.number(given[0])} whatever goes in. Are the arguments used, or numbers "
                    f"from elsewhere?"
                ),
                "incorrect",
            )
        return Unfit(f"{case}.", "incorrect")

    def show(self, answer: Sequence[float]) -> str:
        """The results, one for each input."""
        return "; ".join(
            f"{called(self.names, args)} gives {speech.number(got)}"
            for args, got in zip(self.inputs, answer, strict=True)
        )
