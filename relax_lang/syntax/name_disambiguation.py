"""Which bare callees are operators: those that no local variable in scope is named like. [G.34]

The builder takes every bare callee for an operator. Only where an item also binds a variable of that name does
this module look closer, following the scopes of the language (S.3-S.7, S.20).
"""

from __future__ import annotations

from relax_lang.base.node import Node as NodeBase
from relax_lang.base.node import children, put
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node

    # What is left to do: visit a node, make a name visible, or leave the scope.
    Task = tuple[str, Node | str | None]


def disambiguate(root: Node, calls: frozenset[tree.Call]) -> None:
    """Turn the callees of `calls` below `root` into `Var` where a local variable of that name is in scope.

    Iterative, so that deep programs are no problem. Changes the tree, which nobody else has seen yet.
    """
    visible: dict[str, int] = {}
    scopes: list[list[str]] = [[]]
    todo: list[Task] = [("visit", root)]
    while todo:
        what, subject = todo.pop()
        if what == "visit":
            assert isinstance(subject, NodeBase)
            if isinstance(subject, tree.Call) and subject in calls:
                op = subject.op
                if isinstance(op, tree.Op) and visible.get(op.op_name):
                    put(subject, "op", tree.Var(op.op_name, None, op.pos, op.end))
            todo += reversed(_tasks(subject))
        elif what == "bind":
            assert isinstance(subject, str)
            if subject != "_":  # which is never read [S.21]
                scopes[-1].append(subject)
                visible[subject] = visible.get(subject, 0) + 1
        elif what == "enter":
            scopes.append([])
        else:
            for name in scopes.pop():
                visible[name] -= 1


def _tasks(node: Node) -> list[Task]:
    """Return what visiting a node comes down to, in order."""
    kind = type(node)
    if kind is tree.Function:
        assert isinstance(node, tree.Function)
        params: list[Task] = [("bind", param.name_hint) for param in node.params]
        return [("enter", None), *params, ("visit", node.body), ("leave", None)]
    if kind is tree.SeqExpr:
        assert isinstance(node, tree.SeqExpr)
        return [("enter", None), *_visits(children(node)), ("leave", None)]
    if kind is tree.DataflowBlock:
        assert isinstance(node, tree.DataflowBlock)
        outputs: list[Task] = [("bind", output.name_hint) for output in node.outputs]
        return [("enter", None), *_visits(node.bindings), ("leave", None), *outputs]
    if kind is tree.VarBinding:
        assert isinstance(node, tree.VarBinding)
        name: Task = ("bind", node.var.name_hint)
        value: Task = ("visit", node.value)
        return [name, value] if type(node.value) is tree.Function else [value, name]  # its own name: S.4
    if kind is tree.MatchCast:
        assert isinstance(node, tree.MatchCast)
        bound: list[Task] = [] if node.var is None else [("bind", node.var.name_hint)]
        return [("visit", node.value), *bound]
    return _visits(children(node))


def _visits(nodes: object) -> list[Task]:
    return [("visit", node) for node in nodes]  # type: ignore[attr-defined]
