"""Patterns with several results: bindings of one dataflow block that are found, and rewritten, together.

    x, one, other = wildcard(), wildcard(), wildcard()
    q, k = is_op("matmul")(x, one), is_op("matmul")(x, other)
    context = PatternContext(q, k)

    def combine(found):
        both = op.matmul(found[x], op.concat((found[one], found[other]), axis=1))
        parts = op.split(both, indices_or_sections=2, axis=1)
        return {q: parts[0], k: parts[1]}

    rewrite_bindings(context, combine, program)

A pattern that occurs in several of them is one value. What several replacements share, as `parts` above, is bound once.
Bindings of the block are moved where the new ones need it: a dataflow block has no effects whose order could be seen.
What may change arrays in place (`call_tir_inplace`) stays where it is among all others; no match reaches over it.
"""

from __future__ import annotations

import heapq

from relax_lang.analysis.bindings import count_bindings, kept_order
from relax_lang.base.node import replaced, walk
from relax_lang.base.relax_error import RelaxError, refused
from relax_lang.base.sequences import is_sequence
from relax_lang.base.source import SourceFile
from relax_lang.builder.values import Atom, Field, Pending, Value
from relax_lang.normalize.inner_bodies import body_of, with_inner
from relax_lang.rewrite import diagnostics as diag
from relax_lang.rewrite.dpl import Pattern
from relax_lang.rewrite.matching import MOST_MATCHES, MOST_ROUNDS, Places, program_of, without_dead
from relax_lang.rewrite.mutator import Mutator, mutate_function
from relax_lang.scope.spans import bare_dims
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from typing import Any

    from relax_lang.rewrite.dpl import Found
    from relax_lang.typed import Typed

    Replacements = Mapping[Pattern, object]
    Change = Callable[[Found], Replacements | None]
    Orders = dict[tree.DataflowBlock, tuple[tree.Binding, ...]]


class PatternContext:
    """Patterns of several bindings, and how their values are used; see the head of this module."""

    def __init__(self, *results: Pattern) -> None:
        if not results or not all(isinstance(one, Pattern) for one in results):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise refused(diag.bad_pattern, "a context needs the patterns of its results")
        self.results = results
        self.edges: list[tuple[Pattern, Pattern, int | None, bool]] = []

    def used_by(self, value: Pattern, user: Pattern, index: int | None = None) -> PatternContext:
        """Ask that what is found for `value` is an argument of the call that is found for `user`, that of a number."""
        self.edges.append((value, user, index, False))
        return self

    def only_used_by(self, value: Pattern, user: Pattern, index: int | None = None) -> PatternContext:
        """Ask for the same, and that nothing else uses the value."""
        self.edges.append((value, user, index, True))
        return self


def rewrite_bindings(context: PatternContext, change: Change, program: Any) -> Any:
    """Return a program in which `change(found)` replaced the results of a context wherever they are found.

    `change` returns what takes the place of each result, by its pattern; results that are left out stay. None means no:
    then the next way of matching is tried. `found` maps every pattern to an expression, those of results to what their
    variables are bound to. The result is of the kind that was given, as with `rewrite`. Raises RelaxError if this does
    not end, or what is made does not fit.
    """
    return program_of(program, lambda typed: _rewritten(context, change, typed))


def _rewritten(context: PatternContext, change: Change, typed: Typed) -> Typed:
    left = 100 + MOST_MATCHES * sum(count_bindings(function) for function in typed.functions)
    for rounds in range(MOST_ROUNDS + 1):
        changed: dict[tree.Item, tree.Item | None] = {}
        for function in typed.functions:
            places = _Together(typed, function, context, change)
            if not places.found():
                continue
            left -= len(places.made)
            if rounds == MOST_ROUNDS or left < 0:
                assert function.name is not None
                found = diag.rewrite_does_not_end(None, f"@{function.name.name_hint}", rounds + 1)
                raise RelaxError(SourceFile("", "<module>"), [found])
            made = mutate_function(typed, places.reordered(), _Replacing(places.groups))
            changed[function] = without_dead(made, places.inside, typed)
        if not changed:
            return typed
        typed = typed.with_items(changed)
    return typed


class _Together(Places):
    """Looks for a context in one function; `groups` has what takes the place of right-hand sides, match by match."""

    def __init__(
        self, typed: Typed, function: tree.Function, context: PatternContext, change: Change
    ) -> None:
        super().__init__(typed, function, context.results[0], lambda whole, _: whole)
        self._context = context
        self._choose = change
        self.groups: list[dict[tree.Expr, object]] = []
        self._orders: Orders = {}

    def _block(self, block: tree.BlockOfBindings) -> None:
        if not isinstance(block, tree.DataflowBlock):
            return
        runs = self._runs(block)
        order = _Order(block, {run[-1] for run in runs[:-1]})
        taken: set[str] = set()
        for run in runs:
            self._values = {one.var.name_hint: one.value for one in run if isinstance(one, tree.VarBinding)}
            self._names = {value: name for name, value in self._values.items()}
            while self._one(order, taken):
                pass
        if taken:
            self._orders[block] = order.sorted() or block.bindings

    def _one(self, order: _Order, taken: set[str]) -> bool:
        """Look for one more match in a block, apart from those before; return whether there is one."""
        fitting = [
            [
                name
                for name in reversed(self._values)
                if name not in taken and next(one.matches(tree.Var(name, None), self, {}), None) is not None
            ]
            for one in self._context.results
        ]
        for found, names in self._ways(fitting, {}, ()):
            if not all(self._is_edge(found, edge) for edge in self._context.edges):
                continue
            results = dict(zip(self._context.results, [self._values[name] for name in names], strict=True))
            made = self._choose({**found, **results})
            if not made:
                continue
            if not all(pattern in self._context.results for pattern in made):
                raise refused(diag.bad_pattern, "only the results of a context can be replaced")
            group = {names[self._context.results.index(pattern)]: value for pattern, value in made.items()}
            if not order.accept(group):
                continue
            self.groups.append({self._values[name]: value for name, value in group.items()})
            self.made.update(self.groups[-1])
            inner = [node.name_hint for node in found.values() if isinstance(node, tree.Var)]
            taken.update(inner)
            self.inside.update([name for name in inner if name in self._values and name not in group])
            return True
        return False

    def _ways(
        self, fitting: Sequence[Sequence[str]], found: Found, names: tuple[str, ...]
    ) -> Iterator[tuple[Found, tuple[str, ...]]]:
        """Yield every way to choose a binding for each result."""
        at = len(names)
        if at == len(fitting):
            yield found, names
            return
        for name in fitting[at]:
            if name in names:
                continue
            for one in self._context.results[at].matches(tree.Var(name, None), self, found):
                yield from self._ways(fitting, one, (*names, name))

    def _is_edge(self, found: Found, edge: tuple[Pattern, Pattern, int | None, bool]) -> bool:
        value, user, index, only = edge
        node, call = found.get(value), found.get(user)
        if node is None or call is None:
            return False
        name = node.name_hint if isinstance(node, tree.Var) else self._names.get(node)
        call = self.value_of(call) or call
        if name is None or not isinstance(call, tree.Call):
            return False
        args = call.args if index is None else call.args[index : index + 1]
        uses = [
            one for arg in args for one in walk(arg) if isinstance(one, tree.Var) and one.name_hint == name
        ]
        return bool(uses) and (not only or self.uses_of(tree.Var(name, None)) == len(uses))

    def reordered(self) -> tree.Function:
        """Return the function with the bindings of its blocks in an order that the replacements allow."""
        body = body_of(self._function.body)
        made = _reordered(body, self._orders)
        return self._function if made is body else replaced(self._function, body=made)


class _Order:
    """The bindings of a block, and what each has to come after; those in `fixed` stay where they are among all."""

    def __init__(self, block: tree.DataflowBlock, fixed: Collection[tree.Binding]) -> None:
        self._bindings = block.bindings
        self._binder: dict[str, int] = {}
        """The number of the binding of a variable, or of a shape variable."""
        self._after: list[set[int]] = []
        for at, binding in enumerate(block.bindings):
            if binding.var is not None:
                self._binder[binding.var.name_hint] = at
            if isinstance(binding, tree.MatchCast):
                for dim in bare_dims(binding.struct_info):
                    self._binder.setdefault(dim.name, at)
        self._always = kept_order([binding in fixed for binding in block.bindings])
        """What a binding comes after whatever its value is."""
        for at, binding in enumerate(block.bindings):
            self._after.append(self._numbers(walk(binding)) - {at} | self._always[at])

    def _numbers(self, nodes: Any) -> set[int]:
        names = [
            node.name_hint if isinstance(node, tree.Var) else node.name
            for node in nodes
            if isinstance(node, tree.Var | tree.PrimVar)
        ]
        return {self._binder[name] for name in names if name in self._binder}

    def accept(self, group: Mapping[str, object]) -> bool:
        """Let bindings have other values, all of them after what any of these needs; return False if they cannot."""
        members = {self._binder[name] for name in group}
        needed: set[int] = set()
        for value in group.values():
            needed |= self._numbers(_trees(value))
        casts = [
            at
            for at, one in enumerate(self._bindings)
            if isinstance(one, tree.MatchCast) and at < max(members)
        ]
        needed |= {at for at in casts if bare_dims(self._binding_info(at))}
        if needed & members:
            return False
        before = {at: self._after[at] for at in members}
        for at in members:
            self._after[at] = needed | self._always[at]
        if self.sorted() is not None:
            return True
        for at, known in before.items():
            self._after[at] = known
        return False

    def _binding_info(self, at: int) -> tree.StructInfo:
        binding = self._bindings[at]
        assert isinstance(binding, tree.MatchCast)
        return binding.struct_info

    def sorted(self) -> tuple[tree.Binding, ...] | None:
        """Return the bindings in their order, each as late as what it needs; None if there is a circle."""
        waiting = [len(needed) for needed in self._after]
        users: list[list[int]] = [[] for _ in self._after]
        for at, needed in enumerate(self._after):
            for one in needed:
                users[one].append(at)
        ready = [at for at, count in enumerate(waiting) if not count]
        made: list[tree.Binding] = []
        while ready:
            at = heapq.heappop(ready)
            made.append(self._bindings[at])
            for user in users[at]:
                waiting[user] -= 1
                if not waiting[user]:
                    heapq.heappush(ready, user)
        return tuple(made) if len(made) == len(self._bindings) else None


def _reordered(seq: tree.SeqExpr, orders: Orders) -> tree.SeqExpr:
    """Return a body whose blocks have their bindings in other orders, in branches and local functions, too."""
    blocks: list[tree.BlockOfBindings] = []
    for block in seq.blocks:
        order = orders[block] if isinstance(block, tree.DataflowBlock) and block in orders else block.bindings
        bindings = tuple([with_inner(one, lambda inner: _reordered(inner, orders)) for one in order])
        blocks.append(block if bindings == block.bindings else replaced(block, bindings=bindings))
    return seq if tuple(blocks) == seq.blocks else replaced(seq, blocks=tuple(blocks))


def _trees(value: object) -> Iterator[tree.Node]:
    """Yield the nodes of a value that is being made."""
    if isinstance(value, Pending):
        if not isinstance(value.operator, str):
            yield from _trees(value.operator)
        for arg in value.args:
            yield from _trees(arg)
    elif isinstance(value, Field):
        yield from _trees(value.value)
    elif isinstance(value, Atom):
        yield from walk(value.node)
    elif isinstance(value, tree.Node):
        yield from walk(value)
    elif is_sequence(value):
        for one in value:
            yield from _trees(one)


class _Replacing(Mutator):
    """Puts replacements in the place of right-hand sides; what those of one match share is bound once."""

    def __init__(self, groups: Sequence[Mapping[tree.Expr, object]]) -> None:
        self._group = {node: group for group in groups for node in group}
        self._shared: dict[int, Atom] = {}
        self._counts: dict[int, int] = {}
        for group in groups:
            for value in group.values():
                self._count(value)

    def _count(self, value: object) -> None:
        if isinstance(value, Pending):
            self._counts[id(value)] = self._counts.get(id(value), 0) + 1
            if self._counts[id(value)] == 1:
                for arg in value.args:
                    self._count(arg)
        elif isinstance(value, Field):
            self._count(value.value)
        elif is_sequence(value):
            for one in value:
                self._count(one)

    def visited(self, node: Any) -> Any:
        """Return what takes the place of a node."""
        group = self._group.get(node)
        if group is None:
            return node
        made = self._with_shared(group[node])
        return Atom(made.node) if isinstance(made, Value) and isinstance(made, Atom) else made

    def _with_shared(self, value: Any) -> Any:
        """Return a value in which what occurs several times is a variable."""
        if isinstance(value, Field):
            return Field(self._with_shared(value.value), value.index)
        if is_sequence(value):
            return tuple([self._with_shared(one) for one in value])
        if not isinstance(value, Pending):
            return value
        known = self._shared.get(id(value))
        if known is not None:
            return known
        args = tuple([self._with_shared(arg) for arg in value.args])
        made = Pending(value.operator, args, value.attrs, value.place, value.result)
        if self._counts[id(value)] < 2:
            return made
        atom = self._shared[id(value)] = self.emit(made)
        return atom
