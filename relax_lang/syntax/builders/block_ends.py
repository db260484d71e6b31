"""Blocks without a value: the last line lacks its `;`, or has one that it should not have. [Y.5]

Only imported for such a block.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE, UNSAFE, Edit
from relax_lang.base.node import replaced
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.builders.parts import PartBuilder


def without_semicolon(builder: PartBuilder, last: object) -> bool:
    """Let the fix of a last statement that was just reported, `extern("f", x);`, remove its `;` as well.

    The statement is the value of the block then. Returns whether there was such a report.
    """
    found = builder.diagnostics[-1] if builder.diagnostics else None
    if type(last) is not tree.VarBinding or not is_ignored(last) or found is None or not found.fixes:
        return False
    if found.slug != "syntax" or not last.value.pos <= found.pos < found.end <= last.value.end:
        return False
    fix = found.fixes[0]
    if any(edit.end >= last.end for edit in fix.edits):
        return False
    found.label((last.end - 1, last.end), "without this `;` it is the value of the block, which needs one")
    fix.add([Edit(last.end - 1, last.end, "")])
    fix.applicability = UNSAFE
    return True


def is_ignored(binding: tree.VarBinding) -> bool:
    """Return whether a binding is `e;`."""
    return type(binding.var) is tree.Var and binding.var.name_hint == "_"


def divided(builder: PartBuilder, last: tree.VarBinding) -> tuple[tree.VarBinding, tree.Expr] | None:
    """Report `let a = x` before a line `(a, y)`; return the statement and the value of the block, or None.

    Together the lines read as a call.
    What is behind the parentheses belongs to the value: `(a + y) * 2.0`.
    """
    call = _over_two_lines(builder, last.value)
    if call is None:
        return None
    _, end = builder.parens.get(call.op, (0, call.op.end))
    found = diag.syntax((end - 1, end), "expected `;` after this statement")
    found.label((call.end - 1, call.end), "up to here, it reads as a call")
    builder.report(found.fix("add `;`", Edit(end, end, ";"), applicability=SAFE))
    if last.value.pos == call.pos:  # what follows the call is computed with the value
        value = _with(last.value, call, _in_parentheses(builder, call))
        return replaced(last, value=call.op, end=end), value
    if last.value.end == call.end:
        value = _with(last.value, call, call.op)
        return replaced(last, value=value, end=end), _in_parentheses(builder, call)
    missing = tree.Missing(last.value.pos, last.value.end)
    return replaced(last, value=missing), tree.Missing(last.end, last.end)


def _over_two_lines(builder: PartBuilder, value: tree.Expr) -> tree.Call | None:
    """Return the call in an expression whose parenthesis begins a line, if there is one and it is of a value."""
    todo: list[tree.Expr] = [value]
    while todo:
        part = todo.pop()
        if isinstance(part, tree.Call):
            start = builder.text.find("(", part.op.end)
            if "\n" in builder.text[part.op.end : start] and not part.attrs and part.struct_info is None:
                return part
            todo.append(part.op)
        elif isinstance(part, tree.BinaryOp):
            todo += [part.lhs, part.rhs]
        elif isinstance(part, tree.UnaryOp):
            todo.append(part.operand)
        elif isinstance(part, tree.TupleGetItem):
            todo.append(part.tuple_value)
    return None


def _in_parentheses(builder: PartBuilder, call: tree.Call) -> tree.Expr:
    """Return what the parentheses of a call are without the callee: a tuple, or one value."""
    start = builder.text.index("(", call.op.end)
    one = call.args[0] if len(call.args) == 1 else None
    if one is not None and "," not in builder.text[builder.parens.get(one, (0, one.end))[1] : call.end]:
        return one
    return tree.Tuple(call.args, start, call.end)


def _with(node: tree.Expr, call: tree.Call, value: tree.Expr) -> tree.Expr:
    """Return an expression with a value in the place of a call on its left or right edge."""
    if node is call:
        return value
    if isinstance(node, tree.BinaryOp):
        side = "lhs" if node.lhs.pos == call.pos else "rhs"
        changed = {side: _with(getattr(node, side), call, value)}
    elif isinstance(node, tree.UnaryOp):
        changed = {"operand": _with(node.operand, call, value)}
    elif isinstance(node, tree.TupleGetItem):
        changed = {"tuple_value": _with(node.tuple_value, call, value)}
    elif isinstance(node, tree.Call):
        changed = {"op": _with(node.op, call, value)}
    else:
        return node
    return replaced(node, **changed)
