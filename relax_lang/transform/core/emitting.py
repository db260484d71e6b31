"""Bindings made of terms: what the rules of operators write down, in normal form and with fresh names. [N.3]"""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import walk
from relax_lang.base.sequences import is_sequence
from relax_lang.builder.values import literal
from relax_lang.ops.core.terms import Term, number
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Emitting:
    """Collects bindings; each term is bound once. `place` is where what is made comes from."""

    __slots__ = ("_dataflow", "_done", "_names", "_types", "bindings", "place")

    def __init__(self, names: FreshNames, *, dataflow: bool) -> None:
        self.bindings: list[tree.Binding] = []
        self.place: tuple[int, int] = (-1, -1)
        self._names = names
        self._dataflow = dataflow
        self._done: dict[Term, tree.Expr] = {}
        self._types: dict[str, dict[str, str]] = {}

    def bind(self, term: Term, name: str, *, output: bool = False) -> tree.Expr:
        """Bind a term to a new variable of this name, unless it is one already and no output is wanted."""
        done = self._done.get(term)
        if done is None and term.node is None:
            return self._bound(term, self._value(term), name, output=output)
        return self._bound(term, done or self._atom(term), name, output=output)

    def atom(self, term: Term) -> tree.Expr:
        """Return an operand: a variable for what is a call."""
        return self._atom(term)

    def _bound(self, term: Term, value: tree.Expr, name: str, *, output: bool) -> tree.Expr:
        fresh = self._names.fresh(name)
        local = self._dataflow and not output
        var = tree.DataflowVar(fresh, None) if local else tree.Var(fresh, None, *self.place)
        self.bindings.append(tree.VarBinding(var, value, *self.place))
        made = self._done[term] = tree.Var(fresh, None)
        return made

    def _atom(self, term: Any) -> tree.Expr:
        if term is None:
            return tree.Tuple(())
        if isinstance(term, tree.Expr):
            return term
        if is_sequence(term):
            return tree.Tuple(tuple([self._atom(one) for one in term]))
        if isinstance(term, int | float):
            term = number(term, None)
        assert isinstance(term, Term)
        if term.node is not None:
            return term.node
        done = self._done.get(term)
        if done is None:
            done = self._bound(term, self._value(term), "lv", output=False)
        return done

    def value(self, term: Term) -> tree.Expr:
        """Return what may be bound to a variable: an atom, or a call whose operands are bound."""
        return self._atom(term) if term.node is not None or term in self._done else self._value(term)

    def _value(self, term: Term) -> tree.Expr:
        """Return what is on the right of the binding of a term."""
        if term.of is not None:
            return tree.TupleGetItem(self._atom(term.of), term.index, *self.place)
        args = tuple([self._atom(one) for one in term.args])
        attrs = self.attributes(term.operator, term.attrs)
        return tree.Call(tree.Op(term.operator), args, attrs, term.result, *self.place)

    def attributes(self, operator: str, attrs: dict[str, Any]) -> tuple[tree.Attr, ...]:
        """Return attributes as they are written."""
        if not attrs:
            return ()
        types = self._types.get(operator)
        if types is None:
            known = lookup(operator)
            specs = () if known is None else known.attrs
            types = self._types[operator] = {spec.name: spec.type for spec in specs}
        return tuple([tree.Attr(name, literal(value, types.get(name, ""))) for name, value in attrs.items()])


def names_of(function: tree.Function) -> set[str]:
    """Return the names that are taken in a function: variables, shape variables, operators."""
    taken: set[str] = set()
    for node in walk(function):
        if isinstance(node, tree.Var | tree.DataflowVar):
            taken.add(node.name_hint)
        elif isinstance(node, tree.PrimVar):
            taken.add(node.name)
        elif isinstance(node, tree.Op):
            taken.add(node.op_name)
    return taken
