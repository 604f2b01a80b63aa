"""The gradient check one order higher: second derivatives against central differences of the gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlab.graph import walk
from gradlab.graph.recording import enable_grad
from gradlab.transforms.functional import _zeros, run
from gradlab.transforms.gradcheck import EPS, GradcheckReport, gradcheck


def gradgradcheck(
    f: Callable[..., Any],
    *inputs: Any,
    eps: float = EPS,
    tolerance: float = 1e-5,
    raise_exception: bool = True,
) -> GradcheckReport:
    """`gradcheck` of the gradients of f, each element weighted differently so that no two errors cancel.

    `inputs` are as for `gradcheck`. Returns its report, and raises what it raises.

    >>> gl.gradgradcheck(lambda x: x * x * x, 2.0)
    GradcheckReport(agrees, elements=1, max_error=...)
    """

    def energy(*xs: Any) -> Any:
        with enable_grad():
            leaves, out = run(f, xs)
            seed = out.seed_like(_weights(out), True)
            found = walk.cotangents(out, seed, record=True, wrt=leaves) if out.needs_grad else {}
            total = None
            for leaf in leaves:
                part = (found[leaf] if leaf in found else _zeros(leaf)) * leaf.seed_like(_weights(leaf), True)
                part = part.sum() if hasattr(part, "sum") else part
                total = part if total is None else total + part
            return total

    return gradcheck(energy, *inputs, eps=eps, tolerance=tolerance, raise_exception=raise_exception)


def _weights(node: Any) -> Any:
    """Weights that differ from element to element."""
    ones: Any = node.ones() if hasattr(node, "ones") else 1.0
    if not getattr(ones, "shape", ()):
        return ones * 0.7
    flat = ones.reshape(-1).copy()
    for place in range(flat.size):
        flat[place] = 0.5 + (place * 0.6180339887498949) % 1.0
    return flat.reshape(ones.shape)
