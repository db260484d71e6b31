"""Expressions."""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE
from relax_lang.relay.diagnostics import texts as diag
from relax_lang.relay.syntax import tree
from relax_lang.relay.syntax.builders.base import BuilderBase
from relax_lang.relay.syntax.numbers import read_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

INFIX = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "==": "equal",
    "!=": "not_equal",
    "&&": "logical_and",
    "||": "logical_or",
}
"""Infix operator to the operator of Relay that it calls."""


class ExpressionBuilder(BuilderBase):
    """One method for each production of an expression."""

    def infix(self, pos: int, end: int, left: tree.Expr, infix_operator: str, right: tree.Expr) -> tree.Expr:
        """`%a + %b`. [R.14]"""
        if infix_operator == "%":
            at = self.text.find("%", left.end)
            found = diag.syntax((at, at + 1), "there is no infix operator for the remainder: `mod(a, b)`")
            self.report(found)
            infix_operator = "/"
        at = self.text.find(infix_operator, left.end)
        op = tree.OpRef(INFIX[infix_operator], at, at + len(infix_operator))
        return self.chained(left, tree.Call(op, (left, right), (), (), infix_operator, pos, end))

    def minus(self, pos: int, end: int, operand: tree.Expr) -> tree.Expr:
        """`-1`; error: `-%x`."""
        if isinstance(operand, tree.Const) and operand not in self.parens and operand.dtype != "bool":
            text = operand.text[1:] if operand.text.startswith("-") else f"-{operand.text}"
            return tree.Const(-operand.value, operand.dtype, text, pos, end)
        if isinstance(operand, tree.OpRef) and operand.name.startswith("inff"):
            made = self.number(pos, end, operand.name)
            return tree.Const(-made.value, made.dtype, f"-{made.text}", pos, end)
        if not isinstance(operand, tree.Missing):
            inner = self.text[operand.pos : operand.end]
            found = diag.syntax((pos, pos + 1), "`-` is part of a number; a tensor is negated by `negative`")
            self.report(found.replace((pos, end), f"negative({inner})", "write `negative(…)`"))
        return tree.Call(tree.OpRef("negative", pos, pos + 1), (operand,), (), (), None, pos, end)

    def not_prefix(self, pos: int, end: int, operand: tree.Expr) -> tree.Expr:
        """Error: `!%c`."""
        inner = self.text[operand.pos : operand.end]
        found = diag.syntax((pos, pos + 1), "there is no prefix operator for `not`: `logical_not(…)`")
        self.report(found.replace((pos, end), f"logical_not({inner})", "write `logical_not(…)`"))
        return tree.Call(tree.OpRef("logical_not", pos, pos + 1), (operand,), (), (), None, pos, end)

    def call(self, pos: int, end: int, op: tree.Expr, args: list[tree.Expr | tree.Attr]) -> tree.Expr:
        """`f(%x, axis=1)`. [R.14]"""
        return self.call_typed(pos, end, op, "", [], args)

    def call_typed(
        self,
        pos: int,
        end: int,
        op: tree.Expr,
        opening: str,
        types: list[tree.Type],
        args: list[tree.Expr | tree.Attr],
    ) -> tree.Expr:
        """`f<T>(%x)`. [R.14]"""
        own = [one for one in args if not isinstance(one, tree.Attr)]
        attrs = [one for one in args if isinstance(one, tree.Attr)]
        first: dict[str, tree.Attr] = {}
        for one in attrs:
            if one.key in first:
                self.report(diag.duplicate(one, first[one.key], f"the attribute `{one.key}`"))
            first.setdefault(one.key, one)
        return self.chained(op, tree.Call(op, tuple(own), tuple(attrs), tuple(types), None, pos, end))

    def attr(self, pos: int, end: int, key: str, value: tree.AttrValue) -> tree.Attr:
        """`axis=1`. [R.6]"""
        self._undotted(key, pos, "an attribute")
        return tree.Attr(key, value, pos, end)

    def attr_string(self, pos: int, end: int, key: str, value: tree.AttrValue) -> tree.Attr:
        """`"key"=1`. [R.6]"""
        return tree.Attr(key[1:-1], value, pos, end)

    def proj(self, pos: int, end: int, value: tree.Expr, index: str) -> tree.Expr:
        """`%t.0`. [R.13]"""
        return self.chained(value, tree.Proj(value, int(index[1:10]), pos, end))

    def number(self, pos: int, end: int, text: str) -> tree.Const:
        """`1`, `2.5f`. [R.11]"""
        found = read_number(text)
        if found.problem:
            one = diag.literal((pos, end), found.problem)
            if found.instead:
                one.replace((pos, end), found.instead, f"write `{found.instead}`")
            self.report(one)
        return tree.Const(found.value, found.dtype, text, pos, end)

    def true(self, pos: int, end: int) -> tree.Const:
        """`True`. [R.11]"""
        return tree.Const(True, "bool", "True", pos, end)

    def false(self, pos: int, end: int) -> tree.Const:
        """`False`. [R.11]"""
        return tree.Const(False, "bool", "False", pos, end)

    def local(self, pos: int, end: int, name: str) -> tree.Var:
        """`%x`. [R.7]"""
        return tree.Var(name[1:], pos, end)

    def global_var(self, pos: int, end: int, name: str) -> tree.GlobalVar:
        """`@main`. [R.7]"""
        return tree.GlobalVar(name[1:], pos, end)

    def name(self, pos: int, end: int, name: str) -> tree.Expr:
        """`nn.dense`, `Cons`, `inff`: what it means is decided when all definitions are known. [R.9] [R.10]"""
        if name.startswith(("inff", "nanf")) and name[4:] in ("", "16", "32", "64"):
            return self.number(pos, end, name)
        return tree.OpRef(name, pos, end)

    def where_operator(self, pos: int, end: int) -> tree.OpRef:
        """`where` as an operator. [R.9]"""
        return tree.OpRef("where", pos, end)

    def string_atom(self, pos: int, end: int, text: str) -> tree.Missing:
        """Error: a string as a value."""
        found = diag.syntax((pos, end), "a string is not a value of a program; it can be one of an attribute")
        self.report(found.helped(f"an attribute is written with its name: `dtype={text[:40]}`"))
        return tree.Missing(pos, end)

    def list_atom(self, pos: int, end: int, items: list[tree.Expr | tree.Attr]) -> tree.Missing:
        """Error: `[%a, %b]`, `[1, 2]`."""
        if self.diagnostics and self.diagnostics[-1].pos > pos:  # something was reported in it
            return tree.Missing(pos, end)
        found = diag.syntax((pos, end), "there are no lists: a tuple is written `(1, 2)`")
        if items and all(isinstance(one, tree.Const) for one in items):
            shown = self.text[pos:end][:40]
            found.helped(f"if it is an attribute of a call, write its name before it, such as `axis={shown}`")
        if items:
            inner = self.text[pos + 1 : end - 1].strip()
            inner = f"({inner},)" if len(items) == 1 and not inner.endswith(",") else f"({inner})"
            found.replace((pos, end), inner, "write parentheses, for a tuple")
        self.report(found)
        return tree.Missing(pos, end)

    def meta(self, pos: int, end: int, key: str, index: str) -> tree.MetaRef:
        """`meta[relay.Constant][0]`. [R.12]"""
        return tree.MetaRef(key, self._plain_int(index, pos), pos, end)

    def if_else(
        self, pos: int, end: int, condition: tree.Expr, then: tree.Block, other: tree.Block
    ) -> tree.If:
        """`if (c) { … } else { … }`. [R.16]"""
        return tree.If(condition, then, other, pos, end)

    def else_if(
        self, pos: int, end: int, condition: tree.Expr, then: tree.Block, other: tree.Block
    ) -> tree.Block:
        """`else if (c) { … } else { … }`: a block without braces. [R.16]"""
        return tree.Block((), tree.If(condition, then, other, pos, end), False, pos, end)

    def if_only(self, pos: int, end: int, condition: tree.Expr, then: tree.Block) -> tree.If:
        """Error: an `if` without `else`."""
        found = diag.syntax((pos, pos + 2), "an `if` is a value, so it needs an `else`")
        self.report(found.helped("write `else { … }`; `()` is the value without contents"))
        return tree.If(condition, then, tree.Block((), tree.Missing(end, end), True, end, end), pos, end)

    def else_if_only(self, pos: int, end: int, condition: tree.Expr, then: tree.Block) -> tree.Block:
        """Error: an `else if` without `else`."""
        return tree.Block((), self.if_only(pos, end, condition, then), False, pos, end)

    def elif_(
        self, pos: int, end: int, condition: tree.Expr, then: tree.Block, other: tree.Block
    ) -> tree.Block:
        """Error: `elif` in place of `else if`."""
        place = pos, pos + 4
        found = diag.syntax(place, "`elif` is written `else if`")
        self.report(found.replace(place, "else if", "write `else if`", applicability=SAFE))
        return self.else_if(pos, end, condition, then, other)

    def elif_only(self, pos: int, end: int, condition: tree.Expr, then: tree.Block) -> tree.Block:
        """Error: `elif` in place of `else if`, and no `else` after it."""
        other = tree.Block((), tree.Missing(end, end), True, end, end)
        found = self.elif_(pos, end, condition, then, other)
        self.diagnostics[-1].helped("an `if` is a value: it ends in `else { … }`")
        return found

    def ref_new(self, pos: int, end: int, value: tree.Expr) -> tree.RefNew:
        """`ref(e)`. [R.18]"""
        return tree.RefNew(value, pos, end)

    def ref_read(self, pos: int, end: int, ref: tree.Expr) -> tree.RefRead:
        """`ref_read(r)`. [R.18]"""
        return tree.RefRead(ref, pos, end)

    def ref_write(self, pos: int, end: int, ref: tree.Expr, value: tree.Expr) -> tree.RefWrite:
        """`ref_write(r, e)`. [R.18]"""
        return tree.RefWrite(ref, value, pos, end)

    def unit(self, pos: int, end: int) -> tree.Tuple:
        """`()`. [R.13]"""
        return tree.Tuple((), pos, end)

    def paren(self, pos: int, end: int, child: tree.Expr) -> tree.Expr:
        """`(e)`: no node, but remembered for the formatter."""
        self.parens[child] = (pos, end)
        return child

    def tuple_one(self, pos: int, end: int, first: tree.Expr) -> tree.Tuple:
        """`(e,)`. [R.13]"""
        return tree.Tuple((first,), pos, end)

    def tuple(self, pos: int, end: int, first: tree.Expr, rest: list[tree.Expr]) -> tree.Tuple:
        """`(a, b)`. [R.13]"""
        return tree.Tuple((first, *rest), pos, end)
