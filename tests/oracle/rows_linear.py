"""Rows of the oracle's table for linear algebra and einsum."""

from __future__ import annotations

from typing import Any

from judge import Row
from spelling import called, plain

import gradlab as gl

STRETCH = "axes that are summed together have one size; PyTorch's tensordot stretches a size of 1"


def _triangular(
    b: Any, a: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Any, Any]:
    half = gl.swapaxes(a, -1, -2) if transpose else a
    return gl.solve_triangular(half, b, upper=upper != transpose, unitriangular=unitriangular), a


def _stretched(x: Any, y: Any, dims: Any = 2) -> bool:
    if not isinstance(dims, (list, tuple)):
        return False
    return any(x.shape[p] != y.shape[q] for p, q in zip(*dims, strict=True))


ROWS: list[Row] = [
    *plain(
        "matmul", "mm", "mv", "bmm", "addmm", "addmv", "addbmm", "baddbmm", "addr", "dot", "vdot", "inner"
    ),
    *plain("outer", "kron", "cross", "linalg.multi_dot", "linalg.vecdot", "linalg.cross"),
    called("einsum", lambda xs, equation: gl.einsum(equation, *xs)),
    called("__rmatmul__", lambda x, y: gl.matmul(y, x)),
    called("addmm/decomposed", gl.addmm),
    called("tensordot", lambda x, y, dims=2: gl.tensordot(x, y, dims=dims), deviations={STRETCH: _stretched}),
    *plain("linalg.matrix_power", "linalg.inv", "linalg.det", "linalg.slogdet", "logdet"),
    *plain("linalg.solve_triangular", "linalg.solve", "linalg.cholesky", "cholesky"),
    called("linalg.diagonal", lambda x, offset=0, dim1=-2, dim2=-1: gl.diagonal(x, offset, dim1, dim2)),
    called("triangular_solve", _triangular),
]
