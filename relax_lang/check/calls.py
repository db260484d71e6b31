"""Calls: the number of arguments and the attributes of operators, and needless result annotations.

The infos of arguments are checked by inference.
"""

from __future__ import annotations

from relax_lang.base.cancellation import checkpoint
from relax_lang.base.diagnostic import has_errors
from relax_lang.ops.core.attributes import has_words, words_of
from relax_lang.ops.core.diagnostics.call_diagnostics import diagnose_call
from relax_lang.ops.core.operator import BY_KERNEL
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.check.prim_func_results import Reports
    from relax_lang.scope.resolve import Resolved

# Nothing below these is a call.
_ATOMS = frozenset(
    (tree.Var, tree.DataflowVar, tree.GlobalVar, tree.Constant, tree.ShapeExpr, tree.Op, tree.Attr)
)


_WITH_RESULTS = frozenset(("call_tir", "call_tir_with_grad", "dist.call_tir_local_view"))
"""Operators whose results are declared, and are those of a PrimFunc."""


def check_calls(
    item: Node, resolved: Resolved, reports: Reports, right: AbstractSet[Node] = frozenset()
) -> list[Diagnostic]:
    """Return what is wrong with the calls of a function, in no particular order. [OP.2] [OP.4] [G.31] [O.5]

    Wrong calls are added to those that are rejected. `reports` remembers, for all functions of a module, what is
    known of its PrimFuncs. Statements that are known to be `right` are passed over.
    """
    functions = resolved.globals
    found: list[Diagnostic] = []
    # Name and number of arguments of calls without attributes that are known to be right.
    shapes: set[tuple[str, int]] = set()
    stack = [item]
    sizes, scalars = resolved.sizes, resolved.scalars
    may_be_passed_over = bool(sizes or scalars or right)
    while stack:
        node = stack.pop()
        if may_be_passed_over and (node in sizes or node in scalars or node in right):
            continue  # `min(n, 4)` of a dimension is not a call
        if type(node) is tree.VarBinding:  # of which functions have the most
            if type(node.value) not in _ATOMS:
                stack.append(node.value)
            continue
        if type(node) is tree.Call:
            checkpoint()
            operator = resolved.operator_of(node)
            if operator is not None:
                wrong = _check_call(node, operator, shapes, resolved.rejected)
                if wrong or node.attrs:
                    if has_errors(wrong) or has_words(node):
                        resolved.rejected.add(node)
                    found += wrong
                if operator in _WITH_RESULTS:
                    found += _check_prim_call(node, resolved, reports)
            else:
                stack.append(node.op)
                if node.attrs and node not in resolved.rejected:
                    found += _names_in_attributes(node, resolved)
            stack += [arg for arg in node.args if type(arg) not in _ATOMS]
            if node.struct_info is not None:
                found += _check_result(node, node.struct_info, operator, functions)
            continue
        stack += _below(node)
    return found


def _below(node: Node) -> list[Node]:
    """Return the children of a node that may have calls below them."""
    found: list[Node] = []
    for name in node.CHILDREN:
        child: Any = getattr(node, name)
        if type(child) is tuple:
            found += [one for one in child if type(one) not in _ATOMS]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        elif child is not None and type(child) not in _ATOMS:
            found.append(child)
    return found


def _check_prim_call(call: tree.Call, resolved: Resolved, reports: Reports) -> list[Diagnostic]:
    from relax_lang.check.prim_func_results import check_prim_call  # only for programs with PrimFuncs

    return check_prim_call(call, resolved.globals, reports, resolved.rejected)


def _check_call(
    call: tree.Call, name: str, right: set[tuple[str, int]], rejected: set[Node]
) -> list[Diagnostic]:
    shape = name, len(call.args)
    if not call.attrs and shape in right:
        return []
    operator = lookup(name)
    if operator is None or call in rejected:  # an older form, or wrong, which is reported already
        return []
    found = diagnose_call(operator, call)
    if not found and not call.attrs:
        right.add(shape)
    return found


def _names_in_attributes(call: tree.Call, resolved: Resolved) -> list[Diagnostic]:
    """Return what is wrong with names where attributes of a call have literals: arguments, most likely. [G.31]"""
    words = list(words_of(call))
    if not words:
        return []
    from relax_lang.syntax import diagnostics as diag  # only where there is something to report

    resolved.rejected.add(call)
    attr, word = words[0]
    found = diag.bad_attribute_value(word, attr.key, "a literal", word.name)
    if isinstance(call.op, tree.ExternFunc):
        return [found.helped("packed functions take arguments by position; attributes are literals")]
    return [found.helped("arguments are given by position; attributes are literals")]


def _check_result(
    call: tree.Call, result: tree.StructInfo, called: str | None, functions: Mapping[str, tree.Item]
) -> list[Diagnostic]:
    """Warn about `-> S` on a call where it has no effect."""
    if type(call.op) is tree.GlobalVar and isinstance(functions.get(call.op.name_hint), tree.Function):
        callee, why = call.op, "is in its signature"
    elif called is not None:
        operator = lookup(called)
        if operator is None or operator.evaluated != BY_KERNEL:
            return []
        callee, why = tree.Op(called, call.op.pos, call.op.end), "follows from its arguments"
    else:
        return []
    from relax_lang.check.diagnostics.calls import type_args_ignored  # only needed for the warning

    return [type_args_ignored(result, callee, why)]
