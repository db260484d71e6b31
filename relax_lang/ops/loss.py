"""Losses of neural networks."""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import widen
from relax_lang.ops.refusal import bad_argument, bad_shape, bad_value
from relax_lang.ops.registry import Family
from relax_lang.ops.shapes import same_dtype, same_extents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

family = Family("loss", "Neural networks: losses", tier=2, since="later")


@family.operator(
    "nn.cross_entropy_with_logits",
    "predictions: tensor(float), labels: tensor(float)",
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


@family.operator(
    "nn.nll_loss",
    "predictions: tensor(float), targets: tensor(integer), weights: tensor(1-d float)?",
    'reduction: "mean"|"sum"|"none" = "mean", ignore_index: int = -100',
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
