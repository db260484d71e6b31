"""What is certain of values when generated code runs, as struct infos. [M.*] [X.O4]

Certain is what a run-time check has confirmed, what constants and allocated results are, and what the rules of
operators conclude from that. What packed functions claim is not, and after they ran nothing is that they could
have changed in place.

Dimensions are compared as they are written. A tensor of which only the rank is known gets dimensions with names
of their own: they are equal to themselves and to nothing else.
"""

from __future__ import annotations

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.base.names import FreshNames
from relax_lang.base.node import assert_never, walk
from relax_lang.runtime.interpreter.atoms import NOT_NORMAL
from relax_lang.struct_info.context import Context
from relax_lang.struct_info.widening import bounded
from relax_lang.syntax import tree
from relax_lang.syntax.constants import constant_dtype, constant_shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.ops.core.operator import Operator

    Info = tree.StructInfo
    Size = int | str
    Sizes = tuple[Size, ...]
    Constants = Mapping[tuple[str, str | None], tree.TensorStructInfo]

NO_CONSTANTS: Constants = {}
_UNKNOWN = tree.ObjectStructInfo()


class Refinements:
    """What is certain of the variables in scope at one place; copied where the ways part."""

    __slots__ = ("_constants", "_dimensioned", "_infos", "_opaque", "fresh", "held")

    def __init__(self, opaque: FreshNames, constants: Constants = NO_CONSTANTS) -> None:
        self._opaque = opaque
        self._constants = constants
        self._dimensioned: dict[Info, Info] = {}
        """Tuples with names for dimensions that are not known, by what they were without: fields may be shared."""
        self._infos: dict[str, Info] = {}
        self.fresh: set[str] = set()
        """Variables whose tensor is new memory that nothing else refers to."""
        self.held: dict[object, str] = {}
        """What was worked out already on every way to this place, and the Python name of the result."""

    def copy(self) -> Refinements:
        """Return facts for a branch."""
        made = Refinements(self._opaque, self._constants)
        made._infos, made.fresh, made.held = dict(self._infos), set(self.fresh), dict(self.held)
        made._dimensioned = self._dimensioned
        return made

    def join(self, one: Refinements, other: Refinements) -> None:
        """Take over what two branches left intact of what was certain before them."""
        self.fresh &= one.fresh & other.fresh
        self._infos = {
            name: info
            for name, info in self._infos.items()
            if one._infos.get(name) is info and other._infos.get(name) is info
        }

    def refine(self, name: str, info: Info | None) -> None:
        """A check confirmed an info of a variable, or its value was just made."""
        if info is not None:
            self._infos[name] = self._with_dims(info)

    def drop(self, name: str) -> None:
        """A variable has another value, or none."""
        self._infos.pop(name, None)

    def forget(self) -> None:
        """Keep only what code of the embedder, which ran, cannot have seen."""
        self._infos = {name: info for name, info in self._infos.items() if name in self.fresh}

    def keep(self, names: Collection[str]) -> None:
        """Drop what is no longer needed: all but some variables, and the shapes that infos of these may mention."""
        self._infos = {
            name: info
            for name, info in self._infos.items()
            if name in names or isinstance(info, tree.ShapeStructInfo)
        }
        self.fresh.intersection_update(names)

    def escapes(self, name: str) -> None:
        """Something else refers to the value of a variable now."""
        self.fresh.discard(name)

    def _with_dims(self, info: Info) -> Info:
        if isinstance(info, tree.TensorStructInfo) and info.shape is None and info.ndim is not None:
            dims = [tree.PrimVar(self._opaque.fresh("?")) for _ in range(info.ndim)]
            return tree.TensorStructInfo(tree.ShapeExpr(tuple(dims)), info.dtype, None)
        if isinstance(info, tree.TupleStructInfo):
            made = self._dimensioned.get(info)
            if made is None:
                made = tree.TupleStructInfo(tuple([self._with_dims(field) for field in info.fields]))
                self._dimensioned[info] = self._dimensioned[made] = made
            return made
        return info

    # Questions.

    def in_file(self, literal: tree.FileLit) -> Info:
        """Return what is certain of a constant in a file."""
        return self._constants.get((literal.path, literal.key), _UNKNOWN)

    def of(self, expr: tree.Expr) -> Info:
        """Return what is certain of an atom; Object if nothing is."""
        return _OF[type(expr)](self, expr)

    def named(self, name: str) -> Info:
        """Return what is certain of a variable."""
        return self._infos.get(name, _UNKNOWN)

    def prove(self, value: Info, info: Info | None, dims: Collection[str]) -> bool:
        """Return whether what is certain of a value makes a check needless; `dims` are in scope. [M.1-M.4]"""
        return self._proves(value, info, dims, set())

    def _proves(
        self, value: Info, info: Info | None, dims: Collection[str], proved: set[tuple[Info, Info]]
    ) -> bool:
        """Do the work of `prove`; `proved` are pairs of tuples with that answer: fields may be shared."""
        match info:
            case None | tree.ObjectStructInfo():
                return True
            case tree.TupleStructInfo():
                if not isinstance(value, tree.TupleStructInfo) or len(value.fields) != len(info.fields):
                    return False
                if (value, info) not in proved:
                    for field, wanted in zip(value.fields, info.fields, strict=True):
                        if not self._proves(field, wanted, dims, proved):
                            return False
                    proved.add((value, info))
                return True
            case tree.TensorStructInfo():
                return isinstance(value, tree.TensorStructInfo) and _proves_tensor(value, info, dims)
            case tree.ShapeStructInfo() | tree.MatchShapeInfo() | tree.PrimStructInfo():
                return False
            case tree.FuncStructInfo() | tree.MissingStructInfo():
                return False
            case _:
                return assert_never(info)

    def of_call(self, operator: Operator, call: tree.Call) -> Info | None:
        """Return what the operator's rule gives for its result; None if that is nothing."""
        from relax_lang.ops.shape_rules.infer import infer_call  # lowered programs have none

        infos = [None if isinstance(arg, tree.PrimValue) else self.of(arg) for arg in call.args]
        result, findings = infer_call(operator, call, infos, Context(variables=self._infos))
        return None if findings or isinstance(result, tree.ObjectStructInfo) else bounded(result)


def _proves_tensor(value: tree.TensorStructInfo, info: tree.TensorStructInfo, dims: Collection[str]) -> bool:
    if dtype_of(value) is None or dtype_of(info) not in (None, dtype_of(value)):
        return False
    sizes, wanted = sizes_of(value), sizes_of(info)
    if wanted is None:
        return info.shape is None and (info.ndim is None or (sizes is not None and len(sizes) == info.ndim))
    names = [dim.name for dim in dims_of(info) if isinstance(dim, tree.PrimVar)]
    return wanted == sizes and not [name for name in names if name not in dims]


def _of_constant(facts: Refinements, expr: tree.Constant) -> Info:
    if isinstance(expr.data, tree.FileLit):
        return facts.in_file(expr.data)
    dims = [tree.IntImm(size) for size in constant_shape(expr)]
    return tree.TensorStructInfo(tree.ShapeExpr(tuple(dims)), tree.DType(constant_dtype(expr)), None)


def _of_variable(facts: Refinements, expr: tree.Var) -> Info:
    return facts.named(expr.name_hint)


def _of_tuple(facts: Refinements, expr: tree.Tuple) -> Info:
    return tree.TupleStructInfo(tuple([facts.of(field) for field in expr.fields]))


def _of_shape(_facts: Refinements, expr: tree.ShapeExpr) -> Info:
    return tree.ShapeStructInfo(expr.values, None)


def _of_anything(_facts: Refinements, _expr: tree.Expr) -> Info:
    return _UNKNOWN


_OF: Table[tree.Expr, Callable[[Refinements, Any], Info]] = {
    tree.Constant: _of_constant,
    tree.Var: _of_variable,
    tree.Tuple: _of_tuple,
    tree.ShapeExpr: _of_shape,
    tree.GlobalVar: _of_anything,
    tree.ExternFunc: _of_anything,
    tree.PrimValue: _of_anything,
    **dict.fromkeys((tree.TupleGetItem, tree.Function, tree.If, tree.Call, *NOT_NORMAL), _of_anything),
}


def dtype_of(info: Info) -> str | None:
    """Return the dtype of a tensor, or None if it is not certain."""
    return info.dtype.name if isinstance(info, tree.TensorStructInfo) and info.dtype is not None else None


def rank_of(info: Info) -> int | None:
    """Return the number of dimensions of a tensor, or None if it is not certain."""
    if isinstance(info, tree.TensorStructInfo) and isinstance(info.shape, tree.ShapeExpr):
        return len(info.shape.values)
    return None


def sizes_of(info: Info) -> Sizes | None:
    """Return the dimensions of a tensor as what can be compared: numbers and texts."""
    if isinstance(info, tree.TensorStructInfo) and isinstance(info.shape, tree.ShapeExpr):
        return tuple([_size(dim) for dim in info.shape.values])
    return None


def _size(dim: tree.PrimExpr) -> Size:
    if isinstance(dim, tree.IntImm):
        return dim.value
    if isinstance(dim, tree.PrimVar):
        return dim.name
    number = number_of(dim)
    if number is not None:
        return number
    from relax_lang.format.printer import show  # most are numbers and names

    return f"({show(dim)})"


def number_of(dim: tree.PrimExpr) -> int | None:
    """Return the size that a dimension without names is, such as `64 // 4`; None if it has names, or is no size."""
    if isinstance(dim, tree.IntImm):
        return dim.value if dim.value >= 0 else None
    if isinstance(dim, tree.PrimVar) or any(isinstance(each, tree.PrimVar) for each in walk(dim)):
        return None
    try:
        value = evaluate(dim, {})
    except DimensionError:
        return None
    return int(value) if value >= 0 else None


def broadcast(left: Sizes, right: Sizes) -> list[tuple[int, int]] | None:
    """Return which dimension of which side gives each of the result's; None if they may not go together. [OP.6]

    A pair is the side, 0 or 1, and the index of its dimension.
    """
    rank = max(len(left), len(right))
    chosen: list[tuple[int, int]] = []
    for axis in range(rank):
        a, b = axis - rank + len(left), axis - rank + len(right)
        if a < 0 or (b >= 0 and left[a] == 1):
            chosen.append((1, b))
        elif b < 0 or right[b] == 1 or left[a] == right[b]:
            chosen.append((0, a))
        else:
            return None
    return chosen


def dims_of(info: Info) -> Sequence[tree.PrimExpr]:
    """Return the dimensions of a tensor whose `sizes_of` are known."""
    assert isinstance(info, tree.TensorStructInfo)
    assert isinstance(info.shape, tree.ShapeExpr)
    return info.shape.values
