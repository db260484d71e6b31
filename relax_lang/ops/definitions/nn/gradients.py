"""Gradients with respect to the operand of an operator, given that with respect to its result."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.attribute_syntax.layouts import parse_layout
from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import bad_argument, bad_shape, bad_value
from relax_lang.ops.core.operator import OPERATORS, Family
from relax_lang.ops.definitions.nn import loss
from relax_lang.ops.definitions.nn.pool import Places
from relax_lang.ops.definitions.tensor.manipulate import index
from relax_lang.ops.numpy_kernels.compute_dtype import wide_dtype
from relax_lang.ops.numpy_kernels.shape_checks import along, one_axis, same_dtype, same_extents
from relax_lang.ops.numpy_kernels.windows import from_canonical, offsets, shape_in, to_canonical
from relax_lang.ops.shape_rules.nn.gradients import backward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.core.specialization import Run, Run2, Run3, TensorSpec


family = Family(__name__, "Gradients", since="later")

FORWARD = (loss.family, index.family)
"""Beside pooling, the families of the operators whose rules are asked: they are declared by now."""


@family.planned(
    "grad.nll_loss_backward",
    "output_grad: tensor(float), predictions: tensor(float), targets: tensor(integer), weights: tensor(1-d float)?",
    'reduction: "mean"|"sum"|"none" = "mean", ignore_index: int = -100',
    infer=backward(partial(OPERATORS.__getitem__, "nn.nll_loss")),
    rows="class loss back",
    example="grad.nll_loss_backward(1.0, const([[-0.5, -1.0], [-2.0, -0.1]]), const([0, 1]))",
)
def nll_loss_backward(
    output_grad: TensorSpec,
    predictions: TensorSpec,
    targets: TensorSpec,
    weights: TensorSpec | None,
    reduction: str,
    ignore_index: int,
) -> Run:
    """Take the gradient of `nn.nll_loss` with respect to `predictions`.

    It is 0 but for the target classes: there, minus the weight of the class times `output_grad`, which has the shape of
    the loss; with "mean", divided by the sum of the weights that were used. Targets equal to `ignore_index` leave 0.
    """
    same_dtype(predictions, output_grad, ("predictions", "output_grad"))
    if predictions.ndim == 0:
        raise bad_argument("`predictions` must have rank 1 or more, not 0", argument="predictions")
    axis = 0 if predictions.ndim == 1 else 1
    classes = predictions.shape[axis]
    wanted = predictions.shape[:axis] + predictions.shape[axis + 1 :]
    same_extents(wanted, targets.shape, ("predictions without its class axis", "targets"))
    same_extents(targets.shape if reduction == "none" else (), output_grad.shape, ("the loss", "output_grad"))
    if weights is not None:
        same_dtype(predictions, weights, ("predictions", "weights"))
        if weights.shape[0] != classes:
            reason = f"axis {axis} of `predictions` is {classes}, `weights` has {weights.shape[0]} elements"
            raise bad_shape(predictions.shape, weights.shape, reason)
    dtype, wide, shape = predictions.dtype, wide_dtype(predictions.dtype), predictions.shape

    def run(output_grad: Any, predictions: Any, targets: Any, weights: Any) -> Any:
        used = targets != ignore_index
        chosen = np.where(used, targets, 0).astype(np.int64)
        if used.any() and (chosen[used].min() < 0 or chosen[used].max() >= classes):
            reason = f"a target class is outside of axis {axis} of `predictions`, whose extent is {classes}"
            raise bad_value(reason, axis=axis)
        result = np.zeros(shape, wide)
        if not used.any():
            return result.astype(dtype)
        share = np.ones(chosen.shape, wide) if weights is None else weights.astype(wide)[chosen]
        share = np.where(used, share, 0)
        total = share.sum() if reduction == "mean" else 1
        at = np.expand_dims(chosen, axis)
        values = np.where(
            used, -share * output_grad.astype(wide) / total, 0
        )  # 0 also where the gradient is nan
        np.put_along_axis(result, at, np.expand_dims(values, axis), axis)
        return result.astype(dtype)

    return run


@family.planned(
    "grad.take_backward",
    "output_grad: tensor(number), x: tensor(number), indices: tensor(integer)",
    "axis: int|none = none",
    infer=backward(partial(OPERATORS.__getitem__, "take"), mode="fast"),
    example="grad.take_backward(const([1.0, 2.0]), const([5.0, 6.0, 7.0]), const([2, 2]), axis=0)",
)
def take_backward(output_grad: TensorSpec, x: TensorSpec, indices: TensorSpec, axis: int | None) -> Run3:
    """Take the gradient of `take` with respect to `x`: every element of `output_grad` is added where it was taken from.

    Without `axis`, `x` has rank 1. Indices may be negative; one that is outside of the axis ends the program.
    """
    same_dtype(x, output_grad, ("x", "output_grad"))
    if axis is None and x.ndim != 1:
        raise bad_argument(f"`x` must have rank 1, without an axis, not {x.ndim}", argument="x")
    at = one_axis(axis or 0, x.ndim)
    wanted = (*x.shape[:at], *indices.shape, *x.shape[at + 1 :])
    same_extents(wanted, output_grad.shape, ("what is taken", "output_grad"))
    dtype, wide = x.dtype, wide_dtype(x.dtype)
    extent, shape = x.shape[at], x.shape

    def run(output_grad: Any, x: Any, indices: Any) -> Any:
        places = indices.astype(np.int64)
        if places.size and not (-extent <= places.min() and places.max() < extent):
            raise bad_value(f"an index is outside of axis {at}, whose extent is {extent}", axis=at)
        result = np.zeros(shape, wide)
        np.add.at(result, along(at, places), output_grad.astype(wide))
        return result.astype(dtype)

    return run


_ATTRS = (
    "pool_size: int|list[int] = [1, 1], strides: int|list[int] = [1, 1], padding: int|list[int] = [0, 0, 0, 0], "
    "dilation: int|list[int] = [1, 1], ceil_mode: bool = false, count_include_pad: bool = false, "
    'layout: str = "NCHW", out_layout: str|none = none'
)


def _largest(windows: Any, inside: Any, grad: Any, _cells: Any) -> Any:
    """Give all of it to the first of the largest elements, or the first nan; `windows` has the elements last."""
    nan = np.isnan(windows)
    first = np.where(nan.any(-1), nan.argmax(-1), windows.argmax(-1))
    nothing = (windows == -np.inf).all(-1)  # as the padding: the first that is none
    first = np.where(nothing, np.broadcast_to(inside.argmax(-1), nothing.shape), first)
    return np.where(np.arange(windows.shape[-1]) == first[..., None], grad[..., None], 0)


def _average(windows: Any, _inside: Any, grad: Any, cells: Any) -> Any:
    """Give an equal share to every element."""
    return np.broadcast_to((grad / cells)[..., None], windows.shape)


def _pool_backward(
    share: Callable[[Any, Any, Any, Any], Any], output_grad: TensorSpec, data: TensorSpec, **options: Any
) -> Run2:
    """Plan the gradient of pooling over two axes, in whatever layout."""
    same_dtype(data, output_grad, ("data", "output_grad"))
    layout, out_layout = options["layout"], options["out_layout"] or options["layout"]
    shape = shape_in(data, layout, "NCHW", "layout", "data")
    places = Places(shape, options)
    if output_grad.ndim != len(parse_layout(out_layout, "NCHW", "out_layout").axes):
        reason = f"the result of the operator has rank {data.ndim}, `output_grad` has rank {output_grad.ndim}"
        raise bad_shape(data.shape, output_grad.shape, reason)
    given = shape_in(output_grad, out_layout, "NCHW", "out_layout", "output_grad")
    same_extents((*shape[:2], *places.out), given, ("the result of pooling", "output_grad"))
    own, outer = parse_layout(layout, "NCHW", "layout"), parse_layout(out_layout, "NCHW", "out_layout")
    dtype, wide = data.dtype, wide_dtype(data.dtype)
    padded = (*shape[:2], *[sum(around) + n for around, n in zip(places.padding, shape[2:], strict=True)])
    inner = (
        slice(None),
        slice(None),
        *[slice(before, before + n) for (before, _), n in zip(places.padding, shape[2:], strict=True)],
    )
    spans = [
        (slice(None), slice(None), *[along[at] for along, at in zip(places.along, place, strict=True)])
        for place in offsets([len(along) for along in places.along])
    ]

    def run(output_grad: Any, data: Any) -> Any:
        whole = np.full(padded, -np.inf, wide)
        whole[inner] = to_canonical(data, own)
        windows = np.stack([whole[span] for span in spans], -1)
        cells = places.cells(options["count_include_pad"])
        real = np.zeros(padded, bool)
        real[inner] = True
        inside = np.stack([real[span] for span in spans], -1)
        shares = share(windows, inside, to_canonical(output_grad, outer).astype(wide), cells)
        result = np.zeros(padded, wide)
        for at, span in enumerate(spans):
            result[span] += shares[..., at]
        return from_canonical(result[inner], own).astype(dtype)

    return run


for _name, _share, _what in (
    (
        "max",
        _largest,
        "the first of the largest elements of its window gets all of it; a nan counts as the largest",
    ),
    ("avg", _average, "every element of its window that counts gets an equal share"),
):
    family.declare(
        f"grad.{_name}_pool2d_backward",
        "output_grad: tensor(float), data: tensor(float)",
        _ATTRS,
        infer=backward(partial(OPERATORS.__getitem__, f"nn.{_name}_pool2d")),
        rows="pooled back",
        kernel=partial(_pool_backward, _share),
        planned=True,
        doc=f"""Take the gradient of `nn.{_name}_pool2d` with respect to `data`: of every element of `output_grad`,
            which has the shape of the result of pooling, {_what}. The attributes are those of the pooling.""",
        example=f"grad.{_name}_pool2d_backward(const([[[[1.0]]]]), const([[[[3.0, 4.0]]]]), pool_size=[1, 2])",
    )
