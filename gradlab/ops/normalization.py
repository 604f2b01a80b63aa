"""Normalisation: numbers moved to mean 0 and variance 1, over whichever axes; and vectors scaled to length 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlab.errors import ArgumentError, ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import normalize_axes, shape_of, whole_numbers
from gradlab.ops.choice import maximum
from gradlab.ops.elementwise import add, divide, multiply, power, subtract
from gradlab.ops.exponents import rsqrt, square
from gradlab.ops.families import count
from gradlab.ops.pad import pad
from gradlab.ops.pooling import SUM_POOL
from gradlab.ops.reduce import mean
from gradlab.ops.shape import expand_dims, reshape, squeeze
from gradlab.ops.signature import define
from gradlab.ops.statistics import norm

__all__ = [
    *("standardize", "batch_norm", "layer_norm", "group_norm", "instance_norm", "rms_norm"),
    *("local_response_norm", "normalize"),
]
FUNCTIONS_ONLY = (
    *("batch_norm", "layer_norm", "group_norm", "instance_norm", "rms_norm"),
    *("local_response_norm", "normalize"),
)


def _forward(xp: Any, x: Any, *, axis: tuple[int, ...], eps: float) -> Any:
    centred = x - xp.mean(x, axis=axis, keepdims=True)
    return centred / xp.sqrt(xp.mean(centred * centred, axis=axis, keepdims=True) + eps)


def _scale(x: Any, axis: tuple[int, ...], eps: float) -> Any:
    centred = subtract(x, mean(x, axis=axis, keepdims=True))
    return rsqrt(add(mean(square(centred), axis=axis, keepdims=True), eps))


def _rule(d: Any, z: Any, x: Any, *, axis: tuple[int, ...], eps: float) -> Any:
    """The derivative is symmetric: (d - mean(d) - z mean(d z)) / σ, for tangents and cotangents alike."""
    along = multiply(z, mean(multiply(d, z), axis=axis, keepdims=True))
    return multiply(subtract(subtract(d, mean(d, axis=axis, keepdims=True)), along), _scale(x, axis, eps))


def _samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, axis in (((4,), (0,)), ((3, 4), (1,)), ((3, 2, 4), (0, 2)), ((0, 3), (1,))):
        yield (rng.normal(size=shape),), {"axis": axis, "eps": 0.1}


STANDARDIZE: Op = define(
    "standardize",
    _forward,
    lambda shape, **params: shape,
    jvp=(_rule,),
    vjp=(_rule,),
    symbol="(x - μ) / σ",
    formula="standardize(x)",
    derivatives=("(ct - mean(ct) - z * mean(ct * z)) / sigma",),
    doc="Minus the mean, over the standard deviation: mean 0 and variance 1 along the axes.",
    samples=_samples,
    reads="z x",
    tags="smooth",
    flops=lambda shape, **params: 6 * count(shape),
)


def standardize(x: Any, axis: Any = None, eps: float = 1e-5) -> Any:
    """(x - mean) / √(variance + eps) along the axes: mean 0, variance 1. Shapes: any → the same.

    VJP: (z̄ - mean(z̄) - z mean(z̄ z)) / σ. Equal values give 0, not nan. Raises ShapeError GL022.

    >>> [round(z, 3) for z in gl.standardize(gl.tensor([1.0, 2.0, 3.0])).tolist()]
    [-1.225, 0.0, 1.225]
    """
    axes = normalize_axes(axis, len(shape_of(x)))
    return apply(STANDARDIZE, x, axis=axes, eps=float(eps)) if axes else multiply(x, 0.0)


def _affine(name: str, z: Any, weight: Any, bias: Any, shape: Shape) -> Any:
    """z times weight plus bias, both reshaped; raises ShapeError GL122 where they do not have one number for each place."""
    for word, given in (("weight", weight), ("bias", bias)):
        if given is not None and count(shape_of(given)) != count(shape):
            what = f"{name} got a {word} of shape {shape_of(given)}"
            raise ShapeError("GL122", what, f"It has {count(shape)} numbers here, one for each place")
    z = z if weight is None else multiply(z, reshape(weight, shape))
    return z if bias is None else add(z, reshape(bias, shape))


def _channels(name: str, x: Any, least: int = 2) -> tuple[Shape, Shape]:
    """The shape of x, and that of one number for each channel."""
    shape = shape_of(x)
    if len(shape) < least:
        raise ShapeError("GL122", f"{name} got shape {shape}", "It takes (batch, channels, …)")
    return shape, (shape[1], *(1,) * (len(shape) - 2))


def batch_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Each channel standardised over the batch, then times weight plus bias.

    Shapes: (n, c, …), running figures, weight and bias (c,) → (n, c, …). While training, mean and variance are those of the batch,
    and the running figures move towards them by `momentum` (the variance with n - 1, as PyTorch keeps it); otherwise the running
    figures are used. VJP: as `standardize` while training. Raises ShapeError GL122, ArgumentError GL123.

    >>> gl.batch_norm(gl.tensor([[1.0], [3.0]]), training=True, eps=0.0).tolist()
    [[-1.0], [1.0]]

    Source: Ioffe and Szegedy, ICML 2015.
    """
    shape, wide = _channels("batch_norm", input)
    axes = (0, *range(2, len(shape)))
    if not training:
        if running_mean is None or running_var is None:
            fix = "Pass training=True, or running_mean and running_var"
            raise ArgumentError("GL123", "batch_norm has no running figures to use outside training", fix=fix)
        shift, spread = reshape(running_mean, wide), reshape(running_var, wide)
        z = multiply(subtract(input, shift), rsqrt(add(spread, float(eps))))
        return _affine("batch_norm", z, weight, bias, wide)
    seen = count(shape) // max(shape[1], 1)
    if seen == 1:
        what = f"batch_norm got one value for each channel, in shape {shape}"
        raise ArgumentError("GL123", what, "One value has no variance", "Use a batch of two or more")
    if seen:
        _move(running_mean, input, axes, momentum, lambda xp, x: xp.mean(x, axis=axes))
        _move(running_var, input, axes, momentum, lambda xp, x: xp.var(x, axis=axes) * (seen / (seen - 1)))
    return _affine("batch_norm", standardize(input, axes, eps), weight, bias, wide)


def _move(running: Any, x: Any, axes: tuple[int, ...], momentum: float, figure: Any) -> None:
    """A running figure a step towards that of this batch, outside the graph."""
    if running is None:
        return
    from gradlab.backends import beside

    raw = getattr(x, "primal", x)
    new = figure(beside(x).xp, raw)
    values = getattr(running, "primal", running)
    values *= 1.0 - momentum
    values += momentum * new


def instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Each channel of each example standardised by itself. Shapes: (n, c, …) → the same; weight and bias (c,).

    The running figures, where given, move towards the mean over the batch of those of the examples. Raises ShapeError GL122.

    >>> gl.instance_norm(gl.tensor([[[1.0, 3.0]]]), eps=0.0).tolist()
    [[[-1.0, 1.0]]]
    """
    shape, wide = _channels("instance_norm", input, 3)
    axes = tuple(range(2, len(shape)))
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    n = count(shape[2:])
    if n == 1:
        what = f"instance_norm got one value for each channel, in shape {shape}"
        raise ArgumentError("GL123", what, "One value has no variance", "Use batch_norm or layer_norm here")
    _move(running_mean, input, axes, momentum, lambda xp, x: xp.mean(x, axis=(0, *axes)))
    _move(
        running_var,
        input,
        axes,
        momentum,
        lambda xp, x: xp.mean(xp.var(x, axis=axes), axis=0) * (n / max(n - 1, 1)),
    )
    return _affine("instance_norm", standardize(input, axes, eps), weight, bias, wide)


def _last_axes(name: str, x: Any, normalized_shape: Any) -> tuple[Shape, tuple[int, ...]]:
    """The sizes that are normalised over, and their axes. Raises ShapeError GL122 unless the shape of x ends with them."""
    sizes, shape = whole_numbers(normalized_shape, "sizes"), shape_of(x)
    if not sizes or shape[len(shape) - len(sizes) :] != sizes or len(sizes) > len(shape):
        what = f"{name} got shape {shape} to normalise over {sizes}"
        raise ShapeError("GL122", what, "The shape ends with the sizes to normalise over")
    return sizes, tuple(range(len(shape) - len(sizes), len(shape)))


def layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """Each example standardised by itself, over the last axes. Shapes: (…, *normalized_shape) → the same.

    VJP: as `standardize`. Raises ShapeError GL122. Source: Ba, Kiros and Hinton, arXiv:1607.06450, 2016.

    >>> gl.layer_norm(gl.tensor([[1.0, 3.0]]), 2, eps=0.0).tolist()
    [[-1.0, 1.0]]
    """
    sizes, axes = _last_axes("layer_norm", input, normalized_shape)
    return _affine("layer_norm", standardize(input, axes, eps), weight, bias, sizes)


def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: float | None = None) -> Any:
    """Each example over the root of its mean square, over the last axes. Shapes: (…, *normalized_shape) → the same.

    `eps` is the smallest step of the type unless given. Raises ShapeError GL122. Source: Zhang and Sennrich, NeurIPS 2019.

    >>> gl.rms_norm(gl.tensor([[3.0, 3.0]]), 2, eps=0.0).tolist()
    [[1.0, 1.0]]
    """
    sizes, axes = _last_axes("rms_norm", input, normalized_shape)
    if eps is None:
        eps = {"float16": 2.0**-10, "float32": 2.0**-23}.get(str(getattr(input, "dtype", "")), 2.0**-52)
    scale = rsqrt(add(mean(square(input), axis=axes, keepdims=True), float(eps)))
    return _affine("rms_norm", multiply(input, scale), weight, None, sizes)


def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """Groups of channels of each example standardised by themselves. Shapes: (n, c, …) → the same; weight and bias (c,).

    VJP: as `standardize`. Raises ShapeError GL122 unless the groups divide the channels. Source: Wu and He, ECCV 2018.

    >>> gl.group_norm(gl.tensor([[1.0, 3.0, 5.0, 9.0]]), 2, eps=0.0).tolist()
    [[-1.0, 1.0, -1.0, 1.0]]
    """
    shape, wide = _channels("group_norm", input)
    if num_groups < 1 or shape[1] % num_groups:
        what = f"group_norm got {num_groups} groups for {shape[1]} channels"
        raise ShapeError("GL122", what, "The groups divide the channels")
    grouped = reshape(input, (shape[0], num_groups, count(shape[1:]) // num_groups))
    return _affine("group_norm", reshape(standardize(grouped, -1, eps), shape), weight, bias, wide)


def local_response_norm(
    input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Any:
    """x over a power of what neighbouring channels do: x / (k + alpha · mean of `size` squares)^beta. Shapes: (n, c, …) → the same.

    Raises ShapeError GL122. Source: Krizhevsky, Sutskever and Hinton, NeurIPS 2012.

    >>> gl.local_response_norm(gl.tensor([[[2.0]]]), 1, alpha=1.0, beta=1.0, k=0.0).tolist()
    [[[0.5]]]
    """
    shape, _ = _channels("local_response_norm", input, 3)
    squares = reshape(square(input), (shape[0], shape[1], count(shape[2:])))
    wide = pad(squares, ((0, 0), (size // 2, (size - 1) // 2), (0, 0)))
    near = squeeze(
        apply(SUM_POOL, expand_dims(wide, -1), kernel=(size, 1, 1), stride=(1, 1, 1), dilation=(1, 1, 1)), -1
    )
    base = add(multiply(reshape(near, shape), alpha / size), float(k))
    return divide(input, power(base, float(beta)))


def normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> Any:
    """Vectors along an axis scaled to length 1 in the p-norm; shorter ones than eps are divided by eps. Shapes: any → the same.

    VJP: that of norm and quotient; 0 at the zero vector's norm, never nan.

    >>> gl.normalize(gl.tensor([[3.0, 4.0]])).tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    return divide(input, maximum(norm(input, ord=p, axis=dim, keepdims=True), float(eps)))
