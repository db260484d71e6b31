"""Statements as they are fastest on small arrays, where making an array costs less than saying where a result goes.

Workspaces that operations fill as a whole are names of their results; clips are the two operations that they are; a
choice is one `where`; few sums are taken by a ufunc. Nothing is put back where nothing can fail any more once something
was stored.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import assert_never

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, names_in, with_fields, with_parts
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.calls.constant_folding import puts_back
from relax_lang.tir.codegen.passes.effects import (
    LateGuards,
    all_statements,
    bodies_of,
    root_of,
    targets_of,
)
from relax_lang.tir.codegen.passes.rewriting import mapped, propagate
from relax_lang.tir.codegen.passes.types import is_whole, type_of
from relax_lang.tir.schedule.plan import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from relax_lang.tir.array_ir.nodes import Expr, Statement

_SUMMED = ("float32", "float64")
"""Floats that a ufunc and `einsum` add in the same dtype."""
_FEW_ROWS = 16
"""Up to so many sums are taken sooner by a ufunc."""
_MANY = 1 << 30
"""What an extent that is not known counts as."""


def with_ufuncs(statement: Statement) -> Statement:
    """Return a statement with clips as the two operations that they are, also in what is in it."""
    inner = bodies_of(statement)
    match statement:
        case ir.Into(target, ir.Clip() as clip):
            return ir.Into(target, _as_ufuncs(clip))
        case _ if inner:
            return with_fields(statement, {"body": [*map(with_ufuncs, inner)]})
        case _:
            return statement


def with_sums_of_few_rows(statement: Statement) -> Statement:
    """Return a statement in which the elements of a few rows are added by a ufunc, which begins sooner than `einsum`
    and takes more time for each row.
    """
    return mapped(statement, _sum_of_few_rows)


def _sum_of_few_rows(part: Node | Polynomial) -> Node | Polynomial:
    if not isinstance(part, Node):
        return part
    match with_parts(part, _sum_of_few_rows):
        case ir.Contract(((letters, array),), result) if letters.startswith(result) and _are_few_rows(part):
            return ir.Reduce("+", array, tuple(range(len(result), len(letters))))
        case made:
            return made


def _are_few_rows(total: Node) -> bool:
    """Return whether few sums are taken, of floats as they are."""
    assert isinstance(total, ir.Expr)
    dtype, shape = type_of(total)
    sizes = [size.value for size in shape or ()]
    return dtype in _SUMMED and bool(shape) and math.prod([size or _MANY for size in sizes]) <= _FEW_ROWS


def _as_ufuncs(clip: ir.Clip) -> Expr:
    value = clip.array
    for op, bound in (("max", clip.lower), ("min", clip.upper)):
        if bound != Literal(identity(op, clip.dtype), clip.dtype):
            value = ir.Elementwise(op, (value, bound), clip.dtype, clip.domain)
    return value if isinstance(value, ir.Elementwise) else clip


def without_restoring(body: list[Statement], written: Collection[str]) -> list[Statement]:
    """Return statements that put arrays back only if they may fail after one of them was stored to."""
    match body:
        case [ir.Restoring(_, inner)] if not LateGuards(inner, written).after_store:
            return inner
        case _:
            return body


def with_results_named(body: list[Statement]) -> list[Statement]:
    """Return statements in which workspaces are names of the results that fill them."""
    found = {one.name for one in all_statements(body) if isinstance(one, ir.Allocate) and one.workspace}
    propagate(body, found)
    named = found - _kept(body, found)
    often = Counter([filled[0] for filled in map(_filled, all_statements(body)) if filled is not None])
    return _named(body, {name: often[name] > 1 for name in named}) if named else body


def _kept(body: Sequence[Statement], workspaces: Collection[str]) -> set[str]:
    """Return the workspaces that have to stay arrays: parts of them are stored to, or have names before all are."""
    kept, viewed = set[str](), set[str]()
    for statement in all_statements(body):
        filled = _filled(statement)
        if filled is not None and filled[0] in workspaces:
            kept |= {filled[0]} & viewed  # the name would stay with what was there before
            continue
        match statement:
            case ir.Define(_, value):
                viewed |= _roots([value])
            case ir.For():
                viewed |= _roots([row.array for row in statement.rows])
            case ir.Evaluate(ir.Call("store_where")):
                pass  # it only reads the values and the mask
            case ir.Unpack(_, value) | ir.Evaluate(value):
                kept |= names_in(value)
            case ir.Store() | ir.Into() | ir.StoreWhere() | ir.Require() | ir.Allocate():
                pass
            case ir.Break() | ir.Remark() | ir.Forever() | ir.If() | ir.Restoring():
                pass
            case _:
                assert_never(statement)
        kept |= _roots(targets_of(statement))
    return kept


def _filled(statement: Statement) -> tuple[str, Expr] | None:
    """Return the name of an array that a statement fills with a new one of its dtype and shape, and this."""
    match statement:
        case ir.Into(Ref(name), value) if is_whole(value):
            return name, _choosing(value)
        case ir.Into(Ref() as target, value) | ir.Store(Ref() as target, value):
            pass
        case ir.Into(ir.View(Ref() as target, axes) as view, value):
            around = tuple([ir.NewAxis() if isinstance(axis, ir.At) else ir.Whole() for axis in axes])
            if not puts_back(around, view):
                return None
            value = ir.View(value, around)
        case _:
            return None
    return (target.name, value) if _is_combined(value, target) else None


def _is_combined(value: Expr, target: Ref) -> bool:
    """Return whether elements are combined to a new array of the dtype and shape of a target."""
    combined = value
    if isinstance(value, ir.View) and all(isinstance(axis, ir.Whole | ir.NewAxis) for axis in value.axes):
        combined = value.array
    if not isinstance(combined, ir.Reduce | ir.Contract) or target.dtype in dtypes.HALVES:
        return False
    dtype, shape = type_of(combined)
    return bool(shape) and dtype == target.dtype and type_of(value)[1] == target.shape


def _roots(values: Sequence[Expr]) -> set[str]:
    return {root for root in map(root_of, values) if root is not None}


def _named(body: Sequence[Statement], named: Mapping[str, bool]) -> list[Statement]:
    """Return statements in which some workspaces are names, and whether these get several values."""
    made: list[Statement] = []
    for at, statement in enumerate(body):
        filled = _filled(statement)
        if filled is not None and filled[0] in named:
            made.append(ir.Define(*filled, rebinds=named[filled[0]]))
            continue
        match statement:
            case ir.Allocate(name) if name in named and _is_filled_first(body[at + 1 :], name):
                pass
            case ir.For() | ir.Forever() | ir.If() | ir.Restoring():
                made.append(with_fields(statement, {"body": [*_named(statement.body, named)]}))
            case _:
                made.append(statement)
    return made


def _is_filled_first(body: Sequence[Statement], name: str) -> bool:
    """Return whether a workspace is filled by the first of some statements that has to do with it, whenever another one
    is reached.
    """
    users = [statement for statement in body if name in names_in(statement)]
    if not users:
        return True
    filled = _filled(users[0])
    if filled is not None:
        return filled[0] == name and name not in names_in(filled[1])
    match users:
        case [ir.For(_, Literal(0), Polynomial() as stop) as loop, *_] if (stop.value or 0) > 0:
            return name not in names_in(with_fields(loop, {"body": []})) and _is_filled_first(loop.body, name)
        case [ir.For() | ir.Forever() | ir.If() | ir.Restoring() as nested]:
            inner = {*names_in(ir.Restoring((), nested.body))}
            outside = names_in(with_fields(nested, {"body": []}))
            return name in inner and name not in outside and _is_filled_first(nested.body, name)
        case _:
            return False


def _choosing(value: Expr) -> Expr:
    """Return a choice between arrays of the wanted dtype, one of which has the wanted shape, as a plain one."""
    match value:
        case ir.Select(condition, yes, no, dtype, shape) if shape is not None:
            shapes = [type_of(part)[1] for part in (condition, yes, no)]
            if shape in shapes and dtype and all(_dtype_of(side) == dtype for side in (yes, no)):
                return ir.Select(condition, yes, no)
        case _:
            pass
    return value


def _dtype_of(value: Expr) -> str:
    return value.dtype if isinstance(value, ir.Typed) else type_of(value)[0]
