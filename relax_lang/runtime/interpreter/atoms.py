"""Leaves of the normal form: what evaluates at once, without waiting for Relax code. [N.2] [X.1-X.5] [X.8]"""

from __future__ import annotations

from relax_lang.base.node import unreachable
from relax_lang.runtime.values.dimensions import prim_value, sizes
from relax_lang.runtime.values.tensors import constant_tensor
from relax_lang.syntax import tree
from relax_lang.values import PackedFunc, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.runtime.interpreter.machine import Scope
    from relax_lang.runtime.values.tensors import Tensor


def atom(expr: tree.Expr, scope: Scope) -> object:
    """Evaluate an atom: it never has to wait for Relax code. [N.2]"""
    return _ATOMS[type(expr)](expr, scope)


def _constant(expr: tree.Constant, scope: Scope) -> Tensor:
    """Make a new tensor at each evaluation: a change to one is not seen in the next. [X.1] [CF.4]"""
    machine = scope.machine
    known = machine.constants.get(expr)
    if known is None:
        known = machine.constants[expr] = constant_tensor(expr, machine.load_constant)
        machine.memory.check(known.nbytes)
    return known.copy()


def _variable(expr: tree.Var, scope: Scope) -> object:
    """X.2: the stored value itself."""
    return scope.variables[expr.name_hint]


def _global(expr: tree.GlobalVar, scope: Scope) -> object:
    """X.2: all globals are ready before anything runs. [X.0.1]"""
    return scope.machine.globals[expr.name_hint]


def _tuple(expr: tree.Tuple, scope: Scope) -> tuple[object, ...]:
    """X.3: the fields from left to right, then a new tuple."""
    return tuple([atom(field, scope) for field in expr.fields])


def _shape(expr: tree.ShapeExpr, scope: Scope) -> ShapeValue:
    """X.5: the dimensions from left to right, then a new shape."""
    return ShapeValue(sizes(expr.values, scope.shape_vars))


def _extern(expr: tree.ExternFunc, scope: Scope) -> PackedFunc:
    """X.8: looked up by name when it is evaluated."""
    return scope.machine.packed.lookup(expr)


def _prim_value(expr: tree.PrimValue, scope: Scope) -> float | bool:
    """Evaluate a scalar operand over shape variables."""
    return prim_value(expr.value, scope.shape_vars)


NOT_NORMAL = (
    tree.DataflowVar,
    tree.Op,
    tree.SeqExpr,
    tree.BinaryOp,
    tree.UnaryOp,
    tree.Missing,
    tree.MissingField,
)
"""Expression classes that are never evaluated by themselves in normal form: `Op` is a callee, `SeqExpr` a body."""

_ATOMS: Table[tree.Expr, Callable[[Any, Scope], object]] = {
    tree.Constant: _constant,
    tree.Var: _variable,
    tree.GlobalVar: _global,
    tree.Tuple: _tuple,
    tree.ShapeExpr: _shape,
    tree.ExternFunc: _extern,
    tree.PrimValue: _prim_value,
    **dict.fromkeys((tree.TupleGetItem, tree.Function, tree.If, tree.Call, *NOT_NORMAL), unreachable),
}
"""Expression class to the function that evaluates it."""
