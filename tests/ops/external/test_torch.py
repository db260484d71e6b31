"""Kernels against torch, where that is installed: the same random calls as against the second formulations. [OP.9]

Each form gets the arguments and all attributes of a call, and returns what torch makes of them in float64; it raises
`NotComparableError` where torch has no such attribute, or means something else by it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from relax_lang.ops.core.dtypes import is_float
from tests.ops.external_oracles import SPATIAL, compared, require
from tests.ops.reference.linear import paddings, per_axis
from tests.ops.test_reference import close

torch = pytest.importorskip("torch")
F = torch.nn.functional


def wide(x: Any) -> Any:
    """Return a tensor in float64."""
    return torch.from_numpy(np.array(x, np.float64))


def optional(x: Any, used: bool = True) -> Any:
    return wide(x) if used and x is not None else None


def in_layout(x: Any, source: str, target: str) -> Any:
    return x.permute([source.index(letter) for letter in target])


def around(pads: Sequence[tuple[int, int]]) -> list[int]:
    """Return paddings as torch takes them, the last axis first."""
    return [amount for pair in reversed(pads) for amount in pair]


def conv(n: int, transposed: bool = False) -> Callable[..., Any]:
    letters, kernel = "NC" + SPATIAL[n], ("IO" if transposed else "OI") + SPATIAL[n]
    name = f"conv_transpose{n}d" if transposed else f"conv{n}d"

    def form(data: Any, weight: Any, **options: Any) -> Any:
        x = in_layout(wide(data), options["data_layout"], letters)
        w = in_layout(wide(weight), options["kernel_layout"], kernel)
        require(x.numel() > 0)
        strides, dilation = per_axis(options["strides"], n), per_axis(options["dilation"], n)
        pads = paddings(options["padding"], n)
        rest = options["groups"], list(dilation)
        if not transposed:
            y = getattr(F, name)(F.pad(x, around(pads)), w, None, list(strides), 0, rest[1], rest[0])
        else:
            more = [(0, extra) for extra in per_axis(options["output_padding"], n)]
            y = F.pad(getattr(F, name)(x, w, None, list(strides), 0, 0, *rest), around(more))
            ends = [(before, y.shape[2 + at] - after) for at, (before, after) in enumerate(pads)]
            y = y[(..., *[slice(*end) for end in ends])]
        return in_layout(y, letters, options["out_layout"] or options["data_layout"])

    return form


def pool(kind: str, n: int) -> Callable[..., Any]:
    letters = "NC" + SPATIAL[n]

    def form(data: Any, **options: Any) -> Any:
        x = in_layout(wide(data), options["layout"], letters)
        sizes, strides, dilation = [
            list(per_axis(options[key], n)) for key in ("pool_size", "strides", "dilation")
        ]
        pads = [before for before, after in paddings(options["padding"], n) if before == after]
        require(x.numel() > 0 and len(pads) == n)
        places = zip(x.shape[2:], pads, sizes, strict=True)
        require(all(2 * pad <= size <= extent for extent, pad, size in places))
        if kind == "max":
            y = getattr(F, f"max_pool{n}d")(x, sizes, strides, pads, dilation, options["ceil_mode"])
        else:
            require(all(step == 1 for step in dilation))
            how = options["ceil_mode"], options["count_include_pad"]
            y = getattr(F, f"avg_pool{n}d")(x, sizes, strides, pads, *how)
        return in_layout(y, letters, options["out_layout"] or options["layout"])

    return form


def adaptive(n: int) -> Callable[..., Any]:
    letters = "NC" + SPATIAL[n]

    def form(data: Any, output_size: Any, layout: str, out_layout: str | None) -> Any:
        x = in_layout(wide(data), layout, letters)
        require(x.numel() > 0)
        sizes = list(x.shape[2:]) if output_size is None else list(per_axis(output_size, n))
        return in_layout(getattr(F, f"adaptive_avg_pool{n}d")(x, sizes), letters, out_layout or layout)

    return form


def axes_last(x: Any, axes: Any) -> tuple[Any, list[int], list[int]]:
    """Return a tensor with some axes moved to the end, their extents, and the order that undoes it."""
    chosen = [axis % x.ndim for axis in ([axes] if isinstance(axes, int) else axes)]
    order = [axis for axis in range(x.ndim) if axis not in chosen] + chosen
    back = [order.index(axis) for axis in range(x.ndim)]
    return wide(x).permute(order), [x.shape[axis] for axis in chosen], back


def layer_norm(x: Any, gamma: Any, beta: Any, axes: Any, epsilon: float, center: bool, scale: bool) -> Any:
    moved, extents, back = axes_last(x, axes)
    require(bool(extents))
    return F.layer_norm(moved, extents, optional(gamma, scale), optional(beta, center), epsilon).permute(back)


def rms_norm(x: Any, weight: Any, axes: Any, epsilon: float) -> Any:
    moved, extents, back = axes_last(x, axes)
    require(bool(extents))
    return F.rms_norm(moved, extents, wide(weight), epsilon).permute(back)


def group_norm(x: Any, gamma: Any, beta: Any, **options: Any) -> Any:
    channel = options["channel_axis"] % x.ndim
    axes = options["axes"] if isinstance(options["axes"], list) else [options["axes"]]
    moved, extents, back = axes_last(x, [channel, *axes])
    groups = options.get("num_groups", extents[0])
    require(x.size > 0 and math.prod(extents) > groups)
    norm = F.group_norm(
        moved.reshape(-1, *extents),
        groups,
        optional(gamma, options["scale"]),
        optional(beta, options["center"]),
        options["epsilon"],
    )
    return norm.reshape(moved.shape).permute(back)


def batch_norm(x: Any, gamma: Any, beta: Any, mean: Any, var: Any, **options: Any) -> Any:
    require(not options["training"] and x.ndim > 1 and x.size > 0)
    moved = wide(x).movedim(options["axis"], 1)
    factors = optional(gamma, options["scale"]), optional(beta, options["center"])
    y = F.batch_norm(moved, wide(mean), wide(var), *factors, eps=options["epsilon"])
    return y.movedim(1, options["axis"]), wide(mean), wide(var)


def attention(query: Any, key: Any, value: Any, bias: Any = None, **options: Any) -> Any:
    q, k, v = [wide(x).permute(0, 2, 1, 3) for x in (query, key, value)]
    require(min(q.numel(), k.numel(), v.numel()) > 0)
    rows, columns = q.shape[2], k.shape[2]
    mask = torch.zeros(rows, columns, dtype=torch.float64)
    if options["causal_mask"]:
        diagonal = 1 if options["causal_mask"] == "TopLeft" else columns - rows + 1
        mask += torch.full((rows, columns), -math.inf).triu(diagonal)
        require(not bool((mask == -math.inf).all(1).any()))  # nothing is seen: torch gives 0
    mask = mask if bias is None else mask + wide(bias)
    repeat = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(repeat, 1), v.repeat_interleave(repeat, 1)
    return F.scaled_dot_product_attention(q, k, v, mask, scale=options["scale"]).permute(0, 2, 1, 3)


def nll_loss(predictions: Any, targets: Any, weights: Any, reduction: str, ignore_index: int) -> Any:
    require(predictions.size > 0 and predictions.ndim > 1)
    wanted = torch.from_numpy(targets.astype(np.int64))
    how = {"ignore_index": ignore_index, "reduction": reduction}
    return F.nll_loss(wide(predictions), wanted, optional(weights), **how)


def resize(n: int) -> Callable[..., Any]:
    letters = "NC" + SPATIAL[n]

    def form(data: Any, size: Any, **options: Any) -> Any:
        x = in_layout(wide(data), options["layout"], letters)
        where = options["coordinate_transformation_mode"]
        require(x.numel() > 0 and 0 not in tuple(size) and where in ("half_pixel", "align_corners"))
        cubic = options["method"] == "cubic"
        require(options["method"] == "linear" or (cubic and n == 2 and not options["cubic_exclude"]))
        require(not cubic or options["cubic_alpha"] == -0.75)
        mode = "bicubic" if cubic else {2: "bilinear", 3: "trilinear"}[n]
        y = F.interpolate(x, tuple(size), mode=mode, align_corners=where == "align_corners")
        return in_layout(y, letters, options["layout"])

    return form


def grid_sample(data: Any, grid: Any, layout: str, method: str, **options: Any) -> Any:
    letters = "NC" + SPATIAL[data.ndim - 2]
    x = in_layout(wide(data), layout, letters)
    require(x.numel() > 0 and grid.size > 0)
    return in_layout(F.grid_sample(x, wide(grid).movedim(1, -1), mode=method, **options), letters, layout)


def scatter_elements(data: Any, indices: Any, updates: Any, axis: int, reduction: str) -> Any:
    at = axis % data.ndim
    places = torch.from_numpy(np.where(indices < 0, indices + data.shape[at], indices).astype(np.int64))
    if reduction == "update":
        return wide(data).scatter(at, places, wide(updates))
    names = {"add": "sum", "mul": "prod", "min": "amin", "max": "amax"}
    return wide(data).scatter_reduce(at, places, wide(updates), names[reduction])


def running(function: Callable[..., Any]) -> Callable[..., Any]:
    def form(data: Any, axis: int | None, dtype: Any, exclusive: bool) -> Any:
        require(not exclusive and dtype is None and is_float(data.dtype))
        return function(wide(data).reshape(-1) if axis is None else wide(data), 0 if axis is None else axis)

    return form


def topk(data: Any, k: int, axis: int, ret_type: str, largest: bool, dtype: Any) -> Any:
    found = torch.sort(wide(data), dim=axis, descending=largest, stable=True)
    count = min(k, data.shape[axis]) if k > 0 else data.shape[axis]
    values, places = [part.narrow(axis, 0, count) for part in found]
    return {"both": (values, places), "values": values, "indices": places}[ret_type]


FORMS: dict[str, Callable[..., Any]] = {
    "nn.layer_norm": layer_norm,
    "nn.rms_norm": rms_norm,
    "nn.group_norm": group_norm,
    "nn.instance_norm": group_norm,
    "nn.batch_norm": batch_norm,
    "nn.attention": attention,
    "nn.attention_bias": attention,
    "nn.nll_loss": nll_loss,
    "image.resize2d": resize(2),
    "image.resize3d": resize(3),
    "image.grid_sample": grid_sample,
    "scatter_elements": scatter_elements,
    "cumsum": running(torch.cumsum),
    "cumprod": running(torch.cumprod),
    "topk": topk,
    "sort": lambda data, axis, descending: torch.sort(wide(data), axis, descending)[0],
    "argsort": lambda data, axis, descending, dtype: torch.sort(
        wide(data), dim=axis, descending=descending, stable=True
    )[1],
    "erf": lambda x: torch.erf(wide(x)),
    "nn.gelu": lambda data: F.gelu(wide(data)),
    "nn.gelu_tanh": lambda data: F.gelu(wide(data), approximate="tanh"),
    "nn.selu": lambda data: F.selu(wide(data)),
    "nn.softplus": lambda data, beta, threshold: F.softplus(wide(data), beta, threshold),
    "nn.log_softmax": lambda data, axis: F.log_softmax(wide(data), axis),
    "log_add_exp": lambda x1, x2: torch.logaddexp(wide(x1), wide(x2)),
}
for rank in (1, 2, 3):
    FORMS[f"nn.conv{rank}d"] = conv(rank)
    FORMS[f"nn.conv{rank}d_transpose"] = conv(rank, transposed=True)
    FORMS[f"nn.max_pool{rank}d"] = pool("max", rank)
    FORMS[f"nn.avg_pool{rank}d"] = pool("avg", rank)
    FORMS[f"nn.adaptive_avg_pool{rank}d"] = adaptive(rank)

ROUNDING = {"float64": 1e-12, "float32": 4e-6, "float16": 2e-3, "bfloat16": 1.6e-2}
COARSE = {"image.resize2d", "image.resize3d", "image.grid_sample"}
"""Coordinates are computed in float32."""


def agree(found: Any, expected: Any, name: str, told: object) -> None:
    """Require the same shape, and values that differ by rounding to the dtype of the kernel."""
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            agree(one, other, name, told)
        return
    assert found.shape == tuple(expected.shape), told
    step = 1e-12 if not is_float(found.dtype) else ROUNDING[found.dtype.name]
    close(found, expected.numpy(), max(step, 4e-6) if name in COARSE else step, told)


@pytest.mark.parametrize("name", FORMS)
def test_OP_9_kernel_and_torch_agree(name: str) -> None:
    for found, expected, told in compared(name, FORMS[name], lambda x: fits(x, name)):
        agree(found, expected, name, told)


def fits(x: Any, name: str) -> bool:
    """Tell whether float64 holds the same: a float, or an integer that was not cut off and did not wrap around."""
    if not isinstance(x, np.ndarray) or is_float(x.dtype):
        return True
    return x.dtype.name in ("int32", "int64") and "avg_pool" not in name and "resize" not in name
