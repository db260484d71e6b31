"""The struct info of a call of an operator: arguments against the signature, then its rule. [D.11.1]"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.ops.core.inference import Inference
from relax_lang.ops.shape_rules.argument_kinds import check_kinds
from relax_lang.struct_info.context import REJECTED, as_tensor
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.core.findings import DeferredCheck, Finding
    from relax_lang.ops.core.operator import Operator
    from relax_lang.struct_info.context import Context


def infer_call(
    operator: Operator,
    call: tree.Call,
    infos: Sequence[tree.StructInfo | None],
    context: Context,
    deferred: list[DeferredCheck] | None = None,
) -> tuple[tree.StructInfo, list[Finding]]:
    """Return what a call of an operator gives, and what is wrong with its arguments. [D.11.1] [OP.3-OP.8]

    Number of arguments and attributes were found right before [OP.2] [OP.4]; `infos` has one entry per argument,
    None for scalars. `deferred` gets the extents that the run compares. The result is
    `REJECTED` where an error leaves nothing certain, or an argument was rejected.
    """
    if REJECTED in infos:  # by identity: nodes have no other equality
        return REJECTED, []
    given = infos
    for index, info in enumerate(infos):
        if type(info) is tree.PrimStructInfo:  # a tensor of rank 0, to operators
            infos = [*infos[:index], as_tensor(info), *infos[index + 1 :]]
    site = Inference(operator, call, infos, context)
    if given is not infos:
        site.given_infos = [*given, *site.infos[len(given) :]]
    if not check_kinds(site):
        return REJECTED, site.findings
    rule = operator.infer
    if rule is None:
        return tree.ObjectStructInfo(call.pos, call.end), []
    result = rule(site)
    if site.findings and not _certain(result):
        return REJECTED, site.findings
    if deferred is not None:
        deferred += site.deferred
    return result, site.findings


def _certain(info: tree.StructInfo) -> bool:
    """Return whether an info leaves nothing open: what an error took away must not look like ignorance. [Z.5]"""
    match info:
        case tree.TensorStructInfo():
            return info.shape is not None and info.dtype is not None
        case tree.ShapeStructInfo():
            return info.values is not None
        case tree.TupleStructInfo():  # rules make no deep ones
            return all(_certain(field) for field in info.fields)
        case tree.PrimStructInfo():
            return True
        case tree.ObjectStructInfo() | tree.FuncStructInfo():
            return False
        case tree.MatchShapeInfo() | tree.MissingStructInfo():
            return False  # of no result
        case _:
            return assert_never(info)
