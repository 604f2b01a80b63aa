"""What an op is: a frozen record, the registry, and `apply`.

The record is the only place that knows anything about an op. The engine, the pictures, the formulas, the docs and the tests read it.

Rules are written with ops and with `+ - *`, so that one rule runs on Python floats, on raw arrays and on recorded nodes:
`forward(xp, *arrays, **params)`, `shape(*shapes, **params)`, `jvp[i](t, z, *inputs, **params)` and `vjp[i](ct, z, *inputs, **params)`,
where `z` is the output, `t` a tangent and `ct` a cotangent.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gradlab import backends

Rule = Callable[..., Any]
Shape = tuple[int, ...]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Op:
    """One operation. `vjp` and `jvp` hold one rule per input, or None where no derivative exists.

    A variadic op holds one rule for all: its VJP returns a sequence of cotangents, its JVP takes a sequence of tangents (None where
    an input has none), so that n inputs cost n steps and not n².
    """

    name: str
    symbol: str
    formula: str
    derivatives: tuple[str, ...]
    forward: Callable[..., Any]
    shape: Callable[..., Shape]
    jvp: tuple[Rule | None, ...]
    vjp: tuple[Rule | None, ...]
    samples: Callable[[Any], Iterator[tuple[tuple[Any, ...], dict[str, Any]]]]
    reads: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    flops: Callable[..., int] = lambda *shapes, **params: 0
    doc: str = ""
    arg_names: tuple[str, ...] = ()
    variadic: bool = False

    def __repr__(self) -> str:
        return f"Op({self.name})"

    def __reduce__(self) -> tuple[Any, ...]:
        return lookup, (self.name,)


REGISTRY: dict[str, Op] = {}


def register(op: Op) -> Op:
    """Enter an op into the registry. Its name must be new."""
    if op.name in REGISTRY:
        raise ValueError(f"an op named {op.name!r} is registered already.")
    REGISTRY[op.name] = op
    return op


def lookup(name: str) -> Op:
    """The op of this name."""
    return REGISTRY[name]


def apply(op: Op, *args: Any, **params: Any) -> Any:
    """Run an op in the way its arguments ask for: nodes record it, raw numbers and arrays are computed at once."""
    plain = True
    for arg in args:
        if (
            arg.__class__ is float or arg.__class__ is bool
        ):  # asked first: backward walks over scalars call this most
            continue
        plain = False
        run = getattr(arg, "__gradlab_apply__", None)
        if run is not None:
            return run(op, args, params)
    if plain and "scalar" in op.tags:
        return op.forward(backends.scalar, *args)
    return backends.compute(op, args, params)


def _function(op: Op, arity: int) -> Callable[..., Any]:
    """A function with as many arguments as the op, so that Python itself says in its usual words when there are too many."""
    if op.variadic:
        return lambda *args: apply(op, *args)
    return (
        lambda x, /: apply(op, x),
        lambda x, y, /: apply(op, x, y),
        lambda c, x, y, /: apply(op, c, x, y),
    )[arity - 1]


def function_of(op: Op) -> Callable[..., Any]:
    """The public function of an op without parameters: `gl.exp` for the record named exp. It carries the record as `.op`."""
    function: Any = _function(op, len(op.arg_names))
    function.__name__ = function.__qualname__ = op.name
    function.__module__ = "gradlab"
    function.__doc__ = op.doc
    kind = inspect.Parameter.VAR_POSITIONAL if op.variadic else inspect.Parameter.POSITIONAL_ONLY
    names = [name.lstrip("*") for name in op.arg_names]
    function.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    function.op = op
    return function
