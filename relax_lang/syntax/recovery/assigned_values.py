"""How assignments to names are written, `y = e;` and `y += e;`, and what their values become in fixes. [Y.7]

Places come from the tree, from what the parser noted and from the comments; what is between them is not looked at.
"""

from __future__ import annotations

from bisect import bisect_left

from relax_lang.base.diagnostic import Edit
from relax_lang.syntax import tree
from relax_lang.syntax.driver import all_comments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.base.source import Span
    from relax_lang.syntax.builders.items import Builder

_PRODUCTS = frozenset(("*", "/", "//", "%", "**"))
"""Infix operators that bind more tightly than a sum."""
_WHOLE = (
    tree.Var,
    tree.GlobalVar,
    tree.Call,
    tree.Constant,
    tree.TupleGetItem,
    tree.MissingField,
    tree.Missing,
)
"""Expressions that are operands of any operator as they are."""


class Written:
    """Where the parts of the assignments of an item are written."""

    def __init__(self, builder: Builder, root: Node) -> None:
        self._parens = builder.parens
        self._compounds = builder.compounds
        self._comments = [one.pos for one in all_comments(builder.text, root.pos, root.end)]

    def is_compound(self, at: int) -> bool:
        """Return whether the assignment to the name at an offset is `y += e;` or the like."""
        return at in self._compounds

    def offer_let(self, found: Diagnostic, binding: tree.VarBinding) -> None:
        """Offer `let y = y + e;` for `y += e;`. For `y = e;` there is a fix already."""
        at, name = binding.var.pos, binding.var.name_hint
        if at in self._compounds and not found.fixes:
            operator, _ = self._compounds[at]
            found.help = f"write `let {name} = {name} {operator} …`"
            found.fix(found.help, *self._spelled_out(binding, f"let {name} = {name}"))

    def choosing(
        self, statement: tree.VarBinding, value: tree.If, bindings: Sequence[tree.VarBinding]
    ) -> list[Edit]:
        """Return the edits that make `let y = if c { a } else { b };` of `if c { y = a; } else { y = b; }`.

        They are empty if a comment would be lost.
        """
        name = bindings[0].var.name_hint
        edits = [Edit(statement.pos, statement.pos, f"let {name} = ")]
        for binding in bindings:
            start, end = self._place(self._operand(binding))
            if self.is_compound(binding.var.pos):
                edits += self._spelled_out(binding, name)
            elif self._has_comment(binding.pos, start):
                return []
            else:
                edits.append(Edit(binding.pos, start, ""))
            if self._has_comment(end, binding.end):
                return []
            if end < binding.end:  # else the semicolon is missing, which was reported
                edits.append(Edit(end, binding.end, ""))
        last = value.false_branch
        while isinstance(last, tree.SeqExpr) and isinstance(last.body, tree.If) and not last.blocks:
            last = last.body.false_branch
        behind = f" else {{ {name} }}" if last.pos == last.end else ""
        behind += "" if statement.end > value.end else ";"
        return [*edits, Edit(value.end, value.end, behind)] if behind else edits

    def _spelled_out(self, binding: tree.VarBinding, left: str) -> list[Edit]:
        """Return the edits that make `y + (e)` of `y += e`, with what goes before the operator."""
        operator, end = self._compounds[binding.var.pos]
        edits = [Edit(binding.var.pos, end, f"{left} {operator}")]
        value = self._operand(binding)
        binds_tightly = isinstance(value, tree.BinaryOp) and operator != "*" and value.op in _PRODUCTS
        if not (value in self._parens or isinstance(value, _WHOLE) or binds_tightly):
            edits += [Edit(value.pos, value.pos, "("), Edit(value.end, value.end, ")")]
        return edits

    def _operand(self, binding: tree.VarBinding) -> tree.Expr:
        """Return what is written behind the sign: of `y += e`, whose value is `y + e`, the operand `e`."""
        value = binding.value
        return value.rhs if self.is_compound(binding.var.pos) and isinstance(value, tree.BinaryOp) else value

    def _place(self, value: tree.Expr) -> Span:
        return self._parens.get(value) or (value.pos, value.end)

    def _has_comment(self, start: int, end: int) -> bool:
        return bisect_left(self._comments, start) < bisect_left(self._comments, end)
