"""What importing gradlab costs, and that every public name keeps its promise."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys

import pytest

import gradlab as gl


def loaded_after(code: str) -> set[str]:
    program = f"import sys; {code}; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.split()}


HEAVY = {
    "matplotlib",
    "ipywidgets",
    "anywidget",
    "graphviz",
    "pygraphviz",
    "IPython",
    "cupy",
    "scipy",
    "torch",
    "jax",
}


@pytest.mark.parametrize(
    "code",
    [
        "import gradlab; gradlab.Value(2.0)",
        "import gradlab as gl; x = gl.Value(2.0); (x * x + 1).tanh().backward()",
        "from gradlab.nn.scalar import MLP; MLP(2, [3, 1])([1.0, 2.0]).backward()",
        "import gradlab as gl; gl.gradcheck(lambda x: x * x, 2.0)",
        "import gradlab as gl; gl.grad(lambda x: x.exp())(1.0)",
    ],
)
def test_scalars_need_nothing_but_the_standard_library(code):
    assert not loaded_after(code) & {"numpy", *HEAVY}


def test_tensors_load_numpy_and_nothing_heavier():
    modules = loaded_after("import gradlab as gl; gl.tensor([1.0], requires_grad=True).sum().backward()")
    assert "numpy" in modules
    assert not modules & HEAVY


@pytest.mark.parametrize("name", gl.__all__)
def test_every_public_name_resolves_and_is_documented(name):
    value = getattr(gl, name)
    assert name in dir(gl)
    assert name == "__version__" or inspect.getdoc(value)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="explode"):
        gl.explode  # noqa: B018


def examples():
    finder = doctest.DocTestFinder(recurse=True)
    for name in gl.__all__:
        value = getattr(gl, name)
        if inspect.ismodule(value) or isinstance(value, str):
            continue
        for test in finder.find(value, name, globs={"gl": gl}):
            if test.examples:
                yield pytest.param(test, id=test.name)


@pytest.mark.parametrize("example", list(examples()))
def test_every_example_in_a_docstring_runs(example):
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(example)
    assert runner.failures == 0
