"""Calls that write over an operand which nothing needs any more give what the operator gives. [X.O4]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.ops.calls.call_cache import bind
from relax_lang.ops.calls.overwriting import LARGE, can_overwrite, overwriting
from relax_lang.ops.numpy_kernels.ufuncs import BINARY, UNARY
from relax_lang.ops.registry import lookup

MANY = LARGE // 4


def prepared(name, at):
    """Return the call of an operator as always, one that writes over an operand, and what the latter asks for."""
    operator = lookup(name)
    call, asked = bind(operator, operator.options({})), []
    return call, overwriting(operator, at, call, asked.append, operator.options({})), asked


@pytest.mark.parametrize(
    "name", sorted(one for one in [*BINARY, *UNARY, "clip"] if can_overwrite(lookup(one)))
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "bool", "int32"])
def test_results_are_those_of_the_operator(name, dtype):
    random = np.random.default_rng(0)
    args = [random.uniform(0.1, 0.9, MANY).astype(dtype) for _ in lookup(name).params]
    args = [args[0], 0.25, 0.75] if name == "clip" else args
    for at in range(2 if name in BINARY else 1):
        call, over, _ = prepared(name, at)
        with np.errstate(all="ignore"):
            try:
                expected = call(*args)
            except Exception as error:
                with pytest.raises(type(error)):
                    over(*args)
                continue
            copies = [one.copy() if isinstance(one, np.ndarray) else one for one in args]
            found = over(*copies)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("at", [0, 1])
def test_what_has_the_shape_of_the_result_is_written_over(at):
    _, over, asked = prepared("add", at)
    x, row = np.ones((2, MANY), np.float32), np.ones(MANY, np.float32)
    args = (row, x) if at else (x, row)
    assert over(*args) is x
    assert (x == 2).all()
    assert asked == [x.nbytes]


def test_what_has_another_shape_or_order_or_is_small_is_not():
    _, over, _ = prepared("add", 0)
    row, x = np.ones(MANY, np.float32), np.ones((2, MANY), np.float32)
    for left, right in (
        (row, x),
        (x.T, x.T),
        (x[:, :4].copy(), x[:, :4]),
        (np.broadcast_to(row, (2, MANY)), x),
    ):
        before = left.copy()
        found = over(left, right)
        assert found is not left
        np.testing.assert_array_equal(left, before)
        np.testing.assert_array_equal(found, left + right)


def test_bounds_out_of_order_and_nan():
    call, over, _ = prepared("clip", 0)
    x = np.random.default_rng(1).standard_normal(MANY).astype(np.float32)
    x[0] = np.nan
    for bounds in ((0.5, -0.5), (-1.0, 1.0), (0.0, float("inf"))):
        np.testing.assert_array_equal(over(x.copy(), *bounds), call(x, *bounds))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_softmax_is_written_over_its_operand(axis, dtype):
    operator = lookup("nn.softmax")
    options = operator.options({"axis": axis})
    call, asked = bind(operator, options), []
    over = overwriting(operator, 0, call, asked.append, options)
    x = np.random.default_rng(0).uniform(-9, 9, (4, 64, 256)).astype(dtype)
    x[0, 0] = -np.inf
    with np.errstate(all="ignore"):
        expected, given = call(x), x.copy()
        found = over(given)
    np.testing.assert_array_equal(found, expected)
    assert (found is given) is (dtype != "float16")
    assert asked == ([x.nbytes] if dtype != "float16" else [])
