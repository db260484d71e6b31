"""Whether a match_cast can succeed, and whether one is needed. [Z.3] [D.8.3.3] [T.C2] [T.C3] [ERR.35] [ERR.47]

Both questions ask whether some value fits two infos: whether their GLB exists and no two dimensions provably
differ. They differ for functions. A value that is known as one function type may well be another, more general
closure, so that a match_cast between them can succeed; but where a function is not accepted, a match_cast
cannot widen its parameters or make it pure, and none is recommended.
"""

from __future__ import annotations

from relax_lang.arith.prover import DIFFERENT
from relax_lang.base.node import unreachable
from relax_lang.struct_info.bound_variables import bare_names, substitute
from relax_lang.struct_info.compatibility import check_compatibility
from relax_lang.struct_info.context import NOTHING_KNOWN, as_tensor, dtype_of, result_of
from relax_lang.struct_info.substitution import get_shape_var_mapping
from relax_lang.struct_info.types import erase
from relax_lang.struct_info.verdict import (
    DIMENSION,
    DTYPE,
    FIELDS,
    INCOMPATIBLE,
    KIND,
    PARAMETERS,
    RANK,
    Reason,
)
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.struct_info.context import Context, Shaped

    Info = tree.StructInfo


def match_cast_refused(found: Info, target: Info, context: Context) -> Reason | None:
    """Return why no value of an info passes a match_cast, or None if one might. [D.8.3.3] [ERR.35]

    Bare names of the target that are not in scope are bound by the match_cast: `T[(k, k)]` refuses (2, 3).
    """
    mapping = get_shape_var_mapping(target, found, context)
    if isinstance(
        target, tree.TensorStructInfo | tree.ShapeStructInfo
    ):  # no function types: the scope is not asked
        return _Refusal(context, between_functions=False).refuse(
            found, substitute(target, mapping, frozenset())
        )
    bound = substitute(target, mapping, context.shape_vars)
    new = [name for name in bare_names([bound]) if name not in context.shape_vars]
    return _Refusal(context.extended(new), between_functions=False).refuse(found, bound)


def needs_match_cast(found: Info, expected: Info, context: Context = NOTHING_KNOWN) -> bool:
    """Return whether too little is known of a value that is not accepted, so that a match_cast may help. [Z.3]"""
    return no_cast_helps(found, expected, context) is None


def no_cast_helps(found: Info, expected: Info, context: Context = NOTHING_KNOWN) -> Reason | None:
    """Return why a value that is not accepted never will be, or None if too little is known of it. [T.C3]"""
    return _Refusal(context, between_functions=True).refuse(found, expected)


class _Refusal:
    """One run: the context, and whether a function type that is not accepted refuses."""

    __slots__ = ("between_functions", "context", "memo")

    def __init__(self, context: Context, between_functions: bool) -> None:
        self.context = context
        self.between_functions = between_functions
        self.memo: dict[tuple[int, int], Reason | None] = {}

    def refuse(self, found: Info, expected: Info) -> Reason | None:
        """Return why no value fits both infos."""
        if found is expected or isinstance(found, tree.ObjectStructInfo):
            return None
        if isinstance(expected, tree.ObjectStructInfo):
            return None
        if isinstance(found, tree.PrimStructInfo) and isinstance(expected, tree.TensorStructInfo):
            found = as_tensor(found)
        elif isinstance(found, tree.TensorStructInfo) and isinstance(expected, tree.PrimStructInfo):
            expected = as_tensor(expected)
        if type(found) is not type(expected):
            return Reason(KIND, expected, found)
        return _REFUSE[type(found)](self, found, expected)


def _scalar(_run: _Refusal, found: tree.PrimStructInfo, expected: tree.PrimStructInfo) -> Reason | None:
    if found.dtype.name == expected.dtype.name:
        return None
    return Reason(DTYPE, expected.dtype.name, found.dtype.name)


def _tuple(run: _Refusal, found: tree.TupleStructInfo, expected: tree.TupleStructInfo) -> Reason | None:
    if len(found.fields) != len(expected.fields):
        return Reason(FIELDS, len(expected.fields), len(found.fields))
    key = id(found), id(expected)
    if key in run.memo:  # infos may share parts
        return run.memo[key]
    reason: Reason | None = None
    for index, (own, other) in enumerate(zip(found.fields, expected.fields, strict=True)):
        reason = run.refuse(own, other)
        if reason is not None:
            reason = reason.within(f"field {index}")
            break
    run.memo[key] = reason
    return reason


def _tensor(run: _Refusal, found: tree.TensorStructInfo, expected: tree.TensorStructInfo) -> Reason | None:
    if found.dtype is not None and expected.dtype is not None and found.dtype.name != expected.dtype.name:
        return Reason(DTYPE, dtype_of(expected), dtype_of(found))
    return _shape(run, found, expected)


def _shape(run: _Refusal, found: Shaped, expected: Shaped) -> Reason | None:
    own_rank, rank = run.context.rank_of(found), run.context.rank_of(expected)
    if own_rank is not None and rank is not None and own_rank != rank:
        return Reason(RANK, rank, own_rank)
    own, other = run.context.shape_of(found), run.context.shape_of(expected)
    if not isinstance(own, tuple) or not isinstance(other, tuple):
        return None
    for index, (mine, theirs) in enumerate(zip(own, other, strict=True)):
        if run.context.relation(mine, theirs) == DIFFERENT:
            return Reason(DIMENSION, theirs, mine, index)
    never = run.context.contradiction(own, other)
    return None if never is None else Reason(DIMENSION, other[never], own[never], never)


def _function(run: _Refusal, found: tree.FuncStructInfo, expected: tree.FuncStructInfo) -> Reason | None:
    if run.between_functions:
        verdict = check_compatibility(found, expected, run.context)
        return verdict.reason if verdict.answer == INCOMPATIBLE else None
    if found.params is None or expected.params is None:
        return None if found.params is expected.params else Reason(KIND, expected, found)
    if len(found.params) != len(expected.params):
        return Reason(PARAMETERS, len(expected.params), len(found.params))
    # Parameters have a LUB and purity a lower bound. Of the results only the types count: a closure that was
    # accepted "possibly" may return another shape than its info has.
    own, other = erase(result_of(found), run.context), erase(result_of(expected), run.context)
    reason = run.refuse(own, other)
    return None if reason is None else reason.within("result")


_REFUSE: Table[tree.StructInfo, Callable[[_Refusal, Any, Any], Reason | None]] = {
    tree.TupleStructInfo: _tuple,
    tree.TensorStructInfo: _tensor,
    tree.ShapeStructInfo: _shape,
    tree.PrimStructInfo: _scalar,
    tree.FuncStructInfo: _function,
    tree.ObjectStructInfo: unreachable,
    tree.MatchShapeInfo: unreachable,
    tree.MissingStructInfo: unreachable,
}
