"""Operators that make tensors from shapes and numbers, and conversion between dtypes."""

from __future__ import annotations

import math

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import numpy_dtype
from relax_lang.ops.core.errors import bad_attribute, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.scalars import check_int64
from relax_lang.ops.numpy_kernels.shape_checks import at_least, elements, sizes
from relax_lang.ops.shape_rules.shared import unary
from relax_lang.ops.shape_rules.tensor import create as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.specialization import Run, Run1, Run2, TensorSpec

    Shape = tuple[int, ...]
    Number = int | float | bool

family = Family(__name__, "Creation and conversion")

_DTYPE = "dtype: dtype|none = none"


@family.planned(
    "full",
    "shape: shape, fill_value: tensor(0-d)",
    _DTYPE,
    infer=rules.full,
    rows="filled",
    also=("onnx.ConstantOfShape",),
    example="full(shape(2, 3), 1.5)",
)
def full(shape: Shape, fill_value: TensorSpec, dtype: str | None) -> Run1:
    """Make a tensor of the given shape whose elements all are `fill_value`.

    The dtype is that of `fill_value` unless `dtype` names another; the value is converted as `astype` does.
    """
    return _filled(shape, fill_value, fill_value.dtype if dtype is None else numpy_dtype(dtype))


@family.planned(
    "full_like",
    "x: tensor, fill_value: tensor(0-d)",
    _DTYPE,
    infer=unary.converted,
    rows="elementwise",
    example="full_like(const([1.0, 2.0]), 7)",
)
def full_like(x: TensorSpec, fill_value: TensorSpec, dtype: str | None) -> Run2:
    """Make a tensor of the shape of `x` whose elements all are `fill_value`.

    The dtype is that of `x` unless `dtype` names another; the value is converted as `astype` does.
    """
    fill = _filled(x.shape, fill_value, x.dtype if dtype is None else numpy_dtype(dtype))
    return lambda x, fill_value: fill(fill_value)


def _filled(shape: Shape, value: TensorSpec, dtype: Any) -> Run1:
    sizes(shape)
    empty, same = np.empty, value.dtype == dtype

    def run(value: Any) -> Any:
        result = empty(shape, dtype)
        result[...] = value if same else value.astype(dtype)
        return result

    return run


@family.planned(
    "ones",
    "shape: shape",
    "dtype: dtype",
    infer=rules.of_shape,
    rows="filled",
    example="ones(shape(2, 3), dtype=float32)",
)
def ones(shape: Shape, dtype: str) -> Run:
    """Make a tensor of the given shape and dtype filled with ones."""
    return _ones(shape, numpy_dtype(dtype))


@family.planned(
    "ones_like",
    "x: tensor",
    _DTYPE,
    infer=unary.converted,
    rows="elementwise",
    example="ones_like(const([1.5, 2.5]))",
)
def ones_like(x: TensorSpec, dtype: str | None) -> Run1:
    """Make a tensor of the shape of `x` filled with ones, of its dtype unless `dtype` names another."""
    make = _ones(x.shape, x.dtype if dtype is None else numpy_dtype(dtype))
    return lambda x: make()


def _ones(shape: Shape, dtype: Any) -> Run:
    sizes(shape)
    empty, one = np.empty, np.ones((), dtype)

    def make() -> Any:
        result = empty(shape, dtype)
        result[...] = one
        return result

    return _made_again(make, elements(shape) * dtype.itemsize)


def _zeros(shape: Shape, dtype: Any) -> Run:
    sizes(shape)
    zeros = np.zeros
    return lambda: zeros(shape, dtype)


_KEPT = 1 << 14
"""Up to this number of bytes, copying is faster than making."""


def _made_again(make: Run, nbytes: int) -> Run:
    """Return what gives, at every call, a new array of the elements that `make` gives."""
    return make().copy if nbytes <= _KEPT else make


@family.planned(
    "zeros",
    "shape: shape",
    "dtype: dtype",
    infer=rules.of_shape,
    rows="filled",
    example="zeros(shape(2, 3), dtype=int64)",
)
def zeros(shape: Shape, dtype: str) -> Run:
    """Make a tensor of the given shape and dtype filled with zeros."""
    return _zeros(shape, numpy_dtype(dtype))


@family.planned(
    "zeros_like",
    "x: tensor",
    _DTYPE,
    infer=unary.converted,
    rows="elementwise",
    example="zeros_like(const([1.5, 2.5]))",
)
def zeros_like(x: TensorSpec, dtype: str | None) -> Run1:
    """Make a tensor of the shape of `x` filled with zeros, of its dtype unless `dtype` names another."""
    zeros, shape, wanted = np.zeros, x.shape, x.dtype if dtype is None else numpy_dtype(dtype)
    return lambda x: zeros(shape, wanted)


@family.planned(
    "arange",
    "start: prim, end: prim?, step: prim?",
    _DTYPE,
    infer=rules.arange,
    since="later",
    also=("onnx.Range",),
    example="arange(0, 10, 3)",
)
def arange(start: Number, end: Number | None, step: Number | None, dtype: str | None) -> Run:
    """Count from `start` up to, not including, `end` by `step`; with one argument, from 0 up to it.

    The result has rank 1 and the length max(0, ceil((end - start) / step)). Its dtype is int64 if all three
    are integers, else float32, unless `dtype` names another. A step of 0 is refused.
    """
    if end is None:
        start, end = 0, start
    step = 1 if step is None else step
    if step == 0:
        raise bad_value("the step is 0")
    whole = isinstance(start, int) and isinstance(end, int) and isinstance(step, int)
    wanted = numpy_dtype(dtype or ("int64" if whole else "float32"))
    if wanted.kind == "b":
        raise bad_attribute("dtype", "bool is not a number")
    length = (end - start) / step if not whole else -((start - end) // step)
    if not whole and not math.isfinite(length):
        raise bad_value(f"from {start} to {end} by {step} has no length")
    if whole:
        for number in (start, end, step):
            check_int64(number)
    (count,) = sizes((max(0, math.ceil(length)),))
    exact = whole and max(abs(start), abs(end), abs(step)) < _EXACT

    def make() -> Any:
        if exact:
            return np.arange(start, end, step, np.int64).astype(wanted, copy=False)
        places = np.arange(count, dtype=np.int64 if whole else np.float64)
        places *= step
        places += start
        return places.astype(wanted, copy=False)

    return _made_again(make, count * wanted.itemsize)


_EXACT = 1 << 53
"""NumPy finds the length of `arange` in float64, which holds smaller integers."""


@family.planned(
    "eye",
    "n: prim(int), m: prim(int)?, k: prim(int)?",
    "dtype: dtype = float32",
    infer=rules.eye,
    since="later",
    also=("np.identity",),
    example="eye(2, 3, 1)",
)
def eye(n: int, m: int | None, k: int | None, dtype: str) -> Run:
    """Make an n × m matrix (n × n without `m`) with ones on a diagonal and zeros elsewhere.

    `k` is the diagonal, 0 the main one, positive above it, negative below.
    """
    return _eye(sizes((n, n if m is None else m)), k, numpy_dtype(dtype))


@family.planned(
    "eye_like",
    "x: tensor(2-d), k: prim(int)?",
    _DTYPE,
    infer=rules.eye_like,
    since="later",
    example="eye_like(const([[5.0, 6.0], [7.0, 8.0]]))",
)
def eye_like(x: TensorSpec, k: int | None, dtype: str | None) -> Run1:
    """Make a matrix of the shape of `x` with ones on the diagonal `k`, of its dtype unless `dtype` names
    another.
    """
    make = _eye(x.shape, k, x.dtype if dtype is None else numpy_dtype(dtype))
    return lambda x: make()


def _eye(shape: Shape, k: int | None, dtype: Any) -> Run:
    diagonal = _diagonal(k, shape)
    return _made_again(lambda: np.eye(*shape, diagonal, dtype), elements(shape) * dtype.itemsize)


def _diagonal(k: int | None, shape: Shape) -> int:
    """Return the diagonal, those far outside of the matrix brought near it: NumPy adds to it in 64 bits."""
    return max(-shape[-2] - 1, min(k or 0, shape[-1] + 1))


@family.planned(
    "hamming_window",
    "window_size: prim(int), periodic: prim?, alpha: prim?, beta: prim?",
    "dtype: dtype(float)",
    infer=rules.hamming_window,
    since="later",
    also=("np.hamming",),
    example="hamming_window(4, dtype=float32)",
)
def hamming_window(
    window_size: int, periodic: Number | None, alpha: Number | None, beta: Number | None, dtype: str
) -> Run:
    """Make a Hamming window, `alpha - beta * cos(2π i / d)` for i from 0 to `window_size - 1`.

    d is the size if `periodic` (the default), else one less. `alpha` is 0.54 and `beta` 0.46 if left out. The
    result has the shape (window_size,), which is at least (1,); a window of one element is 1.
    """
    if window_size < 1:
        raise bad_value(f"the window size is {window_size}; it must be at least 1")
    if window_size == 1:
        return _ones((1,), numpy_dtype(dtype))
    sizes((window_size,))
    middle, swing, wanted = (
        0.54 if alpha is None else alpha,
        0.46 if beta is None else beta,
        numpy_dtype(dtype),
    )
    turn = 2 * math.pi / (window_size - (periodic is not None and not periodic))

    def make() -> Any:
        return (middle - swing * np.cos(turn * np.arange(window_size))).astype(wanted)

    return _made_again(make, window_size * wanted.itemsize)


_TRIANGLE = "x: tensor, k: prim(int)?"


@family.planned(
    "tril",
    _TRIANGLE,
    infer=rules.triangle,
    rows="last two axes",
    also=("onnx.Trilu",),
    example="tril(const([[1, 2], [3, 4]]))",
)
def tril(x: TensorSpec, k: int | None) -> Run1:
    """Keep the lower triangle of the last two axes and set the rest to 0.

    `k` is the last diagonal that is kept, 0 the main one. `x` must have rank 2 or more; the result has its
    shape.
    """
    return _triangle(x, k, lower=True)


@family.planned(
    "triu",
    _TRIANGLE,
    infer=rules.triangle,
    rows="last two axes",
    also=("onnx.Trilu",),
    example="triu(const([[1, 2], [3, 4]]), 1)",
)
def triu(x: TensorSpec, k: int | None) -> Run1:
    """Keep the upper triangle of the last two axes and set the rest to 0.

    `k` is the first diagonal that is kept, 0 the main one. `x` must have rank 2 or more; the result has its
    shape.
    """
    return _triangle(x, k, lower=False)


_BLOCK = 64


def _triangle(x: TensorSpec, k: int | None, *, lower: bool) -> Run1:
    """Plan to copy what is kept, some rows at a time: only the squares on the diagonal need a mask."""
    at_least(x, 2, "x")
    (height, width), diagonal = x.shape[-2:], _diagonal(k, x.shape)
    # Row r meets the diagonal in column r + diagonal; those above `first` and from `last` on do not meet it.
    first, last = [min(max(0, row), height) for row in (-diagonal, width - diagonal)]
    whole = [(slice(last, height) if lower else slice(0, first), slice(0, width))]
    mask = np.tri(_BLOCK, dtype=bool) if lower else np.tri(_BLOCK, dtype=bool).T.copy()
    squares: list[tuple[Any, Any]] = []
    for top in range(first, last, _BLOCK):
        bottom = min(top + _BLOCK, last)
        rows, left, right = slice(top, bottom), top + diagonal, bottom + diagonal
        whole.append((rows, slice(0, left) if lower else slice(right, width)))
        squares.append(((..., rows, slice(left, right)), mask[: bottom - top, : bottom - top]))
    kept = [(..., *place) for place in whole if all(part.start < part.stop for part in place)]
    zeros, copyto, shape, dtype = np.zeros, np.copyto, x.shape, x.dtype

    def run(x: Any) -> Any:
        result = zeros(shape, dtype)
        for place in kept:
            result[place] = x[place]
        for place, mask in squares:
            copyto(result[place], x[place], "no", mask)
        return result

    return run


@family.planned(
    "astype",
    "x: tensor",
    "dtype: dtype",
    infer=unary.converted,
    rows="elementwise",
    also=("torch.to", "jax.convert_element_type", "onnx.Cast", "tvm.cast"),
    example="astype(const([1.7, -1.7]), dtype=int32)",
)
def astype(x: TensorSpec, dtype: str) -> Run1:
    """Convert to another dtype; the shape stays.

    Floats are cut off toward zero when they become integers (what nan, infinities and numbers out of range
    become is not defined), integers wrap, bool is whether a number is not 0, too large floats become
    infinite.
    """
    wanted = numpy_dtype(dtype)
    return lambda x: x.astype(wanted)


@family.planned(
    "builtin.alloc_tensor",
    "shape: shape, runtime_device_index: prim(int)?",
    'dtype: dtype, storage_scope: str = "global"',
    tvm="shape dtype runtime_device_index storage_scope",
    infer=rules.of_shape,
    example="builtin.alloc_tensor(shape(2, 3), dtype=float32)",
)
def alloc_tensor(shape: Shape, runtime_device_index: int | None, dtype: str, storage_scope: str) -> Run:
    """Make a tensor of the given shape and dtype; its elements are unspecified (here they are zeros).

    There is one device, so that `runtime_device_index` and `storage_scope` are ignored.
    """
    return _zeros(shape, numpy_dtype(dtype))
