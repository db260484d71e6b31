"""Operators of `com.microsoft` that onnxruntime's optimizer writes, against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from onnx import helper  # noqa: E402

from relax_lang import RelaxError, from_onnx  # noqa: E402
from tests.onnx.models import FLOAT  # noqa: E402

DRAWN = np.random.default_rng(7)
X = DRAWN.standard_normal((2, 3, 4)).astype(np.float32)
ROW = DRAWN.standard_normal(4).astype(np.float32)
IMAGE = DRAWN.standard_normal((1, 2, 5, 5)).astype(np.float32)
KERNEL = DRAWN.standard_normal((3, 2, 3, 3)).astype(np.float32)
SUM = DRAWN.standard_normal((1, 3, 3, 3)).astype(np.float32)
BIAS = DRAWN.standard_normal(3).astype(np.float32)


def model(op, arrays, outputs=1, **attrs):
    names = [f"x{at}" if array is not None else "" for at, array in enumerate(arrays)]
    results = ["y", *["" for _ in range(outputs - 2)], *["s"][: outputs - 1]]
    node = helper.make_node(op, names, results, domain="com.microsoft", **attrs)
    ports = [
        helper.make_tensor_value_info(name, FLOAT, array.shape)
        for name, array in zip(names, arrays, strict=True)
        if array is not None
    ]
    shown = [helper.make_tensor_value_info(name, FLOAT, None) for name in results if name]
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(helper.make_graph([node], "g", ports, shown), opset_imports=opsets, ir_version=9)


@pytest.mark.parametrize(
    ("op", "arrays", "attrs"),
    [
        ("Gelu", [X], {}),
        ("BiasGelu", [X, ROW], {}),
        ("FastGelu", [X], {}),
        ("FastGelu", [X, ROW], {}),
        ("QuickGelu", [X], {}),
        ("QuickGelu", [X], {"alpha": 0.5}),
        ("FusedMatMul", [X, X], {"transB": 1, "alpha": 0.25}),
        ("FusedMatMul", [X, X], {"transA": 1}),
        ("FusedMatMul", [X, X[0].T.copy()], {}),
        ("FusedConv", [IMAGE, KERNEL], {"activation": "Relu"}),
        ("FusedConv", [IMAGE, KERNEL, BIAS], {"activation": "LeakyRelu", "activation_params": [0.3]}),
        ("FusedConv", [IMAGE, KERNEL, BIAS, SUM], {"activation": "Relu"}),
        ("FusedConv", [IMAGE, KERNEL, BIAS], {"activation": "Clip", "activation_params": [-0.5, 0.75]}),
        ("FusedConv", [IMAGE, KERNEL], {"activation": "HardSigmoid", "activation_params": [0.2, 0.4]}),
        ("SkipLayerNormalization", [X, X[::-1].copy(), ROW], {"epsilon": 1e-5}),
        ("SkipLayerNormalization", [X, X[::-1].copy(), ROW, ROW + 1, ROW * 2], {}),
    ],
)
def test_results_are_those_of_onnxruntime(op, arrays, attrs):
    made = model(op, arrays, 4 if op.startswith("Skip") else 1, **attrs)
    session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    inputs = {f"x{at}": array for at, array in enumerate(arrays)}
    expected = session.run(None, inputs)
    module = from_onnx(made)
    assert module.warnings == []
    found = module.main(*arrays)
    for one, other in zip(found if isinstance(found, tuple) else (found,), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (model("FusedMatMul", [X, X], transBatchA=1), "batches that are not in front"),
        (model("FusedConv", [IMAGE, KERNEL], activation="Softmax"), "the activation Softmax is not known"),
        (model("Attention", [X, X]), "the domain `com.microsoft` is not of the standard"),
    ],
)
def test_what_has_no_rule_is_refused(made, message):
    with pytest.raises(RelaxError, match=message):
        from_onnx(made)
