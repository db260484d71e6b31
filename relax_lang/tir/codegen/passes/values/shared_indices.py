"""Indices are compared with their dimension once, and before the first store where they can be.

Neighbouring statements often have the same index (`C[cell] += 1; M[cell] += w;`): it is computed and compared for the
first of them. So are lists of the same iterations (`for p in P[r]..P[r + 1]`). An index that is part of a parameter is
compared before anything is stored, so that no array has to be copied to be put back where one is outside.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, names_in, with_parts
from relax_lang.tir.codegen.passes.effects import (
    Aliases,
    all_statements,
    bodies_of,
    changed_by,
    definitions,
    may_fail,
)
from relax_lang.tir.codegen.passes.rewriting import (
    always_evaluated,
    evaluated_parts,
    rebound_names,
    substituted,
)
from relax_lang.tir.codegen.passes.types import is_whole, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.array_ir.nodes import Expr, Statement
    from relax_lang.tir.codegen.passes.context import Context

    Part = Node | Polynomial
    Key = tuple[Node, tuple[int, ...]]


def share_indices(body: list[Statement], context: Context) -> None:
    """Name what is compared with a dimension several times, or after a store."""
    if _Rows(body, context).visit(body):
        _remove_unused(body)


def _remove_unused(body: list[Statement]) -> None:
    """Remove values over whole loops that nothing uses now, which passes that come later would give memory. Names of
    sizes stay: shapes have them, too.
    """
    used = names_in(ir.Restoring((), body))
    while True:
        names = {name for name, value in _whole_values(body) if name not in used and not may_fail(value)}
        if not names:
            return
        _without(body, names)
        used = names_in(ir.Restoring((), body))


def _whole_values(body: list[Statement]) -> list[tuple[str, Expr]]:
    definitions_in = [one for one in all_statements(body) if isinstance(one, ir.Define)]
    return [(one.name, one.value) for one in definitions_in if is_whole(one.value)]


def _without(body: list[Statement], names: set[str]) -> None:
    body[:] = [one for one in body if not (isinstance(one, ir.Define) and one.name in names)]
    for one in body:
        _without(bodies_of(one), names)


class _Found(NamedTuple):
    """A comparison in a statement: what it is made of, without names for values, and the versions of that."""

    at: int
    call: ir.Call
    key: Key


class _Rows:
    """The rows of statements of one function."""

    def __init__(self, body: list[Statement], context: Context) -> None:
        self._context = context
        names = definitions(body)
        self._local = set(names)
        counts = Counter(names)
        self._several = {name for name in names if counts[name] > 1} | rebound_names(body)
        self._aliases = Aliases(body)
        self._same_lists: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
        """Names for lists of iterations in the row at hand that earlier names mean, with these."""

    def visit(self, row: list[Statement]) -> bool:
        """Rewrite a row, and those in it; return whether anything changed."""
        changed = False
        for statement in row:
            changed |= self.visit(bodies_of(statement))
        if len(row) > _MOST:
            return changed
        return self._row(row) or changed

    def _row(self, row: list[Statement]) -> bool:
        lists = sum([_lists(statement) is not None for statement in row])
        if not lists and not any(_comparisons(statement) for statement in row):
            return False
        found, first_store, stored = self._found(row)
        same = self._same_lists
        if same:
            renamed: dict[str, Expr] = {
                old: Ref(new) for olds, news in same for old, new in zip(olds, news, strict=True)
            }
            again = {names for names, _ in same}
            row[:] = [
                substituted(statement, renamed)
                for statement in row
                if not (isinstance(statement, ir.Unpack) and statement.names in again)
            ]
            found, first_store, stored = self._found(row)
        leaves = any(map(_leaves, row))
        counts = Counter(one.key for one in found)
        before: dict[int, list[Statement]] = {}
        names: dict[Key, Ref] = {}
        replaced: dict[int, Ref] = {}
        for one in found:
            if one.key not in names:
                late = first_store is not None and one.at > first_store
                moves = late and not leaves and self._moves(one.key, stored)
                if counts[one.key] < 2 and not moves:
                    continue
                value = one.key[0] if moves else one.call
                assert isinstance(value, ir.Call)
                ref = names[one.key] = Ref(self._context.fresh("at"), *type_of(one.call.args[0]))
                place = one.at if first_store is None or not moves else first_store
                before.setdefault(place, []).append(ir.Define(ref.name, value))
            replaced[id(one.call)] = names[one.key]
        if not replaced:
            return bool(same)

        def replace(part: Part) -> Part:
            if id(part) in replaced:
                return replaced[id(part)]
            if isinstance(part, Polynomial | Ref):
                return part
            return with_parts(part, replace) if always_evaluated(part) else part

        made: list[Statement] = []
        touched = {one.at for one in found if id(one.call) in replaced}
        for at, statement in enumerate(row):
            made += before.get(at, [])
            made.append(with_parts(statement, replace) if at in touched else statement)
        row[:] = made
        return True

    def _found(self, row: list[Statement]) -> tuple[list[_Found], int | None, set[str]]:
        """Return the comparisons of a row, its first statement that stores to a parameter, and what it stores to."""
        versions: Counter[str] = Counter()
        values: dict[str, Expr] = {}
        found: list[_Found] = []
        first: int | None = None
        all_stored: set[str] = set()
        lists: dict[Key, tuple[str, ...]] = {}
        self._same_lists = []
        for at, statement in enumerate(row):
            for call in _comparisons(statement):
                key = _resolved(call, values)
                assert isinstance(key, Node)
                found.append(_Found(at, call, (key, self._versions(key, versions))))
            listed = _lists(statement)
            if listed is not None and self._several.isdisjoint(listed[0]):
                key = _resolved(listed[1], values)
                assert isinstance(key, Node)
                names = lists.setdefault((key, self._versions(key, versions)), listed[0])
                if names is not listed[0]:
                    self._same_lists.append((listed[0], names))
            changed = changed_by(statement, self._aliases)
            stored = changed - self._local
            all_stored |= stored
            if stored and first is None:
                first = at
            versions.update(changed)
            values = {name: value for name, value in values.items() if changed.isdisjoint(self._read(value))}
            match statement:
                case ir.Define(name, value) if name not in self._several and _is_plain(value):
                    resolved = _resolved(value, values)
                    assert isinstance(resolved, ir.Expr)
                    values[name] = resolved
                case _:
                    pass
        return found, first, all_stored

    def _versions(self, key: Node, versions: Counter[str]) -> tuple[int, ...]:
        return tuple([versions[name] for name in self._read(key)])

    def _read(self, value: Expr | Node) -> list[str]:
        """Return the names in an expression, and the arrays behind these."""
        return sorted({other for name in names_in(value) for other in (name, self._aliases.array(name))})

    def _moves(self, key: Key, stored: set[str]) -> bool:
        """Return whether a comparison can be made before all stores: none of them changes the part of a parameter
        that is compared.
        """
        call = key[0]
        assert isinstance(call, ir.Call)
        if not _is_there(call.args[0]):
            return False
        return self._local.isdisjoint(names_in(call)) and stored.isdisjoint(self._read(call))


_MOST = 400
"""Rows with more statements are left alone."""


def _leaves(statement: Statement) -> bool:
    """Return whether a statement may leave the loop around it."""
    return isinstance(statement, ir.Break) or any(
        _leaves(inner) for inner in bodies_of(statement) if not isinstance(statement, ir.For | ir.Forever)
    )


def _lists(statement: Statement) -> tuple[tuple[str, ...], ir.Call] | None:
    """Return the names that a statement gives to the list of the iterations of rows, and how it makes the list."""
    match statement:
        case ir.Unpack(names, ir.Call("places_in_rows" | "range_of_rows") as call):
            return names, call
        case _:
            return None


def _is_there(value: Expr) -> bool:
    """Return whether an expression is an array, or a view of one that surely can be taken."""
    match value:
        case Ref():
            return True
        case ir.Transposed(array):
            return _is_there(array)
        case ir.View(array, axes):
            shape = type_of(array)[1]
            places = [axis for axis in axes if not isinstance(axis, ir.NewAxis)]
            for at, axis in enumerate(places):
                if isinstance(axis, ir.At) and (shape is None or not _is_index(axis.index, shape[at])):
                    return False
            return _is_there(array)
        case _:
            return False


def _is_index(index: Expr, size: Polynomial) -> bool:
    """Return whether two numbers are an index and the size of its dimension."""
    number = index.value if isinstance(index, Polynomial) else None
    return number is not None and size.value is not None and 0 <= number < size.value


def _is_plain(value: Expr) -> bool:
    """Return whether an expression may be put in the place of its name: it means the same each time."""
    return not isinstance(value, ir.Call | ir.Choice | ir.Contract | ir.MatMul)


def _comparisons(statement: Statement) -> list[ir.Call]:
    """Return the comparisons of indices that a statement surely makes itself."""
    return [
        part
        for part in evaluated_parts(statement)
        if isinstance(part, ir.Call)
        and part.function == "inside"
        and not isinstance(part.args[0], Polynomial | ir.Literal | ir.ScalarOp)
    ]


def _resolved(part: Part, values: dict[str, Expr]) -> Part:
    """Return an expression with values in the place of their names."""
    if isinstance(part, Ref):
        return values.get(part.name, part)
    if isinstance(part, Polynomial) or values.keys().isdisjoint(names_in(part)):
        return part
    return with_parts(part, lambda one: _resolved(one, values))
