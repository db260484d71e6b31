"""Small models for tests."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper

BOOL, FLOAT, INT64 = TensorProto.BOOL, TensorProto.FLOAT, TensorProto.INT64


def graph(nodes, inputs, outputs, weights=(), *, opset=18):
    ports = [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in inputs]
    results = [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs]
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in dict(weights).items()]
    made = helper.make_graph(nodes, "g", ports, results, tensors)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", opset)])


def node(op, inputs, outputs, **attrs):
    return helper.make_node(op, inputs.split(), outputs.split(), **attrs)


def dense():
    weights = {"fc.weight": np.ones((4, 8), np.float32), "fc.bias": np.arange(4, dtype=np.float32)}
    nodes = [
        node("Gemm", "x fc.weight fc.bias", "/fc/Gemm_output_0", transB=1),
        node("Relu", "/fc/Gemm_output_0", "y"),
    ]
    return graph(nodes, [("x", FLOAT, ["batch", 8])], [("y", FLOAT)], weights)
