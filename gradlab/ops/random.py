"""Random numbers and dropout. All of gradlab draws from one generator, so one seed makes a run repeat.

The generator is NumPy's PCG64: the same numbers on every platform. Threads draw from it one at a time; for numbers that do not
depend on the order of threads, give each thread a generator of its own with `fork_rng(seed)`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradlab.errors import ArgumentError
from gradlab.op import Op, apply
from gradlab.ops.axes import shape_of
from gradlab.ops.signature import define

__all__ = ["dropout", "feature_dropout", "dropout1d", "dropout2d", "alpha_dropout"]


class _Source(threading.local):
    """The generator of this thread, where it has one of its own."""

    own: Any = None


_shared: list[Any] = []
_lock, _source = threading.RLock(), _Source()


def generator() -> Any:
    """The generator that the next random numbers come from, a `numpy.random.Generator`."""
    if _source.own is not None:
        return _source.own
    with _lock:
        if not _shared:
            import numpy as np

            _shared.append(np.random.default_rng())
        return _shared[0]


def draw(method: str, *args: Any, **words: Any) -> Any:
    """One call of the generator, one thread at a time."""
    with _lock:
        return getattr(generator(), method)(*args, **words)


def manual_seed(seed: int) -> None:
    """Start the random numbers again from a seed, so that a run repeats. Raises ArgumentError GL131 for a negative one.

    >>> gl.manual_seed(0)
    >>> first = gl.rand(2).tolist()
    >>> gl.manual_seed(0)
    >>> gl.rand(2).tolist() == first
    True
    """
    import numpy as np

    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ArgumentError("GL131", f"a seed is a whole number from 0 on, got {seed!r}")
    with _lock:
        fresh = np.random.default_rng(int(seed))
        if _source.own is not None:
            _source.own = fresh
        else:
            _shared[:] = [fresh]


def get_rng_state() -> dict[str, Any]:
    """The state of the random numbers, to be given to `set_rng_state` later: the same numbers will come again.

    >>> state = gl.get_rng_state()
    >>> first = gl.rand(3).tolist()
    >>> gl.set_rng_state(state)
    >>> gl.rand(3).tolist() == first
    True
    """
    with _lock:
        return dict(generator().bit_generator.state)


def set_rng_state(state: dict[str, Any]) -> None:
    """Go back to a state of the random numbers that `get_rng_state` gave. Raises ArgumentError GL131 for anything else.

    >>> gl.set_rng_state(gl.get_rng_state())
    """
    with _lock:
        try:
            generator().bit_generator.state = state
        except (TypeError, ValueError, KeyError):
            raise ArgumentError("GL131", "this is not a state that get_rng_state() gave") from None


@contextmanager
def fork_rng(seed: int | None = None) -> Iterator[None]:
    """Inside, random numbers come from a generator of this block's and thread's own; afterwards the old one goes on undisturbed.

    >>> gl.manual_seed(1)
    >>> with gl.fork_rng(seed=5):
    ...     inside = gl.rand(1)
    >>> after = gl.rand(1).tolist()
    >>> gl.manual_seed(1)
    >>> gl.rand(1).tolist() == after
    True
    """
    import numpy as np

    before = _source.own
    with _lock:
        fresh = np.random.default_rng(seed)
        if seed is None:
            fresh.bit_generator.state = generator().bit_generator.state
    _source.own = fresh
    try:
        yield
    finally:
        _source.own = before


# --- dropout ---


def _forward(xp: Any, x: Any, mask: Any) -> Any:
    return x * mask


DROPOUT: Op = define(
    "dropout",
    _forward,
    lambda x, mask: x,
    jvp=(lambda t, z, x, mask: t * mask, None),
    vjp=(lambda ct, z, x, mask: ct * mask, None),
    symbol="dropout",
    formula="dropout(x)",
    derivatives=("mask", ""),
    doc="x times a mask that was drawn at random: 0 for what is dropped, 1 / (1 - p) for what is kept.",
    samples=lambda rng: (
        ((rng.normal(size=shape), (rng.random(shape) > 0.5) * 2.0), {})
        for shape in ((3,), (2, 3), (0, 2), ())
    ),
    reads="mask",
    tags="smooth random",
)


def _probability(p: Any) -> float:
    if not 0.0 <= p <= 1.0:
        raise ArgumentError("GL132", f"dropout got p={p!r}", "p is a probability, from 0 to 1")
    return float(p)


def _kept(shape: tuple[int, ...], p: float) -> Any:
    """True where an element is kept."""
    return draw("random", shape) >= _probability(p)


def _masked(x: Any, shape: tuple[int, ...], p: float) -> Any:
    kept = _kept(shape, p)
    dtype = getattr(x, "dtype", None)
    scale = 0.0 if p == 1.0 else 1.0 / (1.0 - p)
    mask = (kept * scale).astype(dtype if getattr(dtype, "kind", "-") == "f" else "float32")
    import numpy as np

    return apply(DROPOUT, x, np.broadcast_to(mask, shape_of(x)))


def dropout(x: Any, p: float = 0.5, training: bool = True) -> Any:
    """Each element is set to 0 with probability p, and the others are multiplied by 1 / (1 - p); x itself when not training.

    Shapes: any → the same. VJP: z̄ times the same mask. With p = 1 all is 0, never nan. Raises ArgumentError GL132.

    >>> gl.manual_seed(0)
    >>> sorted(set(gl.dropout(gl.ones(100), p=0.5).tolist()))
    [0.0, 2.0]

    Source: Srivastava et al., JMLR 15(56), 2014.
    """
    return _masked(x, shape_of(x), _probability(p)) if training and p != 0 else x


def feature_dropout(x: Any, p: float = 0.5, training: bool = True) -> Any:
    """Dropout of whole channels: all elements under one index of the first two axes are kept or dropped together.

    Shapes: (n, c, …) → the same. VJP: z̄ times the same mask. Raises ArgumentError GL132.

    >>> gl.feature_dropout(gl.ones(1, 2, 3), p=1.0).tolist()
    [[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]
    """
    shape = shape_of(x)
    return _masked(x, (*shape[:2], *(1,) * (len(shape) - 2)), p) if training and p != 0 else x


def dropout1d(x: Any, p: float = 0.5, training: bool = True) -> Any:
    """`feature_dropout` for (n, c, length).

    >>> gl.dropout1d(gl.ones(1, 1, 2), training=False).tolist()
    [[[1.0, 1.0]]]
    """
    return feature_dropout(x, p, training)


def dropout2d(x: Any, p: float = 0.5, training: bool = True) -> Any:
    """`feature_dropout` for images (n, c, height, width).

    >>> gl.dropout2d(gl.ones(1, 1, 1, 2), p=0.0).tolist()
    [[[[1.0, 1.0]]]]
    """
    return feature_dropout(x, p, training)


def alpha_dropout(x: Any, p: float = 0.5, training: bool = True) -> Any:
    """Dropout for `selu` networks: what is dropped becomes selu's lower limit, and mean and variance are kept.

    Shapes: any → the same. VJP: z̄ times the mask and a factor. Raises ArgumentError GL132. Source: Klambauer et al., NeurIPS 2017.

    >>> gl.alpha_dropout(gl.ones(2), training=False).tolist()
    [1.0, 1.0]
    """
    if not training or p == 0:
        return x
    if p == 1:
        return x * 0.0
    low, kept = -1.7580993408473766, _kept(shape_of(x), p)
    scale = ((1.0 - p) * (1.0 + p * low * low)) ** -0.5
    mask = kept.astype(getattr(x, "dtype", "float32"))
    return apply(DROPOUT, x, mask) * scale + ((1.0 - mask) * (scale * low) - p * low * scale)
