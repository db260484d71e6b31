"""Where importers go wrong: versions of operators, operands that follow from data, limits of numbers.

What the standard's own node tests hold is not repeated here; these are older versions, symbolic shapes, and operands
that are tensors.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from relax_lang import RelaxError, from_onnx
from tests.onnx.models import BOOL, FLOAT, INT64, graph, node

KINDS = {
    "float32": FLOAT,
    "int64": INT64,
    "bool": BOOL,
    "int32": TensorProto.INT32,
    "uint8": TensorProto.UINT8,
}
X = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)


def run(lines, inputs, *, opset=18, weights=(), symbolic=(), text=False):
    """Run nodes given as `(op, inputs, outputs, attributes)`; all outputs of the last one are results.

    `inputs` are arrays by name; those in `symbolic` have extents of which only the rank is known.
    """
    nodes = [node(op, ins, outs, **attrs) for op, ins, outs, attrs in lines]
    ports = [
        (name, KINDS[array.dtype.name], [None] * array.ndim if name in symbolic else list(array.shape))
        for name, array in inputs.items()
    ]
    last = [(name, FLOAT) for name in lines[-1][2].split()]
    module = from_onnx(graph(nodes, ports, last, dict(weights), opset=opset))
    assert module.warnings == []
    result = module.main(*inputs.values())
    return (result, module.source.text) if text else result


def one(op, x, *, opset=18, weights=(), symbolic=False, **attrs):
    """Run one node of one input, and of weights in order."""
    names = " ".join(["x", *dict(weights)])
    return run([(op, names, "y", attrs)], {"x": x}, opset=opset, weights=weights, symbolic=["x"] * symbolic)


# Versions of operators.


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


# Numbers.


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


# Operands that are tensors.


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
    assert (found.slug, found.data["input"]) == ("onnx-needs-value", name)


# Shapes.


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
    lines = [("Resize", "x  scales", "y", {"mode": "nearest"})]
    made = helper.make_node("Resize", ["x", "", "scales"], ["y"], mode="nearest", nearest_mode="floor",
                            coordinate_transformation_mode="asymmetric")  # fmt: skip
    del lines
    weights = {"scales": np.array([1, 1, 2, 3], np.float32)}
    module = from_onnx(graph([made], [("x", FLOAT, [1, 1, "h", "w"])], [("y", FLOAT)], weights))
    assert "Tensor[(1, 1, h * 2, w * 3), float32]" in module.source.text
    np.testing.assert_array_equal(module.main(x), x.repeat(2, 2).repeat(3, 3))


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
