"""Random calls of the operators of several tensors, element by element."""

from __future__ import annotations

from collections.abc import Callable

from relax_lang.ops.registry import all_operators
from tests.ops.strategies import Call, Draw


def _binary(dtypes: str) -> Callable[[Draw], Call]:
    def make(draw: Draw) -> Call:
        shape, dtype = draw.shape(), draw.dtype(dtypes)
        pair = [draw.tensor(shape, dtype), draw.tensor(draw.partner(shape), dtype)]
        if draw.chance(0.5):
            pair.reverse()
        return pair, {}

    return make


def _shift(draw: Draw) -> Call:
    shape, dtype = draw.shape(), draw.dtype("integer")
    return [draw.tensor(shape, dtype), draw.whole(draw.partner(shape), 0, 7, dtype)], {}


def _divide(draw: Draw) -> Call:
    shape, dtype = draw.shape(), draw.dtype("number")
    return [draw.tensor(shape, dtype), draw.whole(draw.partner(shape), 1, 4, dtype)], {}


def _where(draw: Draw) -> Call:
    shape, dtype = draw.shape(), draw.dtype()
    tensors = [draw.tensor(draw.partner(shape), each) for each in ("bool", dtype, dtype)]
    return tensors, {}


def _fma(draw: Draw) -> Call:
    shape, dtype = draw.shape(), draw.dtype("number")
    return [draw.tensor(shape, dtype) for _ in range(3)], {}


def _masked_fill(draw: Draw) -> Call:
    shape = draw.shape()
    return [
        draw.tensor(shape, draw.dtype()),
        draw.tensor(draw.partner(shape), "bool"),
        draw.tensor((), draw.dtype()),
    ], {}


CALLS = {
    operator.name: _binary(operator.params[0].dtypes)
    for operator in all_operators()
    if operator.family.name == "tensor.binary" and len(operator.params) == 2
}
CALLS.update(
    dict.fromkeys(("left_shift", "right_shift"), _shift),
    **dict.fromkeys(("divide", "floor_divide", "mod", "floor_mod", "power"), _divide),
    where=_where,
    ewise_fma=_fma,
    masked_fill=_masked_fill,
)
