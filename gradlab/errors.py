"""Errors and warnings that teach.

Every error is a `GradlabError` and also the built-in kind that fits. It has a stable code and three parts: what happened, what was
expected, and what to do next. The line of the learner's own code is found when the error is made, so messages can name it.
"""

from __future__ import annotations

import linecache
import os
import sys
import warnings
from types import FrameType
from typing import Any

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep

CODES: dict[str, str] = {
    "GL001": "A Value holds one number. Text, None, lists and arrays are not one number.",
    "GL002": "An operand of an operation was neither a number nor a node.",
    "GL003": "Scalars (Value) and arrays (Tensor) were mixed in one operation.",
    "GL004": "Python has this operator, and gradlab has no derivative for it.",
    "GL010": "Only floating-point nodes can have a gradient, since a gradient is a rate of change.",
    "GL011": "A tensor needs numbers in a regular, rectangular shape.",
    "GL012": "An operation or a conversion does not work for numbers of this type.",
    "GL013": "There is no such data type, or it does not hold real numbers.",
    "GL014": "A leaf is an input, a parameter or a constant.",
    "GL015": "Positions and classes are whole numbers.",
    "GL016": "An option has only a few possible words.",
    "GL020": "The shapes of two operands cannot be broadcast together.",
    "GL021": "The inner sizes of a matrix product differ.",
    "GL022": "An axis does not exist in this shape.",
    "GL023": "A reshape must keep the number of elements.",
    "GL024": "An index does not fit the shape.",
    "GL025": "A reduction without a neutral element cannot reduce zero elements.",
    "GL026": "A permutation must name every axis once.",
    "GL027": "A size is a whole number.",
    "GL028": "Arrays can be joined, split and repeated only where their sizes allow it.",
    "GL029": "An index, or what is written at it, has a shape that does not fit the array.",
    "GL030": "backward() of something that is not one number needs a seed: how much each element counts.",
    "GL031": "Nothing was recorded for this node, so there is nothing to walk back through.",
    "GL032": "A value was changed after it was used, and before backward() needed it.",
    "GL033": "A graph must not contain a cycle.",
    "GL034": "A leaf that requires a gradient was changed in place while recording.",
    "GL035": "A tensor that requires a gradient was converted to a plain array or number.",
    "GL036": "NumPy changes arrays in place, which a recorded graph would not notice.",
    "GL038": "Numbers that several elements share, or that belong to a frozen array, cannot be changed in place.",
    "GL037": "A seed or a gradient has the shape of what it belongs to.",
    "GL040": "gradcheck found a gradient that disagrees with central differences.",
    "GL041": "gradcheck needs 64-bit floats: in 32 bits the rounding error is larger than what it looks for.",
    "GL042": "A function to be differentiated must return one number or node.",
    "GL043": "The output does not depend on an input, so its gradient is zero.",
    "GL044": "A derivative was asked for an argument that the function was not given.",
    # static graphs
    "GL050": "A frozen graph broke one of its rules.",
    # pictures and explorers
    "GL060": "This thing cannot be drawn or explored.",
    "GL061": "The start values do not fit the function's arguments.",
    "GL062": "A picture could not be written.",
    "GL063": "The function given to the explorer raised an error.",
    # lessons and files
    "GL070": "A lesson or a question has another name.",
    "GL071": "A saved file is not what gradlab wrote.",
    "GL080": "A file or folder cannot be written.",
    "GL081": "An optional part is not installed.",
    "GL082": "A command was given something it cannot use.",
    # layers
    "GL090": "A layer was called with inputs that do not fit it.",
    # numbers that leave the finite range
    "GL101": "Division by zero gives inf or nan.",
    "GL102": "The logarithm of zero is -inf, of a negative number nan.",
    "GL103": "The square root of a negative number is nan; at zero its slope is infinite.",
    "GL104": "A negative number to a fractional power is nan; zero to a negative power is inf.",
    "GL106": "The number is outside the domain of the function, so the result is nan.",
    "GL105": "The result is larger than the largest floating-point number, so it became inf.",
    # linear algebra and einsum
    "GL110": "An equation of einsum, or axes that are summed together, do not fit the operands.",
    "GL111": "This needs square matrices, and right sides with one number for each row.",
    "GL112": "A matrix has no inverse.",
    "GL113": "A matrix is not positive definite.",
    "GL114": "A product of vectors or matrices got arrays of another rank or length.",
    # convolutions, pooling and normalisation
    # losses, random numbers and creation
    "GL120": "A kernel, stride, padding or dilation has limits.",
    "GL121": "A window does not fit into the array.",
    "GL122": "The channels or axes of an input and of a layer's weights do not fit.",
    "GL123": "A mean and a variance need two values or more, or running figures to use instead.",
    "GL124": "Two options of attention exclude each other.",
    "GL130": "A size, step or number of steps cannot be used to make a tensor.",
    "GL131": "A random number cannot be drawn as asked.",
    "GL132": "A probability lies from 0 to 1.",
    "GL133": "A loss needs one target for each prediction, in shapes that say so.",
    "GL134": "A margin, a width or a variance of a loss has limits.",
    "GL135": "Every target of a mean was ignored.",
    # derivatives of functions
    "GL045": "A Jacobian is computed in forward mode, in reverse mode, or in the cheaper of the two.",
    "GL046": "An operation knows its derivative in one direction only.",
    "GL047": "A function with its own backward saved an intermediate result, which is cut off from the graph.",
    "GL048": "A chain is cut into at least one segment, and at most one for each function.",
    "GL049": "No output depends on an input whose gradient was asked for.",
    "GL140": "A rule of a custom operation disagrees with central differences.",
    "GL141": "A custom operation needs one rule for each input, and samples to check them on.",
    # tapes and variables
    # devices
    "GL161": "This device is not there, or its package is not installed.",
    "GL160": "The operands of one operation are on different devices.",
}
"""What each code means, in one sentence. `gradlab explain CODE` prints it."""


def learner_frame() -> FrameType | None:
    """The innermost frame outside gradlab: the learner's own line."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def _learner_line() -> str:
    frame = learner_frame()
    if frame is None:
        return ""
    text = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return f" (line {frame.f_lineno}: {text[:100]})" if text else ""


def _sentence(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".:;!?…" else text + "."


class GradlabError(Exception):
    """Base of every error of gradlab. `code` is stable; `what`, `expected` and `fix` are the three parts of the message."""

    def __init__(self, code: str, what: str, expected: str = "", fix: str = "") -> None:
        self.code, self.what, self.expected, self.fix = code, what, expected, fix
        self.line = _learner_line()
        body = " ".join(_sentence(part) for part in (what + self.line, expected, fix) if part)
        super().__init__(f"{code} {type(self).__name__}: {body}")

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[GradlabError], args: tuple[str], parts: dict[str, Any]) -> GradlabError:
    """An error read back from a pickle: it names the line where it happened, not the one where it was read."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(parts)
    return error


class DataError(GradlabError, TypeError):
    """Data that is not a number, or not an array of numbers."""


class OperandError(GradlabError, TypeError):
    """An operand that an operation cannot take."""


class DTypeError(GradlabError, TypeError):
    """A data type that does not fit, such as an integer that should have a gradient."""


class ShapeError(GradlabError, ValueError):
    """Shapes, axes or sizes that do not fit together."""


class IndexingError(GradlabError, IndexError):
    """An index that does not fit the shape."""


class GraphError(GradlabError, RuntimeError):
    """A graph that cannot be walked as asked."""


class GradcheckError(GradlabError, AssertionError):
    """A gradient that disagrees with central differences."""


class ArgumentError(GradlabError, ValueError):
    """An argument of a function or command that cannot be used."""


class MissingError(GradlabError, ImportError):
    """An optional part that is not installed."""


class StorageError(GradlabError, OSError):
    """A file or folder that cannot be read or written."""

    def __str__(self) -> str:
        return str(self.args[0])


class DeviceError(GradlabError, RuntimeError):
    """A device that is absent, or operands on different devices."""


class GradlabWarning(UserWarning):
    """Base of gradlab's warnings. `code` is stable, as for errors."""

    def __init__(self, code: str, text: str) -> None:
        self.code, self.text = code, text
        super().__init__(f"{code}: {text}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.code, self.text)


class NumericWarning(GradlabWarning):
    """A result became inf or nan, and where it came from."""


def warn(code: str, text: str, kind: type[GradlabWarning] = GradlabWarning) -> None:
    """Warn at the learner's line, so that Python shows each line once."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(kind(code, text), stacklevel=depth + 1)


REMEDIES = {
    "GL101": "Keep the divisor away from zero, or choose with where(...) before dividing, not after",
    "GL102": "Keep the argument above zero, for example log(x + 1e-12)",
    "GL103": "Keep the argument above zero, for example sqrt(x + 1e-12)",
    "GL104": "Use a whole-number exponent, and keep zero away from negative ones",
    "GL105": "Make the numbers smaller, for example by scaling the inputs or lowering the learning rate",
    "GL106": "Keep the argument inside, for example with clip(x, -0.999, 0.999)",
}
"""What to do next, by the code of a numeric warning."""

_SLOPES = {"sqrt": "GL103", "log": "GL102", "power": "GL104"}
"""The code that explains best why the derivative of an op is not finite."""


def warn_numeric(code: str, what: str) -> None:
    """Warn that a number left the finite range, naming the nodes that gave it and what to do next.

    Only this rare path looks for the nodes, by asking the frames above it: recording and the walks themselves pay nothing.
    """
    operands: list[Any] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        found = frame.f_locals
        if "__gradlab_walk__" in found and "node" in found:
            node = found["node"]
            name = _names([node]) or _names(node.inputs)
            code, operands = _SLOPES.get(node.op.name, code), []
            what = f"the derivative of {node.op.name}{name} is not finite here: {what}"
            break
        operands = operands or [x for x in _operands(found) if hasattr(x, "primal")]
        frame = frame.f_back
    warn(code, f"{_sentence(what + _names(operands))} {_sentence(REMEDIES[code])}", NumericWarning)


def _operands(found: dict[str, Any]) -> tuple[Any, ...]:
    """What the frame of an operation works on, by the names that such frames use."""
    return (*found.get("inputs", ()), *(found[name] for name in ("self", "x", "y") if name in found))


def _names(nodes: Any) -> str:
    named = dict.fromkeys(repr(str(node.label)) for node in nodes if node.label)
    return f" (node {', '.join(named)})" if named else ""
