"""Models of one node, run."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from relax_lang import from_onnx
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
