"""Two operators of a project; relax.toml names this file, so that the programs beside it can use them.

A declaration has a name, parameters and attributes, a struct info rule, an example, and a kernel whose docstring is
the documentation. When the file is loaded the examples are checked and run: `relax ops my.distances` shows one.
"""

from __future__ import annotations

import numpy as np

from relax_lang.plugin_api import Inference, StructInfo, bad_shape, infer_same, register_op, same_dtype


@register_op(
    "my.soft_threshold",
    "x: tensor(float)",
    "by: float = 0.5",
    infer=infer_same,  # the result has the shape and dtype of the argument
    example="my.soft_threshold(const([2.0, -0.2]), by=0.5)",
)
def soft_threshold(x: np.ndarray, by: float) -> np.ndarray:
    """Bring every element nearer to zero by `by`, those that are nearer to zero. The shape and dtype stay."""
    return (np.sign(x) * np.maximum(np.abs(x) - x.dtype.type(by), 0)).astype(x.dtype)


def infer_distances(call: Inference) -> StructInfo:
    """Infer the shape of the result before anything runs, and report arguments that do not fit."""
    a, b = call.tensor(0), call.tensor(1)
    dtype = same_dtype(call, a, b, 0, 1)
    if a.dims is None or b.dims is None:
        return call.of_rank(2, dtype)
    # Only what is different for all values of the shape variables is an error: the kernel checks the rest.
    if call.different(a.dims[1], b.dims[1]):
        call.bad_shape("the points have different numbers of coordinates", 0, 1)
    return call.tensor_of((a.dims[0], b.dims[0]), dtype)


@register_op(
    "my.distances",
    "a: tensor(2-d float), b: tensor(2-d float)",
    infer=infer_distances,
    example="my.distances(const([[0.0, 0.0]]), const([[3.0, 4.0], [1.0, 0.0]]))",
)
def distances(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute the distance of every point of `a` from every point of `b`.

    Points are rows: (n, d) and (m, d) give (n, m). Both have one dtype, which is that of the result.
    """
    if a.shape[1] != b.shape[1]:
        raise bad_shape(a.shape, b.shape, "the points have different numbers of coordinates")
    return np.sqrt(((a[:, None] - b) ** 2).sum(axis=2, dtype=a.dtype))
