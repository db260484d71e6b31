"""Inference of a long function of which most is known: stretches whose variables have what they had are gone over.

A binding is derived from the infos of the variables that it mentions and from what else is known where it is: facts,
shape variables in scope, whether host code may have run. Of a stretch that changed none of the latter, and in which
nothing was found, the infos are reused as long as all that is the same. Where a binding that is derived again
comes to what it had before, those that mention it need not be looked at: so an edit costs what it changes.
"""

from __future__ import annotations

from typing import Any, cast

from relax_lang.base.cancellation import checkpoint
from relax_lang.base.node import Node, same, walk
from relax_lang.ops.registry import lookup
from relax_lang.struct_info.context import NO_FACTS
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from relax_lang.arith.facts import Facts
    from relax_lang.check.infer.context.module_state import Info
    from relax_lang.check.infer.context.state import State
    from relax_lang.syntax.stretches import Stretch, Stretches

BY_NAME = ("infos", "binders", "epochs", "values", "known", "untrusted")
"""The tables of `State` that have an entry for a variable from its binding on."""


class _Surroundings:
    """What is known where a stretch begins, beside the infos of variables."""

    __slots__ = ("facts", "plain", "shape_vars")

    def __init__(self, plain: tuple[object, ...], facts: Facts, shape_vars: frozenset[str]) -> None:
        self.plain = plain
        self.facts = facts
        self.shape_vars = shape_vars


class Outcome:
    """What deriving a stretch has written."""

    __slots__ = ("asks_for_names", "bindings", "infos", "is_quiet", "proved", "surroundings", "tables")

    def __init__(self, bindings: Sequence[tree.Binding], surroundings: _Surroundings) -> None:
        self.bindings = bindings
        self.surroundings = surroundings
        self.infos: dict[Node, Info] = {}
        self.tables: list[tuple[str, dict[str, Any]]] = []
        self.proved: set[Node] = set()
        self.is_quiet = False
        """Whether it has no effects for certain, and binds nothing that can be called."""
        self.asks_for_names = False
        """Whether it depends on the names of all shape variables of the function."""


class Memory:
    """The stretches of a function in normal form, what is known of it from before, and what is afterwards."""

    __slots__ = (
        "_all_names",
        "_before",
        "_changed",
        "_equal",
        "_final",
        "_names",
        "_shape_vars",
        "function",
        "kept",
        "made",
        "stretches",
    )

    def __init__(self, function: tree.Function, stretches: Stretches, before: Memory | None) -> None:
        self.function = function
        self.stretches = stretches
        self.made: dict[Stretch, Outcome] = {}
        self.kept = 0
        """How many stretches were gone over."""
        self._before = before
        self._changed: set[str] = set()
        """Variables that have something else than before."""
        self._equal: dict[tuple[Facts, Facts], bool] = {}
        self._shape_vars: frozenset[str] = frozenset()
        self._names: dict[Stretch, frozenset[str]] = {}
        self._all_names: set[str] = set()
        self._final: dict[str, dict[str, Any]] = {}

    def begin(self, state: State) -> None:
        """Note what the parameters have."""
        for param in self.function.params:
            self._compare(state, param)

    def derive(
        self, state: State, bindings: Sequence[tree.Binding], each: Callable[[State, tree.Binding], None]
    ) -> None:
        """Derive the bindings of a block of the function itself; `each` derives one."""
        before = self._before
        for stretch, part in self.stretches.parts(bindings):
            checkpoint()
            known = None if before is None or stretch is None else before.made.get(stretch)
            if stretch is not None and known is not None and self._holds(state, stretch, known, part):
                self._go_over(state, known)
                self.made[stretch] = known
                self.kept += 1
                continue
            if stretch is None:
                each(state, part[0])
            else:
                self._walk(state, stretch, part, each)
            for binding in part:
                if binding.var is not None:
                    self._compare(state, binding.var)

    def end(self, state: State) -> None:
        """Keep what variables have at the end of the function, to compare with."""
        self._final = {name: dict(getattr(state, name)) for name in BY_NAME if name != "binders"}
        self._all_names = state.known_names or set()
        self._before = None
        self._equal.clear()

    def all_names(self) -> set[str]:
        """Return the names of all shape variables that the function mentions."""
        before = self._before
        names = _shape_names([*self.function.params, self.function.ret_struct_info])
        body = self.function.body
        assert type(body) is tree.SeqExpr
        for block in body.blocks:
            for stretch, part in self.stretches.parts(block.bindings):
                if stretch is None:
                    names |= _shape_names(part)
                    continue
                own = before._names.get(stretch) if before is not None else None
                self._names[stretch] = own = own if own is not None else frozenset(_shape_names(part))
                names |= own
        return names | _shape_names([body.body])

    def quiet(self) -> set[tree.Binding]:
        """Return the bindings that have no effects for certain, and bind nothing that can be called."""
        return {binding for outcome in self.made.values() if outcome.is_quiet for binding in outcome.bindings}

    def _holds(self, state: State, stretch: Stretch, known: Outcome, part: Sequence[tree.Binding]) -> bool:
        if known.bindings is not part or not self._changed.isdisjoint(stretch.words):
            return False
        now, then = self._surroundings(state), known.surroundings
        if now.plain != then.plain or now.shape_vars != then.shape_vars:
            return False
        if not self._same_facts(now.facts, then.facts):
            return False
        assert self._before is not None
        return not known.asks_for_names or state.all_names == self._before._all_names

    def _go_over(self, state: State, known: Outcome) -> None:
        inferred = state.module.inferred
        inferred.infos.update(known.infos)
        inferred.proved |= known.proved
        state.take_over(known.tables)

    def _walk(
        self,
        state: State,
        stretch: Stretch,
        part: Sequence[tree.Binding],
        each: Callable[[State, tree.Binding], None],
    ) -> None:
        module, inferred = state.module, state.module.inferred
        surroundings = self._surroundings(state)
        counted = module.n_noted()
        proved, inferred.proved = inferred.proved, set()
        asked, state.asks_for_names = state.asks_for_names, False
        for binding in part:
            each(state, binding)
        made = Outcome(part, surroundings)
        made.proved, made.asks_for_names = inferred.proved, state.asks_for_names
        proved |= inferred.proved
        inferred.proved, state.asks_for_names = proved, asked
        after = self._surroundings(state)
        if (
            module.n_noted() == counted
            and after.plain == surroundings.plain
            and after.facts is surroundings.facts
            and after.shape_vars is surroundings.shape_vars
            and stretch.words.isdisjoint(state.literals)
        ):
            binders = [one.var for one in part if one.var is not None]
            made.infos = {one: inferred.infos[one] for one in binders}
            names = [one.name_hint for one in binders]
            for table in BY_NAME:
                entries: dict[str, Any] = getattr(state, table)
                own = {name: entries[name] for name in names if name in entries}
                if own:
                    made.tables.append((table, own))
            made.is_quiet = all(map(_is_quiet, part))
            self.made[stretch] = made

    def _surroundings(self, state: State) -> _Surroundings:
        if self._shape_vars.symmetric_difference(state.shape_vars):
            self._shape_vars = frozenset(state.shape_vars)
        plain = state.epoch, state.in_dataflow, state.rests_on_invalidated, state.n_facts
        return _Surroundings(plain, state.context.facts, self._shape_vars)

    def _same_facts(self, now: Facts, then: Facts) -> bool:
        if now is then or (now is NO_FACTS and not then.conditions):
            return True
        key = now, then
        if key not in self._equal:
            self._equal[key] = len(now.conditions) == len(then.conditions) and all(
                same(one, other) for one, other in zip(now.conditions, then.conditions, strict=True)
            )
        return self._equal[key]

    def _compare(self, state: State, var: tree.Binder) -> None:
        """Note whether a variable has something else than before."""
        before, name = self._before, var.name_hint
        if before is None or name == "_":
            return
        for table, old in before._final.items():
            one, other = getattr(state, table).get(name), old.get(name)
            if one is other or (table == "values" and _same_value(one, other)):
                continue
            if table == "infos" and one is not None and other is not None and _same_with_places(one, other):
                continue
            if table not in ("infos", "values", "known") and one == other:
                continue
            self._changed.add(name)
            return


_WITHOUT_EFFECTS = (tree.Tuple, tree.TupleGetItem, tree.Constant, tree.ShapeExpr)


def _is_quiet(binding: tree.Binding) -> bool:
    value, var = binding.value, binding.var
    if var is not None and type(var.struct_info_annotation) is tree.FuncStructInfo:
        return False
    if type(value) is not tree.Call:
        return type(value) in _WITHOUT_EFFECTS
    operator = lookup(value.op.op_name) if type(value.op) is tree.Op else None
    return operator is not None and operator.pure


def _same_value(one: Node | None, other: Node | None) -> bool:
    return one is not None and other is not None and same(one, other)


def _same_with_places(left: Node, right: Node) -> bool:
    """Return whether two infos are the same, also the places that they come from."""
    stack: list[tuple[Any, Any]] = [(left, right)]
    while stack:
        a, b = stack.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if isinstance(a, Node):
            if (a.pos, a.end) != (b.pos, b.end):
                return False
            stack += [(getattr(a, name), getattr(b, name)) for name in a.FIELDS]
        elif type(a) is tuple:
            one, other = cast("tuple[Any, ...]", a), cast("tuple[Any, ...]", b)
            if len(one) != len(other):
                return False
            stack += zip(one, other, strict=True)
        elif a != b:
            return False
    return True


def _shape_names(nodes: Iterable[Node | None]) -> set[str]:
    return {
        node.name for root in nodes if root is not None for node in walk(root) if type(node) is tree.PrimVar
    }
