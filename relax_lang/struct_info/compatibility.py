"""Is a value of one info accepted where another is expected? [C.*] And the order `<<:` of infos. [U.1-U.7]

`check_compatibility(found, expected, context)` gives one of three verdicts, with the reason. Its definite part
is the order on infos [ERR.26]: `is_more_specific`.
"""

from __future__ import annotations

from relax_lang.arith.prover import DIFFERENT, EQUAL
from relax_lang.base.node import unreachable
from relax_lang.struct_info.bound_variables import binders_of
from relax_lang.struct_info.context import (
    EMPTY,
    NOTHING_KNOWN,
    REJECTED,
    as_tensor,
    derive_of,
    dtype_of,
    result_of,
)
from relax_lang.struct_info.substitution import bind_signature
from relax_lang.struct_info.verdict import (
    COMPATIBLE,
    DERIVE,
    DIMENSION,
    DTYPE,
    FIELDS,
    INCOMPATIBLE,
    KIND,
    PARAMETERS,
    POSSIBLY,
    PURITY,
    RANK,
    SHAPE,
    YES,
    Reason,
    Verdict,
    no,
    worse,
)
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.struct_info.context import Context, Shaped
    from relax_lang.struct_info.substitution import Signature

    Info = tree.StructInfo
    Dims = tuple[tree.PrimExpr, ...]


def check_compatibility(found: Info, expected: Info, context: Context = NOTHING_KNOWN) -> Verdict:
    """Return whether a value of the first info is accepted where the second is expected. [C.0-C.6]"""
    return _Check(context, set()).check(found, expected)


def check_arguments(arguments: Sequence[Info], signature: Signature, context: Context) -> list[Verdict]:
    """Check the arguments of a call against the parameters of a signature that they bind. [D.11.2.5] [C.5.4]"""
    run = _Check(context.extended(signature.open), set(signature.open))
    return [run.check(found, param) for found, param in zip(arguments, signature.params, strict=True)]


def is_more_specific(left: Info, right: Info, context: Context = NOTHING_KNOWN) -> bool:
    """Return whether `left <<: right` is provable; this is an order up to provable equality. [U.1-U.7] [ERR.26]"""
    return check_compatibility(left, right, context).answer == COMPATIBLE


def is_equivalent(left: Info, right: Info, context: Context = NOTHING_KNOWN) -> bool:
    """Return whether two infos are provably equivalent. [U.15]"""
    return is_more_specific(left, right, context) and is_more_specific(right, left, context)


class _Check:
    """One run: the context, and the variables of a callee that nothing has bound so far. [C.5.4]"""

    __slots__ = ("context", "memo", "open")

    def __init__(self, context: Context, unbound: set[str]) -> None:
        self.context = context
        self.open = unbound
        self.memo: dict[tuple[int, int], Verdict] = {}

    def check(self, found: Info, expected: Info) -> Verdict:
        if found is expected or type(expected) is tree.ObjectStructInfo or found is REJECTED:  # C.1, Z.5
            return YES
        if type(found) is tree.PrimStructInfo and type(expected) is tree.TensorStructInfo:
            found = as_tensor(found)
        if type(found) is not type(expected):  # C.2
            return no(KIND, expected, found)
        return _CHECK[type(expected)](self, found, expected)


def _check_tuple(run: _Check, found: tree.TupleStructInfo, expected: tree.TupleStructInfo) -> Verdict:
    """The same length, then the worst field. [C.3]"""
    if len(found.fields) != len(expected.fields):
        return no(FIELDS, len(expected.fields), len(found.fields))
    key = id(found), id(expected)
    settled = not run.open  # else the answer depends on what is bound by now
    if settled and key in run.memo:  # infos may share parts
        return run.memo[key]
    verdict = YES
    for index, (own, other) in enumerate(zip(found.fields, expected.fields, strict=True)):
        verdict = worse(verdict, run.check(own, other).within(f"field {index}"))
        if verdict.answer == INCOMPATIBLE:
            break
    if settled:
        run.memo[key] = verdict
    return verdict


def _check_scalar(_run: _Check, found: tree.PrimStructInfo, expected: tree.PrimStructInfo) -> Verdict:
    if found.dtype.name != expected.dtype.name:
        return no(DTYPE, expected.dtype.name, found.dtype.name)
    return YES


def _check_tensor(run: _Check, found: tree.TensorStructInfo, expected: tree.TensorStructInfo) -> Verdict:
    """Dtype, then as a shape. [C.5]"""
    if expected.dtype is not None and dtype_of(found) != expected.dtype.name:  # C.5.1
        return no(DTYPE, expected.dtype.name, dtype_of(found))
    return _check_shape(run, found, expected)


def _check_shape(run: _Check, found: Shaped, expected: Shaped) -> Verdict:
    """Rank, then the dimensions. [C.4] [C.5.2-C.5.6]"""
    context = run.context
    rank, own_rank = context.rank_of(expected), context.rank_of(found)
    if rank is not None and own_rank != rank:  # C.4.2, C.5.2
        return no(RANK, rank, own_rank)
    there, own = context.shape_of(expected), context.shape_of(found)
    if there is None or there == own:  # C.4.1, C.4.3, C.5.3; the same variable, or the same dimensions
        return YES
    if isinstance(there, tuple) and isinstance(own, tuple):
        return _check_dims(run, own, there)
    if isinstance(there, tuple) and _binds_all(run, there):
        return YES
    return Verdict(POSSIBLY, Reason(SHAPE, _shape_fact(expected), _shape_fact(found)))  # C.4.4, C.5.4, C.5.5


def _binds_all(run: _Check, dims: Dims) -> bool:
    """Bind what is not bound yet; return whether that is every dimension, so that any shape fits. [C.5.4]"""
    bound = 0
    for dim in dims:
        if isinstance(dim, tree.PrimVar) and dim.name in run.open:
            run.open.remove(dim.name)
            bound += 1
    return bound == len(dims)


def _shape_fact(info: Shaped) -> tree.Node | None:
    """Return the shape of an info as written, for the reason."""
    if isinstance(info, tree.TensorStructInfo):
        return info.shape
    return None if info.values is None else tree.ShapeExpr(info.values, info.pos, info.end)


def _check_dims(run: _Check, found: Dims, expected: Dims) -> Verdict:
    """A pair that is provably unequal decides, then one that is not provably equal. [C.4.5] [C.5.6]"""
    doubt: tuple[int, tree.PrimExpr, tree.PrimExpr] | None = None
    for index, (own, other) in enumerate(zip(found, expected, strict=True)):
        answer = run.context.relation(own, other)
        if answer == DIFFERENT:
            return no(DIMENSION, other, own, index)
        if answer != EQUAL and doubt is None:
            doubt = index, other, own
    if doubt is None:
        return YES
    never = run.context.contradiction(found, expected)
    if never is not None:
        return no(DIMENSION, expected[never], found[never], never)
    index, other, own = doubt
    return Verdict(POSSIBLY, Reason(DIMENSION, other, own, index, facts=run.context.facts))


def _check_function(run: _Check, found: tree.FuncStructInfo, expected: tree.FuncStructInfo) -> Verdict:
    """Packed or not, purity, number of parameters, parameters the other way round, result. [C.6]"""
    if found.params is None or expected.params is None:
        return _check_packed(found, expected)
    if expected.pure and not found.pure:  # C.6.4
        return no(PURITY, "pure", "impure")
    if len(found.params) != len(expected.params):  # C.6.3.1
        return no(PARAMETERS, len(expected.params), len(found.params))
    scope = run.context.shape_vars
    # The binders of the expected type are arbitrary but fixed dimensions to the one that must serve them all.
    context = run.context.extended(binders_of(expected, scope))
    signature = bind_signature(found, expected.params, scope, context)  # C.6.3.2
    verdict = YES
    for index, each in enumerate(check_arguments(expected.params, signature, context)):  # C.6.3.3
        verdict = worse(verdict, each.flipped().within(f"parameter {index}"))
    inner = _Check(context.extended(signature.open), set())
    return worse(verdict, inner.check(signature.ret, result_of(expected)).within("result"))


def _check_packed(found: tree.FuncStructInfo, expected: tree.FuncStructInfo) -> Verdict:
    """A packed function is not a closure; derive functions are compared by name. [C.6.1] [C.6.2]"""
    if found.params is not expected.params:
        return no(KIND, expected, found)
    own, other = derive_of(found), derive_of(expected)
    if other in {own, EMPTY}:  # ERR.27
        return YES
    return Verdict(POSSIBLY, Reason(DERIVE, other, own))


_CHECK: Table[tree.StructInfo, Callable[[_Check, Any, Any], Verdict]] = {
    tree.TupleStructInfo: _check_tuple,
    tree.TensorStructInfo: _check_tensor,
    tree.ShapeStructInfo: _check_shape,
    tree.PrimStructInfo: _check_scalar,
    tree.FuncStructInfo: _check_function,
    tree.ObjectStructInfo: unreachable,
    tree.MatchShapeInfo: unreachable,
    tree.MissingStructInfo: unreachable,
}
