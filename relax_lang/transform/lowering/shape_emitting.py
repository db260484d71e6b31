"""What lowering to a shape heap emits: stores and comparisons of dimensions, calls of shape functions, checks."""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.builder.values import literal
from relax_lang.format.printer import show
from relax_lang.syntax import tree
from relax_lang.transform.lowering.shape_heap import ShapeHeap, erased, variables_in
from relax_lang.transform.lowering.statements import bound, statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.names import FreshNames
    from relax_lang.base.node import Node
    from relax_lang.transform.core.known_infos import KnownInfos

    Leaf = tuple[tree.Expr, tuple[tree.PrimExpr, ...], str]
    """A value, its dimensions, and where it is within tuples."""

STORE, SLOT, NUMBER, ANY = "store", "slot", "number", "any"


class ShapeEmitter:
    """Emits statements about the shape heap of one function.

    `names` are those of the function, `functions` those of the module, `infos` what is known of variables.
    """

    def __init__(self, names: FreshNames, functions: FreshNames, infos: KnownInfos) -> None:
        self._functions = functions
        self._names = names
        self._infos = infos
        self._out: list[tree.Binding] = []
        self.heap = ShapeHeap(self._names.fresh("heap"))

    # What is stored and computed.

    def _parameter(self, value: tree.Expr, info: tree.StructInfo | None, used: set[str], place: Node) -> None:
        """Store the dimensions of a parameter, which is checked already."""
        if info is None or not variables_in(info) & (used - self.heap.known):
            return
        if isinstance(info, tree.TupleStructInfo):
            for index, field in enumerate(info.fields):
                if variables_in(field) & (used - self.heap.known):
                    self._parameter(
                        self._bound("field", tree.TupleGetItem(value, index), place), field, used, place
                    )
            return
        for dims in shapes_of(info):
            self._match(
                value, [self._code(dim, used, stores=True, compares=False) for dim in dims], dims, place
            )

    def _code(
        self, dim: tree.PrimExpr, used: set[str] | None, *, stores: bool, compares: bool
    ) -> tuple[str, int]:
        """Return what is done with a dimension; a variable that is stored is known afterwards."""
        heap = self.heap
        if isinstance(dim, tree.PrimVar) and dim.name not in heap.known:
            if not stores or (used is not None and dim.name not in used):
                return ANY, 0
            heap.known.add(dim.name)
            return STORE, heap.slot(dim)
        if not compares:
            return ANY, 0
        return (NUMBER, dim.value) if isinstance(dim, tree.IntImm) else (SLOT, heap.slot(dim))

    def _match(
        self,
        value: tree.Expr,
        codes: list[tuple[str, int]],
        dims: tuple[tree.PrimExpr, ...],
        place: Node,
        context: str = "",
        failure: str = "",
    ) -> None:
        """Emit what does something with dimensions."""
        if all(code == ANY for code, _ in codes):
            return
        attrs: dict[str, Any] = {
            "codes": [code for code, _ in codes],
            "operands": [operand for _, operand in codes],
        }
        if any(code == SLOT for code, _ in codes):
            attrs["dims"] = [show(dim) for dim in dims]
        attrs |= _said(context, failure)
        self._statement("vm.match_shape", (value, self._heap()), attrs, place)

    def _compute(self, place: Node) -> None:
        """Call a shape function for the sizes that can be computed now."""
        sizes = self.heap.outstanding()
        if sizes:
            name = self._functions.fresh("shape_func")
            self.heap.functions.append((name, sizes))
            call = tree.Call(tree.GlobalVar(name), (self._heap(),), (), None, place.pos, place.end)
            self._out.append(statement(call, place))

    # The checks that are written out.

    def _check(
        self, value: tree.Expr, info: tree.StructInfo, context: str, failure: str, place: Node
    ) -> None:
        """Bind shape variables, and compare what is not proved. [M.2.6] [M.3]

        Fields of a tuple are checked one after the other, unless sizes have to be computed first.
        """
        leaves: list[Leaf] = []
        heap = self.heap
        known = set(heap.known)
        at_once = all(heap.is_ready(dim) for dims in shapes_of(info) for dim in dims)

        def match(leaf: Leaf) -> None:
            one, dims, where = leaf
            codes = [self._code(dim, None, stores=True, compares=at_once) for dim in dims]
            self._match(one, codes, dims, place, where, failure)

        self._kinds(value, info, context, failure, (), match if at_once else leaves.append, place)
        for leaf in leaves:
            match(leaf)
        self._compute(place)
        if not at_once:
            for one, dims, where in leaves:
                codes: list[tuple[str, int]] = []
                for dim in dims:
                    new = isinstance(dim, tree.PrimVar) and dim.name not in known
                    codes.append((ANY, 0) if new else self._code(dim, None, stores=False, compares=True))
                    if isinstance(dim, tree.PrimVar):
                        known.add(dim.name)
                self._match(one, codes, dims, place, where, failure)

    def _kinds(
        self,
        value: tree.Expr,
        info: tree.StructInfo,
        context: str,
        failure: str,
        path: tuple[str, ...],
        check_dims: Callable[[Leaf], None],
        place: Node,
    ) -> None:
        """Emit checks of kinds, ranks and dtypes, and have what has dimensions checked after each."""
        where = f"{context}: {', '.join(path)}" if path else context
        said = _said(where, failure)
        if isinstance(info, tree.TupleStructInfo):
            fields: tuple[tree.Expr, ...]
            if isinstance(value, tree.Tuple) and len(value.fields) == len(info.fields):
                fields = value.fields
            else:
                self._statement("vm.check_tuple_info", (value,), {"size": len(info.fields), **said}, place)
                objects = tree.TupleStructInfo(tuple([tree.ObjectStructInfo() for _ in info.fields]))
                parts = tree.Var(self._names.fresh("parts"), None, place.pos, place.end)
                self._out.append(tree.MatchCast(parts, objects, value, place.pos, place.end))
                fields = tuple(
                    [
                        self._bound("field", tree.TupleGetItem(tree.Var(parts.name_hint, None), index), place)
                        for index in range(len(info.fields))
                    ]
                )
            for index, (one, field) in enumerate(zip(fields, info.fields, strict=True)):
                self._kinds(one, field, context, failure, (*path, f"field {index}"), check_dims, place)
            return
        if least_cast(erased(info), self._infos.of(value)) is not None:
            self._kind(value, info, _said(where, failure), place)
        for dims in shapes_of(info):
            check_dims((value, dims, where))

    def _kind(self, value: tree.Expr, info: tree.StructInfo, said: dict[str, str], place: Node) -> None:
        attrs: dict[str, Any] = {}
        rank = _rank(info)
        if rank is not None:
            attrs["ndim"] = rank
        if isinstance(info, tree.TensorStructInfo):
            if info.dtype is not None:
                attrs["dtype"] = info.dtype.name
            self._statement("vm.check_tensor_info", (value,), {**attrs, **said}, place)
        elif isinstance(info, tree.ShapeStructInfo):
            self._statement("vm.check_shape_info", (value,), {**attrs, **said}, place)

    # What is emitted.

    def _heap(self) -> tree.Var:
        return tree.Var(self.heap.name, None)

    def _named(self, value: tree.Expr, name: str, place: Node) -> tree.Expr:
        """Return a value that several statements can use."""
        return value if isinstance(value, tree.Var | tree.Tuple) else self._bound(name, value, place)

    def _bound(self, name: str, value: tree.Expr, place: Node) -> tree.Var:
        fresh = self._names.fresh(name)
        self._out.append(bound(fresh, value, place))
        return tree.Var(fresh, None, place.pos, place.end)

    def _made(self, name: str, args: tuple[tree.Expr, ...], attrs: dict[str, Any], place: Node) -> tree.Call:
        given = tuple(
            [
                tree.Attr(key, literal(value, "dtype" if key == "dtype" else ""))
                for key, value in attrs.items()
            ]
        )
        return tree.Call(tree.Op(name), args, given, None, place.pos, place.end)

    def _statement(self, name: str, args: tuple[tree.Expr, ...], attrs: dict[str, Any], place: Node) -> None:
        self._out.append(statement(self._made(name, args, attrs, place), place))


def _said(context: str, failure: str) -> dict[str, str]:
    """Return the attributes for the message of a check."""
    return {key: value for key, value in (("context", context), ("failure", failure)) if value}


def shapes_of(info: tree.StructInfo) -> list[tuple[tree.PrimExpr, ...]]:
    """Return the dimensions that are written in a struct info, those of the fields of tuples one after the other."""
    match info:
        case tree.TensorStructInfo():
            return [info.shape.values] if isinstance(info.shape, tree.ShapeExpr) else []
        case tree.ShapeStructInfo() | tree.MatchShapeInfo():
            return [] if info.values is None else [info.values]
        case tree.TupleStructInfo():
            return [dims for field in info.fields for dims in shapes_of(field)]
        case tree.ObjectStructInfo() | tree.PrimStructInfo() | tree.MissingStructInfo():
            return []
        case tree.FuncStructInfo():
            return []  # its dimensions are bound in it
        case _:
            return assert_never(info)


def _rank(info: tree.StructInfo) -> int | None:
    for dims in shapes_of(info):
        return len(dims)
    return info.ndim if isinstance(info, tree.TensorStructInfo | tree.ShapeStructInfo) else None


def least_cast(wanted: Any, known: Any) -> tree.StructInfo | None:
    """Return what a value has to be cast to, so that this much is known of it; None if it is known."""
    if isinstance(wanted, tree.MatchShapeInfo):
        return None
    return None if known is not None and show(erased(known)) == show(wanted) else wanted
