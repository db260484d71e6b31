"""Operators that make tensors from shapes and numbers, and conversion between dtypes."""

from __future__ import annotations

import math

from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import cast, numpy_dtype, prim_dtype
from relax_lang.ops.refusal import bad_argument, bad_attribute, bad_value
from relax_lang.ops.registry import Family
from relax_lang.ops.rules import create as rules
from relax_lang.ops.rules import unary
from relax_lang.ops.shapes import at_least, sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Number = int | float | bool

family = Family("create", "Creation and conversion")

_DTYPE = "dtype: dtype|none = none"


@family.operator(
    "full",
    "shape: shape, fill_value: tensor(0-d)",
    _DTYPE,
    infer=rules.full,
    example="full(shape(2, 3), 1.5)",
)
def full(shape: tuple[int, ...], fill_value: Any, dtype: str | None) -> Any:
    """Make a tensor of the given shape whose elements all are `fill_value`.

    The dtype is that of `fill_value` unless `dtype` names another; the value is converted as `astype` does.
    """
    wanted = fill_value.dtype if dtype is None else numpy_dtype(dtype)
    return _filled(shape, fill_value, wanted)


@family.operator(
    "full_like",
    "x: tensor, fill_value: tensor(0-d)",
    _DTYPE,
    infer=unary.converted,
    example="full_like(const([1.0, 2.0]), 7)",
)
def full_like(x: Any, fill_value: Any, dtype: str | None) -> Any:
    """Make a tensor of the shape of `x` whose elements all are `fill_value`.

    The dtype is that of `x` unless `dtype` names another; the value is converted as `astype` does.
    """
    wanted = x.dtype if dtype is None else numpy_dtype(dtype)
    return _filled(x.shape, fill_value, wanted)


def _filled(shape: tuple[int, ...], value: Any, dtype: Any) -> Any:
    result = _new(np.empty, shape, dtype)
    result[...] = value if value.dtype is dtype else cast(value, dtype)
    return result


@family.operator(
    "ones", "shape: shape", "dtype: dtype", infer=rules.of_shape, example="ones(shape(2, 3), dtype=float32)"
)
def ones(shape: tuple[int, ...], dtype: str) -> Any:
    """Make a tensor of the given shape and dtype filled with ones."""
    return _ones(shape, numpy_dtype(dtype))


@family.operator(
    "ones_like", "x: tensor", _DTYPE, infer=unary.converted, example="ones_like(const([1.5, 2.5]))"
)
def ones_like(x: Any, dtype: str | None) -> Any:
    """Make a tensor of the shape of `x` filled with ones, of its dtype unless `dtype` names another."""
    return _ones(x.shape, x.dtype if dtype is None else numpy_dtype(dtype))


def _ones(shape: tuple[int, ...], dtype: Any) -> Any:
    result = _new(np.empty, shape, dtype)
    result[...] = 1
    return result


def _new(make: Callable[[tuple[int, ...], Any], Any], shape: tuple[int, ...], dtype: Any) -> Any:
    """Make an array; refuse negative extents, and more elements than there can be. [OP.9]"""
    try:
        return make(shape, dtype)
    except ValueError:
        sizes(shape)
        raise


@family.operator(
    "zeros", "shape: shape", "dtype: dtype", infer=rules.of_shape, example="zeros(shape(2, 3), dtype=int64)"
)
def zeros(shape: tuple[int, ...], dtype: str) -> Any:
    """Make a tensor of the given shape and dtype filled with zeros."""
    return _new(np.zeros, shape, numpy_dtype(dtype))


@family.operator(
    "zeros_like", "x: tensor", _DTYPE, infer=unary.converted, example="zeros_like(const([1.5, 2.5]))"
)
def zeros_like(x: Any, dtype: str | None) -> Any:
    """Make a tensor of the shape of `x` filled with zeros, of its dtype unless `dtype` names another."""
    return np.zeros(x.shape, x.dtype if dtype is None else numpy_dtype(dtype))


@family.operator(
    "arange",
    "start: prim, end: prim?, step: prim?",
    _DTYPE,
    infer=rules.arange,
    since="later",
    example="arange(0, 10, 3)",
)
def arange(start: Number, end: Number | None, step: Number | None, dtype: str | None) -> Any:
    """Count from `start` up to, not including, `end` by `step`; with one argument, from 0 up to it.

    The result has rank 1 and the length max(0, ceil((end - start) / step)). Its dtype is int64 if all three
    are integers, else float32, unless `dtype` names another. A step of 0 is refused.
    """
    if end is None:
        start, end = 0, start
    step = 1 if step is None else step
    if step == 0:
        raise bad_value("the step is 0")
    if dtype is None and _small(start) and _small(end) and _small(step):
        try:
            return np.arange(start, end, step, np.int64)
        except ValueError:  # too many; so says the longer way
            pass
    whole = isinstance(start, int) and isinstance(end, int) and isinstance(step, int)
    wanted = numpy_dtype(dtype or ("int64" if whole else "float32"))
    if wanted.kind == "b":
        raise bad_attribute("dtype", "bool is no number")
    length = (end - start) / step if not whole else -((start - end) // step)
    if not whole and not math.isfinite(length):
        raise bad_value(f"from {start} to {end} by {step} has no length")
    if whole:
        for number in (start, end, step):
            int64(number)
    (count,) = sizes((max(0, math.ceil(length)),))
    places = np.arange(count, dtype=np.int64 if whole else np.float64)
    places *= step
    places += start
    return places.astype(wanted, copy=False)


def _small(value: Number) -> bool:
    """Tell whether a number is an integer that float64 holds: NumPy finds the length of `arange` in that."""
    return type(value) is int and -(1 << 53) < value < 1 << 53


@family.operator(
    "eye",
    "n: prim(int), m: prim(int)?, k: prim(int)?",
    "dtype: dtype = float32",
    infer=rules.eye,
    tier=2,
    since="later",
    example="eye(2, 3, 1)",
)
def eye(n: int, m: int | None, k: int | None, dtype: str) -> Any:
    """Make an n × m matrix (n × n without `m`) with ones on a diagonal and zeros elsewhere.

    `k` is the diagonal, 0 the main one, positive above it, negative below.
    """
    shape = sizes((n, n if m is None else m))
    return np.eye(*shape, k=_diagonal(k, shape), dtype=numpy_dtype(dtype))


@family.operator(
    "eye_like",
    "x: tensor(2-d), k: prim(int)?",
    _DTYPE,
    infer=rules.eye_like,
    tier=2,
    since="later",
    example="eye_like(const([[5.0, 6.0], [7.0, 8.0]]))",
)
def eye_like(x: Any, k: int | None, dtype: str | None) -> Any:
    """Make a matrix of the shape of `x` with ones on the diagonal `k`, of its dtype unless `dtype` names
    another.
    """
    wanted = x.dtype if dtype is None else numpy_dtype(dtype)
    return np.eye(*x.shape, k=_diagonal(k, x.shape), dtype=wanted)


def _diagonal(k: int | None, shape: tuple[int, ...]) -> int:
    """Return the diagonal, those far outside of the matrix brought near it: NumPy adds to it in 64 bits."""
    return max(-shape[-2] - 1, min(k or 0, shape[-1] + 1))


@family.operator(
    "hamming_window",
    "window_size: prim(int), periodic: prim?, alpha: prim?, beta: prim?",
    "dtype: dtype(float)",
    infer=rules.hamming_window,
    tier=2,
    since="later",
    example="hamming_window(4, dtype=float32)",
)
def hamming_window(
    window_size: int, periodic: Number | None, alpha: Number | None, beta: Number | None, dtype: str
) -> Any:
    """Make a Hamming window, `alpha - beta * cos(2π i / d)` for i from 0 to `window_size - 1`.

    d is the size if `periodic` (the default), else one less. `alpha` is 0.54 and `beta` 0.46 if left out. The
    result has the shape (window_size,); a window of one element is 1.
    """
    if window_size < 1:
        raise bad_value(f"the window size is {window_size}; it must be at least 1")
    if window_size == 1:
        return np.ones(1, numpy_dtype(dtype))
    sizes((window_size,))
    period = window_size - (periodic is not None and not periodic)
    angles = 2 * math.pi / period * np.arange(window_size)
    return ((0.54 if alpha is None else alpha) - (0.46 if beta is None else beta) * np.cos(angles)).astype(
        numpy_dtype(dtype)
    )


_TRIANGLE = "x: tensor, k: prim(int)?"


@family.operator("tril", _TRIANGLE, infer=rules.triangle, example="tril(const([[1, 2], [3, 4]]))")
def tril(x: Any, k: int | None) -> Any:
    """Keep the lower triangle of the last two axes and set the rest to 0.

    `k` is the last diagonal that is kept, 0 the main one. `x` must have rank 2 or more; the result has its
    shape.
    """
    return _triangle("tril", x, k)


@family.operator("triu", _TRIANGLE, infer=rules.triangle, example="triu(const([[1, 2], [3, 4]]), 1)")
def triu(x: Any, k: int | None) -> Any:
    """Keep the upper triangle of the last two axes and set the rest to 0.

    `k` is the first diagonal that is kept, 0 the main one. `x` must have rank 2 or more; the result has its
    shape.
    """
    return _triangle("triu", x, k)


def _triangle(name: str, x: Any, k: int | None) -> Any:
    at_least(x, 2, "x")
    return getattr(np, name)(x, _diagonal(k, x.shape))


@family.operator(
    "astype",
    "x: tensor",
    "dtype: dtype",
    infer=unary.converted,
    example="astype(const([1.7, -1.7]), dtype=int32)",
)
def astype(x: Any, dtype: str) -> Any:
    """Convert to another dtype; the shape stays.

    Floats are cut off toward zero when they become integers (what nan, infinities and numbers out of range
    become is not defined), integers wrap, bool is whether a number is not 0, too large floats become
    infinite.
    """
    return cast(x, numpy_dtype(dtype))


@family.operator(
    "builtin.alloc_tensor",
    "shape: shape, runtime_device_index: prim(int)?",
    'dtype: dtype, storage_scope: str = "global"',
    infer=rules.of_shape,
    tier=2,
    example="builtin.alloc_tensor(shape(2, 3), dtype=float32)",
)
def alloc_tensor(
    shape: tuple[int, ...], runtime_device_index: int | None, dtype: str, storage_scope: str
) -> Any:
    """Make a tensor of the given shape and dtype; nothing is said about its elements, which here are zeros.

    There is one device, so that `runtime_device_index` and `storage_scope` mean nothing.
    """
    return _new(np.zeros, shape, numpy_dtype(dtype))


def int64(value: Number) -> None:
    """Refuse an integer that the dtype of scalar operands cannot hold. [OP.9]"""
    if not -(2**63) <= value < 2**63:
        raise bad_value(f"{value} does not fit int64")


def scalar_tensors_dtype(left: Number, right: Number, names: tuple[str, str]) -> Any:
    """Return the dtype of two scalar operands that must have one. [OP.7]"""
    wanted = prim_dtype(left)
    for value in (left, right):
        if isinstance(value, int):
            int64(value)
    if prim_dtype(right) != wanted:
        raise bad_argument(
            f"`{names[0]}` and `{names[1]}` have different dtypes: {wanted.name} and {prim_dtype(right).name}"
        )
    return wanted
