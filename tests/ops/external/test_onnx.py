"""Kernels against the reference evaluator of ONNX, where that is installed: what torch has no attributes for. [OP.9]

Each form gets the arguments and all attributes of a call, and returns what a graph of one ONNX node makes of them; it
raises `NotComparableError` where ONNX has no such attribute, or means something else by it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relax_lang.ops.core.dtypes import is_float
from tests.ops.external_oracles import SPATIAL, compared, require
from tests.ops.reference.linear import paddings, per_axis
from tests.ops.test_reference import close

onnx = pytest.importorskip("onnx")
reference = pytest.importorskip("onnx.reference")

OPSET = 22


def node(op: str, *inputs: Any, **attrs: Any) -> Any:
    """Run one node; an input that is None is left out."""
    helper = onnx.helper
    given = {f"x{at}": x for at, x in enumerate(inputs) if x is not None}
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for name, x in given.items()
    ]
    names = [f"x{at}" if x is not None else "" for at, x in enumerate(inputs)]
    made = helper.make_node(op, names, ["y"], **attrs)
    result = helper.make_tensor_value_info("y", onnx.TensorProto.UNDEFINED, None)
    graph = helper.make_graph([made], "one_node", infos, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    (found,) = reference.ReferenceEvaluator(model).run(None, given)
    return found


def in_layout(x: Any, source: str, target: str) -> Any:
    return np.ascontiguousarray(x.transpose([source.index(letter) for letter in target]))


def places(indices: Any) -> Any:
    return indices.astype(np.int64)


def pool(op: str, n: int) -> Callable[..., Any]:
    letters = "NC" + SPATIAL[n]

    def form(data: Any, **options: Any) -> Any:
        require(is_float(data.dtype) and data.size)
        pads = paddings(options["padding"], n)
        dilation, sizes = per_axis(options["dilation"], n), per_axis(options["pool_size"], n)
        reach = [step * (size - 1) + 1 for step, size in zip(dilation, sizes, strict=True)]
        # a window of padding alone is nan or 0 there
        require(all(max(pair) < size for pair, size in zip(pads, reach, strict=True)))
        require(not options["ceil_mode"] and (op == "MaxPool" or all(step == 1 for step in dilation)))
        more = {} if op == "MaxPool" else {"count_include_pad": int(options["count_include_pad"])}
        y = node(
            op,
            in_layout(data.astype(np.float64), options["layout"], letters),
            kernel_shape=sizes,
            strides=per_axis(options["strides"], n),
            pads=[before for before, _ in pads] + [after for _, after in pads],
            dilations=dilation,
            **more,
        )
        return in_layout(y, letters, options["out_layout"] or options["layout"])

    return form


def resize(n: int) -> Callable[..., Any]:
    letters = "NC" + SPATIAL[n]

    def form(data: Any, size: Any, method: str, rounding_method: str, **options: Any) -> Any:
        where = options["coordinate_transformation_mode"]
        require(is_float(data.dtype) and data.size and 0 not in tuple(size))
        require(where in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"))
        attrs: dict[str, Any] = {"mode": {"nearest_neighbor": "nearest"}.get(method, method)}
        if method == "nearest_neighbor":
            rounding = rounding_method or ("round" if where == "align_corners" else "floor")
            require(rounding != "round")  # halves to the even number: ONNX has no such mode
            attrs["nearest_mode"] = rounding
        if method == "cubic":
            attrs |= {
                "cubic_coeff_a": options["cubic_alpha"],
                "exclude_outside": int(bool(options["cubic_exclude"])),
            }
        x = in_layout(data.astype(np.float32), options["layout"], letters)
        extents = np.array([*x.shape[:2], *size])
        y = node("Resize", x, None, None, extents, coordinate_transformation_mode=where, **attrs)
        return in_layout(y, letters, options["layout"])

    return form


def quantize(data: Any, scale: Any, zero_point: Any, axis: int, out_dtype: Any) -> Any:
    require(scale.dtype == data.dtype == np.float32 and scale.all() and zero_point.dtype.kind != "f")
    offset = zero_point.astype(str(out_dtype))
    require(np.array_equal(offset, zero_point))
    shape = next((x.shape for x in (scale, zero_point) if x.size != 1), ())
    scale, offset = [
        np.broadcast_to(x.reshape(-1) if shape else x.reshape(()), shape) for x in (scale, offset)
    ]
    return node("QuantizeLinear", data, scale.copy(), offset.copy(), axis=axis)


def reverse_sequence(data: Any, seq_lengths: Any, seq_axis: int, batch_axis: int) -> Any:
    time, batch = seq_axis % data.ndim, batch_axis % data.ndim
    require({time, batch} == {0, 1} and (seq_lengths <= data.shape[time]).all())
    return node("ReverseSequence", data, places(seq_lengths), time_axis=time, batch_axis=batch)


def pad(data: Any, pad_width: list[int], pad_mode: str, pad_value: float | None) -> Any:
    require(is_float(data.dtype) and data.size and pad_width)
    mode = {"replicate": "edge", "circular": "wrap"}.get(pad_mode, pad_mode)
    amounts = np.array([*pad_width[::2], *pad_width[1::2]])
    return node("Pad", data, amounts, np.array(pad_value or 0.0, data.dtype), mode=mode)


def one_hot(indices: Any, on_value: Any, off_value: Any, depth: int, axis: int) -> Any:
    require(type(on_value) is not bool)
    outside = np.where((indices >= 0) & (indices < depth), indices, depth)  # -1 would count from the end
    return node("OneHot", places(outside), np.array(depth), np.array([off_value, on_value]), axis=axis)


def gather_nd(data: Any, indices: Any, batch_dims: int) -> Any:
    require(data.size and indices.size)
    return node("GatherND", data, places(indices), batch_dims=batch_dims)


def scatter_nd(data: Any, indices: Any, updates: Any, reduction: str) -> Any:
    require(data.dtype.kind in "if")
    how = "none" if reduction == "update" else reduction
    return node("ScatterND", data, places(indices), updates, reduction=how)


def affine_grid(data: Any, size: Any, align_corners: bool) -> Any:
    extents = np.array([len(data), 1, *size])
    return np.moveaxis(
        node("AffineGrid", data.astype(np.float64), extents, align_corners=int(align_corners)), -1, 1
    )


def cumsum(data: Any, axis: int | None, dtype: Any, exclusive: bool) -> Any:
    require(axis is not None and dtype is None and data.dtype.kind in "if")
    return node("CumSum", data, np.array(axis), exclusive=int(exclusive))


FORMS: dict[str, Callable[..., Any]] = {
    "image.resize2d": resize(2),
    "image.resize3d": resize(3),
    "image.affine_grid": affine_grid,
    "quantize": quantize,
    "reverse_sequence": reverse_sequence,
    "nn.pad": pad,
    "one_hot": one_hot,
    "gather_nd": gather_nd,
    "scatter_nd": scatter_nd,
    "cumsum": cumsum,
}
for rank in (1, 2, 3):
    FORMS[f"nn.max_pool{rank}d"] = pool("MaxPool", rank)
    FORMS[f"nn.avg_pool{rank}d"] = pool("AveragePool", rank)

ROUNDING = {"float64": 1e-12, "float32": 4e-6, "float16": 2e-3, "bfloat16": 1.6e-2}


@pytest.mark.parametrize("name", FORMS)
def test_OP_9_kernel_and_onnx_agree(name: str) -> None:
    for found, expected, told in compared(name, FORMS[name], fits):
        assert found.shape == expected.shape, told
        if is_float(found.dtype):
            step = ROUNDING[found.dtype.name]
            close(found, expected, max(step, 4e-6) if "resize" in name else step, told)
        elif "resize" in name:
            assert np.all(np.abs(found - expected.astype(found.dtype)) <= 1), told  # cut off
        else:
            np.testing.assert_array_equal(found, expected, err_msg=str(told))


def fits(x: Any) -> bool:
    """Tell whether ONNX knows the dtype."""
    return not isinstance(x, np.ndarray) or x.dtype.name != "bfloat16"
