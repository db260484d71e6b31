"""Weights of four bits, and operators of other domains."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

from relax_lang import RelaxError, from_onnx
from tests.onnx.models import FLOAT, graph, node


def weighted(kind, values, shape, nodes, *, raw=True, extra=()):
    """Return a model whose input `x` is multiplied by what nodes make of a weight `w` of four bits."""
    model = graph(
        [*nodes, node("MatMul", "x f", "y")], [("x", FLOAT, ["n", shape[0]])], [("y", FLOAT)], opset=21
    )
    made = helper.make_tensor("w", kind, shape, values)
    if not raw:
        data = made.int32_data[:] or list(made.raw_data)
        made.ClearField("raw_data")
        made.int32_data[:] = data
    model.graph.initializer.extend([made, *extra])
    return model


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize(("kind", "low"), [(TensorProto.INT4, -8), (TensorProto.UINT4, 0)])
@pytest.mark.parametrize("shape", [(4, 4), (3, 5)])
def test_weights_of_four_bits_are_read_as_bytes(kind, low, shape, raw):
    values = (np.arange(np.prod(shape)) * 7 % 16 + low).reshape(shape)
    zeros = np.arange(shape[1]) % 8
    scale = np.linspace(0.5, 1, shape[1], dtype=np.float32)
    extra = [
        helper.make_tensor("z", kind, zeros.shape, zeros.tolist()),
        helper.make_tensor("s", FLOAT, scale.shape, scale.tolist()),
    ]
    nodes = [node("DequantizeLinear", "w s z", "f", axis=1)]
    module = from_onnx(weighted(kind, values.reshape(-1).tolist(), shape, nodes, raw=raw, extra=extra))
    assert module.warnings == []
    x = np.eye(shape[0], dtype=np.float32)
    np.testing.assert_allclose(module.main(x), (values - zeros) * scale)


def test_blocks_of_four_bits_and_casts():
    values = (np.arange(32) % 16 - 8).reshape(8, 4)
    scale = np.arange(1, 9, dtype=np.float32).reshape(2, 4)
    extra = [helper.make_tensor("s", FLOAT, scale.shape, scale.reshape(-1).tolist())]
    nodes = [node("DequantizeLinear", "w s", "f", axis=0, block_size=4)]
    x = np.eye(8, dtype=np.float32)
    model = weighted(TensorProto.INT4, values.reshape(-1).tolist(), (8, 4), nodes, extra=extra)
    np.testing.assert_allclose(from_onnx(model).main(x), values * scale.repeat(4, 0))
    model = weighted(
        TensorProto.INT4, values.reshape(-1).tolist(), (8, 4), [node("Cast", "w", "f", to=FLOAT)]
    )
    np.testing.assert_allclose(from_onnx(model).main(x), values)


def refusal(model) -> str:
    with pytest.raises(RelaxError) as caught:
        from_onnx(model)
    return caught.value.diagnostics[0].message


def test_where_the_four_bits_matter_the_weight_is_refused():
    nodes = [node("Transpose", "w", "t"), node("Cast", "t", "f", to=FLOAT)]
    found = refusal(weighted(TensorProto.INT4, [1] * 16, (4, 4), nodes))
    assert found.endswith("not supported: only DequantizeLinear and Cast take weights of the dtype int4")
    nodes = [
        node("QuantizeLinear", "x s", "q", output_dtype=TensorProto.INT4),
        node("Cast", "q", "y", to=FLOAT),
    ]
    weights = {"s": np.array(1, np.float32)}
    found = refusal(graph(nodes, [("x", FLOAT, ["n"])], [("y", FLOAT)], weights, opset=21))
    assert "the dtype int4 has no counterpart in Relax" in found


def test_four_bits_that_are_not_there():
    model = weighted(TensorProto.INT4, [1] * 16, (4, 4), [node("Cast", "w", "f", to=FLOAT)])
    model.graph.initializer[0].dims[0] = 5
    assert "takes 10 bytes, 8 are there" in refusal(model)


def test_what_onnxruntime_writes_is_to_be_imported_from_before():
    made = helper.make_node("QAttention", ["x", "x"], ["y"], domain="com.microsoft")
    model = graph([made], [("x", FLOAT, [2, 2])], [("y", FLOAT)])
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    with pytest.raises(RelaxError) as caught:
        from_onnx(model)
    assert "import the model as it was before" in str(caught.value.diagnostics[0].help)
