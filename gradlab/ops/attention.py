"""Layers without a state of their own: the affine map, the bilinear map, attention, and similarity of vectors."""

from __future__ import annotations

import math
from typing import Any

from gradlab.errors import ArgumentError, ShapeError
from gradlab.ops.axes import normalize_axis, shape_of
from gradlab.ops.choice import greater, maximum, where
from gradlab.ops.contraction import einsum
from gradlab.ops.elementwise import add, divide, multiply, subtract
from gradlab.ops.linear import matmul
from gradlab.ops.pieces import broadcast_tensors
from gradlab.ops.random import dropout
from gradlab.ops.reduce import sum as sum_
from gradlab.ops.shape import reshape, swapaxes, transpose
from gradlab.ops.softmax import softmax
from gradlab.ops.statistics import any as any_
from gradlab.ops.statistics import norm

__all__ = [
    *("linear", "bilinear", "scaled_dot_product_attention", "cosine_similarity", "pairwise_distance"),
    *("cdist", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle"),
]
FUNCTIONS_ONLY = (
    *("linear", "bilinear", "scaled_dot_product_attention", "cosine_similarity", "pairwise_distance"),
    *("cdist", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle"),
)


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """The affine map x wᵀ + b of every layer. Shapes: (…, in), (out, in), (out,) → (…, out).

    VJP: x̄ = z̄ w, w̄ = z̄ᵀ x, b̄ = Σ z̄. Raises ShapeError GL122 when the sizes differ.

    >>> gl.linear(gl.tensor([1.0, 2.0]), gl.tensor([[3.0, 4.0]]), gl.tensor([0.5])).tolist()
    [11.5]
    """
    x, w = shape_of(input), shape_of(weight)
    if not x or len(w) not in (1, 2) or x[-1] != w[-1]:
        what = f"linear got an input of shape {x} and a weight of shape {w}"
        raise ShapeError("GL122", what, "A weight is (out, in), and the last axis of the input has size in")
    z = matmul(input, transpose(weight) if len(w) == 2 else weight)
    return z if bias is None else add(z, bias)


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """x w y + b for each matrix of the weight. Shapes: (…, n), (…, m), (out, n, m), (out,) → (…, out). VJP: as einsum.

    Raises ShapeError GL110 where the sizes differ.

    >>> gl.bilinear(gl.tensor([[2.0]]), gl.tensor([[3.0]]), gl.tensor([[[1.0]]])).tolist()
    [[6.0]]
    """
    z = einsum("...n,onm,...m->...o", input1, weight, input2)
    return z if bias is None else add(z, bias)


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """softmax(q kᵀ / √d) v: for each query, the average of the values, weighted by how well their keys fit.

    Shapes: (…, l, d), (…, s, d), (…, s, v) → (…, l, v). A mask of booleans keeps where it is true, one of numbers is added;
    `is_causal` lets query i see keys 0 … i. VJP: that of softmax and products; rows that see nothing are 0.
    With `enable_gqa`, axis -3 of keys and values is repeated to that of the queries.
    Raises ShapeError GL122, ArgumentError GL124 for a mask together with is_causal. Source: Vaswani et al., NeurIPS 2017.

    >>> q = gl.tensor([[0.0, 0.0]])
    >>> gl.scaled_dot_product_attention(q, gl.ones(2, 2), gl.tensor([[1.0], [3.0]])).tolist()
    [[2.0]]
    """
    if is_causal and attn_mask is not None:
        fix = "Leave one of them out"
        raise ArgumentError("GL124", "attention got both a mask and is_causal=True", fix=fix)
    if enable_gqa:
        key, value = (_as_many_heads(query, one) for one in (key, value))
    q, k = shape_of(query), shape_of(key)
    if len(q) < 2 or len(k) < 2 or q[-1] != k[-1] or k[-2] != shape_of(value)[-2]:
        what = f"attention got queries {q}, keys {k} and values {shape_of(value)}"
        raise ShapeError("GL122", what, "Queries are (…, l, d), keys (…, s, d), values (…, s, v)")
    factor = 1.0 / math.sqrt(q[-1]) if scale is None else float(scale)
    scores = multiply(matmul(query, swapaxes(key, -1, -2)), factor)
    mask = _causal(query, q[-2], k[-2]) if is_causal else attn_mask
    if mask is not None:
        boolean = str(getattr(mask, "dtype", "")) == "bool"
        scores = where(mask, scores, float("-inf")) if boolean else add(scores, mask)
        weights = softmax(scores, -1)
        weights = where(_any_finite(scores), weights, 0.0) if boolean else weights
    else:
        weights = softmax(scores, -1)
    return matmul(dropout(weights, dropout_p, dropout_p > 0), value)


def _as_many_heads(query: Any, x: Any) -> Any:
    from gradlab.ops.arrange import repeat_interleave

    return repeat_interleave(x, shape_of(query)[-3] // shape_of(x)[-3], dim=-3)


def _causal(x: Any, rows: int, columns: int) -> Any:
    from gradlab.backends import beside

    xp = beside(x).xp
    return xp.arange(columns) <= xp.arange(rows)[:, None]


def _any_finite(scores: Any) -> Any:
    """Where a row of scores has something to look at."""
    return any_(greater(scores, float("-inf")), axis=-1, keepdims=True)


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along an axis. Shapes: two that broadcast → theirs without that axis.

    Lengths below eps count as eps. VJP: that of norms and products.

    >>> gl.cosine_similarity(gl.tensor([[1.0, 0.0]]), gl.tensor([[1.0, 1.0]])).tolist()
    [0.7071067690849304]
    """
    x1, x2 = broadcast_tensors(x1, x2)
    lengths = [maximum(norm(x, axis=dim, keepdims=True), float(eps)) for x in (x1, x2)]
    return sum_(multiply(divide(x1, lengths[0]), divide(x2, lengths[1])), axis=dim)


def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """The p-norm of x1 - x2 + eps along the last axis. Shapes: (…, d), (…, d) → (…). VJP: that of norm.

    >>> gl.pairwise_distance(gl.tensor([3.0, 4.0]), gl.zeros(2), eps=0.0).item()
    5.0
    """
    return norm(add(subtract(x1, x2), float(eps)), ord=p, axis=-1, keepdims=keepdim)


def cdist(x1: Any, x2: Any, p: float = 2.0) -> Any:
    """The p-norm distance of each row of x1 to each row of x2. Shapes: (…, n, d), (…, m, d) → (…, n, m). VJP: that of norm.

    >>> gl.cdist(gl.tensor([[0.0, 0.0]]), gl.tensor([[3.0, 4.0], [0.0, 1.0]])).tolist()
    [[5.0, 1.0]]
    """
    first, second = shape_of(x1), shape_of(x2)
    if len(first) < 2 or len(second) < 2 or first[-1] != second[-1]:
        raise ShapeError(
            "GL122", f"cdist got shapes {first} and {second}", "It takes (…, n, d) and (…, m, d)"
        )
    rows = reshape(x1, (*first[:-1], 1, first[-1]))
    columns = reshape(x2, (*second[:-2], 1, *second[-2:]))
    gap = subtract(rows, columns)
    return norm(gap, ord=p, axis=-1)


def _image(name: str, x: Any, divides: int, axis: int) -> tuple[int, ...]:
    shape = shape_of(x)
    if len(shape) < 3 or divides < 1 or shape[normalize_axis(axis, len(shape))] % divides:
        what = f"{name} got shape {shape} and {divides}"
        raise ShapeError("GL122", what, "It takes (…, channels, height, width), and the sizes divide")
    return shape


def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """Channels laid out as finer pixels. Shapes: (…, c r², h, w) → (…, c, h r, w r). VJP: `pixel_unshuffle`.

    Raises ShapeError GL122.

    >>> gl.pixel_shuffle(gl.tensor([[[1.0]], [[2.0]], [[3.0]], [[4.0]]]), 2).tolist()
    [[[1.0, 2.0], [3.0, 4.0]]]
    """
    r = upscale_factor
    *lead, c, h, w = _image("pixel_shuffle", input, r * r, -3)
    n = len(lead)
    split = reshape(input, (*lead, c // (r * r), r, r, h, w))
    moved = transpose(split, (*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return reshape(moved, (*lead, c // (r * r), h * r, w * r))


def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """Pixels gathered into channels, the way back. Shapes: (…, c, h r, w r) → (…, c r², h, w). Raises ShapeError GL122.

    >>> gl.pixel_unshuffle(gl.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 2).tolist()
    [[[1.0]], [[2.0]], [[3.0]], [[4.0]]]
    """
    r = downscale_factor
    _image("pixel_unshuffle", input, r, -2)
    *lead, c, h, w = _image("pixel_unshuffle", input, r, -1)
    n = len(lead)
    split = reshape(input, (*lead, c, h // r, r, w // r, r))
    moved = transpose(split, (*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return reshape(moved, (*lead, c * r * r, h // r, w // r))


def channel_shuffle(input: Any, groups: int) -> Any:
    """Channels dealt out anew, one from each group in turn. Shapes: (n, c, …) → the same. Raises ShapeError GL122.

    >>> gl.channel_shuffle(gl.tensor([[[1.0], [2.0], [3.0], [4.0]]]), 2).tolist()
    [[[1.0], [3.0], [2.0], [4.0]]]
    """
    shape = _image("channel_shuffle", input, groups, 1)
    split = reshape(input, (shape[0], groups, shape[1] // groups, *shape[2:]))
    return reshape(swapaxes(split, 1, 2), shape)
