"""Models as people export them from PyTorch and TensorFlow, with open shapes, against onnxruntime in both engines."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from relax_lang import api, from_onnx
from tests.onnx.models import BOOL, FLOAT, INT64, node

onnxruntime = pytest.importorskip("onnxruntime")

INT32, UINT8 = TensorProto.INT32, TensorProto.UINT8
END = (1 << 63) - 1
RNG = np.random.default_rng(0)


def reals(*shape):
    return RNG.standard_normal(shape).astype(np.float32) * np.float32(0.3)


def number(value):
    return np.array(value, np.int64)


def made(nodes, inputs, outputs, weights, opset=17):
    ports = [helper.make_tensor_value_info(*port) for port in inputs]
    results = [helper.make_tensor_value_info(*port) for port in outputs]
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "main_graph", ports, results, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def detector():
    """A head that finds boxes, of which those that overlap are suppressed; then the best five."""
    weights = {
        "w": reals(9, 3, 3, 3),
        "bias": reals(9),
        "to": number([0, 9, -1]),
        "most": number(20),
        "half": np.float32(0.5),
        "overlap": np.float32(0.5),
        "least": np.float32(0.52),
        "0": number([0]),
        "2": number([2]),
        "4": number([4]),
        "5": number([5]),
        "end": number([END]),
        "at_2": number(2),
        "at_1": number(1),
        "at_0": number(0),
        "1": number([1]),
    }
    nodes = [
        node("Conv", "img w bias", "f", strides=[4, 4], pads=[1, 1, 1, 1]),
        node("Reshape", "f to", "rows"),
        node("Transpose", "rows", "p", perm=[0, 2, 1]),
        node("Slice", "p 0 2 2", "xy"),
        node("Slice", "p 2 4 2", "wh"),
        node("Slice", "p 4 5 2", "object"),
        node("Slice", "p 5 end 2", "classes"),
        node("Exp", "wh", "wide"),
        node("Mul", "wide half", "radius"),
        node("Sub", "xy radius", "low"),
        node("Add", "xy radius", "high"),
        node("Concat", "low high", "boxes", axis=2),
        node("Sigmoid", "object", "o"),
        node("Sigmoid", "classes", "c"),
        node("Mul", "o c", "product"),
        node("Sqrt", "product", "root"),
        node("Transpose", "root", "scores", perm=[0, 2, 1]),
        node("NonMaxSuppression", "boxes scores most overlap least", "kept"),
        node("Gather", "kept at_2", "box", axis=1),
        node("Gather", "kept at_1", "class", axis=1),
        node("Gather", "kept at_0", "image", axis=1),
        node("Unsqueeze", "image 1", "images"),
        node("Unsqueeze", "box 1", "places"),
        node("Concat", "images places", "where", axis=1),
        node("GatherND", "boxes where", "found"),
        node("GatherND", "scores kept", "score"),
        node("Cast", "class", "label", to=INT32),
        node("Shape", "score", "count"),
        node("Concat", "count 5", "both", axis=0),
        node("ReduceMin", "both", "k", axes=[0]),
        node("Slice", "score 0 k", "best"),
    ]
    outputs = [("found", FLOAT, None), ("score", FLOAT, None), ("label", INT32, None), ("best", FLOAT, None)]
    model = made(nodes, [("img", FLOAT, ["batch", 3, "height", "width"])], outputs, weights)
    return model, [
        [reals(2, 3, 24, 32) * 5],
        [reals(1, 3, 16, 16) * 5],
        [np.full((1, 3, 16, 16), -3, np.float32)],
    ]


def decoder():
    """Tokens are chosen one by one, until one of them is the last of a sentence."""
    size, width = 12, 8
    weights = {
        "table": reals(size, width) * 3,
        "out": reals(width, size) * 3,
        "most": number(40),
        "true": np.array(True),
    }
    inner = {"-1": number([-1]), "end": number([END]), "0": number([0]), "stop": number(5)}
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [
            node("Slice", "tokens -1 end 0", "last"),
            node("Gather", "table last", "e"),
            node("ReduceMean", "history", "mean", axes=[0]),
            node("Add", "e mean", "h"),
            node("MatMul", "h out", "logits"),
            node("ArgMax", "logits", "next", axis=1, keepdims=0),
            node("Concat", "tokens next", "longer", axis=0),
            node("Concat", "history e", "more", axis=0),
            node("Squeeze", "next 0", "one"),
            node("Equal", "one stop", "ends"),
            node("Not", "ends", "on"),
            node("Squeeze", "logits 0", "row"),
        ],
        "body",
        [
            info("i", INT64, []),
            info("c", BOOL, []),
            info("tokens", INT64, ["t"]),
            info("history", FLOAT, ["t", width]),
        ],
        [
            info("on", BOOL, []),
            info("longer", INT64, None),
            info("more", FLOAT, None),
            info("row", FLOAT, [size]),
        ],
        [numpy_helper.from_array(array, name) for name, array in inner.items()],
    )
    nodes = [
        node("Gather", "table start", "h0"),
        node("Loop", "most true start h0", "all last rows", body=body),
    ]
    model = made(nodes, [("start", INT64, ["s"])], [("all", INT64, None), ("rows", FLOAT, None)], weights)
    return model, [[number([1, 2])], [number([7])], [number([3, 0, 4])]]


def network_of_bytes():
    """Pictures as TensorFlow has them: channels last, padded at one side, and classes in the size of the picture."""
    weights = {
        "depthwise": reals(3, 1, 3, 3),
        "pointwise": reals(8, 3, 1, 1),
        "gamma": np.abs(reals(8)) + 1,
        "beta": reals(8),
        "mean": reals(8),
        "variance": np.abs(reals(8)) + 1,
        "classes": reals(5, 8, 1, 1),
        "zero": np.float32(0),
        "six": np.float32(6),
        "pads": number([0, 0, 0, 0, 0, 1, 1, 0]),
        "1": number([1]),
        "3": number([3]),
        "0": number([0]),
        "5": number([5]),
        "to": number([-1, 5]),
        "scale": np.float32(1 / 255),
    }
    nodes = [
        node("Cast", "image", "float", to=FLOAT),
        node("Mul", "float scale", "scaled"),
        node("Pad", "scaled pads", "padded"),
        node("Transpose", "padded", "x", perm=[0, 3, 1, 2]),
        node("Conv", "x depthwise", "d", group=3, strides=[2, 2], auto_pad="VALID"),
        node("Conv", "d pointwise", "p"),
        node("BatchNormalization", "p gamma beta mean variance", "n"),
        node("Clip", "n zero six", "r"),
        node("Conv", "r classes", "logits"),
        node("Shape", "image", "s"),
        node("Slice", "s 1 3 0", "size"),
        node("Slice", "s 0 1", "batch"),
        node("Concat", "batch 5 size", "wanted", axis=0),
        helper.make_node("Resize", ["logits", "", "", "wanted"], ["up"], mode="linear"),
        node("Transpose", "up", "last", perm=[0, 2, 3, 1]),
        node("ArgMax", "last", "class", axis=3, keepdims=0),
        node("Reshape", "last to", "flat"),
        node("Softmax", "flat", "chance", axis=1),
        node("ReduceSum", "chance 0", "total", keepdims=0),
    ]
    outputs = [("class", INT64, None), ("total", FLOAT, [5])]
    model = made(nodes, [("image", UINT8, [None, None, None, 3])], outputs, weights, opset=13)
    shapes = (2, 12, 16, 3), (1, 9, 7, 3)
    return model, [[RNG.integers(0, 255, shape).astype(np.uint8)] for shape in shapes]


@pytest.mark.parametrize("build", [detector, decoder, network_of_bytes])
def test_values_are_those_of_onnxruntime(build):
    model, calls = build()
    module = from_onnx(model)
    assert module.warnings == []
    assert api.format_text(module.source.text) == module.source.text
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    for arguments in calls:
        names = [port.name for port in session.get_inputs()]
        expected = session.run(None, dict(zip(names, arguments, strict=True)))
        for found in (module.main(*arguments), api.run(module.source, *arguments, engine="interpreter")):
            for own, other in zip(found, expected, strict=True):
                value = np.asarray(own)
                assert (value.dtype, value.shape) == (other.dtype, other.shape)
                np.testing.assert_allclose(value, other, rtol=1e-3, atol=1e-5)
