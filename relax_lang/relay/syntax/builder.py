"""The callbacks of the grammar of Relay: one method per production, each makes a node."""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE
from relax_lang.relay.diagnostics import texts as diag
from relax_lang.relay.syntax import tree
from relax_lang.relay.syntax.numbers import read_number
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.words import unescape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.relay.syntax.numbers import Number

VERSION = "0.0.5"
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
"""The operators that signs mean."""

MAX_CHAIN = 5_000
"""How many signs, calls or projections may follow each other in one expression: each is a level of the tree."""

KINDS = ("Type", "Shape", "BaseType", "ShapeVar", "Constraint", "AdtHandle", "TypeData")
_VERSION = re.compile(r'#\[version\s*=\s*"([^"]*)"\s*\]')


class Builder:
    """State of one parse, and the callbacks."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.diagnostics: list[Diagnostic] = []
        self.gaps: list[tuple[int, int]] = []
        """Spans that recovery left out."""
        self.parens: dict[Node, tuple[int, int]] = {}
        """Nodes that the author put into parentheses, with the span of the outermost pair."""
        self._chain_end: Node | None = None
        self._chain_length = 0

    def report(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic."""
        self.diagnostics.append(diagnostic)

    # -- lists ---------------------------------------------------------------------------------------------

    def list_empty(self, pos: int, end: int) -> list[object]:
        """No element."""
        return []

    def list_one(self, pos: int, end: int, item: object) -> list[object]:
        """The first element."""
        return [item]

    def list_more(self, pos: int, end: int, items: list[object], item: object) -> list[object]:
        """One more element."""
        items.append(item)
        return items

    def same(self, pos: int, end: int, child: object) -> object:
        """The child itself."""
        return child

    def word(self, pos: int, end: int, text: str) -> str:
        """The name of an attribute, which may be a keyword."""
        return text

    # -- modules -------------------------------------------------------------------------------------------

    def module(
        self, pos: int, end: int, header: str | None, items: list[tree.Item], metadata: str | None
    ) -> tree.Module:
        """A whole file. [R.1]"""
        version = None
        if header is not None:
            at = self.text.find(header)
            found = _VERSION.fullmatch(header)
            version = found[1] if found else ""
            if version != VERSION:
                self.report(diag.version((at, at + len(header)), version, VERSION))
        return tree.Module(version, tuple(items), metadata, pos, end)

    def module_old(
        self, pos: int, end: int, version: str, items: list[tree.Item], metadata: str | None
    ) -> tree.Module:
        """A file that begins with `v0.0.4`. [R.1]"""
        at = self.text.find(version)
        self.report(diag.old_header((at, at + len(version)), version, VERSION))
        return tree.Module(VERSION, tuple(items), metadata, pos, end)

    def def_item(self, pos: int, end: int, name: str, function: tree.Function) -> tree.Def:
        """`def @main(…) { … }`. [R.2]"""
        at = self.text.find(name, pos)
        return tree.Def(tree.GlobalVar(name[1:], at, at + len(name)), function, pos, end)

    def type_def(
        self,
        pos: int,
        end: int,
        name: str,
        params: list[tree.TypeParam] | None,
        ctors: list[tree.Ctor],
    ) -> tree.TypeDef:
        """`type List[A] { … }`. [R.3]"""
        at = self.text.find(name, self._after_word(pos))
        return tree.TypeDef(name, tuple(params or ()), tuple(ctors), pos, end, at)

    def extern_type(
        self, pos: int, end: int, name: str, params: list[tree.TypeParam] | None
    ) -> tree.ExternType:
        """`extern type Tree[A]`. [R.4]"""
        at = self.text.find(name, self._after_word(self.text.find("type", pos)))
        return tree.ExternType(name, tuple(params or ()), pos, end, at)

    def _after_word(self, pos: int) -> int:
        while pos < len(self.text) and self.text[pos].isalpha():
            pos += 1
        return pos

    def ctor_bare(self, pos: int, end: int, name: str) -> tree.Ctor:
        """`Nil`. [R.3]"""
        return tree.Ctor(name, (), pos, end)

    def ctor(self, pos: int, end: int, name: str, fields: list[tree.Type]) -> tree.Ctor:
        """`Cons(A, List[A])`. [R.3]"""
        return tree.Ctor(name, tuple(fields), pos, end)

    def seed_ctor(
        self, pos: int, end: int, name: str, fields: list[tree.Type], result: tree.Type
    ) -> tree.Ctor:
        """`Cons : (A, List[A]) -> List[A]`: the result is the type that is defined. [R.3]"""
        return tree.Ctor(name, tuple(fields), pos, end)

    def tparam(self, pos: int, end: int, name: str, kind: str | None = None) -> tree.TypeParam:
        """`A`, `n : ShapeVar`. [R.5]"""
        if kind is not None and kind not in KINDS:
            at = self.text.rfind(kind, pos, end)
            found = diag.syntax((at, at + len(kind)), f"`{kind}` is no kind of types")
            self.report(found.helped(f"the kinds are {', '.join(KINDS)}"))
        return tree.TypeParam(name, kind, pos, end)

    def tparams_seed(
        self, pos: int, end: int, sign: str, params: list[tree.TypeParam]
    ) -> list[tree.TypeParam]:
        """`<t : Type>(`. [R.5]"""
        return params

    # -- functions -----------------------------------------------------------------------------------------

    def function(
        self,
        pos: int,
        end: int,
        type_params: list[tree.TypeParam] | None,
        params: list[tree.Param | tree.Attr],
        result: tree.Type | None,
        relations: list[str] | None,
        body: tree.Block,
    ) -> tree.Function:
        """A function without the word or name before it. [R.15]"""
        own = tuple([one for one in params if isinstance(one, tree.Param)])
        attrs = tuple([one for one in params if isinstance(one, tree.Attr)])
        return tree.Function(
            tuple(type_params or ()), own, result, attrs, tuple(relations or ()), body, pos, end
        )

    def param(
        self, pos: int, end: int, name: str, attrs: list[tree.Attr] | None, annotation: tree.Type | None
    ) -> tree.Param:
        """`%x: T`. [R.15]"""
        return tree.Param(self._var(name, pos), tuple(attrs or ()), annotation, pos, end)

    def param_bare(self, pos: int, end: int, name: str, annotation: tree.Type) -> tree.Param:
        """Error: `x: T`."""
        self._sigil(pos, name)
        return tree.Param(tree.Var(name, pos, pos + len(name)), (), annotation, pos, end)

    def _var(self, name: str, pos: int) -> tree.Var:
        return tree.Var(name[1:], pos, pos + len(name))

    def _sigil(self, pos: int, name: str) -> None:
        found = diag.syntax(
            (pos, pos + len(name)), f"the name of a local variable begins with `%`: `%{name}`"
        )
        self.report(found.replace((pos, pos + len(name)), f"%{name}", f"write `%{name}`", applicability=SAFE))

    # -- blocks --------------------------------------------------------------------------------------------

    def block(self, pos: int, end: int, body: tree.Block) -> tree.Block:
        """`{ … }`. [R.19]"""
        return tree.Block(body.bindings, body.value, True, pos, end)

    def body(self, pos: int, end: int, bindings: list[tree.Binding], value: tree.Expr) -> tree.Block:
        """What is in braces. [R.19]"""
        return tree.Block(tuple(bindings), value, False, pos, end)

    def block_no_value(self, pos: int, end: int, bindings: list[tree.Binding]) -> tree.Block:
        """Error: `{ let %x = 1; }`."""
        if self.diagnostics and self.diagnostics[-1].pos >= pos:  # something was reported in them
            return tree.Block(tuple(bindings), tree.Missing(end - 1, end), True, pos, end)
        place = (end - 1, end)
        found = diag.syntax(place, "these braces end without a value", "expected an expression before `}`")
        if bindings:
            last = bindings[-1]
            if isinstance(last, tree.Then):
                at = self.text.find(";", last.value.end)
                found.replace((at, at + 1), "", "leave out the `;`: the last expression is the value")
            elif isinstance(last, tree.Let):
                found.helped(f"write `%{last.var.name}` before `}}`, if that is the value")
        self.report(found)
        return tree.Block(tuple(bindings), tree.Missing(end - 1, end), True, pos, end)

    def let(self, pos: int, end: int, name: str, annotation: tree.Type | None, value: tree.Expr) -> tree.Let:
        """`let %x: T = e;`. [R.20]"""
        return tree.Let(self._var(name, self.text.find(name, pos)), annotation, value, pos, end)

    def let_bare(
        self, pos: int, end: int, name: str, annotation: tree.Type | None, value: tree.Expr
    ) -> tree.Let:
        """Error: `let x = e;`, `let @x = e;`."""
        at = self.text.find(name, pos + 3)
        bare = name.lstrip("@")
        found = diag.syntax((at, at + len(name)), f"`let` binds a local variable: `%{bare}`")
        self.report(found.replace((at, at + len(name)), f"%{bare}", f"write `%{bare}`", applicability=SAFE))
        return tree.Let(tree.Var(bare, at, at + len(name)), annotation, value, pos, end)

    def assign_bare(self, pos: int, end: int, name: str, value: tree.Expr) -> tree.Let:
        """Error: `x = e;`."""
        found = diag.syntax((pos, pos + len(name)), "a variable is bound with `let`")
        self.report(found.replace((pos, pos + len(name)), f"let %{name}", f"write `let %{name} =`"))
        return tree.Let(tree.Var(name, pos, pos + len(name)), None, value, pos, end)

    def assign_local(self, pos: int, end: int, name: str, value: tree.Expr) -> tree.Let:
        """Error: `%x = e;`."""
        found = diag.syntax(
            (pos, pos + len(name)), "a variable is bound with `let`; only numbered nodes are not"
        )
        self.report(found.replace((pos, pos), "let ", f"write `let {name} =`", applicability=SAFE))
        return tree.Let(self._var(name, pos), None, value, pos, end)

    def graph(self, pos: int, end: int, name: str, value: tree.Expr) -> tree.GraphBind:
        """`%3 = e;`. [R.8]"""
        return tree.GraphBind(self.graph_var(pos, pos + len(name), name), value, pos, end)

    def free_var(self, pos: int, end: int, name: str, annotation: tree.Type | None) -> tree.FreeVar:
        """`free_var %x: T;`. [R.21]"""
        return tree.FreeVar(self._var(name, self.text.find(name, pos)), annotation, pos, end)

    def then(self, pos: int, end: int, value: tree.Expr) -> tree.Then:
        """`e;`. [R.22]"""
        return tree.Then(value, pos, end)

    # -- match ---------------------------------------------------------------------------------------------

    def match(self, pos: int, end: int, data: tree.Expr, clauses: list[tree.Clause]) -> tree.Match:
        """`match (e) { … }`. [R.17]"""
        return tree.Match(data, tuple(clauses), True, pos, end)

    def match_partial(self, pos: int, end: int, data: tree.Expr, clauses: list[tree.Clause]) -> tree.Match:
        """`match? (e) { … }`. [R.17]"""
        return tree.Match(data, tuple(clauses), False, pos, end)

    def clause(self, pos: int, end: int, pattern: tree.Pattern, body: tree.Expr) -> tree.Clause:
        """`Nil => e`. [R.17]"""
        return tree.Clause(pattern, body, pos, end)

    def pattern_wild(self, pos: int, end: int) -> tree.PWild:
        """`_`. [R.17]"""
        return tree.PWild(pos, end)

    def pattern_var(self, pos: int, end: int, name: str, annotation: tree.Type | None) -> tree.PVar:
        """`%x`. [R.17]"""
        return tree.PVar(self._var(name, pos), annotation, pos, end)

    def pattern_name(self, pos: int, end: int, name: str) -> tree.PCtor:
        """`Nil`. [R.17]"""
        return tree.PCtor(name, (), pos, end)

    def pattern_ctor_empty(self, pos: int, end: int, name: str) -> tree.PCtor:
        """`Nil()`. [R.17]"""
        return tree.PCtor(name, (), pos, end)

    def pattern_ctor(self, pos: int, end: int, name: str, fields: list[tree.Pattern]) -> tree.PCtor:
        """`Cons(%h, _)`. [R.17]"""
        return tree.PCtor(name, tuple(fields), pos, end)

    def pattern_unit(self, pos: int, end: int) -> tree.PTuple:
        """`()`. [R.17]"""
        return tree.PTuple((), pos, end)

    def pattern_tuple(self, pos: int, end: int, fields: list[tree.Pattern]) -> tree.PTuple:
        """`(%a, _)`. [R.17]"""
        return tree.PTuple(tuple(fields), pos, end)

    # -- expressions ---------------------------------------------------------------------------------------

    def chained(self, inner: tree.Expr, made: tree.Expr) -> tree.Expr:
        """Return `made`, which follows on `inner`, unless too many follow each other: no tree gets too deep to walk."""
        length = self._chain_length + 1 if inner is self._chain_end else 1
        if length > MAX_CHAIN:
            if self.gaps[-1:] != [(inner.pos, inner.end)]:  # the first that is left out
                message = f"more than {MAX_CHAIN} operators follow each other"
                self.report(diag.syntax((inner.end, made.end), message))
                self.gaps.append((inner.pos, inner.end))
            return inner
        self._chain_length = length
        self._chain_end = made
        return made

    def infix(self, pos: int, end: int, left: tree.Expr, sign: str, right: tree.Expr) -> tree.Expr:
        """`%a + %b`. [R.14]"""
        if sign == "%":
            at = self.text.find("%", left.end)
            found = diag.syntax((at, at + 1), "there is no sign for the remainder: `mod(a, b)`")
            self.report(found)
            sign = "/"
        at = self.text.find(sign, left.end)
        op = tree.OpRef(INFIX[sign], at, at + len(sign))
        return self.chained(left, tree.Call(op, (left, right), (), (), sign, pos, end))

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
        found = diag.syntax((pos, pos + 1), "there is no sign for `not`: `logical_not(…)`")
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
        sign: str,
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

    def graph_var(self, pos: int, end: int, name: str) -> tree.GraphVar:
        """`%12`. [R.8]"""
        return tree.GraphVar(int(name[1:19]), pos, end)

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
        self.report(
            diag.syntax((pos, end), "a string is no value of a program; it can be one of an attribute")
        )
        return tree.Missing(pos, end)

    def meta(self, pos: int, end: int, key: str, index: str) -> tree.MetaRef:
        """`meta[relay.Constant][0]`. [R.12]"""
        return tree.MetaRef(key, self._plain_int(index, pos), pos, end)

    def _plain_int(self, text: str, pos: int) -> int:
        if text.isascii() and text.isdigit() and len(text) < 19:
            return int(text)
        at = self.text.find(text, pos)
        self.report(diag.syntax((at, at + len(text)), f"expected a whole number, found `{text}`"))
        return 0

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
        self.report(found.helped("write `else { … }`; `()` is the value that says nothing"))
        return tree.If(condition, then, tree.Block((), tree.Missing(end, end), True, end, end), pos, end)

    def else_if_only(self, pos: int, end: int, condition: tree.Expr, then: tree.Block) -> tree.Block:
        """Error: an `else if` without `else`."""
        return tree.Block((), self.if_only(pos, end, condition, then), False, pos, end)

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

    # -- values of attributes ------------------------------------------------------------------------------

    def value_number(self, pos: int, end: int, text: str) -> tree.AttrValue:
        """`1`, `0.5`. [R.6]"""
        found = read_number(text, bare_fractions=True)
        if found.problem:
            self.report(diag.literal((pos, end), found.problem))
            return tree.BadValue(pos, end)
        return tree.NumberValue(found.value, text, pos, end)

    def value_minus(self, pos: int, end: int, value: tree.AttrValue) -> tree.AttrValue:
        """`-1`. [R.6]"""
        if not isinstance(value, tree.NumberValue) or isinstance(value.value, bool):
            self.report(diag.syntax((pos, end), "`-` belongs before a number"))
            return tree.BadValue(pos, end)
        negated: Number = -value.value
        text = value.text[1:] if value.text.startswith("-") else f"-{value.text}"
        return tree.NumberValue(negated, text, pos, end)

    def value_true(self, pos: int, end: int) -> tree.NumberValue:
        """`True`. [R.6]"""
        return tree.NumberValue(True, "True", pos, end)

    def value_false(self, pos: int, end: int) -> tree.NumberValue:
        """`False`. [R.6]"""
        return tree.NumberValue(False, "False", pos, end)

    def value_string(self, pos: int, end: int, text: str) -> tree.StringValue:
        """`"NCHW"`. [R.6]"""
        value, bad = unescape(text[1:-1])
        if bad >= 0:
            self.report(
                diag.syntax((pos + 1 + bad, pos + 3 + bad), 'this is no escape; there are `\\"` and `\\\\`')
            )
        return tree.StringValue(value, pos, end)

    def value_name(self, pos: int, end: int, name: str) -> tree.AttrValue:
        """`None`, `nullptr`, `inff`; error: `float32`, `NCHW`, `true`. [R.6]"""
        if name in ("None", "nullptr"):
            return tree.NoneValue(pos, end)
        if name.startswith(("inff", "nanf")):
            return self.value_number(pos, end, name)
        if name in ("true", "false"):
            found = diag.syntax((pos, end), f"`{name}` is written `{name.capitalize()}`")
            self.report(
                found.replace(
                    (pos, end), name.capitalize(), f"write `{name.capitalize()}`", applicability=SAFE
                )
            )
            return tree.NumberValue(name == "true", name.capitalize(), pos, end)
        found = diag.syntax((pos, end), "words are written in quotes here")
        self.report(found.replace((pos, end), f'"{name}"', f'write `"{name}"`', applicability=SAFE))
        return tree.StringValue(name, pos, end)

    def value_local(self, pos: int, end: int, name: str) -> tree.BadValue:
        """Error: `axis=%x`."""
        message = f"an attribute has a value that is written out; `{name}` is computed when the program runs"
        self.report(diag.syntax((pos, end), message))
        return tree.BadValue(pos, end)

    def value_meta(self, pos: int, end: int, key: str, index: str) -> tree.MetaValue:
        """`meta[Attrs][0]`. [R.12]"""
        return tree.MetaValue(key, self._plain_int(index, pos), pos, end)

    def value_list_empty(self, pos: int, end: int) -> tree.ListValue:
        """`[]`. [R.6]"""
        return tree.ListValue((), pos, end)

    def value_list(self, pos: int, end: int, items: list[tree.AttrValue]) -> tree.ListValue:
        """`[1, 2]`. [R.6]"""
        return tree.ListValue(tuple(items), pos, end)

    # -- types ---------------------------------------------------------------------------------------------

    def tensor(self, pos: int, end: int, shape: list[tree.Dim] | str, dtype: str) -> tree.TensorType:
        """`Tensor[(2, 3), float32]`. [R.23]"""
        if isinstance(shape, str):
            return tree.TensorType((), shape, dtype, False, pos, end)
        return tree.TensorType(tuple(shape), None, dtype, False, pos, end)

    def shape_name(self, pos: int, end: int, name: str) -> str:
        """`s` of `Tensor[s, bt]`. [R.5]"""
        return name

    def type_name(self, pos: int, end: int, name: str) -> tree.Type:
        """`float32`, `Nat`, `A`. [R.23] [R.26]"""
        if name in DTYPES:
            return tree.TensorType((), None, name, True, pos, end)
        return tree.TypeCall(name, (), False, pos, end)

    def type_call_empty(self, pos: int, end: int, name: str) -> tree.TypeCall:
        """`Nat[]`. [R.26]"""
        return tree.TypeCall(name, (), True, pos, end)

    def type_call(self, pos: int, end: int, name: str, args: list[tree.Type]) -> tree.TypeCall:
        """`List[int32]`. [R.26]"""
        return tree.TypeCall(name, tuple(args), True, pos, end)

    def tuple_type(self, pos: int, end: int, fields: list[tree.Type]) -> tree.TupleType:
        """`(T, U)`. [R.24]"""
        return tree.TupleType(tuple(fields), pos, end)

    def func_type(
        self,
        pos: int,
        end: int,
        type_params: list[tree.TypeParam] | None,
        params: list[tree.Type],
        result: tree.Type,
    ) -> tree.FuncType:
        """`fn (A) -> B`. [R.25]"""
        return tree.FuncType(tuple(type_params or ()), tuple(params), result, pos, end)

    def ref_type(self, pos: int, end: int, value: tree.Type) -> tree.RefType:
        """`ref(T)`. [R.18]"""
        return tree.RefType(value, pos, end)

    def incomplete(self, pos: int, end: int) -> tree.Incomplete:
        """`_`. [R.27]"""
        return tree.Incomplete(pos, end)

    def dim_int(self, pos: int, end: int, text: str) -> tree.DimInt:
        """`3`. [R.23]"""
        return tree.DimInt(self._plain_int(text, pos), pos, end)

    def dim_any(self, pos: int, end: int) -> tree.DimAny:
        """`?`. [R.28]"""
        return tree.DimAny(pos, end)

    def dim_name(self, pos: int, end: int, name: str) -> tree.Dim:
        """`n`, `Any`. [R.5]"""
        return tree.DimAny(pos, end) if name == "Any" else tree.DimVar(name, pos, end)

    def dim_meta(self, pos: int, end: int, key: str, index: str) -> tree.DimMeta:
        """`meta[IntImm][0]`. [R.12]"""
        return tree.DimMeta(key, self._plain_int(index, pos), pos, end)
