"""Operators that make tensors, scalars and shapes, and those that look at tensors."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any

import numpy as np

from tests.fuzz.operators.drawing import (
    KINDS,
    Arg,
    Call,
    Draw,
    Drawer,
    P,
    S,
    T,
    Word,
    call,
    data,
    fits,
    is_kind,
    need,
)

BITS = {"bool": 8, **{name: int("".join(filter(str.isdigit, name))) for name in KINDS["number"]}}


def _shape(source: Draw, low: int = 0) -> Arg:
    """Draw a shape, written out or taken from a tensor."""
    dims = list(source.dims(low, 4))
    if source.slip(0.1):
        dims.append(source.one(-1))
    if any(one == -1 for one in dims):
        text = "shape(" + ", ".join([getattr(one, "text", "-1") for one in dims]) + ")"
        return Arg(text, lambda _: None, len(dims))
    return source.shape(dims)


def _made(source: Draw, shape: S | None, dtype: str) -> T:
    fits(shape is not None, "a negative extent")
    assert shape is not None
    return T(shape.dims, dtype)


def _filled(word: str, element: Any) -> Drawer:
    def draw(source: Draw) -> Call:
        shape, dtype = _shape(source), source.dtype()
        return call(word, [shape], {"dtype": Word(dtype)}, lambda at: _made(source, at, dtype))

    del element
    return draw


def _like(word: str) -> Drawer:
    def draw(source: Draw) -> Call:
        x = source.tensor()
        attrs = source.some(dtype=source.one(Word(source.dtype()), None))
        to = attrs.get("dtype")
        element = 1 if word == "ones_like" else 0
        return call(
            word,
            [x],
            attrs,
            lambda a: T(a.shape, to or a.dtype),
            values=lambda a: np.full(a.shape, element, to or a.dtype),
        )

    return draw


def _full(source: Draw) -> Call:
    shape = _shape(source)
    value = source.tensor(source.dims(1, 2) if source.slip() else ())
    attrs = source.some(dtype=source.one(Word(source.dtype()), None))

    def rule(at: S | None, one: T) -> T:
        need(one.rank == 0)
        return _made(source, at, attrs.get("dtype") or one.dtype)

    return call("full", [shape, value], attrs, rule)


def _full_like(source: Draw) -> Call:
    x = source.tensor()
    value = source.tensor(source.dims(1, 2) if source.slip() else ())
    attrs = source.some(dtype=source.one(Word(source.dtype()), None))

    def rule(a: T, one: T) -> T:
        need(one.rank == 0)
        return T(a.shape, attrs.get("dtype") or a.dtype)

    return call("full_like", [x, value], attrs, rule)


def _arange(source: Draw) -> Call:
    count = source.int(1, 3)
    args = [source.scalar() for _ in range(count)]
    is_float = source.chance(0.2)
    if is_float:
        args[-1] = source.one(*[Arg(str(one), lambda _, one=one: one) for one in (0.5, 1.5, 2.5)])
    if count == 3 and not source.slip(0.3):
        step = source.one(1, 2, 3, -1, -2)
        if not is_float:
            args[2] = Arg(str(step), lambda _: step)
    attrs = source.some(dtype=source.one(Word(source.one("int32", "float32", "float64")), None))

    def rule(*given: Any) -> T:
        start, stop, step = {1: (0, given[0], 1), 2: (*given, 1), 3: given}[len(given)]
        check(step != 0, "a step of 0")
        dtype = attrs.get("dtype") or ("float32" if is_float else "int64")
        return T((max(0, ceil((stop - start) / step)),), dtype)

    is_symbolic = any(letter in one.text for one in args for letter in "nmk")
    check = data if is_symbolic else fits
    return call("arange", args, attrs, rule, is_loose=is_symbolic and (is_float or len(args) == 3))


def _eye(source: Draw) -> Call:
    args: list[Arg | None] = [source.scalar(0, 4)]
    if source.chance(0.6):
        args.append(source.one(None, source.scalar(0, 4)))
        if source.chance(0.5):
            args.append(source.scalar())
    if source.slip():
        args[0] = Arg("-1", lambda _: -1)
    attrs = source.some(dtype=Word(source.dtype()))

    def rule(n: int, m: int | None = None, k: int | None = None) -> T:
        m = n if m is None else m
        fits(n >= 0 and m >= 0, "a negative extent")
        return T((n, m), str(attrs.get("dtype", "float32")))

    return call("eye", args, attrs, rule)


def _eye_like(source: Draw) -> Call:
    x = source.tensor(source.dims(2, 2) if not source.slip() else None)
    args: list[Arg | None] = [x, source.one(None, source.scalar())]
    attrs = source.some(dtype=source.one(Word(source.dtype()), None))

    def rule(a: T, _k: int | None) -> T:
        need(a.rank == 2)
        return T(a.shape, attrs.get("dtype") or a.dtype)

    return call("eye_like", args, attrs, rule)


def _hamming(source: Draw) -> Call:
    size = source.scalar(0, 5)
    if source.slip():
        size = Arg("-2", lambda _: -2)
    dtype = source.dtype("float")
    check = data if size.text.isidentifier() or " " in size.text or "(" in size.text else need

    def rule(n: int) -> T:
        need(dtype in KINDS["float"])
        check(n > 0)
        return T((n,), dtype)

    return call("hamming_window", [size], {"dtype": Word(dtype)}, rule)


def _triangle(word: str, compute: Callable[..., Any]) -> Drawer:
    def draw(source: Draw) -> Call:
        x = source.tensor(source.dims(0 if source.slip() else 2, 4))
        k = source.one(None, source.scalar())
        by = 0 if k is None else int(k.text) if k.text.lstrip("-").isdigit() else None

        def rule(a: T, _k: int | None) -> T:
            need(a.rank >= 2)
            return a

        return call(word, [x, k], {}, rule, values=None if by is None else lambda a: compute(a, by))

    return draw


def _alloc(source: Draw) -> Call:
    shape, dtype = _shape(source), source.dtype()
    device = source.one(None, Arg("0", lambda _: 0))
    return call(
        "builtin.alloc_tensor",
        [shape, device],
        {"dtype": Word(dtype)},
        lambda at, _=None: _made(source, at, dtype),
    )


# scalars


def _number(source: Draw) -> tuple[Arg, str]:
    """Draw a scalar and the dtype that it has by itself."""
    return source.one(
        (source.scalar(), "int64"),
        (Arg("2.5", lambda _: 2.5), "float32"),
        (Arg("n > 2", lambda at: at["n"] > 2), "bool"),
        (Arg("n % 2 == 0", lambda at: at["n"] % 2 == 0), "bool"),
    )


def _holds(dtype: str, value: float) -> bool:
    """Return whether a number is a value of a dtype; a condition is 0 or 1."""
    if dtype in KINDS["float"]:
        return True
    low, high = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return low <= value <= high and value == int(value)


def _prim_value(source: Draw) -> Call:
    value, own = _number(source)
    attrs = source.some(dtype=Word(source.one(own, source.dtype())))
    to = attrs.get("dtype")

    is_written = not set(value.text) & set("nmk")
    check = need if is_written else data

    def rule(at: Any) -> P:
        if to is not None:
            check(_holds(to, at))
        return P(to or own)

    return call("prim_value", [value], attrs, rule, is_loose=True)


def _scalar(source: Draw) -> Call:
    value, own = _number(source)
    like = source.tensor() if source.chance(0.5) else None

    def rule(at: Any, a: T | None) -> T:
        if a is None or own == "bool":
            return T((), own)
        if own == "float32":
            return T((), a.dtype if a.dtype in KINDS["float"] else own)
        if a.dtype in KINDS["number"]:
            fits(_holds(a.dtype, at))
            return T((), a.dtype)
        return T((), own)

    return call("scalar", [value, like], {}, rule, is_loose=True)


# shapes as values


def _shape_equals(source: Draw) -> Call:
    first = source.shape(source.dims())
    second = source.shape(source.dims()) if source.chance(0.5) else first
    return call("shape_equals", [first, second], {}, lambda a, b: T((), "bool"))


def _shape_of(source: Draw) -> Call:
    x = source.tensor()
    return call("shape_of", [x], {}, lambda a: S(a.shape))


def _shape_to_tensor(source: Draw) -> Call:
    shape = source.shape(source.dims())
    return call("shape_to_tensor", [shape], {}, lambda a: T((len(a.dims),), "int64"))


def _size(source: Draw) -> Call:
    x = source.tensor()
    return call("size", [x], {}, lambda a: T((), "int64"), values=lambda a: np.asarray(a.size, np.int64))


def _tensor_to_shape(source: Draw) -> Call:
    x = source.tensor(source.dims(1, 1) if not source.slip() else None, source.dtype("integer"), "ones")

    def rule(a: T) -> S:
        is_kind(a, "integer")
        need(a.rank == 1)
        return S((1,) * a.shape[0])

    return call("tensor_to_shape", [x], {}, rule, is_loose=True)


# inspection


def _inspect(word: str, of: Callable[[T], int]) -> Drawer:
    def draw(source: Draw) -> Call:
        x = source.tensor()
        shape = source.params[0]
        del shape
        return call(f"inspect.{word}", [x], {}, lambda a: _looked(of(a)), is_loose=True)

    return draw


def _looked(_value: int) -> None:
    return None


def _inspect_axis(word: str) -> Drawer:
    def draw(source: Draw) -> Call:
        x = source.tensor()
        axis = source.int(0, max(x.rank - 1, 0)) if not source.slip() else source.one(x.rank, -1, 7)
        if x.rank == 0 or not 0 <= axis < x.rank:
            axis = source.one(x.rank, -1)

        def rule(a: T, at: int) -> None:
            data(0 <= at < a.rank, "no such axis")

        return call(f"inspect.{word}", [x, Arg(str(axis), lambda _: axis)], {}, rule, is_loose=True)

    return draw


def _null_value(_source: Draw) -> Call:
    return call("null_value", [], {}, lambda: None, is_loose=True)


DRAWERS: dict[str, Drawer] = {
    "arange": _arange,
    "builtin.alloc_tensor": _alloc,
    "eye": _eye,
    "eye_like": _eye_like,
    "full": _full,
    "full_like": _full_like,
    "hamming_window": _hamming,
    "ones": _filled("ones", 1),
    "zeros": _filled("zeros", 0),
    "ones_like": _like("ones_like"),
    "zeros_like": _like("zeros_like"),
    "tril": _triangle("tril", np.tril),
    "triu": _triangle("triu", np.triu),
    "prim_value": _prim_value,
    "scalar": _scalar,
    "shape_equals": _shape_equals,
    "shape_of": _shape_of,
    "shape_to_tensor": _shape_to_tensor,
    "size": _size,
    "tensor_to_shape": _tensor_to_shape,
    "null_value": _null_value,
    "inspect.tensor_byte_offset": _inspect("tensor_byte_offset", lambda a: 0),
    "inspect.tensor_dtype_bits": _inspect("tensor_dtype_bits", lambda a: BITS[a.dtype]),
    "inspect.tensor_dtype_code": _inspect("tensor_dtype_code", lambda a: 0),
    "inspect.tensor_dtype_lanes": _inspect("tensor_dtype_lanes", lambda a: 1),
    "inspect.tensor_elem_offset": _inspect("tensor_elem_offset", lambda a: 0),
    "inspect.tensor_ndim": _inspect("tensor_ndim", lambda a: a.rank),
    "inspect.tensor_shape_i": _inspect_axis("tensor_shape_i"),
    "inspect.tensor_stride_i": _inspect_axis("tensor_stride_i"),
}
