"""`custom_op`: an operation with rules of one's own, which are checked when it is defined."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gradlab.errors import ArgumentError, GradcheckError
from gradlab.op import Op, apply
from gradlab.ops.families import argument_names

STEP = 6e-6


def custom_op(
    name: str,
    forward: Callable[..., Any],
    vjp: Sequence[Callable[..., Any] | None],
    jvp: Sequence[Callable[..., Any] | None] | None = None,
    *,
    samples: Sequence[tuple[Any, ...]],
    shape: Callable[..., tuple[int, ...]] | None = None,
    symbol: str | None = None,
    tolerance: float = 1e-5,
) -> Callable[..., Any]:
    """An operation with a derivative of one's own, as a function of tensors and arrays.

    `forward(xp, *xs)` computes it with NumPy's names from `xp`. `vjp` holds for each input `rule(ct, z, *xs)`, or None; `jvp` likewise
    `rule(t, z, *xs)`. Written with gradlab's functions and operators, rules can be differentiated again. `samples` are tuples of
    inputs on which the rules are checked at once: VJP against central differences, JVP against VJP.
    Raises GradcheckError GL140 where a rule is wrong, showing both numbers, ArgumentError GL141 without samples or a rule per input.

    >>> cube = gl.custom_op("cube", lambda xp, x: x**3, [lambda ct, z, x: ct * 3.0 * x**2], samples=[([1.0, 2.0],)])
    >>> x = gl.tensor([2.0], requires_grad=True)
    >>> cube(x).sum().backward()
    >>> x.grad.tolist()
    [12.0]
    """
    names = argument_names(forward)
    if len(vjp) != len(names) or (jvp is not None and len(jvp) != len(names)):
        what = f"{name} has {len(names)} inputs, {len(vjp)} VJP rules and {len(jvp or vjp)} JVP rules"
        raise ArgumentError(
            "GL141", what, "There is one rule for each input, None where there is no derivative"
        )
    if not samples:
        raise ArgumentError(
            "GL141", f"{name} has no samples to check its rules on", fix="Pass samples=[(x, …)]"
        )
    op = Op(
        name=name,
        symbol=symbol or name,
        formula=f"{name}({', '.join(names)})",
        derivatives=tuple("" if rule is None else f"d{name}" for rule in vjp),
        forward=forward,
        shape=shape or (lambda *shapes: _shape_by_running(forward, shapes)),
        jvp=tuple(jvp) if jvp is not None else tuple(rule and _missing(name) for rule in vjp),
        vjp=tuple(vjp),
        samples=lambda rng: iter(()),
        doc=f"{name}, defined with custom_op.",
        arg_names=names,
        reads=frozenset({"z", *names}),
        tags=frozenset({"custom"}),
    )
    for args in samples:
        _check(op, args, jvp is not None, tolerance)

    def function(*args: Any) -> Any:
        return apply(op, *args)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = op.doc
    function.op = op  # type: ignore[attr-defined]
    return function


def _missing(name: str) -> Callable[..., Any]:
    def rule(*args: Any) -> Any:
        from gradlab.errors import GraphError

        raise GraphError(
            "GL046", f"{name} was defined without JVP rules", "Forward mode needs them", "Pass jvp=[…]"
        )

    return rule


def _shape_by_running(forward: Callable[..., Any], shapes: tuple[Any, ...]) -> tuple[int, ...]:
    import numpy as np

    with np.errstate(all="ignore"):
        return tuple(np.shape(forward(np, *[np.ones(shape) for shape in shapes])))


def _inputs(args: tuple[Any, ...]) -> Iterator[Any]:
    import numpy as np

    for x in args:
        raw = np.asarray(getattr(x, "primal", x))
        yield raw.astype(float) if raw.dtype.kind in "iuf" else raw


def _check(op: Op, args: tuple[Any, ...], with_jvp: bool, tolerance: float) -> None:
    import numpy as np

    xs = list(_inputs(args))
    rng = np.random.default_rng(0)
    z = np.asarray(op.forward(np, *xs))
    ct = rng.normal(size=z.shape)
    for place, (x, rule) in enumerate(zip(xs, op.vjp, strict=True)):
        if rule is None or x.dtype.kind != "f":
            continue
        t = rng.normal(size=x.shape)
        ends = [op.forward(np, *xs[:place], x + sign * STEP * t, *xs[place + 1 :]) for sign in (1, -1)]
        moved = float(np.sum(ct * (np.asarray(ends[0]) - np.asarray(ends[1])))) / (2 * STEP)
        pulled = np.asarray(rule(ct, z, *xs))
        _compare(
            op,
            place,
            "VJP",
            float(np.sum(np.broadcast_to(pulled, np.broadcast_shapes(pulled.shape, x.shape)) * t)),
            moved,
            tolerance,
        )
        if with_jvp and op.jvp[place] is not None:
            pushed = float(np.sum(ct * op.jvp[place](t, z, *xs)))  # type: ignore[misc]
            _compare(op, place, "JVP", pushed, moved, tolerance)


def _compare(op: Op, place: int, kind: str, got: float, want: float, tolerance: float) -> None:
    if abs(got - want) <= tolerance * max(1.0, abs(got), abs(want)):
        return
    what = (
        f"the {kind} rule of {op.name} for input {place} gives {got:.6g} and central differences {want:.6g}"
    )
    raise GradcheckError(
        "GL140",
        what,
        "A rule must be the derivative of forward",
        "Derive it again, or look for a kink at the sample",
    )
