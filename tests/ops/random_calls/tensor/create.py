"""Random calls of the operators that make tensors."""

from __future__ import annotations

from typing import Any

from relax_lang.values import ShapeValue
from tests.ops.strategies import Call, Draw


def _of_shape(draw: Draw) -> Call:
    return [ShapeValue(draw.shape())], {"dtype": draw.dtype()}


def _alloc(draw: Draw) -> Call:
    args, attrs = _of_shape(draw)
    return [*args, draw.one_of(None, 0)], attrs


def _full(draw: Draw) -> Call:
    return [ShapeValue(draw.shape()), draw.tensor((), draw.dtype())], draw.some(dtype=draw.dtype())


def _full_like(draw: Draw) -> Call:
    return [draw.tensor(draw.shape(), draw.dtype()), draw.tensor((), draw.dtype())], draw.some(
        dtype=draw.dtype()
    )


def _like(draw: Draw) -> Call:
    return [draw.tensor(draw.shape(), draw.dtype())], draw.some(dtype=draw.dtype())


def _astype(draw: Draw) -> Call:
    return [draw.tensor(draw.shape(), draw.dtype())], {"dtype": draw.dtype()}


def _scalar(draw: Draw) -> Call:
    value = draw.one_of(-3, 0, 7, 100, True, 0.25, -1.5)
    return [value, draw.one_of(None, draw.tensor(draw.shape(), draw.dtype()))], {}


def _prim_value(draw: Draw) -> Call:
    return [draw.one_of(-3, 0, 7, 2.5, -0.3, True)], draw.some(dtype=draw.dtype("float"))


def _arange(draw: Draw) -> Call:
    kinds = draw.one_of("iii", "iii", "fff", "ifi", "iif", "bib")
    pools: dict[str, list[Any]] = {
        "i": [-3, -2, -1, 1, 2, 3, 7],
        "f": [-1.5, 0.3, 2.0, 7.25],
        "b": [True, False, 3],
    }
    start, end, step = [draw.one_of(*pools[kind]) for kind in kinds]
    count = draw.random.randint(1, 3)
    args = [start, end if count > 1 else None, step if count > 2 else None]
    return args, draw.some(dtype=draw.dtype("number"))


def _eye(draw: Draw) -> Call:
    args = [draw.extent(), draw.one_of(None, draw.extent()), draw.one_of(None, -2, -1, 0, 1, 3)]
    return args, draw.some(dtype=draw.dtype())


def _eye_like(draw: Draw) -> Call:
    x = draw.tensor(draw.shape(2, 2), draw.dtype())
    return [x, draw.one_of(None, -1, 0, 1)], draw.some(dtype=draw.dtype())


def _hamming(draw: Draw) -> Call:
    args = [draw.extent(1), draw.one_of(None, True, False), draw.one_of(None, 0.5), draw.one_of(None, 0.5)]
    return args, {"dtype": draw.dtype("float")}


def _triangle(draw: Draw) -> Call:
    return [draw.tensor(draw.shape(2), draw.dtype()), draw.one_of(None, -1, 0, 2)], {}


CALLS: dict[str, Any] = {
    "full": _full,
    "full_like": _full_like,
    "ones": _of_shape,
    "zeros": _of_shape,
    "builtin.alloc_tensor": _alloc,
    "ones_like": _like,
    "zeros_like": _like,
    "astype": _astype,
    "arange": _arange,
    "scalar": _scalar,
    "prim_value": _prim_value,
    "eye": _eye,
    "eye_like": _eye_like,
    "hamming_window": _hamming,
    "tril": _triangle,
    "triu": _triangle,
}
