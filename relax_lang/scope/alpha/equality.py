"""Alpha-equality: whether two modules are the same up to the names of what is bound in them, and where they differ.

Variables, shape variables, the variables and buffers of PrimFuncs, and private functions may be called anything; the
names of other functions are their linkage and count. Layout and spelling do not count; sugar does, so that programs
are compared in normal form. Works on complete modules: every name in them is bound somewhere.
"""

from __future__ import annotations

from relax_lang.base.node import Node
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Name = tuple[str, str]

_SCOPES = (
    tree.Function,
    tree.SeqExpr,
    tree.FuncStructInfo,
    tree.For,
    tree.Block,
    tree.While,
    tree.IfThenElse,
)
_VALUE, _SIZE = "value", "size"


class Difference:
    """The first place where two items differ: a node of each that has a place in its text, None for a missing item.

    `name` is the item's; empty for the attributes of the modules.
    """

    __slots__ = ("left", "name", "right")

    def __init__(self, name: str, left: Node | None, right: Node | None) -> None:
        self.name = name
        self.left = left
        self.right = right


def differences(left: tree.IRModule, right: tree.IRModule) -> list[Difference]:
    """Return the first difference of each pair of functions, the functions that only one module has, and attributes.

    Nothing is returned exactly if the modules are the same up to names, and up to the order of their functions.
    """
    return _Modules(left, right).differences()


def alpha_equal(left: tree.IRModule, right: tree.IRModule) -> bool:
    """Return whether two modules are the same up to the names of what is bound in them."""
    return not differences(left, right)


class _Modules:
    """Two modules: which private function of one is which of the other is found where they are used."""

    def __init__(self, left: tree.IRModule, right: tree.IRModule) -> None:
        self.left, self.right = left, right
        self.items = [_by_name(left), _by_name(right)]
        self.pairs: dict[str, str] = {}
        self.inverse: dict[str, str] = {}
        self.waiting: list[tuple[tree.Item, tree.Item]] = []

    def differences(self) -> list[Difference]:
        found: list[Difference] = []
        for name, item in self.items[0].items():
            other = self.items[1].get(name)
            if not item.private and other is not None and not other.private:
                self.waiting.append((item, other))
                self.pairs[name] = self.inverse[name] = name
        self.waiting.reverse()
        found += self._compared()
        rest = [item for name, item in self.items[0].items() if name not in self.pairs]
        others = [item for name, item in self.items[1].items() if name not in self.inverse]
        while (
            rest and others and rest[0].private and others[0].private
        ):  # private functions that nothing uses
            one, other = rest.pop(0), others.pop(0)
            self.pair(_name_of(one), _name_of(other))
            found += self._compared()
        found += [Difference(_name_of(item), item, None) for item in rest]
        found += [Difference(_name_of(item), None, item) for item in others]
        names = _Comparison(self)
        if not names.same(self.left.attrs, self.right.attrs):
            found.append(Difference("", self.left, self.right))
        return found

    def _compared(self) -> list[Difference]:
        found: list[Difference] = []
        while self.waiting:
            one, other = self.waiting.pop()
            comparison = _Comparison(self)
            if not comparison.same(one, other):
                found.append(Difference(_name_of(one), *(comparison.place or (one, other))))
        return found

    def pair(self, left: str, right: str) -> bool:
        """Return whether two functions are the same one; two private ones that were not met before are from now on."""
        if left in self.pairs or right in self.inverse:
            return self.pairs.get(left) == right
        one, other = self.items[0].get(left), self.items[1].get(right)
        if one is None or other is None or not (one.private and other.private):
            return left == right
        self.pairs[left], self.inverse[right] = right, left
        self.waiting.append((one, other))
        return True


def _by_name(module: tree.IRModule) -> dict[str, tree.Item]:
    return {_name_of(item): item for item in module.items}


def _name_of(item: tree.Item) -> str:
    return "" if item.name is None else item.name.name_hint


class _Comparison:
    """The comparison of two items: which name of one is which of the other."""

    def __init__(self, modules: _Modules) -> None:
        self.modules = modules
        self.names: dict[Name, str] = {}
        self.inverse: dict[Name, str] = {}
        self.changes: list[tuple[dict[Name, str], Name, str | None]] = []
        self.places: list[tuple[Node, Node]] = []
        self.place: tuple[Node, Node] | None = None

    def same(self, left: Any, right: Any) -> bool:
        """Compare two fields: nodes, tuples, plain values."""
        if isinstance(left, Node):
            is_same = type(left) is type(right) and self._nodes(left, right)
            if (
                not is_same
                and self.place is None
                and isinstance(right, Node)
                and min(left.pos, right.pos) >= 0
            ):
                self.place = left, right
            return is_same
        if isinstance(left, tuple):
            return isinstance(right, tuple) and self._tuples(left, right)  # pyright: ignore[reportUnknownArgumentType]
        if isinstance(left, float):
            return isinstance(right, float) and repr(left) == repr(right)
        return type(left) is type(right) and left == right

    def _tuples(self, left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
        for one, other in zip(left, right, strict=False):
            if not self.same(one, other):
                return False
        return len(left) == len(right)

    def _nodes(self, left: Any, right: Any) -> bool:
        if isinstance(left, tree.GlobalVar):
            return self.modules.pair(left.name_hint, right.name_hint)
        if isinstance(left, tree.Var | tree.DataflowVar):
            annotated = self.same(left.struct_info_annotation, right.struct_info_annotation)
            return annotated and self._use(_VALUE, left.name_hint, right.name_hint)
        if isinstance(left, tree.PrimVar):
            return self._use(_SIZE, left.name, right.name)
        mark = len(self.changes)
        if isinstance(left, tree.VarBinding):
            return self._binding(left, right)
        skipped = self._bind(left, right)
        for name in left.FIELDS:
            if name not in skipped and not self.same(getattr(left, name), getattr(right, name)):
                return False
        if isinstance(left, _SCOPES):
            self._close(mark)
        return True

    def _binding(self, left: tree.VarBinding, right: tree.VarBinding) -> bool:
        """Compare a binding: a variable is visible after it, that of a function also inside."""
        recursive = isinstance(left.value, tree.Function)
        if recursive:
            self._define(_VALUE, left.var.name_hint, right.var.name_hint)
        if not self.same(left.value, right.value):
            return False
        if not recursive:
            self._define(_VALUE, left.var.name_hint, right.var.name_hint)
        return type(left.var) is type(right.var) and self.same(left.var, right.var)

    def _bind(self, left: Any, right: Any) -> tuple[str, ...]:
        """Relate the names that a node binds; return its fields that need no comparison."""
        if isinstance(left, tree.Function):
            for one, other in zip(left.params, right.params, strict=False):
                self._define(_VALUE, one.name_hint, other.name_hint)
        elif isinstance(left, tree.MatchCast):
            if left.var is not None and right.var is not None and self.same(left.value, right.value):
                self._define(_VALUE, left.var.name_hint, right.var.name_hint)
                return ("value",)
        elif not isinstance(left, tree.Expr | tree.StructInfo):
            return self._bind_in_prim_func(left, right)
        return ()

    def _bind_in_prim_func(self, left: Any, right: Any) -> tuple[str, ...]:
        if isinstance(left, tree.Buffer | tree.ScalarParam):
            self._define(_SIZE, left.name, right.name)
            return ("name",)
        if isinstance(left, tree.For):
            if self.same(left.ranges, right.ranges):
                for one, other in zip(left.loop_vars, right.loop_vars, strict=False):
                    self._define(_SIZE, one.name, other.name)
                return ("ranges",)
        elif isinstance(left, tree.Block):
            return ("name",)
        elif isinstance(left, tree.BufferView):
            if self.same(left.source, right.source) and self.same(left.region, right.region):
                return "source", "region"
        elif isinstance(left, tree.IterVar | tree.LetStmt) and self.same(left.value, right.value):
            self._define(_SIZE, left.var.name, right.var.name)
            return ("value",)
        return ()

    def _use(self, kind: str, left: str, right: str) -> bool:
        one, other = self.names.get((kind, left)), self.inverse.get((kind, right))
        if one is None and other is None:  # bound further on, as a shape variable may be
            self._define(kind, left, right)
            return True
        return one == right and other == left

    def _define(self, kind: str, left: str, right: str) -> None:
        for table, key, value in ((self.names, (kind, left), right), (self.inverse, (kind, right), left)):
            self.changes.append((table, key, table.get(key)))
            table[key] = value

    def _close(self, mark: int) -> None:
        while len(self.changes) > mark:
            table, key, before = self.changes.pop()
            if before is None:
                table.pop(key, None)
            else:
                table[key] = before
