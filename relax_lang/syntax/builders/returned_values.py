"""`return (x)` and `return;`, which read as a call and a variable: a block has a value without a word. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.syntax.builders.parts import Given, PartBuilder

_BLOCK_ENDS = re.compile(r"\s*\}")


def without_return(builder: PartBuilder, value: tree.Expr, end: int, before: Iterable[Given]) -> tree.Expr:
    """Report a value that begins with `return`, unless that is a variable here; return the value alone."""
    inner = None if "return" in builder.visible.after(before) else _returned(value)
    if inner is None:
        return value
    text, place = builder.text, (value.pos, value.pos + len("return"))
    edits = [Edit(place[0], place[1] + text.startswith(" ", place[1]), "")]
    if type(value) is tree.Var:
        edits = [Edit(*place, "()")]
    if text[end - 1 : end] == ";" and _BLOCK_ENDS.match(text, end):
        edits.append(Edit(end - 1, end, ""))
    builder.report(diag.no_return(place).fix("write the value alone", *edits))
    builder.returned.add(value.pos)
    return inner


def _returned(value: tree.Expr) -> tree.Expr | None:
    """Return what is after `return` in an expression that was read with it; None if it is not in it."""
    if type(value) is tree.Call and type(value.op) is tree.Var and value.op.name_hint == "return":
        return value.args[0] if len(value.args) == 1 else tree.Tuple(value.args, value.op.end, value.end)
    if type(value) is tree.Var and value.name_hint == "return":
        return tree.Missing(value.pos, value.end)
    if (
        type(value) is tree.BinaryOp
        and value.op == "-"
        and type(value.lhs) is tree.Var
        and value.lhs.name_hint == "return"
    ):
        return tree.UnaryOp(value.op, value.rhs, value.lhs.end + 1, value.end)
    return None
