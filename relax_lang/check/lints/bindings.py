"""Lints about names: bindings, values, outputs, parameters and shape variables that nothing uses."""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.base.node import children, walk
from relax_lang.check.lints import diagnostics as diag
from relax_lang.format.lexemes import global_name, local_name
from relax_lang.scope.spans import bare_dims, name_span
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.check.lints.node_index import NodeIndex


def unused_bindings(facts: NodeIndex) -> list[Diagnostic]:
    """Return `let`s of values without effects whose variables nothing uses. [X.O1]"""
    handed_out = {facts.resolved.bindings.get(output) for block in facts.blocks for output in block.outputs}
    found: list[Diagnostic] = []
    for binding in facts.bindings:
        var = binding.var
        if var.name_hint.startswith("_") or var in facts.uses or var in handed_out:
            continue
        if _has_effects(facts, binding.value):
            continue
        removal, is_safe = facts.removal((binding.pos, binding.end))
        # An annotation may be a check that can fail when the program runs.
        is_safe = is_safe and var.struct_info_annotation is None
        found.append(diag.unused_binding(name_span(var), local_name(var.name_hint), removal, is_safe))
    return found


def unused_values(facts: NodeIndex) -> list[Diagnostic]:
    """Return statements `e;` whose value has no effects. `let _ = e;` says that this is meant. [X.O1]"""
    found: list[Diagnostic] = []
    for binding in facts.bindings:
        is_statement = binding.var.name_hint == "_" and binding.var.end <= binding.var.pos
        if is_statement and not _has_effects(facts, binding.value):
            removal, is_safe = facts.removal((binding.pos, binding.end))
            found.append(diag.unused_value(binding.value, removal, is_safe))
    return found


def _has_effects(facts: NodeIndex, value: tree.Expr) -> bool:
    """Tell whether evaluating an expression may do more than give a value: a call may, and a match_cast checks."""
    stack: list[Node] = [value]
    while stack:
        node = stack.pop()
        if node in facts.effects or isinstance(node, tree.MatchCast):
            return True
        if isinstance(node, tree.Call) and node.struct_info is not None and _is_older_cast(node):
            return True
        if not isinstance(node, tree.Function | tree.StructInfo):
            stack.extend(children(node))
    return False


def _is_older_cast(call: tree.Call) -> bool:
    return isinstance(call.op, tree.Op) and call.op.op_name == "cast"


def unused_outputs(facts: NodeIndex) -> list[Diagnostic]:
    """Return outputs of dataflow blocks that nothing behind the block uses. [S.8]"""
    found: list[Diagnostic] = []
    for block in facts.blocks:
        for index, output in enumerate(block.outputs):
            binder = facts.resolved.bindings.get(output)
            if binder is None or output.name_hint.startswith("_"):
                continue
            if any(use >= block.end for use in facts.uses.get(binder, ())):
                continue
            edit = _without_output(facts.text, block, index)
            found.append(diag.unused_output(output, local_name(output.name_hint), name_span(binder), edit))
    return found


def _without_output(text: str, block: tree.DataflowBlock, index: int) -> Edit | None:
    """Return the edit that takes a name out of `output a, b;`, or the statement if it is the only one."""
    outputs = block.outputs
    one = outputs[index]
    # Where more than a comma stands between two names, it is a comment, which stays.
    if index > 0 and text[outputs[index - 1].end : one.pos].strip() == ",":
        return Edit(outputs[index - 1].end, one.end, "")
    if index + 1 < len(outputs) and text[one.end : outputs[index + 1].pos].strip() == ",":
        return Edit(one.pos, outputs[index + 1].pos, "")
    start = text.rfind("output", block.pos, one.pos)
    stop = text.find(";", one.end)
    if start < 0 or text[start + len("output") : one.pos].strip() or text[one.end : stop].strip():
        return None  # comments stand between
    return Edit(start, stop + 1, "")


def unused_parameters(facts: NodeIndex) -> list[Diagnostic]:
    """Return parameters of which neither the value nor a dimension that they bind is used."""
    found: list[Diagnostic] = []
    elsewhere = _Dims(facts)
    for function in facts.functions:
        shown = "this function" if function.name is None else global_name(function.name.name_hint)
        for param in function.params:
            name = param.name_hint
            if name.startswith("_") or param in facts.uses or elsewhere.names_a_dimension(param):
                continue
            found.append(diag.unused_parameter(name_span(param), local_name(name), shown))
    for prim_func in facts.prim_funcs:
        found += _unused_in_prim_func(prim_func)
    return found


class _Dims:
    """Where shape variables are used, by the occurrence that binds them."""

    __slots__ = ("_bound", "_uses")

    def __init__(self, facts: NodeIndex) -> None:
        self._bound = facts.resolved.shape_bindings
        self._uses: dict[Node, list[int]] = {}
        for use, binder in self._bound.items():
            if use is not binder:
                self._uses.setdefault(binder, []).append(use.pos)

    def is_used(self, binder: Node) -> bool:
        """Tell whether a shape variable is used at all."""
        return binder in self._uses

    def names_a_dimension(self, param: tree.Var) -> bool:
        """Tell whether a parameter binds a shape variable that is used outside of the parameter."""
        info = param.struct_info_annotation
        if info is None:
            return False
        for node in walk(info):
            if self._bound.get(node) is node:
                for use in self._uses.get(node, ()):
                    if not info.pos <= use < info.end:
                        return True
        return False


def _unused_in_prim_func(function: tree.PrimFunc) -> list[Diagnostic]:
    """Return scalar parameters that a prim_func does not mention; of buffers its own check tells."""
    scalars = [param for param in function.params if isinstance(param, tree.ScalarParam)]
    if not scalars:
        return []
    mentioned = {node.name for node in walk(function) if isinstance(node, tree.PrimVar)}
    shown = global_name(function.name.name_hint)
    return [
        diag.unused_parameter((param.pos, param.pos + len(param.name)), local_name(param.name), shown)
        for param in scalars
        if param.name not in mentioned and not param.name.startswith("_")
    ]


def unused_shape_variables(facts: NodeIndex) -> list[Diagnostic]:
    """Return names that a match_cast gives to dimensions and that nothing uses. [S.13]"""
    dims = _Dims(facts)
    patterns: list[tree.StructInfo] = [one.struct_info for one in facts.match_casts]
    patterns += [
        one.struct_info for one in facts.calls if one.struct_info is not None and _is_older_cast(one)
    ]
    found: list[Diagnostic] = []
    for pattern in patterns:
        for node in bare_dims(pattern):
            is_bound_here = facts.resolved.shape_bindings.get(node) is node
            if is_bound_here and not node.name.startswith("_") and not dims.is_used(node):
                found.append(diag.unused_shape_var(node, node.name))
    return found
