"""Shapes, limits and widths that are tensors, and extents that are computed."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import helper

from relax_lang import RelaxError, from_onnx
from tests.onnx.models import BOOL, FLOAT, INT64, graph, node
from tests.onnx.suites.one_node import X, one, run


@pytest.mark.parametrize(
    ("wanted", "attrs", "expected"),
    [
        ([0, -1], {}, (3, 4)),
        ([2, -1, 2], {}, (2, 3, 2)),
        ([-1, 0], {}, (3, 4)),
    ],
)
def test_reshape_by_a_tensor(wanted, attrs, expected):
    found = run([("Reshape", "x s", "y", attrs)], {"x": X, "s": np.array(wanted)})
    np.testing.assert_array_equal(found, X.reshape(expected))


def test_an_extent_0_is_itself_with_allowzero():
    x = np.zeros((0, 3), np.float32)
    found = run([("Reshape", "x s", "y", {"allowzero": 1})], {"x": x, "s": np.array([3, 0])})
    assert found.shape == (3, 0)


@pytest.mark.parametrize("wanted", [[2, 1, 4], [1, 1], [2, 3, 4]])
def test_expand_by_a_tensor_broadcasts_both_ways(wanted):
    found = run([("Expand", "x s", "y", {})], {"x": X, "s": np.array(wanted)})
    np.testing.assert_array_equal(found, X * np.ones(wanted, np.float32))


def test_tile_by_a_tensor():
    found = run([("Tile", "x r", "y", {})], {"x": X, "r": np.array([2, 3])})
    np.testing.assert_array_equal(found, np.tile(X, (2, 3)))


@pytest.mark.parametrize(
    ("starts", "ends", "steps"),
    [([1], [-1], [1]), ([-3], [2**62], [2]), ([-1], [-(2**62)], [-1]), ([100], [200], [1])],
)
def test_slice_by_tensors(starts, ends, steps):
    inputs = {"x": X, "s": np.array(starts), "e": np.array(ends)}
    weights = {"a": np.array([1]), "t": np.array(steps)}
    found = run([("Slice", "x s e a t", "y", {})], inputs, weights=weights)
    np.testing.assert_array_equal(found, X[:, starts[0] : ends[0] : steps[0]])


@pytest.mark.parametrize("widths", [[0, 1, 2, 0], [-1, 0, 0, -2], [0, -2, -1, 3]])
@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
def test_pad_by_a_tensor(mode, widths):
    cut = X[max(-widths[0], 0) : 3 + min(widths[2], 0), max(-widths[1], 0) : 4 + min(widths[3], 0)]
    around = [(max(widths[0], 0), max(widths[2], 0)), (max(widths[1], 0), max(widths[3], 0))]
    found = run([("Pad", "x p", "y", {"mode": mode})], {"x": X, "p": np.array(widths)}, opset=19)
    np.testing.assert_array_equal(found, np.pad(cut, around, mode))


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
def test_pad_by_extents(mode):
    lines = [
        ("Shape", "x", "s", {"start": 1}),
        ("Concat", "one zero zero s", "p", {"axis": 0}),
        ("Pad", "x p", "y", {"mode": mode}),
    ]
    weights = {"one": np.array([1]), "zero": np.array([0])}
    found = run(lines, {"x": X[:, :2]}, weights=weights, symbolic=["x"], opset=19)
    np.testing.assert_array_equal(found, np.pad(X[:, :2], ((1, 0), (0, 2)), mode))


@pytest.mark.parametrize(("start", "limit", "delta"), [(1, 9, 3), (9, 1, -3), (3, 3, 1), (0, -5, 1)])
@pytest.mark.parametrize("dtype", ["int64", "float32", "int32"])
def test_range_of_tensors(start, limit, delta, dtype):
    inputs = {name: np.array(v, dtype) for name, v in zip("sld", (start, limit, delta), strict=True)}
    found = run([("Range", "s l d", "y", {})], inputs)
    np.testing.assert_array_equal(found, np.arange(start, limit, delta, dtype=dtype))


def test_a_tensor_of_a_shape_that_follows_from_data():
    found = run([("ConstantOfShape", "s", "y", {})], {"s": np.array([2, 3])})
    np.testing.assert_array_equal(found, np.zeros((2, 3), np.float32))


def test_a_depth_that_is_a_tensor_and_indices_that_are_negative_or_too_large():
    inputs = {"i": np.array([-1, 1, 7]), "d": np.array(3)}
    weights = {"values": np.array([2, 5], np.float32)}
    found = run([("OneHot", "i d values", "y", {})], inputs, weights=weights)
    np.testing.assert_array_equal(found, [[2, 2, 5], [2, 5, 2], [2, 2, 2]])


@pytest.mark.parametrize("name", ["axes", "k", "split", "scales"])
def test_what_must_be_known_is_named(name):
    op, inputs, outs = {
        "axes": ("ReduceSum", "x axes", "y"),
        "k": ("TopK", "x k", "y z"),
        "split": ("Split", "x split", "y z"),
        "scales": ("Resize", "x none scales", "y"),
    }[name]
    inputs = inputs.replace("none", "").split(" ")
    made = helper.make_node(op, inputs, outs.split())
    kind = FLOAT if name == "scales" else INT64
    model = graph([made], [("x", FLOAT, [3, 4]), (name, kind, [2])], [(one, FLOAT) for one in outs.split()])
    with pytest.raises(RelaxError) as caught:
        from_onnx(model)
    [found] = caught.value.diagnostics
    assert (found.slug, found.data["inputs"]) == ("onnx-needs-value", [name])


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_arithmetic_on_shapes_leaves_no_tensor(dtype):
    to = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    lines = [
        ("Shape", "x", "s", {}),
        ("Cast", "s", "t", {"to": to}),
        ("Gather", "t zero", "n", {"axis": 0}),
        ("Gather", "t one", "m", {"axis": 0}),
        ("Mul", "n m", "nm", {}),
        ("Div", "nm two", "half", {}),
        ("Max", "half one_", "most", {}),
        ("Unsqueeze", "most at", "row", {}),
        ("Concat", "two_ row", "shape", {"axis": 0}),
        ("Cast", "shape", "wide", {"to": INT64}),
        ("Equal", "wide minus", "is_minus", {}),
        ("ConstantOfShape", "length", "ones", {"value": helper.make_tensor("v", INT64, [1], [1])}),
        ("Where", "is_minus ones wide", "target", {}),
        ("Reshape", "x target", "y", {}),
    ]
    weights = {
        "zero": np.array(0), "one": np.array(1), "two": np.array(2, dtype), "one_": np.array(1, dtype),
        "two_": np.array([2], dtype), "at": np.array([0]), "minus": np.array([-1]), "length": np.array([2]),
    }  # fmt: skip
    found, text = run(lines, {"x": X}, weights=weights, symbolic=["x"], text=True)
    np.testing.assert_array_equal(found, X.reshape(2, 6))
    assert "tensor" not in text.split("->", 1)[1].replace("Tensor", "")
    assert "match_cast" not in text


def test_sizes_that_are_computed_in_floats_stay_extents():
    lines = [
        ("Shape", "x", "s", {"start": 1}),
        ("Cast", "s", "f", {"to": FLOAT}),
        ("Mul", "f two", "double", {}),
        ("Floor", "double", "whole", {}),
        ("Cast", "whole", "i", {"to": INT64}),
        ("Concat", "i zero", "shape", {"axis": 0}),
        ("Expand", "z shape", "y", {}),
    ]
    weights = {"two": np.float32(2), "zero": np.array([1]), "z": np.ones((1, 1), np.float32)}
    found, text = run(lines, {"x": X}, weights=weights, symbolic=["x"], text=True)
    assert found.shape == (8, 1)
    assert "tensor_to_shape" not in text


def test_unknown_extents_of_the_same_name_differ_if_it_is_none():
    ports = [("x", FLOAT, ["?", "?"])]
    module = from_onnx(graph([node("Relu", "x", "y")], ports, [("y", FLOAT)]))
    assert "x: Tensor[(n, m), float32]" in module.source.text
    assert module.main(X).shape == (3, 4)


def test_names_of_extents_and_of_values_come_from_one_pool():
    model = graph([node("Relu", "n", "m")], [("n", FLOAT, ["n", "m"])], [("m", FLOAT)])
    assert from_onnx(model).warnings == []


def test_where_a_model_says_squeeze_or_not_the_extent_is_asserted():
    squeeze = helper.make_graph(
        [node("Squeeze", "x at", "a")], "t", [], [helper.make_tensor_value_info("a", FLOAT, None)]
    )
    keep = helper.make_graph(
        [node("Identity", "x", "b")], "e", [], [helper.make_tensor_value_info("b", FLOAT, None)]
    )
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "n"),
        node("Equal", "n one", "c"),
        helper.make_node("If", ["c"], ["y"], then_branch=squeeze, else_branch=keep),
    ]
    weights = {"zero": np.array(0), "one": np.array(1), "at": np.array([0])}
    module = from_onnx(graph(nodes, [("x", FLOAT, ["n", 4])], [("y", FLOAT)], weights))
    assert module.main(X[:1]).shape == (4,)
    assert "differ in rank" in module.source.text
    with pytest.raises(RelaxError):
        module.main(X)


def test_weights_of_a_branch_are_in_the_archive():
    values = np.arange(20, dtype=np.float32)
    branches = [
        helper.make_graph(
            [node(op, "x w", out)],
            out,
            [],
            [helper.make_tensor_value_info(out, FLOAT, None)],
            [helper.make_tensor("w", FLOAT, [20], values * factor)],
        )
        for op, out, factor in (("Add", "a", 1), ("Mul", "b", 2))
    ]
    branch = helper.make_node("If", ["c"], ["y"], then_branch=branches[0], else_branch=branches[1])
    module = from_onnx(graph([branch], [("c", BOOL, []), ("x", FLOAT, [20])], [("y", FLOAT)]))
    assert len(module.source.arrays) == 2
    np.testing.assert_array_equal(module.main(np.array(True), values), values * 2)
    np.testing.assert_array_equal(module.main(np.array(False), values), values * values * 2)


@pytest.mark.parametrize("auto", ["SAME_UPPER", "SAME_LOWER"])
def test_padding_that_follows_from_extents_which_are_not_known(auto):
    x = np.arange(5, dtype=np.float32).reshape(1, 1, 5)
    w = np.array([[[1, 10]]], np.float32)
    found = one("Conv", x, weights={"w": w}, symbolic=True, auto_pad=auto, strides=[2])
    padded = np.pad(x[0, 0], (0, 1) if auto == "SAME_UPPER" else (1, 0))
    np.testing.assert_array_equal(found[0, 0], [padded[at] + 10 * padded[at + 1] for at in (0, 2, 4)])


@pytest.mark.parametrize(("wanted", "auto"), [([1, 1, 7], "SAME_UPPER"), ([7], "NOTSET")])
def test_the_extents_of_a_transposed_convolution_can_be_given(wanted, auto):
    x, w = np.ones((1, 1, 3), np.float32), np.array([[[1, 2, 4, 8]]], np.float32)
    found = one("ConvTranspose", x, weights={"w": w}, strides=[2], output_shape=wanted, auto_pad=auto)
    whole = np.array([1, 2, 5, 10, 5, 10, 4, 8], np.float32)
    np.testing.assert_array_equal(found[0, 0], whole[:-1] if auto == "SAME_UPPER" else whole[1:])


def test_resizing_by_whole_numbers_keeps_extents_open():
    x = np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2)
    made = helper.make_node("Resize", ["x", "", "scales"], ["y"], mode="nearest", nearest_mode="floor",
                            coordinate_transformation_mode="asymmetric")  # fmt: skip
    weights = {"scales": np.array([1, 1, 2, 3], np.float32)}
    module = from_onnx(graph([made], [("x", FLOAT, [1, 1, "h", "w"])], [("y", FLOAT)], weights))
    assert "Tensor[(1, 1, h * 2, w * 3), float32]" in module.source.text
    np.testing.assert_array_equal(module.main(x), x.repeat(2, 2).repeat(3, 3))
