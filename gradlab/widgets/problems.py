"""What can go wrong when a learner's function runs again at an edit, in gradlab's words. Shown inside the explorer, never lost."""

from __future__ import annotations

import linecache
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradlab.errors import GradlabError
from gradlab.viz.text import compact

if TYPE_CHECKING:
    from gradlab.viz.view import GraphView

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Problem(Exception):
    """A run that gave no graph. Its text is for the learner."""


def name_of(f: Callable[..., Any]) -> str:
    """How the learner calls `f`."""
    name = getattr(f, "__name__", "")
    return "the function" if name in ("", "<lambda>") else str(name)


def describe(one: Any) -> str:
    """`one` in a few words: its type and a short text."""
    if one is None:
        return "None"
    text = repr(one)
    return f"{type(one).__name__} {text if len(text) <= 40 else text[:37] + '…'}"


def raised(f: Callable[..., Any], error: Exception, values: Mapping[str, float]) -> Problem:
    """`f` raised. A gradlab error says it best itself; any other is told with its line and the numbers that led to it."""
    at = ", ".join(f"{name} = {compact(x)}" for name, x in list(values.items())[:6])
    where = f" At {at}." if at else ""
    if isinstance(error, GradlabError):
        return Problem(f"{error}{where}")
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    fix = "Move a leaf back, or mend the function and run the cell again."
    return Problem(f"GL063: {name_of(f)} raised {what}{_line(error)}.{where} {fix}")


def _line(error: Exception) -> str:
    """The innermost line of the traceback that is not gradlab's own."""
    found, trace = "", error.__traceback__
    while trace is not None:
        file, number = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        if not file.startswith(_PACKAGE):
            text = linecache.getline(file, number).strip()
            found = f" (line {number}: {text[:100]})" if text else f" (line {number})"
        trace = trace.tb_next
    return found


def text_of(error: Exception) -> str:
    """What the explorer says about an error: in gradlab's words, whoever made it."""
    if isinstance(error, (Problem, GradlabError)):
        return str(error)
    what = f"{type(error).__name__}: {error}"
    return f"gradlab itself failed here, which is not your mistake: {what}. Please report it together with this cell."


def returned(f: Callable[..., Any], one: Any) -> Problem:
    """`f` returned something in which nothing is recorded."""
    name = name_of(f)
    fixes: Sequence[tuple[Any, str]] = (
        (type(None), "Write `return` and the result as its last line."),
        (
            (bool, int, float),
            "No leaf is recorded in it. Return the node itself, without .data, float() or round().",
        ),
        ((list, tuple, dict, set), "Return one of them, or their sum."),
    )
    fix = next(
        (text for kind, text in fixes if isinstance(one, kind)),
        "Return the number that was computed from the leaves.",
    )
    return Problem(
        f"GL042: {name} returned {describe(one)}; the explorer shows how one number is computed. {fix}"
    )


def returned_array(f: Callable[..., Any], one: Any) -> Problem:
    """`f` returned a tensor with more than one number."""
    what = f"{name_of(f)} returned an array of shape {tuple(one.shape)}; a gradient starts from one number"
    return Problem(f"GL042: {what}. Return its .sum() or .mean().")


def unused(names: Sequence[str]) -> str:
    """A leaf that the result does not depend on."""
    if not names:
        return ""
    one = len(names) == 1
    return f"{', '.join(names)} {'is' if one else 'are'} not used in the result, so moving {'it' if one else 'them'} changes nothing."


def not_finite(view: GraphView) -> str:
    """Where nan or inf first appears, and the numbers it came from."""
    bad = {node.id for node in view.nodes if node.value is not None and not math.isfinite(node.value)}
    for node in view.nodes:
        if node.id in bad and not any(one in bad for one in node.inputs):
            word = "nan, not a number" if math.isnan(node.value or 0.0) else "infinite"
            if not node.inputs:
                return f"{node.name} is {word}, and so is what is computed from it."
            inputs = ", ".join(
                f"{view.by_id[one].name} = {compact(view.by_id[one].value)}" for one in node.inputs
            )
            return f"{node.name} is {word}: it was computed from {inputs}."
    return ""
