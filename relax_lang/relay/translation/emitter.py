"""The bindings of one function while it is translated: names, blocks, match_casts. [R.38]"""

from __future__ import annotations

from relax_lang.analysis.bindings import FreeNames
from relax_lang.base.names import FreshNames
from relax_lang.relay.operators.core import NotLowered
from relax_lang.relay.operators.prim_funcs import prim_func_of
from relax_lang.relay.operators.symbolic import Atom, Symbolic, prim_expr
from relax_lang.relay.unification.model import ANY, Func, Tensor, Tuple, find_shape, find_type
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.relay.unification.model import Type

LOCAL_FUNCTION = (tree.Function, tree.If)
"""What is not part of a dataflow block."""


class PrimFuncs:
    """The PrimFuncs of a program, one for each text."""

    def __init__(self, names: FreshNames) -> None:
        self._names = names
        self._known: dict[str, str] = {}
        self.items: list[tree.PrimFunc] = []

    def name(self, text: str, place: tuple[int, int]) -> str:
        """Return the name of a PrimFunc; its first call gives it its place."""
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self._names.fresh(prim_func_of(text).name.name_hint)
            self.items.append(prim_func_of(text, found, place))
        return found


class Emitter(Symbolic):
    """Collects the bindings of a function body; `open` and `close` begin and end the block of a branch."""

    def __init__(self, names: FreshNames, prim_funcs: PrimFuncs, *, pure: bool) -> None:
        super().__init__()
        self.names = names
        self._prim_funcs = prim_funcs
        self.pure = pure
        self.blocks: list[list[tree.Binding]] = []
        self._mentioned = FreeNames()
        self._casts: dict[str, list[Any]] = {}

    def open(self) -> None:
        """Begin a block."""
        self.blocks.append([])

    def close(self, value: Atom) -> tree.SeqExpr:
        """End a block with its value."""
        return tree.SeqExpr(arranged(self.blocks.pop(), value.expr, self._mentioned), value.expr)

    def fresh(self, hint: str = "gv") -> str:
        """Return a name that is not used in the function."""
        return self.names.fresh(hint)

    def bind(self, call: tree.Expr, info: tree.StructInfo, hint: str = "gv", depth: int = -1) -> tree.Expr:
        """Bind an expression to a fresh variable, and return its use."""
        name = self.fresh(hint)
        self.blocks[depth].append(tree.VarBinding(tree.Var(name, None, *self.place), call, *self.place))
        return tree.Var(name, None, *self.place)

    def bound(self, expr: tree.Expr, info: tree.StructInfo, hint: str = "gv") -> Atom:
        """Bind an expression, and return its variable."""
        return Atom(self.bind(expr, info, hint), info)

    def known_dims(self, value: Atom) -> list[Any]:
        """Name the extents of a tensor by a match_cast, once."""
        info = value.info
        if (
            not isinstance(info, tree.TensorStructInfo)
            or info.ndim is None
            or not isinstance(value.expr, tree.Var)
        ):
            raise NotLowered("its rank is not known")
        name = value.expr.name_hint
        if name not in self._casts:
            dims = [tree.PrimVar(self.fresh("n")) for _ in range(info.ndim)]
            made = tree.TensorStructInfo(tree.ShapeExpr(tuple(dims)), info.dtype, None)
            self.blocks[-1].append(tree.MatchCast(tree.Var(self.fresh(name), None), made, value.expr))
            self._casts[name] = list(dims)
        return self._casts[name]

    def prim_func_name(self, text: str) -> str:
        """Return the name of a PrimFunc, which the program gets with its first call."""
        return self._prim_funcs.name(text, self.place)

    def extents(self, value: Atom, count: int) -> list[Any]:
        """Name the elements of an integer tensor by a match_cast."""
        dims = [tree.PrimVar(self.fresh("n")) for _ in range(count)]
        call = tree.Call(tree.Var("tensor_to_shape", None, *self.place), (value.expr,), (), None, *self.place)
        info = tree.ShapeStructInfo(tuple(dims), None)
        self.blocks[-1].append(tree.MatchCast(None, info, call, *self.place))
        return list(dims)

    def packed(self, name: str, args: Sequence[Atom], info: tree.StructInfo, *, pure: bool) -> Atom:
        """Call a packed function."""
        function = tree.ExternFunc(name, *self.place)
        exprs = tuple([one.expr for one in args])
        if pure:
            op = tree.Var("call_pure_packed", None, *self.place)
            return self.bound(tree.Call(op, (function, *exprs), (), info, *self.place), info)
        return self.bound(tree.Call(function, exprs, (), info, *self.place), info)


def arranged(
    bindings: list[tree.Binding], value: tree.Expr, mentioned: FreeNames
) -> tuple[tree.BlockOfBindings, ...]:
    """Return bindings in blocks: longest runs of pure calls of operators in dataflow blocks.

    `mentioned` knows what the branches in them mention.
    """
    last_use: dict[str, int] = {}
    for index, binding in enumerate(bindings):
        for name in mentioned.of(binding.value):
            last_use[name] = index
    for name in mentioned.of(value):
        last_use[name] = len(bindings)
    made: list[tree.BlockOfBindings] = []
    at = 0
    while at < len(bindings):
        stop = at
        while stop < len(bindings) and _is_dataflow(bindings[stop]):
            stop += 1
        if stop - at >= 2:
            run = bindings[at:stop]
            vars_ = [one.var for one in run if one.var is not None]
            outputs = [one for one in vars_ if last_use.get(one.name_hint, -1) >= stop]
            if outputs:
                outs = tuple([tree.Var(one.name_hint, None) for one in outputs])
                made.append(tree.DataflowBlock(tuple(run), outs))
                at = stop
                continue
        stop = max(stop, at + 1)
        while stop < len(bindings) and not _begins_run(bindings, stop):
            stop += 1
        made.append(tree.BindingBlock(tuple(bindings[at:stop])))
        at = stop
    return tuple(made)


def _begins_run(bindings: list[tree.Binding], at: int) -> bool:
    return at + 1 < len(bindings) and _is_dataflow(bindings[at]) and _is_dataflow(bindings[at + 1])


def _is_dataflow(binding: tree.Binding) -> bool:
    if not isinstance(binding, tree.VarBinding):
        return False
    value = binding.value
    if isinstance(value, tree.Tuple | tree.TupleGetItem | tree.Constant):
        return True
    return (
        isinstance(value, tree.Call)
        and (
            isinstance(value.op, tree.Op)
            or (isinstance(value.op, tree.Var) and value.op.name_hint in OPERATORS)
        )
        and (value.struct_info is None or not isinstance(value.args[0], tree.ExternFunc))
    )


def _operators() -> frozenset[str]:
    from relax_lang.ops.registry import names

    return frozenset(names())


OPERATORS = _operators()


def struct_info(value: Type, names: FreshNames | None = None) -> tree.StructInfo:
    """Return the struct info of a type; `?` is a fresh shape variable, or without names only the rank is there."""
    value = find_type(value)
    if isinstance(value, Tensor):
        shape = find_shape(value.shape)
        if not isinstance(shape, tuple) or not isinstance(value.dtype, str):
            raise NotLowered("its shape or dtype is a parameter")
        dtype = tree.DType(value.dtype)
        if ANY in shape and names is None:
            return tree.TensorStructInfo(None, dtype, len(shape))
        dims: list[Any] = [tree.PrimVar(names.fresh("n")) if dim is ANY and names else dim for dim in shape]
        return tree.TensorStructInfo(tree.ShapeExpr(tuple([prim_expr(dim) for dim in dims])), dtype, None)
    if isinstance(value, Tuple):
        return tree.TupleStructInfo(tuple([struct_info(one, names) for one in value.fields]))
    return tree.ObjectStructInfo()


def function_info(value: Func, *, pure: bool) -> tree.FuncStructInfo:
    """Return the struct info of a function type."""
    params = tuple([any_info(one, pure=pure) for one in value.params])
    return tree.FuncStructInfo(params, any_info(value.result, pure=pure), None, pure)


def any_info(value: Type, names: FreshNames | None = None, *, pure: bool) -> tree.StructInfo:
    """Return the struct info of a type, which may be that of a function."""
    value = find_type(value)
    if isinstance(value, Func):
        return function_info(value, pure=pure)
    if isinstance(value, Tuple):
        return tree.TupleStructInfo(tuple([any_info(one, names, pure=pure) for one in value.fields]))
    return struct_info(value, names)
