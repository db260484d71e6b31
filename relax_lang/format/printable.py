"""Which trees have a text form: `check_printable` finds the first node that has none. [G.43]

A tree built in Python can say what no text says: a DataflowVar outside its block, a negative index. Printing such a
tree anyway would give a text that means something else. Iterative; looks at each node and its children, not at
scopes: what a name means is for name resolution to decide, of a tree as of its text.
"""

from __future__ import annotations

from relax_lang.base.node import children
from relax_lang.format import lexemes
from relax_lang.format.fields import Unprintable, check_fields
from relax_lang.format.tir import is_grid
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES, FLOAT_LIMITS, INT_RANGES
from relax_lang.syntax.vocabulary.operators import INFIX_SUGAR, PREFIX_SUGAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from relax_lang.base.node import Node

    Check = Callable[[Any], Iterable[Node]]

PURITIES = (None, "pure", "impure", "force_pure")
LOOPS = ("serial", "parallel", "vectorized", "unrolled", "thread")
STORES = ("=", "+=", "-=", "*=")

OWN_CALLS = {"min": 2, "max": 2, "select": 3, "cast": 2}
"""Calls with this many arguments are nodes of their own."""


def check_printable(root: Node) -> None:
    """Raise `Unprintable` for the first node of a tree that has no text form. [G.43]"""
    todo = [root]
    if isinstance(root, tree.Function) and root.name is not None:  # an item by itself
        check_fields(root)
        todo = list(_function(root))[::-1]
    while todo:
        node = todo.pop()
        check_fields(node)
        check = CHECKS.get(type(node))
        below = children(node) if check is None else check(node)
        todo += reversed(list(below))


def _refuse(node: Node, wrong: bool, reason: str) -> None:
    if wrong:
        raise Unprintable(node, reason)


# -- modules, functions, blocks ------------------------------------------------------------------------------


def _module(node: tree.IRModule) -> Iterable[Node]:
    below: list[Node] = [*node.attrs]
    for item in node.items:
        if isinstance(item, tree.Function):
            _refuse(item, item.name is None, "a function of a module has a name")
            check_fields(item)
            below += _function(item)
        else:
            below.append(item)
    return below


def _literal_function(node: tree.Function) -> Iterable[Node]:
    _refuse(
        node, node.name is not None or node.private, "only a function of a module has a name or is private"
    )
    return _function(node)


def _function(node: tree.Function) -> Iterable[Node]:
    _refuse(node, node.purity not in PURITIES, f"`{node.purity}` is not a purity")
    _refuse(node, not isinstance(node.body, tree.SeqExpr), "the body of a function is a SeqExpr")
    below: list[Node] = [*node.attrs]
    for param in node.params:
        check_fields(param)
        _refuse(param, param.struct_info_annotation is None, "a parameter has a struct info")
        below += children(param)
    if node.ret_struct_info is not None:
        below.append(node.ret_struct_info)
    return [*below, node.body]


def _binding_block(node: tree.BindingBlock) -> Iterable[Node]:
    for binding in node.bindings:
        inside = isinstance(_bound(binding), tree.DataflowVar)
        _refuse(binding, inside, "a DataflowVar is bound in a dataflow block")
    return node.bindings


def _dataflow_block(node: tree.DataflowBlock) -> Iterable[Node]:
    """Of the bindings of one name, the last leaves the block if the name is listed. [S.8]"""
    leaving = {var.name_hint for var in node.outputs}
    for binding in reversed(node.bindings):
        var = _bound(binding)
        if var is None:
            continue
        if isinstance(var, tree.DataflowVar):
            _refuse(var, var.name_hint == "_", "`_` names nothing: it is a Var")
            _refuse(
                var, var.name_hint in leaving, f"`{var.name_hint}` must be a Var: it is listed in `output`"
            )
        leaving.discard(var.name_hint)
    return [*node.bindings, *node.outputs]


def _bound(binding: tree.Binding) -> tree.Binder | None:
    check_fields(binding)
    if binding.var is not None:
        check_fields(binding.var)
    return binding.var


def _var_binding(node: tree.VarBinding) -> Iterable[Node]:
    _bound(node)
    return [*children(node.var), node.value]


def _match_cast(node: tree.MatchCast) -> Iterable[Node]:
    info: list[Node] = [node.struct_info]
    if isinstance(node.struct_info, tree.MatchShapeInfo):
        check_fields(node.struct_info)
        info = list(node.struct_info.values)
    if node.var is None:
        return [node.value, *info]
    _bound(node)
    annotation = list(children(node.var))
    nothing = node.var.name_hint == "_" and not annotation
    _refuse(node, nothing, "a match_cast without variable has var None")
    return [*annotation, node.value, *info]


# -- expressions ---------------------------------------------------------------------------------------------


def _var(node: tree.Var) -> Iterable[Node]:
    _refuse(node, node.struct_info_annotation is not None, "the use of a variable has no annotation")
    return ()


def _dataflow_var(node: tree.DataflowVar) -> Iterable[Node]:
    raise Unprintable(node, "it is only written where it is bound; its uses are Var")


def _missing(node: tree.Missing | tree.MissingField | tree.MissingStructInfo) -> Iterable[Node]:
    raise Unprintable(node, "what is here could not be read")


def _op(node: tree.Op) -> Iterable[Node]:
    _refuse(
        node,
        not lexemes.DOTTED.fullmatch(node.op_name),
        "an operator without dots is read as a variable here",
    )
    return ()


def _call(node: tree.Call) -> Iterable[Node]:
    # As a callee any operator can be written; a bare name is read as a Var, which name resolution turns back.
    if not isinstance(node.op, tree.Op):
        return children(node)
    check_fields(node.op)
    return [part for part in children(node) if part is not node.op]


def _if(node: tree.If) -> Iterable[Node]:
    for branch in (node.true_branch, node.false_branch):
        _refuse(node, not isinstance(branch, tree.SeqExpr), "a branch is a SeqExpr")
    return children(node)


def _tuple_get_item(node: tree.TupleGetItem) -> Iterable[Node]:
    _refuse(node, node.index < 0, "tuple indices count from 0")
    return (node.tuple_value,)


def _binary_op(node: tree.BinaryOp) -> Iterable[Node]:
    _refuse(node, node.op not in INFIX_SUGAR, f"`{node.op}` is not an infix operator")
    return children(node)


def _unary_op(node: tree.UnaryOp) -> Iterable[Node]:
    _refuse(node, node.op not in PREFIX_SUGAR, f"`{node.op}` is not a prefix operator")
    return children(node)


def _constant(node: tree.Constant) -> Iterable[Node]:
    if isinstance(node.data, tree.FileLit):
        check_fields(node.data)
        return () if node.dtype is None else (node.dtype,)
    return children(node)


def _file(node: tree.FileLit) -> Iterable[Node]:
    raise Unprintable(node, "a file is only written in a constant, and not in a list")


def _dtype(node: tree.DType) -> Iterable[Node]:
    _refuse(node, not lexemes.is_identifier(node.name), f"`{node.name}` is not a word")
    return ()


# -- struct infos --------------------------------------------------------------------------------------------


def _tensor(node: tree.TensorStructInfo) -> Iterable[Node]:
    shape = node.shape
    _refuse(node, shape is not None and node.ndim is not None, "it has a shape and ndim")
    _refuse(
        node,
        shape is not None
        and not isinstance(shape, tree.ShapeExpr | tree.Var | tree.Call)
        and not (
            isinstance(shape, tree.TupleGetItem) and isinstance(shape.tuple_value, tree.Var | tree.Call)
        ),
        "it is neither dimensions, a variable, a call nor a field",
    )
    _refuse(
        node, isinstance(shape, tree.Var) and shape.name_hint == "_", "`_` in place of a shape means unknown"
    )
    _refuse(node, node.ndim is not None and node.ndim < 0, "ndim is negative")
    _refuse(node, node.dtype is not None and node.dtype.name == "_", "`_` in place of a dtype means unknown")
    return children(node)


def _scalar(node: tree.PrimStructInfo) -> Iterable[Node]:
    _refuse(node, node.dtype.name == "_", "`_` in place of a dtype means unknown")
    return children(node)


def _shape(node: tree.ShapeStructInfo) -> Iterable[Node]:
    _refuse(node, node.values is not None and node.ndim is not None, "it has values and ndim")
    _refuse(node, node.ndim is not None and node.ndim < 0, "ndim is negative")
    return children(node)


def _func(node: tree.FuncStructInfo) -> Iterable[Node]:
    if node.params is None:
        _refuse(node, node.derive_func is None, "it has neither parameters nor a derive function")
        _refuse(node, node.ret is not None or node.pure, "a PackedFunc has no result and is not pure")
    else:
        _refuse(node, node.derive_func is not None, "it has parameters and a derive function")
        _refuse(node, node.ret is None, "it has no result")
    return children(node)


def _match_shape(node: tree.MatchShapeInfo) -> Iterable[Node]:
    raise Unprintable(node, "it is the pattern of a MatchCast and nothing else")


# -- scalar expressions --------------------------------------------------------------------------------------


def _int_imm(node: tree.IntImm) -> Iterable[Node]:
    _refuse(
        node,
        node.dtype is None and node.value < 0,
        "a negative number is Neg of a positive one, or has a dtype",
    )
    _refuse(
        node,
        node.dtype is not None and node.dtype.name not in INT_RANGES,
        "its dtype is not an integer dtype",
    )
    return ()


def _float_imm(node: tree.FloatImm) -> Iterable[Node]:
    negative = lexemes.fraction(node.value).startswith("-")
    _refuse(
        node, node.dtype is None and negative, "a negative number is Neg of a positive one, or has a dtype"
    )
    _refuse(
        node, node.dtype is not None and node.dtype.name not in FLOAT_LIMITS, "its dtype is not a float dtype"
    )
    return ()


def _prim_call(node: tree.PrimCall) -> Iterable[Node]:
    taken = node.name in DTYPES or node.name in ("min_value", "max_value")
    _refuse(
        node, taken or len(node.args) == OWN_CALLS.get(node.name), f"`{node.name}(…)` is read as another node"
    )
    return node.args


def _type_limit(node: tree.TypeLimit) -> Iterable[Node]:
    _refuse(node, node.name not in ("min_value", "max_value"), f"there is no limit `{node.name}`")
    return (node.dtype,)


# -- PrimFuncs -----------------------------------------------------------------------------------------------


def _for(node: tree.For) -> Iterable[Node]:
    _refuse(node, not node.loop_vars, "a loop has a variable")
    _refuse(node, len(node.loop_vars) != len(node.ranges), "a loop has one range for each variable")
    _refuse(node, node.kind not in LOOPS, f"`{node.kind}` is not a kind of loop")
    _refuse(
        node,
        (node.kind == "thread") != (node.thread is not None),
        "a thread loop has a thread axis, others none",
    )
    for extent in node.ranges:
        check_fields(extent)
    _refuse(node, len(node.ranges) > 1 and not is_grid(node), "a loop with several variables counts from 0")
    return children(node)


def _buffer_store(node: tree.BufferStore) -> Iterable[Node]:
    _refuse(node, node.op not in STORES, f"`{node.op}` is not a store")
    return children(node)


def _iter_var(node: tree.IterVar) -> Iterable[Node]:
    _refuse(node, not lexemes.is_identifier(node.kind), f"`{node.kind}` is not a word")
    return children(node)


CHECKS: dict[type[Node], Check] = {
    tree.IRModule: _module,
    tree.Function: _literal_function,
    tree.BindingBlock: _binding_block,
    tree.DataflowBlock: _dataflow_block,
    tree.VarBinding: _var_binding,
    tree.MatchCast: _match_cast,
    tree.Var: _var,
    tree.DataflowVar: _dataflow_var,
    tree.Op: _op,
    tree.Missing: _missing,
    tree.MissingField: _missing,
    tree.MissingStructInfo: _missing,
    tree.Call: _call,
    tree.If: _if,
    tree.TupleGetItem: _tuple_get_item,
    tree.BinaryOp: _binary_op,
    tree.UnaryOp: _unary_op,
    tree.Constant: _constant,
    tree.FileLit: _file,
    tree.DType: _dtype,
    tree.TensorStructInfo: _tensor,
    tree.ShapeStructInfo: _shape,
    tree.PrimStructInfo: _scalar,
    tree.FuncStructInfo: _func,
    tree.MatchShapeInfo: _match_shape,
    tree.IntImm: _int_imm,
    tree.FloatImm: _float_imm,
    tree.PrimCall: _prim_call,
    tree.TypeLimit: _type_limit,
    tree.For: _for,
    tree.BufferStore: _buffer_store,
    tree.IterVar: _iter_var,
}
"""What a node must fulfil beyond its fields; each returns what to look at next, in the order of the text."""
