"""NumPy arrays on the CPU, as one backend object."""

from __future__ import annotations

import threading
from contextvars import Context
from typing import Any

import numpy as xp

from gradlab.backends.arrays import BACKENDS, ArrayBackend
from gradlab.errors import warn_numeric

_NUMERIC = {
    ("divide", "divide by zero"): ("GL101", "a division by zero gives inf"),
    ("divide", "invalid value"): ("GL101", "0 / 0 gives nan"),
    ("log", "divide by zero"): ("GL102", "log(0) is -inf"),
    ("log", "invalid value"): ("GL102", "the logarithm of a negative number is nan"),
    ("sqrt", "invalid value"): ("GL103", "the square root of a negative number is nan"),
    ("power", "divide by zero"): ("GL104", "0 to a negative power is inf"),
    ("power", "invalid value"): (
        "GL104",
        "a negative number to a fractional power is not a real number, so it is nan",
    ),
    ("reciprocal", "divide by zero"): ("GL101", "a division by zero gives inf"),
    ("remainder", "invalid value"): ("GL101", "a remainder of a division by zero is nan"),
    ("rsqrt", "divide by zero"): ("GL103", "1 / sqrt(0) is inf"),
    ("rsqrt", "invalid value"): ("GL103", "the square root of a negative number is nan"),
    **{
        (name, "divide by zero"): ("GL102", "the logarithm of zero is -inf")
        for name in ("log2", "log10", "log1p", "xlogy")
    },
    **{
        (name, "invalid value"): ("GL102", "the logarithm of a negative number is nan")
        for name in ("log2", "log10", "log1p", "xlogy")
    },
    ("atanh", "divide by zero"): ("GL106", "at 1 and -1 it is infinite"),
}
"""What NumPy noticed while an op was computed, in gradlab's words."""

_OUTSIDE = ("GL106", "an argument is outside its domain, so the result is nan")


class _Hearing(threading.local):
    """How NumPy's floating-point errors are heard while an op is computed, in this thread.

    NumPy keeps its error state in a context variable, so an op runs in a context of its own where that state is set once:
    `silent`, or `loud` for ops that can leave the finite range. (`numpy.errstate` would cost more than a small op.)
    """

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.silent, self.loud = Context(), Context()
        self.silent.run(lambda: xp.seterr(all="ignore"))
        self.loud.run(lambda: xp.seterr(divide="call", invalid="call", over="call", under="ignore"))
        self.loud.run(lambda: xp.seterrcall(self.hear))

    def hear(self, kind: str, flag: int) -> None:
        """Called by NumPy, which goes on computing; the warning waits until it has finished."""
        self.kinds.append(kind)


hearing = _Hearing()


class NumpyBackend(ArrayBackend):
    """NumPy on the CPU."""

    name, device, xp = "numpy", "cpu", xp

    def forward(self, op: Any, args: tuple[Any, ...], params: Any) -> Any:
        """Compute one op; NumPy's floating-point errors become warnings in gradlab's words for ops that can leave their domain."""
        context = hearing.loud if op.hears else hearing.silent
        try:
            result = context.run(op.forward, xp, *args, **params)
        except RuntimeError as error:
            if "cannot enter context" not in str(error):
                raise
            return op.forward(xp, *args, **params)  # inside another op, which hears for both
        if hearing.kinds:
            self.explain(op)
        return result

    def explain(self, op: Any) -> None:
        """Say in gradlab's words what NumPy noticed while this op was computed."""
        kinds, hearing.kinds = dict.fromkeys(hearing.kinds), []
        for kind in kinds:
            overflow = ("GL105", "the result is too large for its type, so it became inf")
            code, text = overflow if kind == "overflow" else _NUMERIC.get((op.name, kind), _OUTSIDE)
            warn_numeric(code, f"{op.name}: {text}")


CPU = NumpyBackend()
BACKENDS[xp.ndarray] = CPU
