"""What both forms share: a walk in the order of evaluation that binds the parts of expressions. [R.36]

All local variables of a function of the module get different names, so that nested blocks can be opened and bindings
moved outwards without a name changing its meaning. Nodes keep the places of the expressions that they come from.
"""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import Node, assert_never, walk
from relax_lang.relay.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.relay.checking import Analysed

LEAVES = (tree.Var, tree.GraphVar, tree.GlobalVar, tree.OpRef, tree.Const, tree.MetaRef)
"""Expressions whose evaluation does nothing."""


def is_atom(node: tree.Expr) -> bool:
    """Return whether an expression may be written in any place, and any number of times."""
    return isinstance(node, LEAVES) or (isinstance(node, tree.Tuple) and not node.fields)


class Rewriter:
    """One function of the module while it is rewritten. `bind` and `block` are what the forms differ in."""

    def __init__(self, analysed: Analysed) -> None:
        self.resolved = analysed.resolved
        self.names = FreshNames()
        self.variables: dict[tree.Var, tree.Expr] = {}
        """What each variable of the program is now, by the place where it is bound."""
        self.graph: dict[tree.GraphBind, tree.Expr] = {}
        self.blocks: list[list[tree.Binding]] = []

    # -- what the forms differ in --------------------------------------------------------------------------

    def bind(self, value: tree.Expr, hint: str) -> tree.Expr:
        """Bind a value, and return what names it."""
        raise NotImplementedError

    def block(self, node: tree.Block) -> tree.Expr:
        """Rewrite braces within an expression; return their value."""
        raise NotImplementedError

    def bindings(self, node: tree.Block) -> None:
        """Rewrite the bindings of a block."""
        raise NotImplementedError

    def last(self, node: tree.Expr) -> tree.Expr:
        """Rewrite the value of a function, branch or clause."""
        raise NotImplementedError

    # -- what they share -----------------------------------------------------------------------------------

    def fresh(self, var: tree.Var) -> tree.Var:
        """Bind a variable of the program; its name is its own in the whole function."""
        made = tree.Var(self.names.fresh(var.name), var.pos, var.end)
        self.variables[var] = made
        return made

    def whole(self, node: tree.Function) -> tree.Function:
        """Rewrite a function of the module."""
        return self.function(node)

    def function(self, node: tree.Function) -> tree.Function:
        """Rewrite a function."""
        params = [
            tree.Param(self.fresh(one.var), one.attrs, one.annotation, one.pos, one.end)
            for one in node.params
        ]
        body = self.region(node, node.body)
        place = node.pos, node.end
        return tree.Function(
            node.type_params, tuple(params), node.result, node.attrs, node.relations, body, *place
        )

    def region(self, region: Node, body: tree.Expr) -> tree.Block:
        """Rewrite the body of a function, a branch or the value of a clause, which has bindings of its own."""
        self.blocks.append([])
        self.begin(region)
        while isinstance(body, tree.Block):
            self.bindings(body)
            body = body.value
        value = self.last(body)
        return tree.Block(tuple(self.blocks.pop()), value, True, body.pos, body.end)

    def let(self, node: tree.Let) -> tree.Let:
        """Rewrite a binding. A function is in scope in itself; other values are rewritten before their variable is."""
        if isinstance(node.value, tree.Function):
            var, value = self.fresh(node.var), self.value(node.value)
        else:
            value = self.value(node.value)
            var = self.fresh(node.var)
        return tree.Let(var, node.annotation, value, node.pos, node.end)

    def begin(self, region: Node) -> None:
        """Bind what only this function, branch or clause uses."""

    def atom(self, node: tree.Expr) -> tree.Expr:
        """Rewrite an expression; return what names its value."""
        made = self.value(node)
        return made if is_atom(made) else self.bind(made, _hint(made))

    def atoms(self, nodes: Sequence[tree.Expr]) -> tuple[tree.Expr, ...]:
        """Rewrite expressions, in the order of their evaluation."""
        return tuple([self.atom(one) for one in nodes])

    def value(self, node: tree.Expr) -> tree.Expr:
        """Rewrite an expression; its parts are atoms."""
        place = node.pos, node.end
        match node:
            case tree.Var():
                return self.variables[self.resolved.bindings[node]]
            case tree.GraphVar():
                return self.graph[self.resolved.graph[node]]
            case tree.Tuple():
                return tree.Tuple(self.atoms(node.fields), *place)
            case tree.Proj():
                return tree.Proj(self.atom(node.tuple), node.index, *place)
            case tree.Call():
                return self._call(node)
            case tree.Function():
                return self.function(node)
            case tree.If():
                cond = self.atom(node.cond)
                then = self.region(node.then, node.then)
                return tree.If(cond, then, self.region(node.other, node.other), *place)
            case tree.Match():
                data = self.atom(node.data)
                clauses = [self._clause(one) for one in node.clauses]
                return tree.Match(data, tuple(clauses), node.total, *place)
            case tree.RefNew() | tree.RefRead() | tree.RefWrite():
                return self._reference(node)
            case tree.Block():
                return self.block(node)
            case tree.GlobalVar() | tree.OpRef() | tree.Const() | tree.MetaRef() | tree.Missing():
                return node
            case _:
                return assert_never(node)

    def _reference(self, node: tree.RefNew | tree.RefRead | tree.RefWrite) -> tree.Expr:
        place = node.pos, node.end
        match node:
            case tree.RefNew():
                return tree.RefNew(self.atom(node.value), *place)
            case tree.RefRead():
                return tree.RefRead(self.atom(node.ref), *place)
            case tree.RefWrite():
                ref, value = self.atoms((node.ref, node.value))
                return tree.RefWrite(ref, value, *place)

    def _call(self, node: tree.Call) -> tree.Expr:
        """Rewrite a call; long chains of operators are walked without recursion."""
        chain = [node]
        while chain[-1].infix is not None and isinstance(chain[-1].args[0], tree.Call):
            chain.append(chain[-1].args[0])
        made: tree.Expr | None = None
        for link in reversed(chain):
            place = link.pos, link.end
            if made is None:
                op = link.op if link.infix is not None else self.atom(link.op)
                args = self.atoms(link.args)
            else:
                op = link.op
                args = (self.bind(made, _hint(made)), *self.atoms(link.args[1:]))
            made = tree.Call(op, args, link.attrs, link.type_args, link.infix, *place)
        assert made is not None
        return made

    def _clause(self, node: tree.Clause) -> tree.Clause:
        pattern = self._pattern(node.pattern)
        body = self.region(node, node.body)
        value = body if body.bindings else body.value
        return tree.Clause(pattern, value, node.pos, node.end)

    def _pattern(self, node: tree.Pattern) -> tree.Pattern:
        place = node.pos, node.end
        match node:
            case tree.PVar():
                return tree.PVar(self.fresh(node.var), node.annotation, *place)
            case tree.PCtor():
                return tree.PCtor(node.name, tuple([self._pattern(one) for one in node.fields]), *place)
            case tree.PTuple():
                return tree.PTuple(tuple([self._pattern(one) for one in node.fields]), *place)
            case tree.PWild():
                return node
            case _:
                return assert_never(node)


def _hint(value: tree.Expr) -> str:
    """Return what the variable for a value is called: after the operator or function, if it is a call."""
    match value:
        case tree.Call(op=tree.OpRef(name=name) | tree.GlobalVar(name=name) | tree.Var(name=name)):
            return name.rpartition(".")[2].lower()
        case tree.Tuple():
            return "tuple"
        case tree.Proj():
            return "field"
        case tree.Function():
            return "f"
        case tree.RefNew():
            return "ref"
        case tree.RefRead():
            return "read"
        case tree.RefWrite():
            return "written"
        case _:
            return "value"


def has_references(node: Node) -> bool:
    """Return whether a tree makes, reads or writes a reference."""
    return any(isinstance(one, tree.RefNew | tree.RefRead | tree.RefWrite) for one in walk(node))
