"""Extents that are equal only where a number divides a size: `e // 4 * 4` and `e`. [OP.6]"""

from __future__ import annotations

from math import lcm

from relax_lang.arith.prover import EQUAL, compare
from relax_lang.arith.substitute import substitute
from relax_lang.base.diagnostic import Edit
from relax_lang.base.node import replaced, walk
from relax_lang.base.wording import enumerated
from relax_lang.check.infer.messages import common
from relax_lang.format.printer import show
from relax_lang.scope.inserted_bindings import inserted
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.check.infer.context.state import State
    from relax_lang.ops.core.findings import DeferredCheck


def offer(state: State, call: tree.Call, check: DeferredCheck, found: Diagnostic) -> bool:
    """Offer to check that sizes can be divided, if that makes two extents equal; return whether it does."""
    divisors: dict[str, int] = {}
    for extent in (check.a, check.b):
        for node in walk(extent):
            if not isinstance(node, tree.FloorDiv | tree.Div) or not isinstance(node.a, tree.PrimVar):
                continue
            if isinstance(node.b, tree.IntImm) and node.b.value > 1:
                divisors[node.a.name] = lcm(divisors.get(node.a.name, 1), node.b.value)
    multiples: dict[str, tree.PrimExpr] = {
        name: tree.Mul(tree.PrimVar(name), tree.IntImm(by)) for name, by in divisors.items()
    }
    facts = state.context.facts
    if (
        not divisors
        or compare(substitute(check.a, multiples), substitute(check.b, multiples), facts) != EQUAL
    ):
        return False
    which = enumerated([f"{by} divides `{name}`" for name, by in divisors.items()], "and")
    first = next(iter(divisors.values()))
    found.helped(
        f"they are equal where {which}: check that before, or declare multiples, as in `{first} * k`"
    )
    statements = [one for name, by in divisors.items() if (one := _check(state, name, by)) is not None]
    anchor = _first_statement(state, call)
    if anchor is not None and len(statements) == len(divisors):
        text = inserted(state.module.text, anchor, *statements)
        found.fix("check it at the beginning of the function", Edit(anchor, anchor, text))
    return True


def _first_statement(state: State, call: tree.Call) -> int | None:
    """Return where the function begins to compute: there several calls are given one check."""
    body = state.function.body
    if not isinstance(body, tree.SeqExpr):
        return None
    if not body.blocks:
        return common.index_of(state).statement_start(call)
    first = body.blocks[0]
    if isinstance(first, tree.DataflowBlock) and first.pos >= 0:
        return first.pos
    return common.index_of(state).statement_start(first.bindings[0].value) if first.bindings else None


def _check(state: State, name: str, by: int) -> str | None:
    """Return the statement that checks that a size of a parameter can be divided; None if no parameter has it."""
    rounded: Mapping[str, tree.PrimExpr] = {
        name: tree.Mul(tree.FloorDiv(tree.PrimVar(name), tree.IntImm(by)), tree.IntImm(by))
    }
    for param in state.function.params:
        info = param.struct_info_annotation
        if not isinstance(info, tree.TensorStructInfo) or not isinstance(info.shape, tree.ShapeExpr):
            continue
        dims = info.shape.values
        whole = any(isinstance(dim, tree.PrimVar) and dim.name == name for dim in dims)
        written = common.name_of(state, param)
        if not whole or _is_bound_again(state, param, written):
            continue
        shape = replaced(info.shape, values=tuple([substitute(dim, rounded) for dim in dims]))
        return f"match_cast({written}, {show(replaced(info, shape=shape))});"
    return None


def _is_bound_again(state: State, param: tree.Var, written: str) -> bool:
    """Return whether the author gave the name of a parameter to something else, too."""
    return any(
        isinstance(node, tree.Binding) and node.var is not None and common.name_of(state, node.var) == written
        for node in walk(state.function)
    )
