"""Where importers go wrong: versions of operators, operands that follow from data, limits of numbers.

What the standard's own node tests hold is not repeated here; these are older versions, symbolic shapes, and operands
that are tensors.
"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import from_onnx
from relax_lang.onnx.building import prim_funcs
from relax_lang.tir.compile import compile_prim_func
from tests.onnx.models import FLOAT, graph, node
from tests.onnx.suites.one_node import X, one, run
from tests.tir.support import checked

pytest.importorskip("onnx")


def test_integers_are_divided_toward_zero_and_their_remainder_has_either_sign():
    x, y = np.array([7, -7, 7, -7]), np.array([2, 2, -2, -2])
    np.testing.assert_array_equal(run([("Div", "x y", "z", {})], {"x": x, "y": y}), [3, -3, -3, 3])
    np.testing.assert_array_equal(run([("Mod", "x y", "z", {})], {"x": x, "y": y}), [1, 1, -1, -1])
    np.testing.assert_array_equal(run([("Mod", "x y", "z", {"fmod": 1})], {"x": x, "y": y}), [1, -1, 1, -1])


def test_a_power_has_the_dtype_of_its_base():
    x = np.array([1, 2, 3], np.int32)
    found = run([("Pow", "x y", "z", {})], {"x": x, "y": np.array([2.5, 0.5, 2], np.float32)})
    np.testing.assert_array_equal(found, np.array([1, 1, 9], np.int32))
    assert found.dtype == np.int32


@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
def test_shifts_that_are_negative_or_wide(direction):
    x = np.array([-4, 5, -6, 7], np.int32)
    y = np.array([1, 40, 32, -1], np.int32)
    found = run([("BitShift", "x y", "z", {"direction": direction})], {"x": x, "y": y}, opset=28)
    np.testing.assert_array_equal(found, [-8, 0, 0, 0] if direction == "LEFT" else [-2, 0, -1, 0])


def test_halves_are_rounded_to_even():
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5], np.float32)
    np.testing.assert_array_equal(one("Round", x), [0, 2, 2, -0.0, -2])


@pytest.mark.parametrize(
    ("op", "expected"),
    [("ReduceMax", -np.inf), ("ReduceMin", np.inf), ("ReduceLogSumExp", -np.inf), ("ReduceSum", 0)],
)
def test_reductions_of_nothing(op, expected):
    found = one(op, np.zeros((2, 0), np.float32), weights={"axes": np.array([1])}, opset=20, keepdims=0)
    np.testing.assert_array_equal(found, np.full(2, expected, np.float32))


def test_over_no_axes_squares_and_absolute_values_are_taken():
    attrs = {"noop_with_empty_axes": 1}
    np.testing.assert_array_equal(one("ReduceSumSquare", X, **attrs), X * X)
    np.testing.assert_array_equal(one("ReduceL1", X, **attrs), np.abs(X))
    np.testing.assert_array_equal(one("ReduceSum", X, **attrs), X)


def test_the_last_of_equal_elements():
    x = np.array([[1, 3, 3, 2]], np.float32)
    assert one("ArgMax", x, axis=1, select_last_index=1).tolist() == [[2]]
    assert one("ArgMax", x, axis=1).tolist() == [[1]]


def test_normalizing_nothing_gives_nothing():
    x = np.array([[0, 0], [3, 4]], np.float32)
    np.testing.assert_allclose(one("LpNormalization", x), [[0, 0], [0.6, 0.8]], rtol=1e-6)


def test_quantized_numbers_are_rounded_to_even_then_moved_then_saturated():
    x = np.array([0.5, 1.5, 2.5, -300, 300], np.float32)
    weights = {"scale": np.float32(1), "zero": np.uint8(3)}
    np.testing.assert_array_equal(one("QuantizeLinear", x, weights=weights), [3, 5, 5, 0, 255])


def test_sums_of_quantized_products_are_exact():
    a = np.full((1, 70000), 255, np.uint8)
    b = np.full((70000, 1), 100, np.uint8)
    weights = {"za": np.uint8(0), "zb": np.uint8(128)}
    found = run([("MatMulInteger", "a b za zb", "y", {})], {"a": a, "b": b}, weights=weights)
    assert found.tolist() == [[70000 * 255 * -28]]


def test_a_zero_point_for_each_row():
    a = np.array([[1, 2], [3, 4]], np.uint8)
    found = run(
        [("MatMulInteger", "a b za", "y", {})],
        {"a": a, "b": np.array([[1, 0], [0, 1]], np.uint8)},
        weights={"za": np.array([1, 3], np.uint8)},
    )
    np.testing.assert_array_equal(found, [[0, 1], [0, 1]])


def test_negative_indices_count_from_the_end():
    found = run([("Gather", "x i", "y", {"axis": 1})], {"x": X, "i": np.array([-1, 0, -4])})
    np.testing.assert_array_equal(found, X[:, [-1, 0, -4]])


@pytest.mark.parametrize("index", [-1, [-1, 0], [[-1, 1]]])
def test_negative_indices_of_an_axis_that_is_not_known(index):
    weights = {"i": np.array(index)}
    found, text = run(
        [("Gather", "x i", "y", {"axis": 1})], {"x": X}, weights=weights, symbolic=["x"], text=True
    )
    np.testing.assert_array_equal(found, X[:, index])
    assert ("where(" in text) == (np.ndim(index) == 2)


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_a_zero_point_of_zero_moves_nothing(dtype):
    x = np.array([-3, 0.4, 0.6, 300], np.float32)
    weights = {"s": np.array(0.5, np.float32), "z": np.array(0, dtype)}
    lines = [("QuantizeLinear", "x s z", "q", {}), ("DequantizeLinear", "q s z", "y", {})]
    found, text = run(lines, {"x": x}, weights=weights, text=True)
    limits = np.iinfo(dtype)
    np.testing.assert_array_equal(found, np.clip(np.round(x / 0.5), limits.min, limits.max) * 0.5)
    assert "add(" not in text
    assert "subtract(" not in text


def test_a_normalization_of_rank_one_and_of_mixed_dtypes():
    weights = {name: np.array([v], np.float32) for name, v in zip("sbmv", (2, 1, 3, 4), strict=True)}
    x = np.array([1, 5], np.float32)
    np.testing.assert_allclose(
        one("BatchNormalization", x, weights=weights), (x - 3) / np.sqrt(4 + 1e-5) * 2 + 1, rtol=1e-5
    )


def test_a_bias_that_broadcasts_and_more_than_one_result_of_a_layer_normalization():
    weights = {"s": np.float32([2]), "b": np.ones((3, 4), np.float32)}
    y, mean, inverse = run([("LayerNormalization", "x s b", "y m i", {})], {"x": X}, weights=weights)
    spread = 1 / np.sqrt(X.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(y, (X - X.mean(1, keepdims=True)) * spread * 2 + 1, rtol=1e-5)
    np.testing.assert_allclose(mean, X.mean(1, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(inverse, spread, rtol=1e-5)


def test_defaults_of_functions_of_the_standard():
    x = np.array([-1, 0.25, 2], np.float32)
    np.testing.assert_allclose(one("Elu", x), np.where(x < 0, np.expm1(x), x), rtol=1e-6)
    np.testing.assert_allclose(one("ThresholdedRelu", x), np.where(x > 1, x, 0))
    np.testing.assert_allclose(one("Shrink", x), np.where(x < -0.5, x, np.where(x > 0.5, x, 0)))


def test_what_a_model_says_of_itself_is_a_comment():
    model = graph([node("Relu", "x", "y")], [("x", FLOAT, [2])], [("y", FLOAT)])
    model.doc_string = "Two lines\nof words."
    model.graph.node[0].doc_string = "Cuts below zero."
    text = from_onnx(model).source.text
    assert "# Two lines\n# of words.\n" in text
    assert "# Cuts below zero." in text


@pytest.mark.parametrize("text", [prim_funcs.SAMPLE_AVERAGES, prim_funcs.SAMPLE_MAXIMA])
def test_samples_of_boxes_are_taken_from_whole_arrays(text):
    """How many there are follows from data; no sample is taken by itself for that."""
    assert {one.strategy for one in compile_prim_func(checked(text)).remarks} == {
        "loop",
        "elementwise",
        "gather",
    }
