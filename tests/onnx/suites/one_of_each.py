"""A model of one node for each operator type that ONNX's node tests have, in the smallest usual form."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

FLOAT = TensorProto.FLOAT
X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
Y = np.linspace(3, -1, 12, dtype=np.float32).reshape(3, 4)
IMAGE = np.sin(np.arange(32, dtype=np.float32)).reshape(1, 2, 4, 4)
KERNEL = np.cos(np.arange(36, dtype=np.float32)).reshape(2, 2, 3, 3)
INTS, MORE_INTS = np.arange(-6, 6).reshape(3, 4), np.arange(1, 13).reshape(3, 4)
BYTES = np.arange(12, dtype=np.uint8).reshape(3, 4)
BOOLS = X > 0
SOUND = np.sin(np.arange(16, dtype=np.float32))
HEADS = np.sin(np.arange(48, dtype=np.float32)).reshape(1, 2, 6, 4)
STEPS = np.sin(np.arange(24, dtype=np.float32)).reshape(4, 2, 3)


class Known:
    """An input whose value is known when the model is imported."""

    def __init__(self, *values: object, dtype: str = "int64") -> None:
        self.array = np.array(
            values[0] if len(values) == 1 and isinstance(values[0], list) else values, dtype
        )


def scalar(value: object, dtype: str = "int64") -> Known:
    """A known input of rank 0."""
    made = Known(dtype=dtype)
    made.array = np.array(value, dtype)
    return made


def cell(gates: int) -> tuple[list[object], dict[str, object]]:
    """Return the inputs and attributes of a recurrent cell with two hidden values."""
    w = np.sin(np.arange(gates * 6, dtype=np.float32)).reshape(1, gates * 2, 3)
    r = np.cos(np.arange(gates * 4, dtype=np.float32)).reshape(1, gates * 2, 2)
    return [STEPS, w, r], {"hidden_size": 2}


def bodies(*branches: float) -> list[object]:
    """Return graphs without inputs that give a number each."""
    made = []
    for at, value in enumerate(branches):
        out = helper.make_tensor_value_info(f"out{at}", FLOAT, [1])
        number = helper.make_node("Constant", [], [f"out{at}"], value_floats=[value])
        made.append(helper.make_graph([number], f"g{at}", [], [out]))
    return made


def loop_body() -> object:
    """Return the body of a Loop: a state that grows by itself, and each of its values."""
    port = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Add", ["state", "state"], ["next"]),
        helper.make_node("Identity", ["cond"], ["go"]),
        helper.make_node("Identity", ["next"], ["row"]),
    ]
    ins = [port("i", TensorProto.INT64, []), port("cond", TensorProto.BOOL, []), port("state", FLOAT, [3, 4])]
    outs = [port("go", TensorProto.BOOL, []), port("next", FLOAT, [3, 4]), port("row", FLOAT, [3, 4])]
    return helper.make_graph(nodes, "body", ins, outs)


def scan_body() -> object:
    """Return the body of a Scan: a running sum of rows."""
    port = helper.make_tensor_value_info
    nodes = [helper.make_node("Add", ["sum", "x"], ["next"]), helper.make_node("Identity", ["next"], ["row"])]
    ports = {name: port(name, FLOAT, [4]) for name in ("sum", "x", "next", "row")}
    return helper.make_graph(nodes, "body", [ports["sum"], ports["x"]], [ports["next"], ports["row"]])


SIMPLE = {
    "Abs Acos Asin Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish Identity IsInf IsNaN"
    " LeakyRelu LogSoftmax Hardmax Mish Neg Reciprocal Relu Round Selu Shape Shrink Sigmoid Sign Sin Sinh Size Softmax"
    " Softplus Softsign Swish Tan Tanh ThresholdedRelu Dropout Flatten Transpose NonZero Trilu EyeLike LpNormalization"
    " Max Mean Min Sum": [X / 4],
    "Bernoulli RandomUniformLike": [np.abs(X) / 4],
    "Acosh Log Sqrt": [X + 3.5],
    "Asinh Det": [X[:, :3] + np.eye(3, dtype=np.float32)],
    "Add Sub Mul Div Equal Greater GreaterOrEqual Less LessOrEqual PRelu CastLike": [X, Y + 0.5],
    "Pow": [X + 3, Y],
    "Mod BitwiseAnd BitwiseOr BitwiseXor": [INTS, MORE_INTS],
    "BitwiseNot": [INTS],
    "And Or Xor": [BOOLS, BOOLS[::-1].copy()],
    "Not": [BOOLS],
    "Where": [BOOLS, X, Y],
    "SwiGLU": [X, Y],
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum"
    " ReduceSumSquare": [X + 3, Known(1)],
    "ArgMax ArgMin Unique": [X],
    "CumSum CumProd": [X, scalar(1)],
    "MatMul": [X, Y.T.copy()],
    "Gemm": [X, Y.T.copy(), X[:, :3]],
    "GlobalAveragePool GlobalMaxPool MeanVarianceNormalization": [IMAGE],
    "QuantizeLinear": [X, scalar(0.1, "float32"), scalar(3, "uint8")],
    "DequantizeLinear": [BYTES, scalar(0.1, "float32"), scalar(3, "uint8")],
    "DynamicQuantizeLinear": [X],
    "MatMulInteger": [BYTES, BYTES.T.copy()],
    "Reshape": [X, Known(4, 3)],
    "Squeeze": [X[None], Known(0)],
    "Unsqueeze": [X, Known(1)],
    "Expand": [X, Known(2, 3, 4)],
    "Tile": [X, Known(2, 1)],
    "Pad": [X, Known(0, 1, 0, 1)],
    "Slice": [X, Known(1), Known(3), Known(0)],
    "Gather": [X, np.array([2, 0])],
    "GatherElements": [X, np.array([[0, 2, 1, 0]])],
    "GatherND": [X, np.array([[0, 2], [1, 0]])],
    "ScatterElements Scatter": [X, np.array([[0, 2, 1, 0]]), Y[:1]],
    "ScatterND": [X, np.array([[0], [2]]), Y[:2]],
    "Range": [scalar(1), scalar(9), scalar(2)],
    "ConstantOfShape": [Known(2, 3)],
    "TopK": [X, Known(2)],
    "OneHot": [np.array([0, 2, 1]), scalar(3), np.array([0.0, 1.0], np.float32)],
    "Clip": [X, scalar(-1, "float32"), scalar(1, "float32")],
    "Conv": [IMAGE, KERNEL],
    "ConvTranspose": [IMAGE, KERNEL],
    "ConvInteger": [BYTES[None, None], BYTES[None, None, :2, :2]],
    "BatchNormalization": [IMAGE, *[np.array([1, 2], np.float32)] * 4],
    "InstanceNormalization": [IMAGE, *[np.array([1, 2], np.float32)] * 2],
    "LayerNormalization": [X, np.arange(4, dtype=np.float32), np.ones(4, np.float32)],
    "RMSNormalization": [X, np.arange(4, dtype=np.float32)],
    "Attention": [HEADS, HEADS[:, :, ::-1].copy(), HEADS * 2],
    "QLinearMatMul": [
        BYTES, scalar(0.1, "float32"), scalar(3, "uint8"), BYTES.T.copy(), scalar(0.2, "float32"), scalar(1, "uint8"),
        scalar(0.3, "float32"), scalar(2, "uint8"),
    ],
    "QLinearConv": [
        BYTES[None, None], scalar(0.1, "float32"), scalar(3, "uint8"), BYTES[None, None, :2, :2],
        scalar(0.2, "float32"), scalar(1, "uint8"), scalar(0.3, "float32"), scalar(2, "uint8"),
    ],
    "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss": [X, np.array([0, 3, 1])],
    "NonMaxSuppression": [
        np.array([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 2, 1, 3]]], np.float32),
        np.array([[[0.9, 0.8, 0.7]]], np.float32), Known(3), Known(0.5, dtype="float32"), Known(0.1, dtype="float32"),
    ],
    "HannWindow HammingWindow BlackmanWindow": [scalar(6)],
    "MelWeightMatrix": [scalar(4), scalar(8), scalar(8000), scalar(0.0, "float32"), scalar(4000.0, "float32")],
    "AffineGrid": [np.array([[[1, 0, 0.5], [0, 2, 0]]], np.float32), Known(1, 1, 2, 3)],
    "GridSample": [IMAGE, np.linspace(-1, 1, 12, dtype=np.float32).reshape(1, 2, 3, 2)],
    "Resize": [IMAGE, None, Known(1, 1, 2, 2, dtype="float32")],
    "Upsample": [IMAGE, Known(1, 1, 2, 2, dtype="float32")],
    "DFT": [SOUND.reshape(1, 16, 1), None, scalar(1)],
    "ReverseSequence": [X, np.array([1, 2, 3, 2])],
    "If": [np.array(True)],
    "Loop": [scalar(3), scalar(True, "bool"), X],
    "Scan": [X[0], X],
    "TensorScatter": [HEADS, HEADS[:, :, :2], np.array([1])],
}  # fmt: skip
"""Inputs of operators that need no attribute."""
WITH_ATTRIBUTES: dict[str, tuple[list[object], dict[str, object]]] = {
    "BitShift": ([MORE_INTS.astype(np.uint32), BYTES.astype(np.uint32)], {"direction": "LEFT"}),
    "BitCast": ([X], {"to": TensorProto.INT32}),
    "Cast": ([X], {"to": TensorProto.INT64}),
    "Constant": ([], {"value_floats": [1.0, 2.0]}),
    "Concat": ([X, Y], {"axis": 0}),
    "Split": ([X], {"num_outputs": 2, "axis": 1}),
    "Compress": ([X, np.array([True, False, True])], {"axis": 0}),
    "Einsum": ([X, Y], {"equation": "ij,kj->ik"}),
    "AveragePool": ([IMAGE], {"kernel_shape": [2, 2]}),
    "MaxPool": ([IMAGE], {"kernel_shape": [2, 2]}),
    "LpPool": ([IMAGE], {"kernel_shape": [2, 2]}),
    "MaxUnpool": ([IMAGE[:, :, :2, :2], np.array([[[[0, 2], [8, 10]], [[16, 18], [24, 26]]]])],
                  {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "Col2Im": ([SOUND.reshape(1, 4, 4), Known(4, 4), Known(2, 2)], {"strides": [2, 2]}),
    "LRN": ([IMAGE], {"size": 3}),
    "GroupNormalization": ([IMAGE, *[np.array([1, 2], np.float32)] * 2], {"num_groups": 2}),
    "DepthToSpace": ([np.arange(16, dtype=np.float32).reshape(1, 4, 2, 2)], {"blocksize": 2}),
    "SpaceToDepth": ([IMAGE], {"blocksize": 2}),
    "CenterCropPad": ([X, Known(2, 6)], {"axes": [0, 1]}),
    "RoiAlign": ([IMAGE, np.array([[0, 0, 3, 3]], np.float32), np.array([0])], {"output_height": 2, "output_width": 2}),
    "DeformConv": ([IMAGE, KERNEL, np.zeros((1, 18, 2, 2), np.float32)], {"kernel_shape": [3, 3]}),
    "RotaryEmbedding": ([HEADS, *[np.sin(np.arange(12, dtype=np.float32)).reshape(1, 6, 2)] * 2], {}),
    "LinearAttention": ([np.sin(np.arange(24, dtype=np.float32)).reshape(1, 6, 4)] * 3,
                        {"q_num_heads": 2, "kv_num_heads": 2, "update_rule": "linear"}),
    "CausalConvWithState": ([np.sin(np.arange(12, dtype=np.float32)).reshape(1, 2, 6),
                             np.ones((2, 1, 3), np.float32)], {}),
    "STFT": ([SOUND.reshape(1, 16, 1), scalar(4), None, scalar(8)], {}),
    "TfIdfVectorizer": ([np.array([1, 1, 3, 3, 3, 7], np.int32)], {
        "mode": "TF", "min_gram_length": 1, "max_gram_length": 1, "max_skip_count": 0, "ngram_counts": [0],
        "ngram_indexes": [0, 1, 2], "pool_int64s": [1, 3, 9]}),
    "LSTM": cell(4),
    "GRU": cell(3),
    "RNN": cell(1),
}  # fmt: skip
"""Inputs and attributes of the others."""
INPUTS = {op: values for ops, values in SIMPLE.items() for op in ops.split()}
OPS = sorted({*INPUTS, *WITH_ATTRIBUTES})
REFUSED = ("ImageDecoder", "OptionalGetElement", "OptionalHasElement")
"""Operators without a counterpart."""
OPSETS = {"Scatter": 10, "Upsample": 9}
"""Of operators that the standard no longer has."""
BY_HAND = {
    "Loop": [X * 8, np.stack([X * 2, X * 4, X * 8])],
    "Scatter": [np.where(np.array([[1, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]]), Y[0], X)],
}
"""Results where the evaluation of the package `onnx` has none, or joins rows instead of stacking them."""
RANDOM = {"Bernoulli", "RandomUniformLike"}
OUTPUTS = {
    "Loop": 2,
    "Scan": 2,
    "Split": 2,
    "TopK": 2,
    "DynamicQuantizeLinear": 3,
    "Dropout": 1,
    "RNN": 2,
    "GRU": 2,
}


def model_of(op: str) -> tuple[object, list[np.ndarray]]:
    """Return the model of an operator, and arrays for its inputs."""
    values, attrs = WITH_ATTRIBUTES.get(op) or (INPUTS[op], {})
    if op == "If":
        attrs = dict(zip(("then_branch", "else_branch"), bodies(1.0, 2.0), strict=True))
    elif op == "Loop":
        attrs = {"body": loop_body()}
    elif op == "Scan":
        attrs = {"body": scan_body(), "num_scan_inputs": 1}
    names = ["" if value is None else f"in{at}" for at, value in enumerate(values)]
    outputs = [f"out_{at}" for at in range(OUTPUTS.get(op, 1))]
    made = helper.make_node(op, names, outputs, **attrs)
    known = {name: value.array for name, value in zip(names, values, strict=True) if isinstance(value, Known)}
    given = {name: value for name, value in zip(names, values, strict=True) if isinstance(value, np.ndarray)}
    ports = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in given.items()
    ]
    results = [helper.make_tensor_value_info(name, FLOAT, None) for name in outputs]
    from onnx import defs, numpy_helper

    weights = [numpy_helper.from_array(value, name) for name, value in known.items()]
    graph = helper.make_graph([made], "g", ports, results, weights)
    opset = OPSETS.get(op) or max(defs.get_schema(op).since_version, 18)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)]), list(given.values())
