"""Value numbering: what several statements of a kernel compute from the same values is computed once.

A kernel is what is between two remarks. Those of a tile count as one, and those of a step of a loop with many small
ones: the arrays in it are as small as some rows, so a variance and the normalization after it can both read one
`X[i, j] - Mean[i]`, and a condition and what is stored where it holds one `C[i] + room * room`. A value is the same as
an earlier one if it is the same expression, and nothing that it reads has been stored to or redefined since. All
kernels share masks, which are small beside the arrays, and what takes more than one operation: an array that is kept
costs less than that.
"""

from __future__ import annotations

from collections import Counter

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Canonical, Node, Ref, names_in, parts_of, with_parts
from relax_lang.tir.codegen.passes.effects import Aliases, all_statements, bodies_of, changed_by, targets_of
from relax_lang.tir.codegen.passes.rewriting import (
    always_evaluated,
    evaluated_parts,
    propagate,
    rebound_names,
    substituted,
)
from relax_lang.tir.codegen.passes.types import Operation, is_mask_of_sizes, is_whole, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.array_ir.nodes import Statement
    from relax_lang.tir.codegen.passes.context import Context

    Part = Node | Polynomial
    Key = tuple[Node, tuple[int, ...]]

_ANYWHERE = -1
"""Stands for the kernel of what all kernels share."""


def number_values(body: list[Statement], context: Context) -> None:
    """Give values that are computed twice a name."""
    _number(body, body, context)


def _number(
    body: list[Statement], function: list[Statement], context: Context, *, across: bool = False
) -> None:
    """Number the values of a row of statements, of all kernels together if `across`."""
    while across or _repeats(body):
        names = _Numbering(context, function, across=across).run(body)
        if not names:
            break
        propagate(body, names)
    for statement in body:
        inner = bodies_of(statement)
        if inner:
            is_small = isinstance(statement, ir.For) and (statement.hot or statement.step != ir.Literal(1))
            _number(inner, function, context, across=is_small or (across and isinstance(statement, ir.If)))


def _repeats(body: list[Statement]) -> bool:
    """Return whether anything that may be a repetition occurs in a row of statements."""
    seen: set[Node] = set()
    for statement in body:
        found: list[Node] = [statement] if isinstance(statement, ir.Require) else _values(statement)
        small = _small_value(statement)
        if small is not None:
            found.append(small)
        for value in found:
            if value in seen:
                return True
            seen.add(value)
    return False


def _values(statement: Statement) -> list[Node]:
    """Return what a statement surely computes from arrays."""
    return [
        part
        for part in evaluated_parts(statement)
        if is_whole(part) or (isinstance(part, ir.Call) and part.function == "inside")
    ]


def _is_worth_keeping(value: Part) -> bool:
    """Return whether keeping a value until another kernel needs it costs less than computing it again."""
    if is_mask_of_sizes(value) or (is_whole(value) and value.dtype == dtypes.BOOL):
        return True
    return is_whole(value) and any(map(_has_operation, parts_of(value)))


def _small_value(statement: Statement) -> Operation | None:
    """Return the value that a statement names if it does not vary over all loops, and takes an operation."""
    value = statement.value if isinstance(statement, ir.Define) else None
    return value if isinstance(value, Operation) and not is_whole(value) else None


def _has_operation(part: Part) -> bool:
    """Return whether an expression is an operation on arrays, or has one in it."""
    if isinstance(part, Polynomial | Ref):
        return False
    return is_whole(part) or any(map(_has_operation, parts_of(part)))


class _Numbering:
    """The values of one row of statements."""

    def __init__(self, context: Context, function: list[Statement], *, across: bool) -> None:
        self._context = context
        self._across = across
        self._views: dict[str, Node] = {}
        self._canonical = Canonical()
        self._function = function
        self._aliases = Aliases(function)
        self._versions: Counter[str] = Counter()
        self._first: dict[Key, Ref] = {}
        """The first name of each value that has one."""

    def run(self, body: list[Statement]) -> set[str]:
        """Give names to what occurs twice; return them."""
        keys: list[dict[int, Key]] = []
        counts: Counter[Key] = Counter()
        body[:] = self._without_repeated_guards(body)
        body[:] = self._without_repeated_definitions(body)
        changing = self._changing()
        for statement in body:
            found = self._candidates(statement)
            keys.append(found)
            counts.update(found.values())
            self._note(statement)
            if isinstance(statement, ir.Define) and statement.name not in changing:
                self._note_name(statement, found)
        names: dict[Key, Ref] = {}
        if any(count > 1 for count in counts.values()):
            body[:] = self._named(body, keys, counts, names)
        return {ref.name for ref in names.values()}

    def _without_repeated_guards(self, body: list[Statement]) -> list[Statement]:
        """Return statements without guards that have been passed before."""
        if sum([isinstance(statement, ir.Require) for statement in body]) < 2:
            return body
        kept: list[Statement] = []
        passed: set[Key] = set()
        for statement in body:
            if isinstance(statement, ir.Require):
                key = statement, self._versions_of(statement)
                if key in passed:
                    continue
                passed.add(key)
            kept.append(statement)
            self._note(statement)
        return kept

    def _without_repeated_definitions(self, body: list[Statement]) -> list[Statement]:
        """Return statements in which a small value of a kernel, one that varies over some of its loops, has one name:
        what is computed from two names would count as two values.
        """
        small = [value for one in body if (value := _small_value(one)) is not None]
        if len(set(small)) == len(small):
            return body
        changing = self._changing()
        kept: list[Statement] = []
        first: dict[Key, Ref] = {}
        names: dict[str, ir.Expr] = {}
        for one in body:
            statement = substituted(one, names)
            if isinstance(statement, ir.Remark) and not self._across:
                self._versions[""] += 1  # a kernel of its own
            value = _small_value(statement)
            if isinstance(statement, ir.Define) and value is not None and statement.name not in changing:
                ref = Ref(statement.name, *type_of(value))
                known = first.setdefault((value, (self._versions[""], *self._versions_of(value))), ref)
                if known is not ref:
                    names[ref.name] = known
                    continue
            kept.append(statement)
            self._note(statement)
        return kept

    def _changing(self) -> set[str]:
        """Return the names of the function that are given another value, or whose elements are stored to."""
        targets = [target for one in all_statements(self._function) for target in targets_of(one)]
        roots = {self._aliases.root(target) for target in targets}
        return rebound_names(self._function) | {root for root in roots if root is not None}

    def _versions_of(self, node: Node) -> tuple[int, ...]:
        """Return how often each name that an expression uses, and each array behind one, has been changed."""
        return tuple(
            [
                self._versions[name]
                for one in sorted(names_in(node))
                for name in (one, self._aliases.array(one))
            ]
        )

    def _candidates(self, statement: Statement) -> dict[int, Key]:
        """Return what a statement surely computes from arrays, by identity, with the versions of what it reads."""
        if isinstance(statement, ir.Remark) and not self._across:
            self._versions[""] += 1  # a kernel of its own
        kernel = self._versions[""]
        found: dict[int, Key] = {}
        made: dict[int, Part] = {}
        for one in _values(statement):
            value = self._canonical.of(self._without_names(one, made))
            assert isinstance(value, Node)
            place = _ANYWHERE if _is_worth_keeping(value) else kernel
            found[id(one)] = value, (place, *self._versions_of(value))
        return found

    def _without_names(self, part: Part, made: dict[int, Part]) -> Part:
        """Return an expression with views in the place of their names, which differ from kernel to kernel.

        What was `made` of parts of a statement is kept by identity: values are parts of other values.
        """
        if isinstance(part, Ref):
            return self._views.get(part.name, part)
        if isinstance(part, Polynomial) or self._views.keys().isdisjoint(names_in(part)):
            return part
        known = made.get(id(part))
        if known is None:
            known = made[id(part)] = with_parts(part, lambda inner: self._without_names(inner, made))
        return known

    def _note(self, statement: Statement) -> None:
        """Note what a statement changes, and names for views."""
        if self._across and isinstance(statement, ir.Define) and isinstance(statement.value, ir.View):
            self._views[statement.name] = statement.value
        self._versions.update(changed_by(statement, self._aliases))

    def _note_name(self, statement: ir.Define, found: dict[int, Key]) -> None:
        """Note a further name of a value: what is computed from either name is one value, at once and not only after
        one of them is gone.
        """
        value = statement.value
        key = found.get(id(value))
        if key is not None:
            first = self._first.setdefault(key, Ref(statement.name, *type_of(value)))
            if first.name != statement.name:
                self._views[statement.name] = first

    def _named(
        self,
        body: list[Statement],
        keys: list[dict[int, Key]],
        counts: Counter[Key],
        names: dict[Key, Ref],
    ) -> list[Statement]:
        made: list[Statement] = []
        for statement, found in zip(body, keys, strict=True):
            before: list[Statement] = []

            def replace(part: Part, found: dict[int, Key] = found, before: list[Statement] = before) -> Part:
                if isinstance(part, Polynomial | Ref):
                    return part
                key = found.get(id(part))
                if key is None or counts[key] < 2:
                    return with_parts(part, replace) if always_evaluated(part) else part
                if key not in names:
                    value = with_parts(part, replace)
                    assert isinstance(value, ir.Expr)
                    names[key] = Ref(self._context.fresh("at"), *type_of(value))
                    before.append(ir.Define(names[key].name, value))
                return names[key]

            new = with_parts(statement, replace)  # which adds to what comes before
            made += [*before, new]
        return made
