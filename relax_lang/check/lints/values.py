"""Lints about values: empty dataflow blocks, large constants, results that nobody checks."""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.check.lints import diagnostics as diag
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.check.lints.node_index import NodeIndex

LARGE = 1_000
"""From so many elements on, a constant is too large to be written out."""


def empty_dataflow(facts: NodeIndex) -> list[Diagnostic]:
    """Return dataflow blocks without bindings. [G.37]"""
    found: list[Diagnostic] = []
    for block in facts.blocks:
        if not block.bindings and not block.outputs:
            removal, is_safe = facts.removal((block.pos, block.end))
            found.append(diag.empty_dataflow(block, removal, is_safe))
    return found


def large_constants(facts: NodeIndex) -> list[Diagnostic]:
    """Return constants with many elements. [CF.1]"""
    found: list[Diagnostic] = []
    for constant in facts.constants:
        data = constant.data
        if isinstance(data, tree.ListLit) and data.end - data.pos > 2 * LARGE:  # an element and its comma
            n_elements = _n_elements(data)
            if n_elements >= LARGE:
                found.append(diag.large_constant(constant, n_elements, LARGE - 1))
    return found


def _n_elements(data: tree.ListLit) -> int:
    total = 0
    stack: list[tree.ListLit] = [data]
    while stack:
        for one in stack.pop().items:
            if isinstance(one, tree.ListLit):
                stack.append(one)
            else:
                total += 1
    return total


def unchecked_extern_results(facts: NodeIndex) -> list[Diagnostic]:
    """Return calls of packed functions whose result is taken to be more than an Object. [ERR.13]"""
    values = {binding.var: binding.value for binding in facts.bindings}
    bound = {binding.value: binding for binding in facts.bindings}
    found: list[Diagnostic] = []
    for call in facts.calls:
        info = call.struct_info
        if info is None or isinstance(info, tree.ObjectStructInfo) or not _is_packed(facts, call.op, values):
            continue
        binding = bound.get(call)
        edits = _checked(facts.text, call, info) if binding is not None and _is_plain(binding) else []
        found.append(diag.unchecked_extern_result(call, facts.text[info.pos : info.end], edits))
    return found


def _is_packed(facts: NodeIndex, callee: tree.Expr, values: dict[tree.Binder, tree.Expr]) -> bool:
    """Tell whether a callee is a packed function, as far as names show it."""
    for _ in range(1_000):
        if isinstance(callee, tree.ExternFunc):
            return True
        binder = facts.resolved.bindings.get(callee)
        if binder is None:
            return False
        info = binder.struct_info_annotation
        if isinstance(info, tree.FuncStructInfo):
            return info.params is None
        if info is not None or binder not in values:
            return False
        callee = values[binder]
    return False


def _is_plain(binding: tree.VarBinding) -> bool:
    # The variable of a match_cast has its own annotation, which may say something else.
    return binding.var.struct_info_annotation is None


def _checked(text: str, call: tree.Call, info: tree.StructInfo) -> list[Edit]:
    """Return the edits from `f(x) -> S` to `match_cast(f(x), S)`; none if a comment is in the way."""
    arrow = text.rfind("->", call.pos, info.pos)
    before = arrow
    while text[before - 1].isspace():
        before -= 1
    if "#" in text[before : info.end] or text[arrow + 2 : info.pos].strip():
        return []
    return [
        Edit(call.pos, call.pos, "match_cast("),
        Edit(before, info.pos, ", "),
        Edit(call.end, call.end, ")"),
    ]
