"""Losses of neural networks."""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import widen
from relax_lang.ops.refusal import bad_argument, bad_shape, bad_value
from relax_lang.ops.registry import Family
from relax_lang.ops.rules.broadcast import clash_text, same_shape
from relax_lang.ops.rules.broadcast import same_dtype as one_dtype
from relax_lang.ops.shapes import same_dtype, same_extents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.inference import Inference, Known
    from relax_lang.syntax import tree

family = Family("loss", "Neural networks: losses", tier=2, since="later")


def infer_cross_entropy(call: Inference) -> tree.StructInfo:
    """Two tensors of one shape and dtype give a number."""
    predictions, labels = call.tensor(0), call.tensor(1)
    same_shape(call, predictions, labels, 0, 1)
    return call.tensor_of((), one_dtype(call, predictions, labels, 0, 1))


@family.operator(
    "nn.cross_entropy_with_logits",
    "predictions: tensor(float), labels: tensor(float)",
    infer=infer_cross_entropy,
    example="nn.cross_entropy_with_logits(const([[-0.5, -1.0]]), const([[1.0, 0.0]]))",
)
def cross_entropy_with_logits(predictions: Any, labels: Any) -> Any:
    """Sum `-predictions * labels` and divide by the extent of the first axis, if there are several axes.

    `predictions` are logarithms of probabilities; in spite of the name no softmax is taken. Both arguments
    have one shape and dtype; the result has rank 0.
    """
    same_dtype(predictions, labels, ("predictions", "labels"))
    same_extents(predictions.shape, labels.shape, ("predictions", "labels"))
    wide = widen(predictions)
    count = predictions.shape[0] if predictions.ndim > 1 else 1
    return (-np.sum(wide * widen(labels)) / wide.dtype.type(count)).astype(predictions.dtype)


def infer_nll_loss(call: Inference) -> tree.StructInfo:
    """Targets have the shape of the predictions without the class axis, weights have its extent."""
    predictions, targets = call.tensor(0), call.tensor(1)
    dtype = predictions.dtype
    if predictions.rank == 0:
        call.bad_argument(0, "a tensor of rank 1 or more")
        return call.of_rank(None, dtype)
    axis = 0 if predictions.rank == 1 else 1
    wanted = None if predictions.dims is None else predictions.dims[:axis] + predictions.dims[axis + 1 :]
    _check_targets(call, predictions, wanted)
    if call.given(2):
        weights = call.tensor(2)
        dtype = one_dtype(call, predictions, weights, 0, 2)
        if predictions.dims is not None and weights.dims is not None:
            classes, given = predictions.dims[axis], weights.dims[0]
            if call.different(classes, given):
                reason = (
                    f"axis {axis} of `predictions` is {call.text(classes)}, "
                    f"`weights` has {call.text(given)} elements"
                )
                call.bad_shape(reason, 0, 2)
    if call.attrs["reduction"] != "none":
        return call.tensor_of((), dtype)
    if targets.dims is None and wanted is not None:
        return call.tensor_of(wanted, dtype)
    if targets.rank is None and predictions.rank is not None:
        return call.of_rank(predictions.rank - 1, dtype)
    return call.like(targets, dtype)


def _check_targets(call: Inference, predictions: Known, wanted: tuple[tree.PrimExpr, ...] | None) -> None:
    """Note that the targets provably have another shape than the predictions without the class axis. [OP.6]"""
    targets, without = call.tensor(1), "`predictions` without its class axis"
    if predictions.rank is not None and targets.rank is not None and targets.rank != predictions.rank - 1:
        call.bad_shape(f"{without} has rank {predictions.rank - 1}, `targets` has rank {targets.rank}", 0, 1)
    elif wanted is not None and targets.dims is not None:
        for axis, (left, right) in enumerate(zip(wanted, targets.dims, strict=True)):
            if call.different(left, right):
                call.bad_shape(clash_text((axis, left, right), without, "`targets`"), 0, 1)
                return


@family.operator(
    "nn.nll_loss",
    "predictions: tensor(float), targets: tensor(integer), weights: tensor(1-d float)?",
    'reduction: "mean"|"sum"|"none" = "mean", ignore_index: int = -100',
    infer=infer_nll_loss,
    example="nn.nll_loss(const([[-0.5, -1.0], [-2.0, -0.1]]), const([0, 1]))",
)
def nll_loss(predictions: Any, targets: Any, weights: Any, reduction: str, ignore_index: int) -> Any:
    """Take minus the predicted log-probability of every target class, times the weight of that class.

    `predictions` is (N, C, d…) or (C,), `targets` (N, d…) or (), `weights` (C,) or left out for ones. Targets
    equal to `ignore_index` contribute 0. "none" gives a tensor of the shape of `targets`, "sum" its sum,
    "mean" the sum divided by the sum of the weights that were used.
    """
    if predictions.ndim == 0:
        raise bad_argument("`predictions` must have rank 1 or more, not 0", argument="predictions")
    axis = 0 if predictions.ndim == 1 else 1
    classes = predictions.shape[axis]
    wanted = predictions.shape[:axis] + predictions.shape[axis + 1 :]
    same_extents(wanted, targets.shape, ("predictions without its class axis", "targets"))
    if weights is not None:
        same_dtype(predictions, weights, ("predictions", "weights"))
        if weights.shape[0] != classes:
            reason = f"axis {axis} of `predictions` is {classes}, `weights` has {weights.shape[0]} elements"
            raise bad_shape(predictions.shape, weights.shape, reason)
    used = targets != ignore_index
    chosen = np.where(used, targets, 0).astype(np.int64)
    if used.any() and not 0 <= int(chosen[used].min()) <= int(chosen[used].max()) < classes:
        raise bad_value(
            f"a target class is outside of axis {axis} of `predictions`, whose extent is {classes}", axis=axis
        )
    wide = widen(predictions)
    if not used.any():  # also where there is no class at all
        picked = np.zeros(targets.shape, wide.dtype)
    else:
        picked = np.take_along_axis(wide, np.expand_dims(chosen, axis), axis).reshape(targets.shape)
    share = (
        np.ones(targets.shape, wide.dtype) if weights is None or not used.any() else widen(weights)[chosen]
    )
    share = np.where(used, share, wide.dtype.type(0))
    losses = np.where(used, -picked * share, wide.dtype.type(0))
    if reduction == "mean":
        losses = np.sum(losses) / np.sum(share)
    elif reduction == "sum":
        losses = np.sum(losses)
    return losses.astype(predictions.dtype, copy=False)
