"""gradlab: see, move and understand computational graphs and automatic differentiation.

`import gradlab as gl`, then in reading order: nodes (`Value`, `Tensor`, `tensor`), ops (`gl.exp`, `gl.where`, …), derivatives
(`.backward()`, `grad`, `gradcheck`, `no_grad`), models (`nn`), seeing (`draw`, `explore`, `scope`) and learning (`lessons`).

Every name loads on first use, so importing gradlab is quick and scalars need nothing but the standard library.
"""

from __future__ import annotations

import importlib
from typing import Any

from gradlab import ops as _ops

__version__ = "0.1.0"

_NODES = {
    "gradlab.graph.value": ("Value",),
    "gradlab.graph.tensor": ("Tensor", "tensor"),
    "gradlab.graph.arrays": ("set_default_dtype", "get_default_dtype"),
}
_OPS = {
    module.__name__: tuple(module.__all__) for module in _ops.MODULES
}  # an op's record and one name in `__all__`
_CREATION: dict[str, tuple[str, ...]] = {
    "gradlab.graph.creation": (
        *("zeros", "ones", "full", "empty", "zeros_like", "ones_like", "full_like", "empty_like"),
        *("arange", "linspace", "logspace", "eye", "meshgrid", "tril_indices", "triu_indices"),
        *("as_tensor", "asarray", "from_numpy", "is_tensor", "is_floating_point"),
    ),
    "gradlab.graph.sampling": (
        *("rand", "randn", "randint", "randperm", "normal", "uniform", "bernoulli", "multinomial"),
        *("rand_like", "randn_like", "randint_like"),
    ),
    "gradlab.ops.random": ("manual_seed", "get_rng_state", "set_rng_state", "fork_rng"),
}
_CONSTANTS = {
    "gradlab.graph.creation": ("pi", "e", "inf", "nan", "newaxis"),
    "gradlab.graph.dtypes": (
        *("float16", "float32", "float64", "half", "double", "long", "finfo", "iinfo"),
        *("int8", "int16", "int32", "int64", "uint8", "bool_"),
    ),
}
"""Data types and numbers: names that need no page of their own."""
_DEVICES: dict[str, tuple[str, ...]] = {}
_DERIVATIVES = {
    "gradlab.graph.recording": (
        *("no_grad", "enable_grad", "scope", "inference_mode", "set_grad_enabled", "is_grad_enabled"),
    ),
    "gradlab.transforms.functional": ("grad", "value_and_grad", "vjp", "jvp"),
    "gradlab.transforms.matrices": ("jacobian", "jacfwd", "jacrev", "hessian", "hvp", "vhp"),
    "gradlab.transforms.gradcheck": ("gradcheck",),
    "gradlab.transforms.gradgradcheck": ("gradgradcheck",),
    "gradlab.transforms.rerun": ("checkpoint", "checkpoint_sequential"),
    "gradlab.transforms.custom": ("custom_op",),
    "gradlab.transforms.finding": ("find_nan",),
}
_TAPES: dict[str, tuple[str, ...]] = {}
_STATIC = {"gradlab.graph.graph": ("Graph",)}
_SEEING = {"gradlab.viz.view": ("draw",), "gradlab.widgets.explorer": ("explore",)}
_SUBPACKAGES = {
    "nn": "gradlab.nn",
    "lessons": "gradlab.lessons",
    "errors": "gradlab.errors",
    "autograd": "gradlab.transforms.autograd",
}

_HOME = {
    name: module
    for group in (_NODES, _CREATION, _DEVICES, _OPS, _DERIVATIVES, _TAPES, _STATIC, _SEEING)
    for module, names in group.items()
    for name in names
}

__all__ = ["__version__", *_HOME, *_SUBPACKAGES]
_HOME |= {name: module for module, names in _CONSTANTS.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        module = importlib.import_module(_HOME[name])
        value = getattr(module, name)
    elif name in _SUBPACKAGES:
        value = importlib.import_module(_SUBPACKAGES[name])
    else:
        raise AttributeError(f"module 'gradlab' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
