"""Each operator type of the standard's node tests: imported without a finding, equal to the standard's evaluation."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

pytest.importorskip("onnx")

from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from relax_lang import RelaxError, from_onnx
from tests.onnx.suites.one_of_each import BY_HAND, OPS, RANDOM, REFUSED, model_of

TYPES = 183


def test_every_type_is_here() -> None:
    assert len(OPS) + len(REFUSED) == TYPES


@pytest.mark.parametrize("op", OPS)
def test_a_node_of_each_type(op: str) -> None:
    model, arrays = model_of(op)
    module = from_onnx(model)
    assert module.warnings == []
    result = module.main(*arrays)
    results = result if isinstance(result, tuple) else (result,)
    expected = BY_HAND.get(op) or reference(model, arrays)
    for own, other in zip(results, expected, strict=True):
        assert own.dtype == np.asarray(other).dtype
        assert own.shape == np.asarray(other).shape
        if op not in RANDOM:
            np.testing.assert_allclose(own, other, rtol=1e-4, atol=1e-5)


def reference(model, arrays):
    names = [port.name for port in model.graph.input]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ReferenceEvaluator(model).run(None, dict(zip(names, arrays, strict=True)))


@pytest.mark.parametrize("op", REFUSED)
def test_a_type_without_a_counterpart_is_named(op: str) -> None:
    kind = TensorProto.UINT8 if op == "ImageDecoder" else TensorProto.FLOAT
    ports = [helper.make_tensor_value_info("x", kind, [4])]
    out = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph([helper.make_node(op, ["x"], ["y"], "n")], "g", ports, out)
    with pytest.raises(RelaxError) as caught:
        from_onnx(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]))
    (found,) = caught.value.diagnostics
    assert found.slug == "onnx-unsupported"
    assert f"({op}): {op} of opset 20 is not supported" in found.message
