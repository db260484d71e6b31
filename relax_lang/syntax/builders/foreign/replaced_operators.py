"""Operators of other languages, once their operands are known: the call that was meant. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, UNSAFE, Edit
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import Span
    from relax_lang.syntax.builders.parts import PartBuilder

IN_CONCAT = re.compile(r"\bconcat\s*\(\s*\Z")


def settle(builder: PartBuilder, made: tree.BinaryOp) -> bool:
    """Offer the call for an operator between two operands; return whether there is one."""
    left, right = _span(builder, made.lhs), _span(builder, made.rhs)
    at = next((at for at in builder.elsewhere.operators if left[1] <= at < right[0]), None)
    if at is None:
        return False
    found, meant = builder.elsewhere.operators.pop(at)
    if meant == "+":
        _doubled_plus(builder, found, left, right)
        return True
    edits = Edit(left[0], left[0], f"{meant}("), Edit(left[1], right[0], ", "), Edit(right[1], right[1], ")")
    shown = f"{meant}({builder.text[slice(*left)]}, {builder.text[slice(*right)]})"
    title = f"write `{shown}`" if len(shown) < 40 and "\n" not in shown else f"write `{meant}(a, b)`"
    # Without a blank after it, it may be the name of a function, and something else is missing.
    is_variable = isinstance(made.rhs, tree.Var) and made.rhs.name_hint in builder.visible
    is_product = meant == "matmul" and (is_variable or not builder.text[at + 1].isalpha())
    found.fix(title, *edits, applicability=SAFE if is_product else UNSAFE)
    return True


def _doubled_plus(builder: PartBuilder, found: Diagnostic, left: Span, right: Span) -> None:
    text = builder.text
    if IN_CONCAT.search(text, max(0, left[0] - 80), left[0]) and text[right[1] : right[1] + 80].lstrip()[
        :1
    ] in (",", ")"):
        edits = Edit(left[0], left[0], "("), Edit(left[1], right[0], ", "), Edit(right[1], right[1], ")")
        found.fix("write a tuple", *edits)
    else:
        place = text.index("++", left[1])
        found.replace((place, place + 2), "+", "write `+`")


def _span(builder: PartBuilder, node: tree.Expr) -> Span:
    return builder.parens.get(node, (node.pos, node.end))
