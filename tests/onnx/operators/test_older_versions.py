"""Operators in older versions of the standard."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from tests.onnx.suites.one_node import X, one, run


@pytest.mark.parametrize(
    ("attrs", "expected"),
    [
        ({"min": -2.0, "max": 3.0}, np.clip(X, -2, 3)),
        ({"max": 0.0}, np.minimum(X, 0)),
        ({}, X),
    ],
)
def test_limits_of_clip_are_attributes_before_opset_11(attrs, expected):
    np.testing.assert_array_equal(one("Clip", X, opset=6, **attrs), expected)


def test_of_limits_that_contradict_each_other_the_upper_one_holds():
    weights = {"low": np.float32(3), "high": np.float32(-1)}
    np.testing.assert_array_equal(one("Clip", X, weights=weights), np.full_like(X, -1))


@pytest.mark.parametrize(("op", "function"), [("Add", np.add), ("Sub", np.subtract), ("Div", np.divide)])
@pytest.mark.parametrize(("axis", "shape"), [(0, (3, 1, 1)), (1, (1, 4, 1)), (-1, (1, 1, 2))])
def test_the_second_operand_has_an_axis_before_opset_7(op, function, axis, shape):
    x = np.arange(24, dtype=np.float32).reshape(3, 4, 2)
    y = np.arange(1, 1 + np.prod(shape), dtype=np.float32)
    found = run([(op, "x y", "z", {"broadcast": 1, "axis": axis})], {"x": x, "y": y}, opset=6)
    np.testing.assert_array_equal(found, function(x, y.reshape(shape)))


def test_a_slope_belongs_to_the_channels_before_opset_7():
    x = np.arange(-12, 12, dtype=np.float32).reshape(2, 3, 2, 2)
    slope = np.array([0.5, 2, 4], np.float32)
    found = one("PRelu", x, opset=6, weights={"slope": slope})
    np.testing.assert_array_equal(found, np.where(x < 0, x * slope[:, None, None], x))


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
def test_softmax_takes_all_axes_from_one_on_before_opset_13(op):
    x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)[:, ::-1].copy()
    flat = x.reshape(2, 6)
    power = np.exp(flat - flat.max(1, keepdims=True))
    soft = power / power.sum(1, keepdims=True)
    hard = (np.arange(6) == flat.argmax(1)[:, None]).astype(np.float32)
    expected = {"Softmax": soft, "LogSoftmax": np.log(soft), "Hardmax": hard}[op].reshape(x.shape)
    np.testing.assert_allclose(one(op, x, opset=11), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("op", "opset", "attrs", "expected"),
    [
        ("Slice", 1, {"starts": [1], "ends": [10**9], "axes": [1]}, X[:, 1:]),
        ("Slice", 9, {"starts": [-2, 0], "ends": [2**63 - 1, -1]}, X[-2:, :-1]),
        ("Squeeze", 11, {"axes": [0]}, None),
        ("Unsqueeze", 11, {"axes": [0, 3]}, X[None, :, :, None]),
        ("ReduceSum", 11, {"axes": [-1], "keepdims": 0}, X.sum(1)),
        ("ReduceMax", 13, {"axes": [0], "keepdims": 1}, X.max(0, keepdims=True)),
        ("Pad", 2, {"pads": [0, 1, 0, 2], "value": 7.0}, np.pad(X, ((0, 0), (1, 2)), constant_values=7)),
        ("Pad", 2, {"pads": [0, -1, 0, 1], "mode": "edge"}, np.pad(X[:, 1:], ((0, 0), (0, 1)), "edge")),
        ("Reshape", 1, {"shape": [0, -1, 2]}, X.reshape(3, 2, 2)),
        ("Flatten", 9, {"axis": 0}, X.reshape(1, 12)),
        ("Dropout", 7, {"ratio": 0.9}, X),
        ("Cast", 6, {"to": TensorProto.INT32}, X.astype(np.int32)),
        ("Concat", 4, {"axis": 0}, X),
        ("Sum", 8, {}, X),
        ("Max", 6, {}, X),
    ],
)
def test_older_versions(op, opset, attrs, expected):
    x = X[None] if expected is None else X
    np.testing.assert_array_equal(one(op, x, opset=opset, **attrs), X if expected is None else expected)


def test_pieces_are_an_attribute_before_opset_13_and_the_last_is_the_smaller_one_from_18():
    found = run([("Split", "x", "a b", {"axis": 1, "split": [1, 3]})], {"x": X}, opset=11)
    assert [part.shape for part in found] == [(3, 1), (3, 3)]
    x = np.arange(7, dtype=np.float32)
    found = run([("Split", "x", "a b c", {"num_outputs": 3})], {"x": x}, opset=18)
    assert [list(part) for part in found] == [[0, 1, 2], [3, 4, 5], [6]]


def test_the_number_of_elements_is_an_attribute_before_opset_10():
    values, places = run([("TopK", "x", "v p", {"k": 2, "axis": 0})], {"x": X}, opset=9)
    np.testing.assert_array_equal(values, X[::-1][:2])
    np.testing.assert_array_equal(places, [[2] * 4, [1] * 4])
    assert places.dtype == np.int64


@pytest.mark.parametrize(
    ("op", "opset", "scales"), [("Upsample", 7, "attribute"), ("Upsample", 9, "x"), ("Resize", 10, "x")]
)
def test_the_first_resizing_is_asymmetric_and_rounds_down(op, opset, scales):
    x = np.arange(3, dtype=np.float32).reshape(1, 1, 1, 3)
    factors = np.array([1, 1, 1, 1.7], np.float32)
    given = {"scales": factors.tolist()} if scales == "attribute" else {}
    weights = {} if given else {"scales": factors}
    found = one(op, x, opset=opset, weights=weights, mode="nearest", **given)
    places = np.floor(np.arange(5) / np.float32(1.7)).astype(int)
    np.testing.assert_array_equal(found, x[..., places])
