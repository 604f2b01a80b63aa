"""`gl.autograd`: PyTorch's module of this name, over gradlab's walks."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from gradlab.errors import ArgumentError, GraphError
from gradlab.graph import walk
from gradlab.graph.node import Node
from gradlab.graph.recording import enable_grad, inference_mode, no_grad, set_grad_enabled
from gradlab.transforms.functional import _zeros, jvp, vjp
from gradlab.transforms.gradcheck import gradcheck
from gradlab.transforms.gradgradcheck import gradgradcheck
from gradlab.transforms.matrices import hessian as _hessian
from gradlab.transforms.matrices import hvp, vhp
from gradlab.transforms.matrices import jacobian as _jacobian
from gradlab.transforms.rerun import Function

__all__ = [
    "grad",
    "backward",
    "Function",
    "functional",
    "gradcheck",
    "gradgradcheck",
    "no_grad",
    "enable_grad",
    "inference_mode",
    "set_grad_enabled",
]


def _listed(x: Any) -> list[Any]:
    return [x] if isinstance(x, Node) else list(x)


def _seeds(outputs: list[Any], given: Any) -> list[Any]:
    seeds = [None] * len(outputs) if given is None else [given] if isinstance(given, Node) else list(given)
    if len(seeds) != len(outputs):
        what = f"{len(outputs)} outputs got {len(seeds)} seeds"
        raise ArgumentError("GL044", what, "There must be one for each output, None for a single number")
    return seeds


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of outputs (added up, each times its seed in `grad_outputs`) with respect to inputs, as a tuple; `.grad` stays.

    Shapes: those of the inputs, which may be leaves or computed. `create_graph` records the gradients. An input that nothing depends
    on gives None with `allow_unused`, zeros with `materialize_grads`, else GraphError GL049. `retain_graph` is taken for PyTorch's
    sake. Raises GraphError GL030 without a seed for several numbers, GL031 where nothing was recorded.

    >>> x = gl.tensor(3.0, requires_grad=True)
    >>> (first,) = gl.autograd.grad(x**3, x, create_graph=True)
    >>> gl.autograd.grad(first, x)[0].item()
    18.0
    """
    roots, leaves = _listed(outputs), _listed(inputs)
    total: dict[Any, Any] = {}
    for root, seed in zip(roots, _seeds(roots, grad_outputs), strict=True):
        if not root.needs_grad:
            what = "grad() was asked of an output for which nothing was recorded"
            raise GraphError(
                "GL031", what, "None of its inputs requires a gradient, or it was computed under no_grad()"
            )
        with enable_grad():
            found = walk.cotangents(root, seed, record=create_graph, wrt=leaves)
            for leaf in leaves:
                if leaf in found:
                    total[leaf] = found[leaf] if leaf not in total else total[leaf] + found[leaf]
    return tuple(_result(leaf, total, create_graph, allow_unused, materialize_grads) for leaf in leaves)


def _result(
    leaf: Any, found: dict[Any, Any], create_graph: bool, allow_unused: bool, materialize: bool
) -> Any:
    if leaf in found:
        return found[leaf] if create_graph else leaf.seed_like(found[leaf], True)
    if materialize:
        return _zeros(leaf)
    if allow_unused:
        return None
    what = f"no output depends on the input{f' {leaf.label!r}' if leaf.label else ''}"
    raise GraphError(
        "GL049",
        what,
        "Its gradient would be zero",
        "Pass allow_unused=True to get None, or materialize_grads=True for zeros",
    )


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """`backward()` of several tensors, each with its seed; leaves add up what they get. Raises as `Tensor.backward`.

    >>> x = gl.tensor(2.0, requires_grad=True)
    >>> gl.autograd.backward([x * 3.0, x * x])
    >>> x.grad.item()
    7.0
    """
    roots = _listed(tensors)
    for root, seed in zip(roots, _seeds(roots, grad_tensors), strict=True):
        root.backward(seed, retain_graph, create_graph, inputs)


def _of_inputs(derivative: Any) -> Any:
    def call(func: Any, inputs: Any, *vectors: Any, create_graph: bool = False, **words: Any) -> Any:
        several = isinstance(inputs, (tuple, list))
        if not several:
            return derivative(func, 0)(inputs)
        places: Sequence[int] = tuple(range(len(inputs)))
        return tuple(derivative(func, place)(*inputs) for place in places)

    return call


def _functional_vjp(func: Any, inputs: Any, v: Any = None, create_graph: bool = False) -> tuple[Any, Any]:
    several = isinstance(inputs, (tuple, list))
    out, pull = vjp(func, *(inputs if several else (inputs,)))
    found = pull(v)
    return out, found if several else found[0]


def _functional_jvp(func: Any, inputs: Any, v: Any = None, create_graph: bool = False) -> tuple[Any, Any]:
    several = isinstance(inputs, (tuple, list))
    return jvp(func, inputs if several else (inputs,), v if several else (v,))


functional = SimpleNamespace(
    jacobian=_of_inputs(_jacobian),
    hessian=_of_inputs(_hessian),
    vjp=_functional_vjp,
    jvp=_functional_jvp,
    hvp=lambda func, inputs, v=None, create_graph=False: (func(inputs), hvp(func, inputs, v)[1]),
    vhp=lambda func, inputs, v=None, create_graph=False: (func(inputs), vhp(func, inputs, v)[1]),
)
"""PyTorch's `autograd.functional`."""
