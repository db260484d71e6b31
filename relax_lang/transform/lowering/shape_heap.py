"""The shape heap of one function: slots for shape variables and sizes, and the PrimFuncs that compute sizes in it."""

from __future__ import annotations

from relax_lang.base.node import assert_never, walk
from relax_lang.format.printer import show
from relax_lang.ops.shape_rules.shared.dims import CONDITIONS
from relax_lang.syntax import tree
from relax_lang.transform.core.rebuild import Substitution, copied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.node import Node


def variables_in(node: Node) -> set[str]:
    """Return the names of the shape variables in a tree."""
    return {one.name for one in walk(node) if isinstance(one, tree.PrimVar)}


def erased(info: tree.StructInfo) -> tree.StructInfo:
    """Return a struct info in which shapes with shape variables are ranks."""
    match info:
        case tree.TensorStructInfo():
            if isinstance(info.shape, tree.ShapeExpr) and variables_in(info.shape):
                return tree.TensorStructInfo(None, info.dtype, len(info.shape.values), info.pos, info.end)
        case tree.ShapeStructInfo():
            if info.values is not None and variables_in(info):
                return tree.ShapeStructInfo(None, len(info.values), info.pos, info.end)
        case tree.TupleStructInfo():
            fields = tuple([erased(field) for field in info.fields])
            return info if fields == info.fields else tree.TupleStructInfo(fields, info.pos, info.end)
        case tree.ObjectStructInfo() | tree.PrimStructInfo() | tree.FuncStructInfo():
            pass
        case tree.MatchShapeInfo() | tree.MissingStructInfo():
            pass  # of no value
        case _:
            assert_never(info)
    return info


def may_be_negative(dim: tree.PrimExpr) -> bool:
    """Return whether more than sums, products and quotients of sizes and numbers make a dimension."""
    known = (tree.PrimVar, tree.IntImm, tree.Add, tree.Mul, tree.FloorDiv, tree.FloorMod, tree.Min, tree.Max)
    return not all(isinstance(one, (*known, tree.DType)) for one in walk(dim))


class ShapeHeap:
    """Slots by what they have: shape variables by their names, other sizes by their text."""

    __slots__ = ("functions", "known", "name", "needed", "ready", "slots")

    def __init__(self, name: str) -> None:
        self.name = name
        self.slots: dict[str, int] = {}
        self.known: set[str] = set()
        """Shape variables that are stored at this place of the function."""
        self.ready: set[str] = set()
        """Sizes that are computed at this place of the function, by their text."""
        self.needed: dict[str, tuple[tree.PrimExpr, set[str]]] = {}
        """Sizes that the function uses, in order, with the variables in them."""
        self.functions: list[tuple[str, list[tuple[int, tree.PrimExpr]]]] = []
        """The shape functions: names, and what goes to which slots."""

    def need(self, sizes: Iterable[tree.PrimExpr]) -> None:
        """Say that sizes will be used, except numbers and variables."""
        for size in sizes:
            if not isinstance(size, tree.IntImm | tree.PrimVar):
                self.needed.setdefault(show(size), (size, variables_in(size)))

    def slot(self, size: tree.PrimExpr) -> int:
        """Return the slot of a size; it is a new one if it had none."""
        key = size.name if isinstance(size, tree.PrimVar) else show(size)
        return self.slots.setdefault(key, len(self.slots))

    def is_ready(self, size: tree.PrimExpr) -> bool:
        """Return whether the slot of a size has it by now."""
        return isinstance(size, tree.IntImm | tree.PrimVar) or show(size) in self.ready

    def outstanding(self) -> list[tuple[int, tree.PrimExpr]]:
        """Return the sizes that can be computed now and were not, with their slots; they are ready afterwards."""
        found: list[tuple[int, tree.PrimExpr]] = []
        for key, (size, names) in self.needed.items():
            if key not in self.ready and names <= self.known:
                self.ready.add(key)
                found.append((self.slot(size), size))
        return found

    def prim_funcs(self, place: Node) -> list[tree.Item]:
        """Return the shape functions, now that all slots are known."""
        return [self._prim_func(name, sizes, place) for name, sizes in self.functions]

    def _prim_func(self, name: str, sizes: list[tuple[int, tree.PrimExpr]], place: Node) -> tree.PrimFunc:
        at = place.pos, place.end
        loads = {
            key: tree.BufferLoad(tree.PrimVar("heap"), (tree.IntImm(slot),))
            for key, slot in self.slots.items()
        }
        body: list[tree.Stmt] = []
        for slot, size in sizes:
            value = copied(Substitution(sizes=loads).of(copied(size)))
            if isinstance(size, CONDITIONS):
                value = tree.Select(value, tree.IntImm(1), tree.IntImm(0))
            body.append(tree.BufferStore(tree.PrimVar("heap"), (tree.IntImm(slot),), "=", value, *at))
        heap = tree.Buffer("heap", (tree.IntImm(len(self.slots)),), tree.DType("int64"))
        return tree.PrimFunc(tree.GlobalVar(name), True, (heap,), (), tuple(body), None, None, *at)
