"""What may stand beside a node, and what may not: the answer is a node or a GradlabError that teaches, never Python's or NumPy's words."""

from __future__ import annotations

import operator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradlab as gl
from gradlab.errors import DataError, DTypeError, GradlabError, OperandError

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]
NOT_OPS = [
    operator.floordiv,
    operator.mod,
    divmod,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
]
ORDER = [operator.lt, operator.le, operator.gt, operator.ge]


class Stranger:
    """A class that knows nothing of gradlab, with an operator of its own that gives up."""

    def __radd__(self, other: Any) -> Any:
        return NotImplemented


class Friend:
    """A class that knows how to combine itself with anything."""

    def __radd__(self, other: Any) -> Any:
        return "friend"

    __add__ = __rmul__ = __gt__ = __radd__


NO_NUMBERS = [
    "a", "", "2.0", b"2", None, 1j, complex(2), {}, {"a": 1}, set(), object(), Stranger(), len, int, ..., (x for x in [1]),
    np.str_("2"), np.complex128(2), np.datetime64("2020-01-01"), np.array("a"), np.array(1j), np.array(None),
]  # fmt: skip
MANY_NUMBERS = [[1, 2], (1.0,), [], [[1], [2]], np.array([1, 2]), np.ones((2, 2)), np.array([]), range(3)]
ONE_NUMBER = [
    2, 2.0, True, Fraction(4, 2), Decimal("2"), np.float64(2), np.float32(2), np.int8(2), np.uint64(2), np.bool_(True), np.array(2.0),
    np.array(2), np.float16(2),
]  # fmt: skip


def check(caught: Any, *codes: str) -> None:
    error = caught.value
    assert error.code in codes
    assert str(error).startswith(error.code)
    assert str(error).endswith(".")
    assert f"(line {caught.traceback[0].lineno + 1}: " in str(error) or "line " in str(error)
    assert error.fix
    assert error.__cause__ is None


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("other", ONE_NUMBER, ids=lambda x: f"{type(x).__name__}")
def test_every_kind_of_number_stands_on_either_side_of_a_value(op, other):
    x = gl.Value(3.0)
    left, right = op(other, x), op(x, other)
    assert type(left) is type(right) is gl.Value
    assert type(left.data) is type(right.data) is float
    number = float(other)
    assert left.data == pytest.approx(op(number, 3.0), rel=1e-15)
    assert right.data == pytest.approx(op(3.0, number), rel=1e-15)


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("other", ONE_NUMBER, ids=lambda x: f"{type(x).__name__}")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_kind_of_number_stands_on_either_side_of_a_tensor(op, other, dtype):
    x = gl.tensor(np.full((2,), 3.0, dtype))
    for result, expected in ((op(other, x), op(float(other), 3.0)), (op(x, other), op(3.0, float(other)))):
        assert type(result) is gl.Tensor
        assert result.tolist() == pytest.approx([expected] * 2, rel=1e-6)
        if type(other) in (int, float, bool, Fraction, Decimal, np.bool_, np.int8):
            assert result.dtype == dtype


@pytest.mark.parametrize("op", [*OPERATORS, *ORDER])
@pytest.mark.parametrize("other", [*NO_NUMBERS, *MANY_NUMBERS], ids=lambda x: f"{type(x).__name__}")
def test_what_is_not_one_number_is_refused_beside_a_value(op, other):
    x = gl.Value(3.0)
    for result in (lambda: op(x, other), lambda: op(other, x)):
        with pytest.raises(OperandError) as caught:
            result()
        check(caught, "GL002")
        assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("op", [*OPERATORS, *ORDER])
@pytest.mark.parametrize("other", NO_NUMBERS, ids=lambda x: f"{type(x).__name__}")
def test_what_is_no_number_is_refused_beside_a_tensor(op, other):
    x = gl.tensor([3.0, 4.0], requires_grad=True)
    for result in (lambda: op(x, other), lambda: op(other, x)):
        with pytest.raises((OperandError, DataError)) as caught:
            result()
        check(caught, "GL002", "GL011")


@pytest.mark.parametrize("op", OPERATORS)
def test_lists_and_arrays_become_constants_beside_a_tensor(op):
    x = gl.tensor([3.0, 4.0], requires_grad=True)
    for other in ([1.0, 2.0], (1, 2), np.array([1.0, 2.0], "float32"), range(1, 3)):
        for left, right in ((x, other), (other, x)):
            result = op(left, right)
            assert type(result) is gl.Tensor
            a = np.array([3.0, 4.0]), np.array([1.0, 2.0])
            np.testing.assert_allclose(result.detach().numpy(), op(*(a if left is x else a[::-1])), rtol=1e-6)
            assert result.dtype == "float32"
            assert result.requires_grad


@pytest.mark.parametrize(
    "op", [*OPERATORS, *ORDER, operator.eq, operator.ne, gl.add, gl.maximum, gl.matmul, gl.total]
)
def test_values_and_tensors_do_not_mix(op):
    for left, right in ((gl.Value(2.0), gl.tensor(2.0)), (gl.tensor(2.0), gl.Value(2.0))):
        with pytest.raises(OperandError) as caught:
            op(left, right)
        check(caught, "GL003")


@pytest.mark.parametrize("op", NOT_OPS)
@pytest.mark.parametrize("make", [gl.Value, gl.tensor])
def test_operators_without_a_derivative_explain_themselves(op, make):
    for left, right in ((make(5.0), 2), (2, make(5.0)), (make(5.0), make(2.0))):
        with pytest.raises(OperandError) as caught:
            op(left, right)
        check(caught, "GL004")
    with pytest.raises(OperandError, match="GL004"):
        ~make(5.0)


def test_a_class_that_knows_how_is_asked():
    assert gl.Value(1.0) + Friend() == Friend() + gl.Value(1.0) == "friend"
    assert gl.Value(1.0) * Friend() == "friend"
    assert (gl.Value(1.0) < Friend()) == "friend"


def test_equality_with_anything_else_is_false_not_an_error():
    for node in (gl.Value(2.0), gl.tensor([2.0])):
        for other in ("a", None, {}, object(), Stranger(), 1j):
            assert (node == other) is False
            assert (node != other) is True
    assert gl.Value(1.0) in [None, "a", gl.Value(1.0)]


def test_comparisons_of_values_compare_numbers_of_every_kind():
    x = gl.Value(2.0)
    for two in ONE_NUMBER:
        if float(two) == 2.0:
            assert x == two
            assert two == x
            assert (x != two) is False
            assert x <= two <= x
            assert not x < two
            assert not two < x
    assert x < 10**400
    assert x > -(10**400)
    assert gl.Value(float("nan")) != gl.Value(float("nan"))
    assert isinstance(x < 3, bool)


NOT_ONE = [*NO_NUMBERS, *MANY_NUMBERS, 10**400, -(10**400), gl.Value(1.0), gl.tensor(1.0), gl.tensor([1.0])]


@pytest.mark.parametrize("data", NOT_ONE, ids=lambda x: type(x).__name__)
def test_a_value_holds_one_number_and_says_so(data):
    for make in (
        gl.Value,
        lambda data: setattr(gl.Value(0.0), "data", data),
        lambda data: setattr(gl.Value(0.0), "grad", data),
    ):
        if data is None and make is not gl.Value:
            continue  # x.grad = None forgets a gradient
        with pytest.raises(DataError) as caught:
            make(data)
        check(caught, "GL001")


@pytest.mark.parametrize("data", ONE_NUMBER, ids=lambda x: type(x).__name__)
def test_a_value_takes_every_kind_of_number(data):
    assert gl.Value(data).data == float(data)
    assert type(gl.Value(data).data) is float


@pytest.mark.parametrize(
    "data",
    ["a", None, 1j, {}, {"a": 1}, set(), object(), [1, "a"], [[1, 2], [3]], [None], ["1", "2"], [1j], [10**400], [[1], 2],
     np.array(["a"]), np.array([1j]), np.array([None]), np.datetime64("2020-01-01"), [object()], len, (x for x in [1, 2])],
    ids=repr,
)  # fmt: skip
def test_a_tensor_holds_regular_numbers_and_says_so(data):
    for make in (
        gl.tensor,
        gl.Tensor,
        lambda data: gl.tensor(data, dtype="float64"),
        lambda d: gl.tensor(d, requires_grad=True),
    ):
        with pytest.raises(DataError) as caught:
            make(data)
        check(caught, "GL011")


def test_nested_nodes_become_numbers():
    made = gl.tensor([[gl.Value(1.0), 2.0], [gl.tensor(3.0), Fraction(1, 2)]])
    assert made.tolist() == [[1.0, 2.0], [3.0, 0.5]]
    assert made.dtype == "float32" or made.dtype == "float64"
    assert gl.tensor([Decimal("0.5")]).tolist() == [0.5]


@pytest.mark.parametrize("dtype", ["foo", complex, "U3", object, "datetime64[s]", "complex64", 3, ["f"]])
def test_a_data_type_that_does_not_exist_is_refused(dtype):
    for make in (
        lambda: gl.tensor([1.0], dtype=dtype),
        lambda: gl.set_default_dtype(dtype),
        lambda: gl.tensor([1.0]).astype(dtype),
    ):
        with pytest.raises(DTypeError) as caught:
            make()
        check(caught, "GL013")


@pytest.mark.parametrize("data", [[1, 2], 3, [True], np.array([1, 2]), np.array([1], "uint8")])
def test_whole_numbers_cannot_require_a_gradient_and_the_error_offers_floats(data):
    for make in (
        lambda: gl.tensor(data, requires_grad=True),
        lambda: gl.tensor(data).requires_grad_(),
        lambda: gl.tensor(data, dtype="int64", requires_grad=True),
    ):
        with pytest.raises(
            DTypeError, match=r"GL010.*tensor\(\.\.\., dtype=float, requires_grad=True\)"
        ) as caught:
            make()
        check(caught, "GL010")
    assert gl.tensor(data, dtype=float, requires_grad=True).dtype == "float64"


def test_an_operation_that_numpy_lacks_for_a_type_says_so():
    mask, whole = gl.tensor([True, False]), gl.tensor([2, 3])
    for f in (lambda: mask - mask, lambda: -mask, lambda: whole**-1, lambda: whole ** gl.tensor([-1, 1])):
        with pytest.raises(DTypeError) as caught:
            f()
        check(caught, "GL012")


def test_numbers_that_do_not_fit_a_type_are_refused_not_wrapped():
    for f in (
        lambda: gl.tensor([300], dtype="int8"),
        lambda: gl.tensor([float("nan")], dtype="int64"),
        lambda: gl.tensor([1e30]).astype("int64"),
        lambda: gl.tensor(np.array([1], "int8")) + 300,
        lambda: gl.tensor([1, 2]) + 10**30,
    ):
        with pytest.raises(GradlabError, match=r"GL0(11|12).*\.$"):
            f()
    with pytest.raises(DataError, match="too large"):
        gl.tensor([1.0]) + 10**400
    with pytest.warns(gl.errors.NumericWarning, match="GL105"):
        assert gl.tensor([1e300]).tolist() == [float("inf")]


def test_functions_on_plain_numbers_and_arrays_compute_at_once():
    assert gl.exp(0.0) == gl.exp(0) == gl.exp(False) == gl.exp(Fraction(0)) == gl.exp(np.float64(0)) == 1.0
    assert gl.power(2, 3) == 8.0
    assert gl.power(2, -1) == 0.5
    np.testing.assert_array_equal(gl.add([1], [2]), [3])
    np.testing.assert_array_equal(gl.where([True, False], 1.0, 2.0), [1.0, 2.0])
    assert gl.add(np.float32(1), 2.0).dtype == "float32"


@pytest.mark.parametrize("bad", NO_NUMBERS, ids=lambda x: type(x).__name__)
def test_functions_refuse_what_is_no_number(bad):
    for f in (
        lambda: gl.exp(bad),
        lambda: gl.add(bad, 1.0),
        lambda: gl.add(1.0, bad),
        lambda: gl.add(bad, bad),
        lambda: gl.sum(bad),
    ):
        if bad is NO_NUMBERS[15] and f.__code__.co_names[-1:] == ("sum",):
            continue  # a generator of numbers is added up
        with pytest.raises((OperandError, DataError)) as caught:
            f()
        check(caught, "GL002", "GL011")


def test_too_many_or_too_few_arguments_are_told_in_pythons_words_with_the_right_name():
    with pytest.raises(TypeError, match=r"^exp\(\) takes 1 positional argument but 2 were given"):
        gl.exp(1.0, 2.0)
    with pytest.raises(TypeError, match=r"^maximum\(\) missing 1 required positional argument"):
        gl.maximum(gl.Value(1.0))


# --- anything at all ---

ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.complex_numbers(), st.text(max_size=3), st.binary(max_size=3),
    st.decimals(), st.fractions(), st.lists(st.floats(), max_size=3), st.lists(st.text(max_size=1), max_size=2),
    st.dictionaries(st.integers(), st.integers(), max_size=1), st.sets(st.integers(), max_size=2), st.just(object()),
    st.lists(st.lists(st.integers(-3, 3), max_size=2), max_size=2), st.builds(gl.Value, st.floats()), st.builds(gl.tensor, st.floats()),
    st.builds(gl.tensor, st.lists(st.floats(width=32), max_size=3)), st.builds(np.float32, st.floats(width=32)),
    st.builds(np.array, st.lists(st.floats(), max_size=3)), st.builds(np.array, st.lists(st.integers(-3, 3), max_size=3)),
)  # fmt: skip
NAMED = [gl.maximum, gl.power, gl.equal, gl.matmul, gl.total, lambda x, y: gl.where(x, y, x)]
FUNCTIONS = [*OPERATORS, *ORDER, operator.eq, operator.matmul, *NAMED]


@pytest.mark.filterwarnings("ignore::gradlab.errors.NumericWarning")
@pytest.mark.parametrize(
    "make",
    [gl.Value, gl.tensor, lambda x: gl.tensor([x, x], requires_grad=True)],
    ids=["Value", "0-d", "1-d"],
)
@given(other=ANYTHING, f=st.sampled_from(FUNCTIONS), swap=st.booleans())
def test_any_operand_gives_a_result_or_an_error_that_teaches(make, other, f, swap):
    node = make(1.5)
    try:
        result = f(other, node) if swap else f(node, other)
    except GradlabError as error:
        result = error
    if isinstance(result, GradlabError):
        assert str(result).endswith(".")
        assert result.code in gl.errors.CODES
    else:
        assert isinstance(result, (bool, gl.Value, gl.Tensor)), result
