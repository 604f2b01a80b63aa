"""Array namespaces and devices. `scalar` is Python floats, `numpy` is NumPy arrays on the CPU."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


def namespace(args: tuple[Any, ...]) -> ModuleType:
    """The namespace that computes on these raw arguments: NumPy when one of them is an array, else Python floats."""
    for arg in args:
        if type(arg).__module__ == "numpy" or isinstance(arg, (list, tuple)):
            from gradlab.backends import numpy

            return numpy.xp
    return sys.modules["gradlab.backends.scalar"]


from gradlab.backends import scalar as scalar  # noqa: E402  (registered before `namespace` is first called)
