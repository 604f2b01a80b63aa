"""What public functions share: NumPy's and PyTorch's words for one thing, and helpers to define ops without repeating their frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradlab.errors import ArgumentError, DTypeError
from gradlab.op import Op, Rule, Shape, register
from gradlab.ops.families import argument_names

Samples = Callable[[Any], Iterator[tuple[tuple[Any, ...], dict[str, Any]]]]


def either(axis: Any, dim: Any) -> Any:
    """NumPy's `axis`, or PyTorch's `dim` when that was given."""
    return axis if dim is None else dim


def define(
    name: str,
    forward: Callable[..., Any],
    shape: Callable[..., Shape],
    *,
    jvp: tuple[Rule | None, ...],
    vjp: tuple[Rule | None, ...],
    symbol: str,
    formula: str,
    derivatives: tuple[str, ...],
    doc: str,
    samples: Samples,
    reads: str = "",
    tags: str = "",
    flops: Callable[..., int] = lambda *shapes, **params: 0,
    variadic: bool = False,
) -> Op:
    """Register an op that belongs to no family: every rule is given."""
    return register(
        Op(
            name=name,
            symbol=symbol,
            formula=formula,
            derivatives=derivatives,
            forward=forward,
            shape=shape,
            jvp=jvp,
            vjp=vjp,
            samples=samples,
            reads=frozenset(reads.split()),
            tags=frozenset(tags.split()),
            flops=flops,
            doc=doc,
            arg_names=argument_names(forward),
            variadic=variadic,
        )
    )


def cut(
    name: str,
    forward: Callable[..., Any],
    shape: Callable[..., Shape],
    *,
    symbol: str,
    formula: str,
    doc: str,
    samples: Samples,
    tags: str = "",
    flops: Callable[..., int] = lambda *shapes, **params: 0,
) -> Op:
    """Register an op whose result is whole numbers or booleans, so that it has no derivative."""
    none = (None,) * len(argument_names(forward))
    return define(
        name,
        forward,
        shape,
        jvp=none,
        vjp=none,
        symbol=symbol,
        formula=formula,
        derivatives=("",) * len(none),
        doc=doc,
        samples=samples,
        tags=f"cut {tags}",
        flops=flops,
    )


def whole_numbers(index: Any, role: str = "index") -> Any:
    """An index as an array of whole numbers, or as the node it is. Raises DTypeError GL015 for anything else."""
    if not hasattr(index, "dtype"):
        from gradlab.backends.numpy import CPU

        index = CPU.asarray(index)
        index = index.astype(int) if index.size == 0 else index
    if index.dtype.kind not in "iu":
        what = f"the {role} has dtype {index.dtype}"
        raise DTypeError("GL015", what, "Positions are whole numbers", "Convert it with dtype=int")
    return index


def one_of(word: Any, words: tuple[str, ...], what: str) -> str:
    """A word that must be one of a few. Raises ArgumentError GL016 naming them."""
    if word not in words:
        raise ArgumentError("GL016", f"{what} {word!r} is not known", f"It is one of {', '.join(words)}")
    return str(word)
