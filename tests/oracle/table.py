"""Which of PyTorch's entries gradlab answers, how each call is spelled, and every deviation with its reason."""

from __future__ import annotations

from typing import Any

import rows_layers
import rows_linear
import rows_losses
from spelling import EMPTY, ON_NUMBER, SQUEEZE, THRESHOLD, called, plain

import gradlab as gl

# --- element by element ---

ELEMENTWISE = [
    *plain(
        "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "cos", "cosh", "erf", "exp"
    ),
    *plain(
        "exp2",
        "expm1",
        "floor",
        "fmax",
        "fmin",
        "hypot",
        "log",
        "log10",
        "log1p",
        "log2",
        "logaddexp",
        "maximum",
    ),
    *plain(
        "minimum", "mul", "nan_to_num", "neg", "reciprocal", "rsqrt", "sigmoid", "sign", "sin", "sinc", "sinh"
    ),
    *plain("sqrt", "square", "tan", "tanh", "trunc", "xlogy", "remainder", "pow"),
    called("add", lambda x, y, alpha=1: gl.add(x, y * alpha if alpha != 1 else y)),
    called("sub", lambda x, y, alpha=1: gl.sub(x, y * alpha if alpha != 1 else y)),
    called("div/no_rounding_mode", lambda x, y: gl.div(x, y)),
    called("true_divide", lambda x, y: gl.div(x, y)),
    called("round", lambda x: gl.round(x)),
    called("max/binary", gl.maximum),
    called("min/binary", gl.minimum),
    called("clamp", gl.clamp),
    called("where", lambda x, c, y: gl.where(c, x, y)),
    *[
        called(name, getattr(gl, full))
        for name, full in (("eq", "equal"), ("ne", "not_equal"), ("lt", "less"))
    ],
    *[
        called(name, getattr(gl, full))
        for name, full in (("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal"))
    ],
    *[
        called(f"__r{name}__", lambda x, y, f=f: f(y, x))
        for name, f in (("add", gl.add), ("sub", gl.sub), ("mul", gl.mul))
    ],
    *[
        called(f"__r{name}__", lambda x, y, f=f: f(y, x))
        for name, f in (("div", gl.div), ("pow", gl.pow), ("mod", gl.remainder))
    ],
    called("rsub", lambda x, y, alpha=1: gl.sub(y, x * alpha)),
    called("deg2rad", lambda x: x * (3.141592653589793 / 180)),
]


ACTIVATIONS = [
    *plain("nn.functional.relu", "nn.functional.relu6", "nn.functional.silu", "nn.functional.hardswish"),
    *plain("nn.functional.hardsigmoid", "nn.functional.logsigmoid"),
    called("nn.functional.leaky_relu", lambda x, negative_slope=0.01: gl.leaky_relu(x, negative_slope)),
    called("nn.functional.elu", lambda x, alpha=1.0: gl.elu(x, alpha)),
    called(
        "nn.functional.gelu",
        gl.gelu,
    ),
    called(
        "nn.functional.softplus",
        lambda x, beta=1, threshold=20: gl.softplus(x * beta) * (1 / beta),
        deviations={THRESHOLD: lambda x, beta=1, threshold=20: bool((x * beta > threshold).any())},
    ),
    called("nn.functional.hardtanh", lambda x, min_val=-1.0, max_val=1.0: gl.clip(x, min_val, max_val)),
]

# --- reductions ---


def _reduced(f: Any) -> Any:
    """PyTorch's positional words: axes, then keepdim."""

    def call(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
        return f(x, axis=dim if dim != () and dim != [] else None, keepdims=keepdim)

    return call


def _values(f: Any) -> Any:
    return lambda x, dim, keepdim=False: (f(x, axis=dim, keepdims=keepdim), _places(f)(x, dim, keepdim))


def _places(f: Any) -> Any:
    positions = gl.argmax if f is gl.max else gl.argmin
    return lambda x, dim, keepdim: positions(x, axis=dim, keepdims=keepdim)


def _spread(f: Any) -> Any:
    def call(
        x: Any, dim: Any = None, unbiased: bool = True, keepdim: bool = False, correction: Any = None
    ) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        free = int(unbiased) if correction is None else correction
        return f(x, axis=dim, ddof=free, keepdims=keepdim)

    return call


REDUCTIONS = [
    *[
        called(name, _reduced(getattr(gl, name)), deviations=ON_NUMBER)
        for name in ("sum", "mean", "prod", "logsumexp", "argmax", "argmin", "all", "any")
    ],
    called("amax", _reduced(gl.max), deviations=ON_NUMBER),
    called("amin", _reduced(gl.min), deviations=ON_NUMBER),
    called("max/reduction_no_dim", gl.max),
    called("min/reduction_no_dim", gl.min),
    called("max/reduction_with_dim", _values(gl.max), deviations=ON_NUMBER),
    called("min/reduction_with_dim", _values(gl.min), deviations=ON_NUMBER),
    *[
        called(name, _spread(getattr(gl, name.partition("/")[0])))
        for name in ("var", "std", "var/unbiased", "std/unbiased")
    ],
    *[
        called(name, lambda x, dim, dtype=None, f=getattr(gl, name): f(x, dim))
        for name in ("cumsum", "cumprod")
    ],
    called("softmax", lambda x, dim, dtype=None: gl.softmax(x, dim)),
    called("log_softmax", lambda x, dim, dtype=None: gl.log_softmax(x, dim)),
    called("nn.functional.softmin", lambda x, dim=None, dtype=None: gl.softmin(x, dim)),
    called(
        "linalg.vector_norm",
        lambda x, ord=2, dim=None, keepdim=False, dtype=None: gl.norm(x, ord, dim, keepdim),
        deviations=ON_NUMBER,
    ),
]

# --- shapes ---

SHAPES = [
    called("cat", gl.cat, deviations={EMPTY: lambda xs, *dim, **words: len({x.ndim for x in xs}) > 1}),
    *plain(
        "chunk", "column_stack", "diagflat", "diagonal", "diag_embed", "dstack", "expand", "flip", "fliplr"
    ),
    *plain("flipud", "hstack", "movedim", "narrow", "permute", "ravel", "reshape", "rot90", "select"),
    called("transpose", gl.swapaxes, deviations=ON_NUMBER),
    called(
        "squeeze",
        gl.squeeze,
        deviations={SQUEEZE: lambda x, dim=None: dim is not None and (x.ndim == 0 or x.shape[dim] != 1)},
    ),
    *plain("stack", "tile", "trace", "tril", "triu", "unbind", "unflatten", "unsqueeze", "view"),
    *plain("vstack", "broadcast_to", "broadcast_tensors"),
    *[
        called(
            name, lambda *xs, f=getattr(gl, name): [f(x) for x in (xs[0] if isinstance(xs[0], list) else xs)]
        )
        for name in ("atleast_1d", "atleast_2d")
    ],
    called(
        "tensor_split",
        lambda x, where, dim=0: gl.tensor_split(x, getattr(where, "tolist", lambda: where)(), dim),
    ),
    called(
        "repeat_interleave",
        lambda x, repeats, dim=None, output_size=None: gl.repeat_interleave(x, repeats, dim),
    ),
    called("roll", lambda x, shifts, dims=None: gl.roll(x, shifts, dims)),
    called("repeat", lambda x, *reps: gl.tile(x, reps[0] if len(reps) == 1 else reps)),
    called("split", lambda x, size, dim=0: gl.split(x, size, dim=dim)),
    called("split/list_args", lambda x, sizes, dim=0: gl.split(x, sizes, dim=dim)),
    called("split_with_sizes", gl.split_with_sizes),
    called("T", lambda x: gl.transpose(x)),
    called("t", lambda x: gl.transpose(x)),
    called("mT", lambda x: gl.swapaxes(x, -1, -2)),
    called(
        "diff",
        lambda x, n=1, dim=-1, prepend=None, append=None: gl.diff(
            gl.cat([p for p in (prepend, x, append) if p is not None], dim) if n else x, n, dim
        ),
    ),
    called("expand_as", lambda x, y: gl.expand(x, *y.shape)),
    called("reshape_as", lambda x, y: gl.reshape(x, y.shape)),
    called("view_as", lambda x, y: gl.reshape(x, y.shape)),
]

# --- indexing ---

INDEXING = [
    called(
        "gather",
        gl.gather,
        deviations={EMPTY: lambda x, dim, index, **words: x.ndim and x.ndim != index.ndim},
    ),
    called("index_select", gl.index_select, deviations=ON_NUMBER),
    *plain("index_add", "index_copy", "index_fill", "take", "scatter_add", "masked_fill"),
    *plain("masked_select", "msort"),
    called(
        "searchsorted",
        lambda line, x, out_int32=False, right=False, side="left", sorter=None: gl.searchsorted(
            line if sorter is None else gl.take_along_axis(line, sorter), x, side, right=right
        ),
    ),
    called("bucketize", lambda x, line, out_int32=False, right=False: gl.bucketize(x, line, right=right)),
    called("take_along_dim", gl.take_along_dim),
    called(
        "index_put",
        lambda x, indices, values, accumulate=False: gl.index_put(x, tuple(indices), values, accumulate),
    ),
    called("__getitem__", lambda x, index: x[index]),
    called("scatter", lambda x, dim, index, src, reduce=None: gl.scatter(x, dim, index, src)),
    called(
        "sort",
        lambda x, dim=-1, descending=False, stable=False: (
            gl.sort(x, dim, descending=descending),
            gl.argsort(x, dim, descending=descending),
        ),
    ),
    called(
        "argsort", lambda x, dim=-1, descending=False, stable=False: gl.argsort(x, dim, descending=descending)
    ),
    called("topk", gl.topk),
    called("kthvalue", gl.kthvalue),
    called("nn.functional.one_hot", gl.one_hot),
    called(
        "nn.functional.embedding",
        lambda weight, index, padding_idx=None, **words: gl.embedding(index, weight, padding_idx),
    ),
]

ROWS = [
    *(*ELEMENTWISE, *ACTIVATIONS, *REDUCTIONS, *SHAPES, *INDEXING),
    *rows_linear.ROWS,
    *rows_layers.ROWS,
    *rows_losses.ROWS,
]
