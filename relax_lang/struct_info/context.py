"""The context of a struct info: the names in scope, what they hold, and what is known of dimensions.

A context never changes. Whether a bare name in the parameters of a function type is a binder depends on it:
a name in scope is a use, any other is bound by the type [S.16]. A struct info that enters a function must
therefore not bind names that get into scope later: see `bound_variables.rename_binders`.
"""

from __future__ import annotations

from relax_lang.arith.prover import DIFFERENT, EQUAL, NO_FACTS, compare
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from collections.abc import Set as AbstractSet

    from relax_lang.arith.prover import Answer, Facts

    Dims = tuple[tree.PrimExpr, ...]
    Shape = Dims | str | None  # dimensions, the variable that holds an unknown shape, or nothing known
    Shaped = tree.TensorStructInfo | tree.ShapeStructInfo
    DeriveFunction = Callable[[tree.Call, "Context"], tree.StructInfo]

DEFAULT = "default"
EMPTY = "empty"

REJECTED = tree.ObjectStructInfo()
"""The info of a rejected expression, recognized by identity: it fits everywhere. [Z.5]"""


def default_derive(call: tree.Call, _context: Context) -> tree.StructInfo:
    """Return the result info that the call claims, else `Object`. [E.3]"""
    return call.struct_info or tree.ObjectStructInfo(call.pos, call.end)


def empty_derive(call: tree.Call, _context: Context) -> tree.StructInfo:
    """Return `Object`, whatever the call claims. [E.4]"""
    return tree.ObjectStructInfo(call.pos, call.end)


DERIVE_FUNCTIONS: Mapping[str, DeriveFunction] = {DEFAULT: default_derive, EMPTY: empty_derive}
"""The derive functions that are built in. [G.21]"""


class Context:
    """The names in scope and what is known of them.

    `shape_vars` are the shape variables in scope, `variables` the infos of the Relax variables in scope,
    `known` the right-hand sides of those that hold shapes (`let sh = shape(n, 3);` or `let s2 = sh;`, to be
    looked through [C.5.5]), `facts` what the prover may use, `derive_functions` the registered ones [G.21].
    """

    __slots__ = ("derive_functions", "facts", "known", "shape_vars", "variables")

    def __init__(
        self,
        shape_vars: AbstractSet[str] = frozenset(),
        variables: Mapping[str, tree.StructInfo] | None = None,
        known: Mapping[str, tree.Expr] | None = None,
        facts: Facts = NO_FACTS,
        derive_functions: Mapping[str, DeriveFunction] = DERIVE_FUNCTIONS,
    ) -> None:
        self.shape_vars = shape_vars
        self.variables: Mapping[str, tree.StructInfo] = {} if variables is None else variables
        self.known: Mapping[str, tree.Expr] = {} if known is None else known
        self.facts = facts
        self.derive_functions = derive_functions

    def extended(self, shape_vars: Collection[str]) -> Context:
        """Return the context with more shape variables in scope."""
        if not shape_vars:
            return self
        more = self.shape_vars | set(shape_vars)
        return Context(more, self.variables, self.known, self.facts, self.derive_functions)

    def derive(self, callee: tree.FuncStructInfo, call: tree.Call) -> tree.StructInfo:
        """Return the info of a call of a packed function. [D.11.2.2] [E.3] [E.4]"""
        return self.derive_functions[derive_of(callee)](call, self)

    def shape_of(self, info: Shaped) -> Shape:
        """Return the dimensions of a tensor or shape info, looking through variables. [C.5.5]"""
        if isinstance(info, tree.ShapeStructInfo):
            dims = info.values
        elif isinstance(info.shape, tree.ShapeExpr):
            dims = info.shape.values
        elif isinstance(info.shape, tree.Var):
            return self._held_by(info.shape.name_hint)
        else:
            dims = None
        return () if dims is None and info.ndim == 0 else dims  # of rank 0 there is only one shape

    def _held_by(self, name: str) -> Shape:
        """Return the shape that a variable holds, or the first variable that was bound to it."""
        seen: set[str] = set()
        while name not in seen:  # names are unique, but a tree built in Python may be wrong
            seen.add(name)
            value = self.known.get(name)
            if isinstance(value, tree.ShapeExpr):
                return value.values
            if not isinstance(value, tree.Var):
                break
            name = value.name_hint
        info = self.variables.get(name)
        if isinstance(info, tree.ShapeStructInfo):
            return (
                () if info.values is None and info.ndim == 0 else name if info.values is None else info.values
            )
        return name

    def rank_of(self, info: Shaped) -> int | None:
        """Return the rank of a tensor or shape info, or None if it is unknown. [W.13.d]"""
        shape = self.shape_of(info)
        if isinstance(shape, tuple):
            return len(shape)
        if isinstance(shape, str) and info.ndim is None:
            held = self.variables.get(shape)
            return held.ndim if isinstance(held, tree.ShapeStructInfo) else None
        return info.ndim

    def relation(self, left: tree.PrimExpr, right: tree.PrimExpr) -> Answer:
        """Compare two dimensions: `EQUAL`, `DIFFERENT` (for all values) or `UNKNOWN`. [D.13]"""
        if left is right:
            return EQUAL
        if type(left) is tree.IntImm and type(right) is tree.IntImm:  # the usual cases, without the prover
            return EQUAL if left.value == right.value else DIFFERENT
        if type(left) is tree.PrimVar and type(right) is tree.PrimVar and left.name == right.name:
            return EQUAL
        return compare(left, right, self.facts)

    def contradiction(self, found: Dims, expected: Dims) -> int | None:
        """Return the first dimension that cannot be equal if all before it are; None if all can be. [D.13]

        Of each pair alone it is not known.
        """
        facts = self.facts
        for index, (own, other) in enumerate(zip(found, expected, strict=True)):
            if self.relation(own, other) != EQUAL:
                facts = facts.with_equal(own, other)
                if facts.impossible:
                    return None if self.facts.impossible else index
        return None

    def same_shape(self, left: Shape, right: Shape) -> bool:
        """Return whether two shapes are known and provably equal. [C.5.5] [C.5.6]"""
        if left is None or isinstance(left, str) or right is None or isinstance(right, str):
            return left is not None and left == right
        if len(left) != len(right):
            return False
        return all(self.relation(one, other) == EQUAL for one, other in zip(left, right, strict=True))


NOTHING_KNOWN = Context()
"""The empty context."""


def as_tensor(info: tree.PrimStructInfo) -> tree.TensorStructInfo:
    """Return what a scalar is where a tensor is expected: one of rank 0."""
    return tree.TensorStructInfo(_NO_DIMENSIONS, info.dtype, None, info.pos, info.end)


_NO_DIMENSIONS = tree.ShapeExpr(())


def derive_of(info: tree.FuncStructInfo) -> str:
    """Return the derive function of a packed function. [G.20]"""
    return info.derive_func or DEFAULT


def result_of(info: tree.FuncStructInfo) -> tree.StructInfo:
    """Return the result of a function type: `Object` if a tree built in Python has none."""
    return _ANYTHING if info.ret is None else info.ret


def dtype_of(info: tree.TensorStructInfo) -> str | None:
    """Return the name of the dtype, or None if it is unknown."""
    return None if info.dtype is None else info.dtype.name


_ANYTHING = tree.ObjectStructInfo()
