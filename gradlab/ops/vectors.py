"""Products of vectors, and the many names of the matrix product."""

from __future__ import annotations

from typing import Any

from gradlab.errors import ShapeError
from gradlab.ops.axes import normalize_axis, shape_of, whole_numbers
from gradlab.ops.contraction import tensordot
from gradlab.ops.elementwise import multiply
from gradlab.ops.families import broadcast_shapes
from gradlab.ops.index import getitem
from gradlab.ops.join import stack
from gradlab.ops.linear import matmul
from gradlab.ops.pieces import moveaxis
from gradlab.ops.reduce import sum as sum_
from gradlab.ops.shape import reshape
from gradlab.ops.signature import either

__all__ = [
    *("dot", "inner", "vdot", "vecdot", "outer", "ger", "kron", "cross"),
    *("mm", "mv", "bmm", "addmm", "addmv", "addbmm", "baddbmm", "addr"),
    *("multi_dot", "chain_matmul"),
]
FUNCTIONS_ONLY = ("multi_dot", "chain_matmul")


def _ranks(name: str, *pairs: tuple[Any, int]) -> None:
    """Raise ShapeError GL114 unless each array has the rank that the function is for."""
    for x, rank in pairs:
        shape = shape_of(x)
        if len(shape) != rank:
            words = {1: "vectors", 2: "matrices", 3: "stacks of matrices"}
            what, fix = f"{name} got shape {shape} where rank {rank} belongs", "matmul takes every rank"
            raise ShapeError("GL114", what, f"It is for {words[rank]}", fix)


def _same_length(name: str, x: Any, y: Any) -> None:
    if shape_of(x)[-1] != shape_of(y)[-1]:
        what = f"{name} got lengths {shape_of(x)[-1]} and {shape_of(y)[-1]}"
        raise ShapeError("GL114", what, "Products are taken pair by pair, so the lengths are equal")


def dot(x: Any, y: Any) -> Any:
    """NumPy's dot product: of vectors the sum of products, of matrices `x @ y`; of a number with anything their product.

    Shapes: (n,), (n,) → (); (n, k), (k, m) → (n, m); of higher ranks the last axis of x with the last but one of y.
    VJP: x̄ = z̄ y, ȳ = z̄ x for vectors. Raises ShapeError GL110 or GL021 when the summed sizes differ.

    >>> gl.dot(gl.tensor([1.0, 2.0]), gl.tensor([3.0, 4.0])).item()
    11.0
    """
    left, right = shape_of(x), shape_of(y)
    if not left or not right:
        return multiply(x, y)
    if len(left) <= 2 and len(right) <= 2:
        return matmul(x, y)
    return tensordot(x, y, axes=([-1], [-1 if len(right) == 1 else -2]))


def inner(x: Any, y: Any) -> Any:
    """The products of the last axes, summed. Shapes: (a, n), (b, n) → (a, b). VJP: as tensordot. Raises ShapeError GL110.

    >>> gl.inner(gl.tensor([1.0, 2.0]), gl.tensor([[3.0, 4.0], [5.0, 6.0]])).tolist()
    [11.0, 17.0]
    """
    if not shape_of(x) or not shape_of(y):
        return multiply(x, y)
    return tensordot(x, y, axes=([-1], [-1]))


def vdot(x: Any, y: Any) -> Any:
    """The dot product of all elements in order. Shapes: any two of one size → (). VJP: the cotangent times the other.

    Raises ShapeError GL114 when the sizes differ.

    >>> gl.vdot(gl.tensor([1.0, 2.0]), gl.tensor([3.0, 4.0])).item()
    11.0
    """
    x, y = reshape(x, -1), reshape(y, -1)
    _same_length("vdot", x, y)
    return matmul(x, y)


def vecdot(x: Any, y: Any, axis: int = -1, *, dim: int | None = None) -> Any:
    """The dot products of the vectors along `axis`. Shapes: (…, n), (…, n) → (…), broadcast. VJP: the cotangent times the other.

    >>> gl.vecdot(gl.tensor([[1.0, 2.0], [3.0, 4.0]]), gl.tensor([1.0, 10.0])).tolist()
    [21.0, 43.0]
    """
    return sum_(multiply(x, y), axis=either(axis, dim))


def outer(x: Any, y: Any) -> Any:
    """Every element of x times every element of y. Shapes: (n,), (m,) → (n, m). VJP: x̄ = z̄ y, ȳ = xᵀ z̄.

    >>> gl.outer(gl.tensor([1.0, 2.0]), gl.tensor([3.0, 4.0])).tolist()
    [[3.0, 4.0], [6.0, 8.0]]
    """
    return multiply(reshape(x, (-1, 1)), reshape(y, (1, -1)))


def ger(x: Any, y: Any) -> Any:
    """`outer` by its name in BLAS.

    >>> gl.ger(gl.tensor([1.0]), gl.tensor([3.0, 4.0])).tolist()
    [[3.0, 4.0]]
    """
    return outer(x, y)


def kron(x: Any, y: Any) -> Any:
    """The Kronecker product: a block x[i, j] · y for each element of x. Shapes: (a, b), (c, d) → (a c, b d).

    VJP: each cotangent block times the other operand, summed.

    >>> gl.kron(gl.tensor([1.0, 2.0]), gl.tensor([1.0, 10.0])).tolist()
    [1.0, 10.0, 2.0, 20.0]
    """
    left, right = shape_of(x), shape_of(y)
    rank = max(len(left), len(right))
    left, right = (1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right
    wide = reshape(x, tuple(size for one in left for size in (one, 1)))
    tall = reshape(y, tuple(size for one in right for size in (1, one)))
    return reshape(multiply(wide, tall), tuple(a * b for a, b in zip(left, right, strict=True)))


def cross(x: Any, y: Any, axis: int = -1, *, dim: int | None = None) -> Any:
    """The cross product of vectors of three elements along `axis`. Shapes: (…, 3), (…, 3) → (…, 3), broadcast.

    VJP: x̄ = y × z̄, ȳ = z̄ × x. Raises ShapeError GL114 for other lengths.

    >>> gl.cross(gl.tensor([1.0, 0.0, 0.0]), gl.tensor([0.0, 1.0, 0.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    shape = broadcast_shapes(shape_of(x), shape_of(y))
    place = normalize_axis(either(axis, dim), len(shape))
    parts = []
    for one in (x, y):
        own = shape_of(one)
        back = place - len(shape)
        if -back > len(own) or own[back] != 3:
            what = f"cross got shape {own}, with {own[back] if -back <= len(own) else 'no'} elements along axis {place}"
            raise ShapeError("GL114", what, "A cross product is of vectors with three elements")
        line = moveaxis(one, back, 0)
        parts.append([getitem(line, k) for k in range(3)])
    (a, b, c), (d, e, f) = parts
    return stack([b * f - c * e, c * d - a * f, a * e - b * d], axis=place)


def mm(x: Any, y: Any) -> Any:
    """The product of two matrices, and of nothing else. Shapes: (n, k), (k, m) → (n, m). Raises ShapeError GL114, GL021.

    >>> gl.mm(gl.tensor([[1.0, 2.0]]), gl.tensor([[3.0], [4.0]])).tolist()
    [[11.0]]
    """
    _ranks("mm", (x, 2), (y, 2))
    return matmul(x, y)


def mv(x: Any, y: Any) -> Any:
    """The product of a matrix and a vector. Shapes: (n, k), (k,) → (n,). Raises ShapeError GL114, GL021.

    >>> gl.mv(gl.tensor([[1.0, 2.0]]), gl.tensor([3.0, 4.0])).tolist()
    [11.0]
    """
    _ranks("mv", (x, 2), (y, 1))
    return matmul(x, y)


def bmm(x: Any, y: Any) -> Any:
    """The products of two stacks of matrices. Shapes: (b, n, k), (b, k, m) → (b, n, m). Raises ShapeError GL114, GL021.

    >>> gl.bmm(gl.ones((2, 1, 3)), gl.ones((2, 3, 1))).shape
    (2, 1, 1)
    """
    _ranks("bmm", (x, 3), (y, 3))
    if shape_of(x)[0] != shape_of(y)[0]:
        what = f"bmm got stacks of {shape_of(x)[0]} and {shape_of(y)[0]} matrices"
        raise ShapeError("GL114", what, "As many on the left as on the right", "matmul broadcasts")
    return matmul(x, y)


def _mixed(added: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """beta · added + alpha · product; what is multiplied by 0 is left out, even where it is nan, as in PyTorch."""
    product = product if alpha == 1 else product * alpha
    if beta == 0:
        return product
    return product + (added if beta == 1 else multiply(added, beta))


def addmm(input: Any, x: Any, y: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """beta · input + alpha · x y. Shapes: (n, m) or what broadcasts to it, (n, k), (k, m) → (n, m). Raises ShapeError GL114, GL021.

    >>> gl.addmm(gl.tensor([1.0]), gl.tensor([[1.0, 2.0]]), gl.tensor([[3.0], [4.0]])).tolist()
    [[12.0]]
    """
    return _mixed(input, mm(x, y), beta, alpha)


def addmv(input: Any, x: Any, y: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """beta · input + alpha · x y. Shapes: (n,), (n, k), (k,) → (n,). Raises ShapeError GL114, GL021.

    >>> gl.addmv(gl.tensor([1.0]), gl.tensor([[1.0, 2.0]]), gl.tensor([3.0, 4.0])).tolist()
    [12.0]
    """
    return _mixed(input, mv(x, y), beta, alpha)


def addbmm(input: Any, x: Any, y: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """beta · input + alpha · the sum of all products of a stack. Shapes: (n, m), (b, n, k), (b, k, m) → (n, m). Raises ShapeError.

    >>> gl.addbmm(gl.tensor([[1.0]]), gl.ones((2, 1, 3)), gl.ones((2, 3, 1))).tolist()
    [[7.0]]
    """
    return _mixed(input, sum_(bmm(x, y), axis=0), beta, alpha)


def baddbmm(input: Any, x: Any, y: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """beta · input + alpha · x y for stacks of matrices. Shapes: (b, n, m), (b, n, k), (b, k, m) → (b, n, m). Raises ShapeError.

    >>> gl.baddbmm(gl.tensor([[[1.0]]]), gl.ones((1, 1, 3)), gl.ones((1, 3, 1))).tolist()
    [[[4.0]]]
    """
    return _mixed(input, bmm(x, y), beta, alpha)


def addr(input: Any, x: Any, y: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """beta · input + alpha · the outer product of x and y. Shapes: (n, m), (n,), (m,) → (n, m). Raises ShapeError GL114.

    >>> gl.addr(gl.tensor([[1.0, 1.0]]), gl.tensor([2.0]), gl.tensor([3.0, 4.0])).tolist()
    [[7.0, 9.0]]
    """
    _ranks("addr", (x, 1), (y, 1))
    return _mixed(input, outer(x, y), beta, alpha)


def multi_dot(xs: Any, *more: Any) -> Any:
    """The product of several matrices, in the order of multiplications that costs least.

    Shapes: (n, a), (a, b), …, (c, m) → (n, m); the first and the last may be vectors. Raises ShapeError GL114 for fewer than two.
    Source: Cormen et al., Introduction to Algorithms, "Matrix-chain multiplication".

    >>> gl.multi_dot([gl.ones((2, 3)), gl.ones((3, 4)), gl.ones((4, 1))]).tolist()
    [[12.0], [12.0]]
    """
    parts = [*xs] if not more else [xs, *more]
    if len(parts) < 2:
        raise ShapeError("GL114", f"multi_dot got {len(parts)} matrices", "It multiplies at least two")
    for place, x in enumerate(parts):
        allowed = (1, 2) if place in (0, len(parts) - 1) else (2,)
        if len(shape_of(x)) not in allowed:
            raise ShapeError(
                "GL114", f"multi_dot got shape {shape_of(x)} at place {place}", "Only the ends may be vectors"
            )
    matrices = [shape_of(x) if len(shape_of(x)) == 2 else (1, shape_of(x)[0]) for x in parts]
    if len(shape_of(parts[-1])) == 1:
        matrices[-1] = (shape_of(parts[-1])[0], 1)
    return _in_order(parts, _cheapest([matrices[0][0], *(shape[1] for shape in matrices)]))


def chain_matmul(*xs: Any) -> Any:
    """`multi_dot` by its older name in PyTorch.

    >>> gl.chain_matmul(gl.ones((1, 3)), gl.ones((3, 2))).tolist()
    [[3.0, 3.0]]
    """
    return multi_dot(list(xs)) if len(xs) != 1 else xs[0]


def _cheapest(sizes: list[int]) -> dict[tuple[int, int], int]:
    """For each run of matrices (first, last) where its last multiplication splits it. `sizes` are rows of the first, then columns."""
    n = len(sizes) - 1
    cost, split = {(i, i): 0 for i in range(n)}, {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            found = {
                k: cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)
            }
            split[i, j] = min(found, key=found.__getitem__)
            cost[i, j] = found[split[i, j]]
    return split


def _in_order(parts: list[Any], split: dict[tuple[int, int], int]) -> Any:
    """The product of all parts, each run split where it says; innermost runs first."""
    made: dict[tuple[int, int], Any] = {(i, i): part for i, part in enumerate(parts)}
    waiting = [(0, len(parts) - 1)]
    while waiting:
        i, j = waiting[-1]
        k = split[i, j]
        missing = [run for run in ((i, k), (k + 1, j)) if run not in made]
        if missing:
            waiting += missing
            continue
        made[waiting.pop()] = matmul(made[i, k], made[k + 1, j])
    return made[0, len(parts) - 1]


def matrix_power_of(x: Any, n: Any, one: Any, inverse: Any) -> Any:
    """x multiplied n times by itself, by squaring; `one` is the unit matrix, and `inverse` inverts for n < 0."""
    (count,) = whole_numbers(n, "powers")
    if count == 0:
        return one
    x = inverse(x) if count < 0 else x
    count, result = abs(count), None
    while count:
        if count & 1:
            result = x if result is None else matmul(result, x)
        count >>= 1
        x = matmul(x, x) if count else x
    return result
