"""What declarations say about rows, against the kernels: parts computed on their own are the parts of the whole.

Random calls come from `tests.ops.random_calls`. Some of the operands get rows, along any axis of one extent; where the
analysis says that they stay apart, the call is run on the whole and on two parts of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import relax_lang
from relax_lang import api
from relax_lang.mapping.independence import rows_of_function
from relax_lang.ops.core.dtypes import name_of
from relax_lang.ops.core.signature import show_value
from relax_lang.ops.registry import lookup
from relax_lang.ops.row_rules.rules import RULES
from relax_lang.ops.row_rules.states import Fields, Mixed, Rows, Sizes, Uniform
from relax_lang.typed import Typed
from relax_lang.values import ShapeValue
from tests.ops.random_calls import all_calls
from tests.ops.strategies import Draw

if TYPE_CHECKING:
    from relax_lang.ops.row_rules.states import State


CALLS = all_calls()


def _operator(name: str) -> Any:
    found = lookup(name)
    assert found is not None
    return found


NAMES = sorted(name for name in CALLS if _operator(name).rows)
SEEDS = 120
ENOUGH = 6
"""So many calls of an operator whose rows are apart are compared."""
WITHOUT_TENSORS = ("full", "ones", "zeros", "shape_of")
"""Operators whose operands, or results, are not tensors that could have rows; `test_row_independence` has them."""

NEVER = ("index_put", "nn.cross_entropy_with_logits")
"""Operators whose rule only has a better reason: an index for each axis may name any row, all rows give one number."""


class _Divided:
    """A call as a program: tensors are parameters; `axes` has those with rows, and `extent` how many there are."""

    def __init__(self, draw: Draw, name: str, args: list[Any], attrs: dict[str, Any]) -> None:
        self.values: list[Any] = []
        self.axes: list[int | None] = []
        extents = [size for array in _arrays(args) for size in array.shape if size > 1]
        self.extent = draw.one_of(*extents) if extents else 0
        self._draw = draw
        self._axis = draw.random.randrange(3)
        self._shape_with_rows = draw.chance(0.7)
        shown = [self._shown(arg) for arg in args if arg is not None]
        shown += [f"{key}={show_value(value)}" for key, value in attrs.items()]
        params = ", ".join([self._param(at) for at in range(len(self.values))])
        self.text = f"def @main({params}) {{\n  let y = {name}({', '.join(shown)});\n  y\n}}\n"

    def _shown(self, arg: Any) -> str:
        if isinstance(arg, np.ndarray):
            places = [at for at, size in enumerate(arg.shape) if size == self.extent]
            divided = bool(places) and self._draw.chance(0.7)
            self.values.append(arg)
            at = self._axis if self._axis in places and self._draw.chance(0.7) else None
            at = self._draw.one_of(*places) if divided and at is None else at
            self.axes.append(at)
            return f"p{len(self.values) - 1}"
        if isinstance(arg, tuple):
            fields = [self._shown(field) for field in arg]
            if not fields:
                return "()"
            return f"({fields[0]},)" if len(fields) == 1 else f"({', '.join(fields)})"
        if isinstance(arg, ShapeValue):
            return f"shape({', '.join(self._dims(arg.values))})"
        return show_value(arg)

    def _dims(self, values: tuple[int, ...]) -> list[str]:
        many = [at for at, size in enumerate(values) if self.extent and size and size % self.extent == 0]
        at = self._draw.one_of(*many) if many and self._shape_with_rows else None
        return [
            f"n * {size // self.extent}" if place == at else str(size) for place, size in enumerate(values)
        ]

    def _param(self, at: int) -> str:
        array, axis = self.values[at], self.axes[at]
        dims = ["n" if place == axis else str(size) for place, size in enumerate(array.shape)]
        return f"p{at}: Tensor[({', '.join(dims)}{',' if len(dims) == 1 else ''}), {name_of(array.dtype)}]"

    def part(self, start: int, stop: int) -> list[Any]:
        return [
            value if axis is None else value[(slice(None),) * axis + (slice(start, stop),)]
            for value, axis in zip(self.values, self.axes, strict=True)
        ]


def _arrays(args: list[Any]) -> list[Any]:
    found: list[Any] = []
    for arg in args:
        if isinstance(arg, np.ndarray):
            found.append(arg)
        elif isinstance(arg, tuple):
            found += _arrays(list(arg))
    return found


def _joined(state: State, parts: list[Any]) -> Any:
    if isinstance(state, Fields):
        return tuple([_joined(field, [part[at] for part in parts]) for at, field in enumerate(state.fields)])
    if isinstance(state, Rows):
        return np.concatenate(parts, state.axis)
    assert isinstance(state, Uniform)
    return parts[0]


def _compare(whole: Any, parts: Any, text: str) -> None:
    if isinstance(whole, tuple):
        for one, other in zip(whole, parts, strict=True):
            _compare(one, other, text)
        return
    assert whole.shape == parts.shape, text
    wide = whole.astype(np.float64), parts.astype(np.float64)
    np.testing.assert_allclose(*wide, rtol=1e-5, atol=1e-5, err_msg=text)


def _run_one(draw: Draw, name: str) -> bool:
    """Compare one call, if its rows are apart; return whether they are."""
    args, attrs = draw.one_of(*CALLS[name])(draw) if isinstance(CALLS[name], tuple) else CALLS[name](draw)
    call = _Divided(draw, name, args, attrs)
    if call.extent < 2 or not [axis for axis in call.axes if axis is not None]:
        return False
    try:
        typed = Typed.of_checked(api.check_sound(call.text))
    except relax_lang.RelaxError:
        return False
    state = rows_of_function(typed, "main", "n")
    if any(
        isinstance(one, Mixed | Sizes) for one in (state.fields if isinstance(state, Fields) else [state])
    ):
        return False
    session = api.start(call.text)
    first = draw.random.randrange(1, call.extent)
    try:
        whole = session.run("main", call.part(0, call.extent))
        parts = [session.run("main", call.part(*ends)) for ends in ((0, first), (first, call.extent))]
    except Exception as error:  # the rule may be right and the elements wrong
        if type(error).__name__ not in ("RunFailure", "ArgumentsRefused"):
            raise
        return False
    _compare(whole, _joined(state, parts), call.text)
    return True


@pytest.mark.parametrize("name", NAMES)
def test_parts_are_the_parts_of_the_whole(name: str) -> None:
    found = 0
    for seed in range(SEEDS):
        found += _run_one(Draw(seed), name)
        if found == ENOUGH:
            break
    assert found or name in (*WITHOUT_TENSORS, *NEVER), f"no random call of {name} has its rows apart"


def test_every_rule_exists() -> None:
    from relax_lang.ops.registry import all_operators

    assert {operator.rows for operator in all_operators()} - {""} == set(RULES)
