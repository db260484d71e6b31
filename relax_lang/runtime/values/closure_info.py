"""The struct info that closures keep at run time, and when a function type refuses one. [V.8] [M.5.3]

A closure's own annotations are held against the target by `check_compatibility`, with the numbers and shapes
that are known by now. What the closure atoms open (a result without annotation, a purity that is not written
down) refuses nothing, and neither does a trust: parameters and result are checked when it is called.
"""

from __future__ import annotations

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.base.node import assert_never
from relax_lang.runtime.values.mismatch import Environment, Mismatch, shown
from relax_lang.syntax import tree
from relax_lang.values import Closure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.struct_info.verdict import Fact


def refusal(closure: Closure, target: tree.FuncStructInfo, environment: Environment) -> Mismatch | None:
    """Return why a closure does not fit a function type, or None if it can. [M.5.3] [C.6]"""
    from relax_lang.struct_info.compatibility import (
        check_compatibility,  # only programs that cast closures need it
    )
    from relax_lang.struct_info.verdict import INCOMPATIBLE

    own = _with_values(struct_info_of(closure), Environment(closure.variables, closure.shape_vars))
    verdict = check_compatibility(own, _with_values(target, environment))
    reason = verdict.reason
    if verdict.answer != INCOMPATIBLE or reason is None:
        return None
    expected = _number(reason.expected) or reason.expected_text
    return Mismatch(reason.path, reason.subject, expected, _number(reason.found) or reason.found_text)


def signature_text(closure: Closure) -> str:
    """Return the function type of a closure as far as it is annotated: `fn(Tensor) -> Tensor`. [V.8]"""
    return shown(struct_info_of(closure))


def struct_info_of(closure: Closure) -> tree.FuncStructInfo:
    """Return the function type of a closure as it is written; a result that is not written fits everywhere. [V.8]"""
    from relax_lang.struct_info.context import REJECTED  # only programs that cast or show closures need it

    function = closure.function
    assert isinstance(function, tree.Function)
    params = function.params[: len(function.params) - len(closure.bound)]
    infos = tuple([param.struct_info_annotation or tree.ObjectStructInfo() for param in params])
    return tree.FuncStructInfo(infos, function.ret_struct_info or REJECTED, None, function.purity != "impure")


def _with_values(info: tree.StructInfo, environment: Environment) -> tree.StructInfo:
    """Put the values of variables and shape variables in; what is left free are binders of function types."""
    from relax_lang.struct_info.bound_variables import substitute  # only programs that cast closures need it

    numbers = {name: tree.IntImm(value) for name, value in environment.shape_vars.items()}
    return _with_shapes(substitute(info, numbers, frozenset()), environment.variables)


def _with_shapes(info: tree.StructInfo, variables: Mapping[str, object]) -> tree.StructInfo:
    """Replace `Tensor[s]` by the dimensions that `s` holds."""
    match info:
        case tree.TensorStructInfo():
            held = variables.get(info.shape.name_hint) if isinstance(info.shape, tree.Var) else None
            if not isinstance(held, ShapeValue):
                return info
            dims = tree.ShapeExpr(tuple([tree.IntImm(size) for size in held]))
            return tree.TensorStructInfo(dims, info.dtype, None)
        case tree.TupleStructInfo():
            return tree.TupleStructInfo(tuple([_with_shapes(field, variables) for field in info.fields]))
        case tree.FuncStructInfo():
            if info.params is None:
                return info
            params = tuple([_with_shapes(param, variables) for param in info.params])
            ret = _with_shapes(info.ret or tree.ObjectStructInfo(), variables)
            return tree.FuncStructInfo(params, ret, None, info.pure)
        case tree.ShapeStructInfo() | tree.MatchShapeInfo() | tree.ObjectStructInfo():
            return info
        case tree.PrimStructInfo() | tree.MissingStructInfo():
            return info
        case _:
            return assert_never(info)


def _number(fact: Fact) -> str | None:
    """Return the value of a dimension that has one by now. [Z.7]"""
    if not isinstance(fact, tree.PrimExpr):
        return None
    try:
        return str(evaluate(fact, {}))
    except DimensionError:
        return None
