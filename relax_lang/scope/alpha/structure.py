"""Alpha-equality and hash of parts of a program: expressions, functions, PrimFuncs, struct infos.

Two parts are alpha-equal if they are the same up to the names of what is bound inside of them: variables, shape
variables, loop variables, buffers, blocks, and their own names if they are items of a module. Names that are free in
them mean something outside, so they count. Layout and spelling do not count, values of floats count as they are
written. Whole modules are compared by `alpha_equality`.
"""

from __future__ import annotations

from relax_lang.base.node import Node
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable
    from typing import Any

    Name = tuple[str, str]

_SCOPES = frozenset(
    (
        tree.Function,
        tree.SeqExpr,
        tree.FuncStructInfo,
        tree.PrimFunc,
        tree.For,
        tree.Block,
        tree.While,
        tree.IfThenElse,
    )
)
_VALUE, _SIZE, _GLOBAL = "value", "size", "global"


def alpha_equal(left: Node, right: Node, shape_vars: Collection[str] | None = ()) -> bool:
    """Return whether two parts of a program are the same up to the names of what is bound in them.

    `shape_vars` are the shape variables of their surroundings, which are free in them; None: all that they mention.
    """
    if left is right:
        return True
    if isinstance(left, tree.IRModule) and isinstance(right, tree.IRModule):
        from relax_lang.scope.alpha.equality import alpha_equal as equal_modules

        return equal_modules(left, right)
    if type(left) is not type(right):
        return False
    return alpha_structure(left, shape_vars) == alpha_structure(right, shape_vars)


def alpha_hash(part: Node, shape_vars: Collection[str] | None = ()) -> int:
    """Return a number that is the same for parts that are alpha-equal."""
    if isinstance(part, tree.IRModule):
        public = [item.name.name_hint for item in part.items if item.name is not None and not item.private]
        return hash(("module", frozenset(public), len(part.items)))
    return hash(alpha_structure(part, shape_vars))


def alpha_structure(root: Node, shape_vars: Collection[str] | None = ()) -> tuple[Hashable, ...]:
    """Return what is equal for parts that are alpha-equal, and only for them; see `alpha_equal`. Iterative."""
    return _Structure(shape_vars).of(root)


class _Structure:
    """The walk over one tree; what is still to be done is on a stack."""

    __slots__ = ("_changes", "_count", "_names", "_out", "_outside", "_todo")

    def __init__(self, outside: Collection[str] | None) -> None:
        self._outside = outside
        self._names: dict[Name, int] = {}
        self._changes: list[tuple[Name, int | None]] = []
        self._count = 0
        self._out: list[Hashable] = []
        self._todo: list[Any] = []

    def of(self, root: Node) -> tuple[Hashable, ...]:
        if isinstance(root, tree.Item) and root.name is not None:
            self._define(_GLOBAL, root.name.name_hint)
        todo = self._todo
        todo.append(root)
        while todo:
            value = todo.pop()
            kind = value.__class__
            if kind is _Close:
                self._close(value.mark)
            elif kind is _Define:
                self._define(value.kind, value.name)
            elif isinstance(value, Node):
                self._out.append(kind)
                self._node(value)
            elif kind is tuple:
                self._out.append(len(value))
                todo += reversed(value)
            else:
                self._out.append(repr(value) if kind is float else (kind, value))
        return tuple(self._out)

    def _node(self, node: Any) -> None:
        kind = node.__class__
        if kind is tree.Var or kind is tree.DataflowVar:
            self._use(_VALUE, node.name_hint)
            self._todo.append(node.struct_info_annotation)
        elif kind is tree.PrimVar:
            self._use(_SIZE, node.name)
        elif kind is tree.GlobalVar:
            self._use(_GLOBAL, node.name_hint)
        else:
            if kind in _SCOPES:
                self._todo.append(_Close(len(self._changes)))
            order = _ORDER.get(kind)
            if order is None:
                self._todo += [getattr(node, name) for name in reversed(node.FIELDS)]
            else:
                self._todo += reversed(order(node))

    def _use(self, kind: str, name: str) -> None:
        known = self._names.get((kind, name))
        if known is not None:
            self._out.append(known)
        elif kind is _SIZE and self._outside is not None and name not in self._outside:
            self._define(kind, name)  # a shape variable is bound where it is met first
            self._out.append(self._count)
        else:
            self._out.append((kind, name))

    def _define(self, kind: str, name: str) -> None:
        self._count += 1
        self._changes.append(((kind, name), self._names.get((kind, name))))
        self._names[kind, name] = self._count

    def _close(self, mark: int) -> None:
        while len(self._changes) > mark:
            key, before = self._changes.pop()
            if before is None:
                del self._names[key]
            else:
                self._names[key] = before


class _Close:
    """What ends a scope."""

    __slots__ = ("mark",)

    def __init__(self, mark: int) -> None:
        self.mark = mark


class _Define:
    """What brings a name into scope."""

    __slots__ = ("kind", "name")

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name


def _function(node: tree.Function) -> list[Any]:
    names = [_Define(_VALUE, param.name_hint) for param in node.params]
    return [
        *names,
        node.private,
        node.purity,
        node.params,
        node.ret_struct_info,
        node.attrs,
        node.body,
    ]


def _prim_func(node: tree.PrimFunc) -> list[Any]:
    return [node.private, node.params, node.attrs, node.body]


def _var_binding(node: tree.VarBinding) -> list[Any]:
    # A variable is visible after its binding, that of a function also inside.
    name = _Define(_VALUE, node.var.name_hint)
    if isinstance(node.value, tree.Function):
        return [name, node.value, node.var]
    return [node.value, name, node.var]


def _match_cast(node: tree.MatchCast) -> list[Any]:
    if node.var is None:
        return [node.value, node.struct_info, None]
    return [node.value, node.struct_info, _Define(_VALUE, node.var.name_hint), node.var]


def _buffer(node: tree.Buffer) -> list[Any]:
    return [_Define(_SIZE, node.name), node.shape, node.dtype]


def _scalar(node: tree.ScalarParam) -> list[Any]:
    return [_Define(_SIZE, node.name), node.dtype]


def _for(node: tree.For) -> list[Any]:
    names = [_Define(_SIZE, var.name) for var in node.loop_vars]
    return [node.kind, node.thread, node.ranges, *names, node.loop_vars, node.body]


def _block(node: tree.Block) -> list[Any]:
    return [getattr(node, name) for name in node.FIELDS if name != "name"]


def _iter_var(node: tree.IterVar) -> list[Any]:
    return [node.kind, node.value, node.dom, _Define(_SIZE, node.var.name)]


def _let(node: tree.LetStmt) -> list[Any]:
    return [node.dtype, node.value, _Define(_SIZE, node.var.name)]


def _view(node: tree.BufferView) -> list[Any]:
    return [node.source, node.region, node.buffer]


_ORDER: dict[type[Node], Any] = {
    tree.Function: _function,
    tree.PrimFunc: _prim_func,
    tree.VarBinding: _var_binding,
    tree.MatchCast: _match_cast,
    tree.Buffer: _buffer,
    tree.ScalarParam: _scalar,
    tree.For: _for,
    tree.Block: _block,
    tree.IterVar: _iter_var,
    tree.LetStmt: _let,
    tree.BufferView: _view,
}
"""Node class to its fields in the order in which names come into scope, where that is not the order of the tree."""
