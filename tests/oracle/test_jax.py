"""JAX as judge: JVP, Jacobian and Hessian of fifty functions, from plain to nested, agree in float64."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradlab as gl
from gradlab.graph.tensor import Tensor
from gradlab.op import REGISTRY

pytestmark = pytest.mark.needs("oracle")

M = np.random.default_rng(3).normal(size=(4, 4))
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "exp": lambda x, L: L.exp(x),
    "log": lambda x, L: L.log(x),
    "sqrt": lambda x, L: L.sqrt(x),
    "sin": lambda x, L: L.sin(x),
    "tan": lambda x, L: L.tan(x),
    "tanh": lambda x, L: L.tanh(x),
    "sinh": lambda x, L: L.sinh(x),
    "arctan": lambda x, L: L.arctan(x),
    "arcsin": lambda x, L: L.arcsin(x * 0.3),
    "arccosh": lambda x, L: L.arccosh(x + 1.5),
    "log1p": lambda x, L: L.log1p(x),
    "expm1": lambda x, L: L.expm1(x),
    "exp2": lambda x, L: L.exp2(x),
    "log2": lambda x, L: L.log2(x),
    "log10": lambda x, L: L.log10(x),
    "reciprocal": lambda x, L: 1.0 / x,
    "power": lambda x, L: x**2.5,
    "power of both": lambda x, L: x**x,
    "two to x": lambda x, L: 2.0**x,
    "hypot": lambda x, L: L.hypot(x, x * 2.0 + 1.0),
    "arctan2": lambda x, L: L.arctan2(x, x * x + 1.0),
    "logaddexp": lambda x, L: L.logaddexp(x, x * x),
    "sinc": lambda x, L: L.sinc(x),
    "sum": lambda x, L: L.sum(x * x),
    "mean": lambda x, L: L.mean(x * x * x),
    "prod": lambda x, L: L.prod(x),
    "var": lambda x, L: L.var(x),
    "std": lambda x, L: L.std(x * x),
    "cumsum": lambda x, L: L.cumsum(x * x),
    "cumprod": lambda x, L: L.cumprod(x),
    "max": lambda x, L: L.max(x * x) * x,
    "min": lambda x, L: L.min(x) * L.sum(x),
    "matmul": lambda x, L: L.matmul(M, x * x),
    "quadratic form": lambda x, L: L.matmul(x, L.matmul(M, x)),
    "reshape": lambda x, L: L.reshape(x * x, (2, 2)),
    "transpose": lambda x, L: L.transpose(L.reshape(x**3, (2, 2))),
    "index": lambda x, L: x[1:] * x[:-1],
    "reversed": lambda x, L: x[::-1] * x,
    "repeated index": lambda x, L: x[np.array([0, 0, 3])] ** 2,
    "concatenate": lambda x, L: L.concatenate([x * x, L.sin(x)]),
    "stack": lambda x, L: L.stack([x, x * x]),
    "where": lambda x, L: L.where(x > 1.0, x * x, L.sin(x)),
    "maximum": lambda x, L: L.maximum(x, 1.1) * x,
    "clip": lambda x, L: L.clip(x, 0.6, 1.3) * x,
    "outer by broadcasting": lambda x, L: x[:, None] * L.exp(x[None, :]),
    "sort": lambda x, L: L.sort(x) * x,
    "tile": lambda x, L: L.tile(x * x, 2),
    "roll": lambda x, L: L.roll(x, 1) * x,
    "layer": lambda x, L: L.tanh(L.matmul(L.tanh(L.matmul(x, M)), M)),
    "logistic loss": lambda x, L: L.mean(L.log(1.0 + L.exp(-x * x))),
    "chain": lambda x, L: L.exp(L.sin(L.sqrt(x)) / (1.0 + x * x)),
    "rosenbrock": lambda x, L: L.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2),
}
POINT, TANGENT = np.array([0.7, 1.6, 0.9, 1.2]), np.array([0.3, -1.0, 2.0, 0.5])


def judge(name: str) -> None:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    f = FUNCTIONS[name]
    ours, theirs = (lambda x: f(x, gl)), (lambda x: f(x, jnp))
    value, tangent = gl.jvp(ours, (POINT,), (TANGENT,))
    want, want_tangent = jax.jvp(theirs, (POINT,), (TANGENT,))
    close(value, want)
    close(tangent, want_tangent)
    want_jacobian = jax.jacobian(theirs)(POINT)
    for mode in ("forward", "reverse"):
        close(gl.jacobian(ours, mode=mode)(POINT), want_jacobian)
    close(
        gl.hessian(lambda x: gl.sum(gl.sin(ours(x))))(POINT),
        jax.hessian(lambda x: jnp.sum(jnp.sin(theirs(x))))(POINT),
    )


def close(got: Any, want: Any) -> None:
    np.testing.assert_allclose(got.detach().numpy(), np.asarray(want), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_jax_agrees(name: str) -> None:
    judge(name)


def test_there_are_at_least_fifty() -> None:
    assert len(FUNCTIONS) >= 50


@pytest.mark.parametrize("kind", ["jvp", "vjp"])
def test_a_rule_broken_on_purpose_is_found(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    op = REGISTRY["sin"]
    wrong = dataclasses.replace(op, **{kind: (lambda d, z, x: d * 0.9,)})
    record = gl.graph.recorder.record

    def misled(asked: Any, inputs: Any, z: Any, params: Any, needs: bool) -> Any:
        return record(wrong if asked is op else asked, inputs, z, params, needs)

    monkeypatch.setattr(gl.graph.recorder, "record", misled)
    assert isinstance(gl.sin(gl.tensor([1.0], requires_grad=True)), Tensor)
    with pytest.raises(AssertionError):
        judge("sin")
