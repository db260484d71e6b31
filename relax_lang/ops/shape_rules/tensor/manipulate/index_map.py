"""The struct info rule of `layout_transform`: index maps on symbolic dimensions; see `attribute_syntax.index_map`."""

from __future__ import annotations

from relax_lang.ops.attribute_syntax.index_map import check_padding, read_index_map
from relax_lang.ops.core.errors import OpError
from relax_lang.ops.shape_rules.shared.dims import (
    add,
    floor_divide,
    largest,
    multiply,
    number,
    smallest,
    subtract,
    value_of,
)
from relax_lang.ops.shape_rules.shared.extents import ONE, negative, not_negative, text
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.attribute_syntax.index_map import IndexMap
    from relax_lang.ops.core.inference import Inference, Known

    Dim = tree.PrimExpr
    Range = tuple[Dim, Dim] | None  # the least and the largest index; None if they are not short expressions


def layout_transform(call: Inference) -> tree.StructInfo:
    """Infer `layout_transform`: as many places as the map can send an index to. [OP.4]"""
    x = call.tensor(0)
    moved = _read(call, x)
    if x.dtype is not None:
        try:
            check_padding(call.attrs["pad_value"], x.dtype)
        except OpError as refusal:
            call.refused(refusal)
    if moved is None:
        return call.of_rank(None, x.dtype)
    if x.dims is None:
        return call.of_rank(len(moved.exprs), x.dtype)
    inputs: list[Range] = [(number(0), subtract(call, dim, ONE)) for dim in x.dims]
    dims: list[Dim] = []
    for found in moved.ranges(inputs, _constant, _table(call)):
        if found is not None and negative(call, found[0]):
            call.bad_attribute("index_map", f"an index may become {text(found[0])}")
            found = None
        if found is None:
            return call.of_rank(len(moved.exprs), x.dtype)
        dims.append(not_negative(call, add(call, found[1], ONE)))
    return call.tensor_of(dims, x.dtype)


def _read(call: Inference, x: Known) -> IndexMap | None:
    try:
        return read_index_map(call.attrs["index_map"], x.rank)
    except OpError as refusal:
        call.refused(refusal)
    return None


def _constant(value: int) -> Range:
    return number(value), number(value)


def _table(call: Inference) -> dict[type[Any], Callable[[Range, Range], Range]]:
    """Return how operations combine ranges, as `attribute_syntax.index_map` does with numbers."""

    def known(
        combine: Callable[[tuple[Dim, Dim], tuple[Dim, Dim]], Range],
    ) -> Callable[[Range, Range], Range]:
        return lambda a, b: None if a is None or b is None else combine(a, b)

    def products(a: tuple[Dim, Dim], b: tuple[Dim, Dim]) -> Range:
        for (low, high), (factor, other) in ((a, b), (b, a)):
            constant = value_of(factor)
            if constant is not None and constant == value_of(other) and constant >= 0:
                return multiply(call, low, factor), multiply(call, high, factor)
        signs = [negative(call, end) for end in (a[0], b[0], a[1], b[1])]
        if signs[0] is not False or signs[1] is not False or None in signs:
            return None
        most = number(-1) if True in signs else multiply(call, a[1], b[1])
        return multiply(call, a[0], b[0]), most

    return {
        tree.Add: known(lambda a, b: (add(call, a[0], b[0]), add(call, a[1], b[1]))),
        tree.Sub: known(lambda a, b: (subtract(call, a[0], b[1]), subtract(call, a[1], b[0]))),
        tree.Mul: known(products),
        tree.FloorDiv: known(lambda a, b: (floor_divide(call, a[0], b[0]), floor_divide(call, a[1], b[0]))),
        tree.FloorMod: known(lambda _a, b: (number(0), subtract(call, b[0], ONE))),
        tree.Min: known(lambda a, b: (smallest(call, a[0], b[0]), smallest(call, a[1], b[1]))),
        tree.Max: known(lambda a, b: (largest(call, a[0], b[0]), largest(call, a[1], b[1]))),
    }
