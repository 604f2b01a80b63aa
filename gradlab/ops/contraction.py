"""einsum and tensordot: products of arrays, summed over the axes that the equation leaves out.

An equation is first made plain: diagonals are taken, axes of size 1 beside longer ones are dropped, and what a single operand sums
alone is summed. What remains is one record, closed under its own derivatives: each VJP is another plain equation.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import normalize_axes, normalize_axis, shape_of, whole_numbers
from gradlab.ops.reduce import SUM
from gradlab.ops.shape import TRANSPOSE, broadcast_to, reshape
from gradlab.ops.signature import define, either
from gradlab.ops.triangles import diagonal

__all__ = ["einsum", "tensordot"]
FUNCTIONS_ONLY = ("einsum",)

LETTERS = string.ascii_letters
Terms = list[str]


# --- the record ---


def _sides(equation: str) -> tuple[Terms, str]:
    left, _, right = equation.partition("->")
    return left.split(","), right


def _product_of_two(xp: Any, terms: Terms, out: str, x: Any, y: Any) -> Any:
    """Two operands as one stack of matrix products, which is what a processor does fastest."""
    a, b = terms
    shared = [one for one in a if one in b]
    stack, inner = [one for one in shared if one in out], [one for one in shared if one not in out]
    rows, columns = [one for one in a if one not in b], [one for one in b if one not in a]
    sizes = dict(zip(a + b, x.shape + y.shape, strict=True))

    def size(labels: list[str]) -> int:
        total = 1
        for one in labels:
            total *= sizes[one]
        return total

    left = x.transpose([a.index(one) for one in stack + rows + inner])
    right = y.transpose([b.index(one) for one in stack + inner + columns])
    left = left.reshape(size(stack), size(rows), size(inner))
    z = xp.matmul(left, right.reshape(size(stack), size(inner), size(columns)))
    made = stack + rows + columns
    return z.reshape([sizes[one] for one in made]).transpose([made.index(one) for one in out])


def _einsum(xp: Any, *xs: Any, equation: str) -> Any:
    terms, out = _sides(equation)
    if len(xs) == 2:
        return _product_of_two(xp, terms, out, *xs)
    return xp.einsum(equation, *xs, optimize=True)


def _sizes(terms: Sequence[str], shapes: Sequence[Shape], equation: str) -> dict[str, int]:
    """The size of each label; an axis of size 1 goes with any. Raises ShapeError GL110 where sizes differ."""
    sizes: dict[str, int] = {}
    for place, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        for label, size in zip(term, shape, strict=True):
            known = sizes.setdefault(label, size)
            if known != size and 1 not in (known, size):
                what = f"einsum '{equation}': label '{label}' has size {known} before, and {size} in operand {place}"
                raise ShapeError("GL110", what, "Axes with one label have one size")
            sizes[label] = size if known == 1 else known
    return sizes


def _einsum_shape(*shapes: Shape, equation: str) -> Shape:
    terms, out = _sides(equation)
    sizes = _sizes(terms, shapes, equation)
    return tuple(sizes[label] for label in out)


def _replaced(equation: str, xs: Sequence[Any], place: int, t: Any) -> Any:
    return apply(EINSUM, *xs[:place], t, *xs[place + 1 :], equation=equation)


def _einsum_jvp(ts: Sequence[Any], z: Any, *xs: Any, equation: str) -> Any:
    parts = [_replaced(equation, xs, place, t) for place, t in enumerate(ts) if t is not None]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _einsum_vjp(ct: Any, z: Any, *xs: Any, equation: str) -> tuple[Any, ...]:
    terms, out = _sides(equation)
    found = []
    for place, term in enumerate(terms):
        others = [out, *terms[:place], *terms[place + 1 :]]
        arrays = (ct, *xs[:place], *xs[place + 1 :])
        found.append(apply(EINSUM, *arrays, equation=f"{','.join(others)}->{term}"))
    return tuple(found)


def _samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    sizes = dict(zip("abcdef", (2, 3, 4, 1, 2, 0), strict=True))
    for equation in (
        *(
            "ab,bc->ac",
            "ab,ab->",
            "a,b->ba",
            "abc,abc->ac",
            "abe,bce->eac",
            "a,ab,b->",
            "ab,bc,cd->ad",
            ",a->a",
        ),
        *("fa,ab->fb", "af,fb->ab"),
    ):
        terms, _ = _sides(equation)
        yield tuple(rng.normal(size=[sizes[one] for one in term]) for term in terms), {"equation": equation}


def _flops(*shapes: Shape, equation: str) -> int:
    total = len(shapes)
    for size in _sizes(_sides(equation)[0], shapes, equation).values():
        total *= size
    return total


EINSUM: Op = define(
    "einsum_",
    _einsum,
    _einsum_shape,
    jvp=(_einsum_jvp,),
    vjp=(_einsum_vjp,),
    symbol="einsum",
    formula="einsum(equation, xs)",
    derivatives=("the product of the others",),
    doc="The product of all operands, summed over every label that is missing on the right of the equation.",
    samples=_samples,
    reads="*xs",
    tags="smooth internal",
    flops=_flops,
    variadic=True,
)


# --- what people write ---


def _refuse(equation: str, why: str, fix: str = "Write for example einsum('ij,jk->ik', x, y)") -> ShapeError:
    return ShapeError("GL110", f"einsum '{equation}': {why}", "Each axis of each operand has one letter", fix)


def _spelled(operands: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """The equation and the operands, from any of the three ways to write them."""
    if not operands:
        raise _refuse("", "there is no equation")
    if isinstance(operands[0], str):
        rest = operands[1:]
        if (
            len(rest) == 1
            and isinstance(rest[0], (list, tuple))
            and any(shape_of(one) or hasattr(one, "dtype") for one in rest[0])
        ):
            rest = tuple(rest[0])
        return operands[0].replace(" ", ""), list(rest)
    xs, lists = list(operands[: len(operands) // 2 * 2 : 2]), list(operands[1::2])
    out = operands[-1] if len(operands) % 2 else None
    terms = ["".join(_letter(one) for one in labels) for labels in lists]
    return ",".join(terms) + ("" if out is None else "->" + "".join(_letter(one) for one in out)), xs


def _letter(label: Any) -> str:
    if label is Ellipsis:
        return "..."
    (number,) = whole_numbers(label, "labels of axes")
    if not 0 <= number < len(LETTERS):
        raise _refuse("", f"label {number} lies outside 0 … {len(LETTERS) - 1}")
    return LETTERS[number]


def _explicit(equation: str, shapes: list[Shape]) -> tuple[Terms, str]:
    """The terms and the result of an equation, with a letter for each axis that an ellipsis stands for."""
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise _refuse(equation, f"{len(terms)} terms for {len(shapes)} operands")
    for term in (*terms, right):
        bare = term.replace("...", "", 1)
        if not all(one in LETTERS for one in bare):
            raise _refuse(equation, f"'{term}' is not made of letters and one '...'")
    free = [one for one in LETTERS if one not in equation]
    longest, found = 0, []
    for place, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        named = len(term.replace("...", ""))
        hidden = len(shape) - named
        if hidden < 0 or (hidden and "..." not in term):
            raise _refuse(equation, f"'{term}' names {named} axes, and operand {place} has shape {shape}")
        longest = max(longest, hidden)
        found.append((term, hidden))
    if longest > len(free):
        raise _refuse(equation, "it has more axes than there are letters")
    hidden_labels = "".join(free[:longest])
    explicit = [term.replace("...", hidden_labels[longest - count :]) for term, count in found]
    return explicit, _result(equation, explicit, hidden_labels, arrow, right)


def _result(equation: str, terms: Terms, hidden: str, arrow: str, right: str) -> str:
    if not arrow:
        letters = "".join(terms)
        return hidden + "".join(sorted(one for one in set(letters) - set(hidden) if letters.count(one) == 1))
    out = right.replace("...", hidden)
    for label in out:
        if out.count(label) > 1:
            raise _refuse(equation, f"label '{label}' stands twice in the result")
        if not any(label in term for term in terms):
            raise _refuse(equation, f"label '{label}' of the result is in no operand")
    return out


def _one_of_each(x: Any, term: str, sizes: dict[str, int]) -> tuple[Any, str]:
    """The operand with each label once (the diagonal of those that stand twice), and without axes that only repeat."""
    while len(set(term)) < len(term):
        label = next(one for one in term if term.count(one) > 1)
        first, second = term.index(label), term.index(label, term.index(label) + 1)
        wanted = list(shape_of(x))
        if wanted[first] != wanted[second]:
            wanted[first] = wanted[second] = sizes[label]
            x = broadcast_to(x, tuple(wanted))
        x = diagonal(x, 0, first, second)
        term = term[:first] + term[first + 1 : second] + term[second + 1 :] + label
    shape = shape_of(x)
    kept = [place for place, label in enumerate(term) if shape[place] == sizes[label]]
    if len(kept) < len(term):
        x = reshape(x, tuple(shape[place] for place in kept))
    return x, "".join(term[place] for place in kept)


def einsum(*operands: Any) -> Any:
    """Products summed by Einstein's rule: `einsum("ij,jk->ik", x, y)` is the matrix product.

    One letter an axis; letters missing on the right are summed; `...` stands for any further axes, which broadcast; a letter twice
    in one operand takes the diagonal. Without `->`, letters that occur once remain, in alphabetical order. The operands may be a
    list, and NumPy's other spelling `einsum(x, [0, 1], y, [1, 2], [0, 2])` works too.
    VJP: for each operand an einsum of the cotangent with the others. Raises ShapeError GL110 where equation and shapes do not fit.

    >>> x, y = gl.tensor([[1.0, 2.0], [3.0, 4.0]]), gl.tensor([1.0, 10.0])
    >>> gl.einsum("ij,j->i", x, y).tolist()
    [21.0, 43.0]
    """
    equation, xs = _spelled(operands)
    shapes = [shape_of(x) for x in xs]
    terms, out = _explicit(equation, shapes)
    sizes = _sizes(terms, shapes, equation)
    plain = [_one_of_each(x, term, sizes) for x, term in zip(xs, terms, strict=True)]
    return _contract([x for x, _ in plain], [term for _, term in plain], out)


def _contract(xs: list[Any], terms: Terms, out: str) -> Any:
    """Sum what one operand sums alone, then multiply."""
    for place, term in enumerate(terms):
        elsewhere = "".join(terms[:place] + terms[place + 1 :]) + out
        alone = tuple(p for p, label in enumerate(term) if label not in elsewhere)
        if alone:
            xs[place] = apply(SUM, xs[place], axis=alone, keepdims=False)
            terms[place] = "".join(label for p, label in enumerate(term) if p not in alone)
    if len(xs) > 1:
        return apply(EINSUM, *xs, equation=f"{','.join(terms)}->{out}")
    axes = tuple(terms[0].index(label) for label in out)
    return (
        apply(TRANSPOSE, xs[0], axes=axes)
        if axes != tuple(range(len(axes)))
        else reshape(xs[0], shape_of(xs[0]))
    )


def tensordot(x: Any, y: Any, axes: Any = 2, *, dims: Any = None) -> Any:
    """Products summed over `axes`: a number n for the last n of x and the first n of y, or one list of axes for each.

    Shapes: (a, b, c), (b, c, d), axes=2 → (a, d). VJP: tensordots of the cotangent with the other operand.
    Raises ShapeError GL110 when the sizes of summed axes differ (PyTorch would broadcast a size of 1).

    >>> gl.tensordot(gl.tensor([1.0, 2.0]), gl.tensor([3.0, 4.0]), axes=1).item()
    11.0
    """
    left, right = shape_of(x), shape_of(y)
    first, second = _summed_axes(left, right, either(axes, dims))
    letters = iter(LETTERS)
    a = [next(letters) for _ in left]
    b = [next(letters) for _ in right]
    for p, q in zip(first, second, strict=True):
        if left[p] != right[q]:
            what = f"tensordot sums axis {p} of {left} with axis {q} of {right}: sizes {left[p]} and {right[q]} differ"
            raise ShapeError("GL110", what, "Axes that are summed together have one size")
        b[q] = a[p]
    out = [label for label in a if label not in b] + [label for label in b if label not in a]
    return _contract([x, y], ["".join(a), "".join(b)], "".join(out))


def _summed_axes(left: Shape, right: Shape, axes: Any) -> tuple[list[int], list[int]]:
    if isinstance(axes, (list, tuple)):
        if len(axes) != 2:
            raise ShapeError(
                "GL110", f"tensordot got {len(axes)} lists of axes", "One for each of the two arrays"
            )
        lists = [one if isinstance(one, (list, tuple)) else (one,) for one in axes]
        first, second = (
            [normalize_axis(one, len(shape)) for one in given]
            for given, shape in zip(lists, (left, right), strict=True)
        )
        normalize_axes(first, len(left)), normalize_axes(second, len(right))  # each axis once
        if len(first) != len(second):
            raise ShapeError(
                "GL110",
                f"tensordot got {len(first)} and {len(second)} axes",
                "As many for one as for the other",
            )
        return first, second
    (count,) = whole_numbers(axes, "axes")
    if not 0 <= count <= min(len(left), len(right)):
        raise ShapeError(
            "GL110",
            f"tensordot cannot sum {count} axes of shapes {left} and {right}",
            "It sums the last of x with the first of y",
        )
    return list(range(len(left) - count, len(left))), list(range(count))
