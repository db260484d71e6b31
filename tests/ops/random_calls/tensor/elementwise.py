"""Random calls of the functions of one tensor."""

from __future__ import annotations

from collections.abc import Callable

from relax_lang.ops.registry import all_operators
from tests.ops.strategies import Call, Draw


def _unary(dtypes: str) -> Callable[[Draw], Call]:
    return lambda draw: ([draw.tensor(draw.shape(), draw.dtype(dtypes))], {})


def _clip(draw: Draw) -> Call:
    low, high = draw.one_of(-1, 0.5, 0), draw.one_of(0.25, 2, 3)
    return [draw.tensor(draw.shape(), draw.dtype("number")), low, high], {}


CALLS = {
    operator.name: _unary(operator.params[0].dtypes)
    for operator in all_operators()
    if operator.family.name == "tensor.elementwise" and len(operator.params) == 1
}
CALLS["clip"] = _clip
