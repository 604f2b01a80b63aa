"""What is explored: start values, names of what is in between, and functions of every make."""

from __future__ import annotations

import functools
import sys

import pytest

import gradlab as gl
from gradlab.errors import ArgumentError
from gradlab.widgets.source import FunctionSource, NodeSource, call_watched, source_of


def names(f, **start):
    source = FunctionSource(f, start)
    result = source.run(source.start)
    return list(result.names.values())


def test_local_variables_name_nodes():
    def f(x):
        square = x * x
        sums = [square + 1, square + 2]
        return sums[0] * sums[1]

    assert names(f, x=2.0) == ["square", "sums[0]", "sums[1]", "f"]


def test_a_label_wins_over_a_variable():
    def f(x):
        y = x * x
        y.label = "mine"
        return y

    assert names(f, x=2.0) == ["f"] or names(f, x=2.0) == []


def test_recursion_takes_the_outermost_call():
    def power(x, n=2.0):
        deep = x * x
        return deep if float(n) <= 1 else power(deep, n=float(n) - 1)

    assert "deep" in names(power, x=2.0)


class Callable_:  # noqa: N801
    def __call__(self, x):
        inside = x + 1
        return inside * 2

    def method(self, x):
        inside = x + 1
        return inside * 2


def decorated(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs)

    return wrapper


@pytest.mark.parametrize(
    "f",
    [Callable_(), Callable_().method, functools.partial(Callable_().method), decorated(Callable_().method)],
)
def test_callables_of_every_make_are_looked_into(f):
    assert "inside" in names(f, x=2.0)


def test_a_profiler_that_was_there_is_there_again():
    seen = []
    watcher = lambda *event: seen.append(event)  # noqa: E731
    sys.setprofile(watcher)
    try:
        call_watched(lambda x: x, [], {"x": 1})
        assert sys.getprofile() is watcher
    finally:
        sys.setprofile(None)


def test_nodes_from_outside_keep_their_names():
    outside = gl.Value(1.0) * 2

    def f(x):
        local = outside
        return local * x

    assert outside not in FunctionSource(f, {"x": 1.0}).run({"x": 1.0}).names


def test_start_values_may_be_values_and_keep_their_kind():
    source = source_of(lambda a, c: a * c, {"a": gl.Value(2.0, kind="parameter"), "c": 3})
    result = source.run(source.start)
    assert result.leaves["a"].op.name == "parameter"
    assert source.start == {"a": 2.0, "c": 3.0}


def test_a_default_that_is_a_number_is_a_leaf_and_any_other_is_not():
    def f(x, scale=2.0, name="abc"):
        return x * scale if name == "abc" else x

    assert FunctionSource(f, {"x": 1.0}).start == {"x": 1.0, "scale": 2.0}


def test_positional_only_and_keyword_only_arguments_are_bound():
    def f(x, /, *, w):
        return x * w

    source = FunctionSource(f, {"x": 2.0, "w": 3.0})
    assert source.run(source.start).root.data == 6.0


def test_an_unknown_leaf_is_told_with_the_nearest_name():
    with pytest.raises(ArgumentError, match=r"GL061.*'wieght'.*x, weight.*Did you mean 'weight'\?"):
        FunctionSource(lambda x, weight: x * weight, {"x": 1.0, "wieght": 2.0})


def test_a_missing_start_value_is_told_with_what_to_write():
    with pytest.raises(ArgumentError, match=r"needs w, b, and no start value.*explore\(f, w=1.0, b=1.0\)"):
        FunctionSource(lambda x, w, b: x * w + b, {"x": 1.0})


@pytest.mark.parametrize("bad", ["2", None, [1.0], (1, 2), {"a": 1}])
def test_a_start_value_that_is_no_number_is_told(bad):
    with pytest.raises(ArgumentError, match="start value of x is"):
        FunctionSource(lambda x: x, {"x": bad})


@pytest.mark.parametrize("bad", ["abc", 3.0, None, [1]])
def test_only_functions_and_nodes_can_be_explored(bad):
    with pytest.raises(ArgumentError, match=r"GL060.*a function of numbers, or a node"):
        source_of(bad, {})


def test_leaves_of_a_graph_have_names_of_their_own():
    a, b, c = gl.Value(1.0, label="x"), gl.Value(2.0, label="x"), gl.Value(3.0)
    assert list(NodeSource(a * b + c, {}).nodes) == ["x", "x (2)", "leaf 3"]


def test_a_graph_can_start_from_other_numbers():
    x = gl.Value(2.0, label="x")
    source = source_of(x * x, {"x": 5.0})
    assert source.run(source.start).root.data == 25.0


def test_any_node_can_be_held_at_a_number():
    x = gl.Value(2.0, label="x")
    y = x * x
    result = NodeSource(y + x, {}).run({"x": 2.0})
    assert result.at(1, 10.0) == 12.0  # n1 is x·x
    assert result.at(0, 3.0) == 12.0
