"""Losses of neural networks."""

from __future__ import annotations

import math
from functools import partial

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import bad_argument, bad_shape, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.compute_dtype import constant, held, wide_dtype, widened
from relax_lang.ops.numpy_kernels.shape_checks import elements, same_dtype, same_extents
from relax_lang.ops.shape_rules.shared.broadcast import clash_text, same_shape
from relax_lang.ops.shape_rules.shared.broadcast import same_dtype as one_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.inference import Inference, Known
    from relax_lang.ops.core.specialization import Run2, Run3, TensorSpec
    from relax_lang.syntax import tree

family = Family(__name__, "Neural networks: losses", since="later")


def infer_cross_entropy(call: Inference) -> tree.StructInfo:
    """Two tensors of one shape and dtype give a number."""
    predictions, labels = call.tensor(0), call.tensor(1)
    same_shape(call, predictions, labels, 0, 1)
    return call.tensor_of((), one_dtype(call, predictions, labels, 0, 1))


@family.planned(
    "nn.cross_entropy_with_logits",
    "predictions: tensor(float), labels: tensor(float)",
    infer=infer_cross_entropy,
    rows="whole loss",
    example="nn.cross_entropy_with_logits(const([[-0.5, -1.0]]), const([[1.0, 0.0]]))",
)
def cross_entropy_with_logits(predictions: TensorSpec, labels: TensorSpec) -> Run2:
    """Sum `-predictions * labels` and divide by the extent of the first axis, if there are several axes.

    `predictions` are logarithms of probabilities; in spite of the name no softmax is taken. Both arguments
    have one shape and dtype; the result has rank 0.
    """
    same_dtype(predictions, labels, ("predictions", "labels"))
    same_extents(predictions.shape, labels.shape, ("predictions", "labels"))
    wide = wide_dtype(predictions.dtype)
    count = wide.type(predictions.shape[0] if predictions.ndim > 1 else 1)
    summed = _sum_of_products(predictions.size)

    def run(predictions: Any, labels: Any) -> Any:
        return -summed(predictions, labels) / count

    return widened(predictions.dtype, run)


_BLOCK = 1 << 16
"""Products that BLAS may sum one after the other; the sums of blocks are added so that rounding stays small."""


def _sum_of_products(size: int) -> Run2:
    """Plan the sum of the products of the elements of two float32 or float64 arrays of `size` elements."""
    if size <= _BLOCK:
        return np.vdot
    whole = size - size % _BLOCK
    add, matmul = np.add.reduce, np.matmul

    def run(x: Any, y: Any) -> Any:
        x, y = x.reshape(-1), y.reshape(-1)
        sums = matmul(x[:whole].reshape(-1, 1, _BLOCK), y[:whole].reshape(-1, _BLOCK, 1))
        return add(sums, None) + x[whole:].dot(y[whole:])

    return run


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

            def reason() -> str:
                return (
                    f"axis {axis} of `predictions` is {call.text(classes)}, "
                    f"`weights` has {call.text(given)} elements"
                )

            call.clash(classes, given, (0, 2), reason)
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
            reason = partial(clash_text, (axis, left, right), without, "`targets`")
            if call.clash(left, right, (0, 1), reason):
                return


@family.planned(
    "nn.nll_loss",
    "predictions: tensor(float), targets: tensor(integer), weights: tensor(1-d float)?",
    'reduction: "mean"|"sum"|"none" = "mean", ignore_index: int = -100',
    infer=infer_nll_loss,
    rows="class loss",
    example="nn.nll_loss(const([[-0.5, -1.0], [-2.0, -0.1]]), const([0, 1]))",
)
def nll_loss(
    predictions: TensorSpec,
    targets: TensorSpec,
    weights: TensorSpec | None,
    reduction: str,
    ignore_index: int,
) -> Run3:
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
    pick = _picking(predictions, targets, axis)
    dtype, wide, int64 = predictions.dtype, wide_dtype(predictions.dtype), np.dtype(np.int64)
    zero, one = constant(0, wide), constant(1, wide)
    add, count = np.add.reduce, wide.type(targets.size)

    def run(predictions: Any, targets: Any, weights: Any) -> Any:
        chosen, used = targets.astype(int64, copy=False), None
        lowest, highest = _limits(targets)
        if not 0 <= lowest <= highest < classes or lowest <= ignore_index <= highest:
            used = targets != ignore_index
            _check_classes(targets[used], classes, axis)
            if not used.any():  # also where there is no class at all
                return _nothing(targets.shape, dtype, reduction)
            chosen = np.where(used, chosen, 0)
        share = one if weights is None else weights.take(chosen).astype(wide, copy=False)
        losses = -pick(predictions, chosen).astype(wide, copy=False)
        if weights is not None:
            losses = losses * share
        if used is not None:
            share, losses = np.where(used, share, zero), np.where(used, losses, zero)
        if reduction == "mean":
            total = add(share, None) if share.ndim or weights is not None else count
            losses = add(losses, None) / total
        elif reduction == "sum":
            losses = add(losses, None)
        return np.asarray(losses).astype(dtype, copy=False)  # an array always, as `_nothing` returns

    return run


def _picking(predictions: TensorSpec, targets: TensorSpec, axis: int) -> Run2:
    """Plan to take the prediction of one class for each target, by its place among all predictions."""
    classes, behind = predictions.shape[axis], elements(predictions.shape[axis + 1 :])
    shape = targets.shape

    def places() -> Any:
        if not axis or not classes:  # of no class none is right, so that nothing is taken
            return np.zeros(shape, np.int64)
        images = np.arange(0, predictions.size, max(1, classes * behind))
        return (images[:, None] + np.arange(behind)).reshape(shape)

    starts = held(places)
    if behind == 1:
        return lambda predictions, chosen: predictions.reshape(-1).take(starts() + chosen)
    return lambda predictions, chosen: predictions.reshape(-1).take(starts() + chosen * behind)


def _limits(targets: Any) -> tuple[int, int]:
    """Return the least and the largest of the targets; of none, what no class is."""
    if not targets.size:
        return -1, -1
    return targets.item(targets.argmin()), targets.item(targets.argmax())


def _check_classes(targets: Any, classes: int, axis: int) -> None:
    lowest, highest = _limits(targets)
    if targets.size and not 0 <= lowest <= highest < classes:
        raise bad_value(
            f"a target class is outside of axis {axis} of `predictions`, whose extent is {classes}", axis=axis
        )


def _nothing(shape: tuple[int, ...], dtype: Any, reduction: str) -> Any:
    """Return the loss where every target is ignored: the mean of nothing is nan."""
    if reduction == "none":
        return np.zeros(shape, dtype)
    return np.array(math.nan if reduction == "mean" else 0, dtype)
