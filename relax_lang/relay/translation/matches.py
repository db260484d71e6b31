"""Matches as decision trees over tags: each field is read once on every way down. [R.17] [R.39]"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.relay.operators.symbolic import Atom
from relax_lang.relay.syntax import tree as relay
from relax_lang.relay.translation.emitter import any_info
from relax_lang.relay.translation.translate import FunctionTranslator
from relax_lang.relay.unification.model import Adt, Func, Tuple, find_type, substitute
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.relay.unification.model import Type

    Column = tuple[Atom, Type]
    Row = tuple[list[tuple[relay.Pattern, Atom, Type]], relay.Clause]


def translate_match(self: FunctionTranslator, node: relay.Match) -> Atom:
    """Translate a match: tests of tags, and at every end the value of the clause that fits."""
    data = self.expr(node.data)
    type_ = self.type(node.data)
    if not isinstance(data.expr, tree.Var):
        data = self.to.bound(data.expr, data.info or self.info(node.data))
    rows: list[Row] = [([(clause.pattern, data, type_)], clause) for clause in node.clauses]
    return _Tree(self, node, data).decide(rows)


class _Tree:
    """One match: what it is of, and what no clause fits."""

    def __init__(self, maker: FunctionTranslator, node: relay.Match, data: Atom) -> None:
        self.maker = maker
        self.node = node
        self.data = data

    def decide(self, rows: list[Row]) -> Atom:
        """Return the value of the first row that fits; what is tested is written once per way."""
        maker = self.maker
        if not rows:
            info = maker.info(self.node)
            return maker.to.packed("relay.no_clause", [self.data], info, pure=maker.pure)
        tests, clause = rows[0]
        place = next((i for i, (pattern, _, _) in enumerate(tests) if _tests(pattern)), None)
        if place is None:
            for pattern, atom, _ in tests:
                self._bind(pattern, atom)
            return maker.region(clause, clause.body)
        pattern, atom, type_ = tests[place]
        if isinstance(pattern, relay.PTuple):
            return self.decide(self._opened(rows, atom, type_, len(pattern.fields)))
        assert isinstance(pattern, relay.PCtor)
        owner = maker.translation.analysed.resolved.ctors[pattern.name].owner
        return self._switch(rows, atom, type_, owner)

    def _bind(self, pattern: relay.Pattern, atom: Atom) -> None:
        """Bind the variable of a pattern that does not look at its value."""
        if isinstance(pattern, relay.PVar):
            self.maker.variables[pattern.var] = atom

    def _opened(self, rows: list[Row], atom: Atom, type_: Type, count: int) -> list[Row]:
        """Replace a tuple by its fields, in every row that looks at it."""
        to = self.maker.to
        whole = find_type(type_)
        assert isinstance(whole, Tuple)
        fields: list[Atom] = []
        for index in range(count):
            field = to.field(atom, index)
            fields.append(to.bound(field.expr, any_info(whole.fields[index], pure=self.maker.pure)))
        made: list[Row] = []
        for tests, clause in rows:
            kept: list[tuple[relay.Pattern, Atom, Type]] = []
            for one in tests:
                if one[1] is atom and isinstance(one[0], relay.PTuple):
                    kept += zip(one[0].fields, fields, whole.fields, strict=True)
                else:
                    kept.append(one)
            made.append((kept, clause))
        return made

    def _switch(self, rows: list[Row], atom: Atom, type_: Type, owner: relay.TypeDef) -> Atom:
        """Test the tag of a value, constructor by constructor of those that the rows name."""
        to = self.maker.to
        named: dict[str, None] = {}
        for tests, _ in rows:
            for pattern, other, _ in tests:
                if other is atom and isinstance(pattern, relay.PCtor):
                    named[pattern.name] = None
        scalar = tree.TensorStructInfo(tree.ShapeExpr(()), tree.DType("int32"), None)
        needs_rest = len(named) < len(owner.ctors)
        tag = None
        if len(named) + needs_rest > 1:
            tag = to.packed("relay.adt.tag", [atom], scalar, pure=True)
        return self._test(list(named), rows, atom, type_, tag, needs_rest=needs_rest)

    def _test(
        self,
        names: list[str],
        rows: list[Row],
        atom: Atom,
        type_: Type,
        tag: Atom | None,
        *,
        needs_rest: bool,
    ) -> Atom:
        if not names:
            return self.decide([row for row in (self._without(one, atom) for one in rows) if row is not None])
        name, rest = names[0], names[1:]
        if tag is None or (not rest and not needs_rest):
            return self._case(name, rows, atom, type_)
        maker = self.maker
        to = maker.to
        index = maker.translation.analysed.resolved.ctors[name].index
        condition = to.call("equal", tag, to.const(index, "int32"))
        to.open()
        then = to.close(self._case(name, rows, atom, type_))
        to.open()
        other = to.close(self._test(rest, rows, atom, type_, tag, needs_rest=needs_rest))
        return to.bound(tree.If(condition.expr, then, other, *to.place), maker.info(self.node))

    def _case(self, name: str, rows: list[Row], atom: Atom, type_: Type) -> Atom:
        """Go on where the value has a constructor: its fields take its place."""
        maker = self.maker
        whole = find_type(type_)
        assert isinstance(whole, Adt)
        scheme = maker.state.ctor_schemes[name]
        known = dict(zip(scheme.quantified, whole.args, strict=True))
        own = substitute(scheme.type, dict(known))
        assert isinstance(own, Func)
        used = [False] * len(own.params)
        for tests, _ in rows:
            for pattern, other, _ in tests:
                if other is atom and isinstance(pattern, relay.PCtor) and pattern.name == name:
                    used = [
                        a or not isinstance(b, relay.PWild) for a, b in zip(used, pattern.fields, strict=True)
                    ]
        fields: list[Atom] = []
        for index, field in enumerate(own.params):
            info = any_info(field, pure=maker.pure)
            if not used[index]:
                fields.append(Atom(tree.Tuple(()), info))
                continue
            at = maker.to.const(index, "int32")
            fields.append(maker.to.packed("relay.adt.get", [atom, at], info, pure=True))
        made: list[Row] = []
        for tests, clause in rows:
            kept: list[tuple[relay.Pattern, Atom, Type]] | None = []
            for one in tests:
                if one[1] is not atom or not isinstance(one[0], relay.PCtor):
                    kept.append(one)
                elif one[0].name == name:
                    kept += zip(one[0].fields, fields, own.params, strict=True)
                else:
                    kept = None
                    break
            if kept is not None:
                made.append((kept, clause))
        return self.decide(made)

    @staticmethod
    def _without(row: Row, atom: Atom) -> Row | None:
        """Return a row where the value has none of the constructors that rows name; None if it asks for one."""
        tests, _ = row
        return None if any(one[1] is atom and isinstance(one[0], relay.PCtor) for one in tests) else row


def _tests(pattern: relay.Pattern) -> bool:
    """Return whether a pattern looks at its value."""
    match pattern:
        case relay.PCtor() | relay.PTuple():
            return True
        case relay.PVar() | relay.PWild():
            return False
        case _:
            return assert_never(pattern)
