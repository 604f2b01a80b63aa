"""What an op is: a frozen record, the registry, and `apply`.

The record is the only place that knows anything about an op. The engine, the pictures, the formulas, the docs and the tests read it.

Rules are written with ops and with `+ - *`, so that one rule runs on Python floats, on raw arrays and on recorded nodes:
`forward(xp, *arrays, **params)`, `shape(*shapes, **params)`, `jvp[i](t, z, *inputs, **params)` and `vjp[i](ct, z, *inputs, **params)`,
where `z` is the output, `t` a tangent and `ct` a cotangent.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
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
    hears: bool = field(
        init=False
    )  # whether it can leave the finite range, so that its warnings are listened for
    cuts: bool = field(init=False)  # whether it has no derivative
    views: bool = field(init=False)  # whether its result may share memory with its input

    def __post_init__(self) -> None:
        object.__setattr__(self, "hears", "domain" in self.tags)
        object.__setattr__(self, "cuts", not any(self.vjp))
        object.__setattr__(self, "views", "view" in self.tags)

    def __repr__(self) -> str:
        return f"Op({self.name})"

    def __reduce__(self) -> tuple[Any, ...]:
        return lookup, (self.name,)


REGISTRY: dict[str, Op] = {}

RUNNERS: dict[type, Callable[..., Any]] = {}
"""How an op runs whose first argument is of this class: (op, arguments, parameters) → result. The short way that most calls take."""

NO_PARAMS: Mapping[str, Any] = MappingProxyType({})


def register(op: Op) -> Op:
    """Enter an op into the registry. Its name must be new."""
    if op.name in REGISTRY:
        raise ValueError(f"an op named {op.name!r} is registered already.")
    REGISTRY[op.name] = op
    return op


def lookup(name: str) -> Op:
    """The op of this name."""
    return REGISTRY[name]


def apply(op: Op, /, *args: Any, **params: Any) -> Any:
    """Run an op in the way its arguments ask for: nodes record it, raw numbers and arrays are computed at once."""
    run = RUNNERS.get(args[0].__class__) if args else None
    return dispatch(op, args, params) if run is None else run(op, args, params or NO_PARAMS)


def dispatch(op: Op, args: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
    """`apply` for arguments of every kind, in any order."""
    plain = True
    for arg in args:
        kind = arg.__class__
        if kind is float or kind is bool:  # asked first: backward walks over scalars call this most
            continue
        plain = False
        run = getattr(arg, "__gradlab_apply__", None)
        if run is not None:
            return run(op, args, params or NO_PARAMS)
    if plain and "scalar" in op.tags:
        return op.forward(backends.scalar, *args)
    return backends.compute(op, args, params)


def _unary(op: Op) -> Callable[..., Any]:
    def function(x: Any, /) -> Any:
        run = RUNNERS.get(x.__class__)
        return apply(op, x) if run is None else run(op, (x,), NO_PARAMS)

    return function


def _binary(op: Op) -> Callable[..., Any]:
    def function(x: Any, y: Any, /) -> Any:
        run = RUNNERS.get(x.__class__)
        return apply(op, x, y) if run is None else run(op, (x, y), NO_PARAMS)

    return function


def _function(op: Op, arity: int) -> Callable[..., Any]:
    """A function with as many arguments as the op, so that Python itself says in its usual words when there are too many."""
    if op.variadic:
        return lambda *args: apply(op, *args)
    return (_unary(op), _binary(op), lambda c, x, y, /: apply(op, c, x, y))[arity - 1]


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
