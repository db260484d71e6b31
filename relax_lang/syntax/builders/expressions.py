"""From reductions of the parser to nodes: expressions, and the modifiers that functions share with items."""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE
from relax_lang.base.python.patterns import pattern
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.builders.parts import Word
from relax_lang.syntax.builders.struct_info import InfoBuilder
from relax_lang.syntax.vocabulary.operators import COMPARISONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.builders.parts import Given


FOREIGN_CALLS = pattern(r"R\.|relax\.|\w+\.(?:astype|to)\Z|(?:T|tirx?)\.(?:u?int\d+|[vV]ar|SizeVar)\Z")
"""Names that no operator has, whose calls are settled as a whole."""


class ExprBuilder(InfoBuilder):
    """The callbacks for expressions."""

    def modifier(self, pos: int, end: int, word: str) -> Word:
        """`private`, `pure`, …"""
        return Word(word, pos, end)

    def modifiers(self, words: list[Word]) -> tuple[Word | None, Word | None]:
        """Return the words for `private` and for the purity; report what excludes each other."""
        private: Word | None = None
        purity: Word | None = None
        for word in words:
            earlier = private if word.name == "private" else purity
            if earlier is not None:
                self.report(diag.conflicting_modifiers(word, earlier, word.name, earlier.name))
            elif word.name == "private":
                private = word
                self.features.private = True
            else:
                purity = word
                self.features.purity = True
        return private, purity

    def var(self, pos: int, end: int, name: str) -> tree.Var:
        """A name: a variable or, as a callee, an operator; which of them, name resolution decides. [G.23] [G.34]"""
        made = tree.Var(name, None, pos, end)
        return self.checked_name(made) if self.diagnostics else made  # without errors no call: names are many

    def op(self, pos: int, end: int, name: str) -> tree.Op:
        """`nn.softmax`: a name with dots can only be an operator. [G.34]"""
        return tree.Op(name, pos, end)

    def binary(self, pos: int, end: int, lhs: tree.Expr, op: str, rhs: tree.Expr) -> tree.Expr:
        """`a + b`."""
        made = tree.BinaryOp(op, lhs, rhs, pos, end)
        if self.elsewhere.operators:
            from relax_lang.syntax.builders.foreign import (
                replaced_operators,  # only for operators of other languages
            )

            if replaced_operators.settle(self, made):  # nothing is said of its value
                return self.chained(lhs, tree.Call(tree.Missing(pos, end), (lhs, rhs), (), None, pos, end))
        return self.chained(lhs, made)

    def compare(self, pos: int, end: int, lhs: tree.Expr, op: str, rhs: tree.Expr) -> tree.Expr:
        """`a < b`; `a < b < c` is an error. [Y.10]"""
        if type(lhs) is tree.BinaryOp and lhs.op in COMPARISONS and lhs not in self.parens:
            shown = self.text[lhs.rhs.pos : lhs.rhs.end]
            found = diag.syntax((pos, end), "comparisons do not chain")
            self.report(found.helped(f"write `… {lhs.op} {shown} && {shown} {op} …`"))
        return self.binary(pos, end, lhs, op, rhs)

    def unary(self, pos: int, end: int, op: str, operand: tree.Expr) -> tree.Expr:
        """`-a`, `!a`."""
        if pos in self.elsewhere.operators:
            return tree.Call(tree.Missing(pos, end), (operand,), (), None, pos, end)
        return tree.UnaryOp(op, operand, pos, end)

    def typed_call(self, pos: int, end: int, callee: tree.Expr, info: tree.StructInfo) -> tree.Expr:
        """`f(x) -> S`. [G.31]"""
        if type(callee) is not tree.Call or callee in self.parens:
            self.mute(info.pos, info.end)  # consequences
            found = diag.syntax(info, "`-> S` is the struct info of a call's result; this is not a call")
            self.report(found)
            self.repairs.no_call = self.parens.get(callee, (callee.pos, callee.end))[1], found
            return callee
        made = tree.Call(callee.op, callee.args, callee.attrs, self.checked_info(info), pos, end)
        if callee in self.wrong:
            self.wrong.add(made)
        return made

    def compound_value(self, var: tree.Var, value: tree.Expr) -> tree.Expr:
        """Return the value of `x += e`, which was reported."""
        from relax_lang.syntax.builders.foreign import foreign_values  # only for this mistake

        return foreign_values.compound(self, var, value)

    def call_no_args(self, pos: int, end: int, callee: tree.Expr) -> tree.Call:
        """`f()`."""
        return self.call(pos, end, callee, [])

    def call(self, pos: int, end: int, callee: tree.Expr, given: list[Given]) -> tree.Call:
        """`f(x, axis=-1)`: positional arguments, then attributes."""
        args: list[tree.Expr] = []
        attrs: list[tree.Attr] = []
        for item in given:
            if type(item) is tree.Attr:
                attrs.append(item)
                continue
            assert isinstance(item, tree.Expr)
            if attrs and item.pos not in self.operands:
                found = diag.syntax(item, "positional arguments come before named ones")
                self.report(found.label(attrs[-1], "the first named one" if len(attrs) == 1 else "named"))
                self.wrong.add(item)
            args.append(item)
        has_doubles = bool(attrs) and self.report_doubles(attrs)
        if attrs:
            for attr in attrs:
                if (
                    attr.key == "pure"
                    and type(callee) is tree.ExternFunc
                    and type(attr.value) is not tree.BoolLit
                ):
                    shown = self.text[attr.value.pos : attr.value.end]
                    self.report(diag.bad_attribute_value(attr.value, "pure", "true or false", shown))
        if self.elsewhere.methods:
            from relax_lang.syntax.builders.foreign import foreign_values  # only for this mistake

            operator = foreign_values.method(self, callee, given[0].pos if given else end)
            if operator is not None:
                args.insert(0, callee)
                callee = operator
        made = tree.Call(callee, tuple(args), tuple(attrs), None, pos, end)
        if (
            self.strings
            or self.infos_as_values
            or (type(callee) is tree.Op and FOREIGN_CALLS.match(callee.op_name))
        ):
            # Only for calls that are not as they should be.
            from relax_lang.syntax.builders.foreign import foreign_calls

            made = foreign_calls.settle(self, made)
            if type(made.op) is tree.Missing:
                return made
        if (
            has_doubles
            or (self.operands and any(arg.pos in self.operands for arg in args))
            or (self.repairs.punctuation and self.has_put_in(pos, end))  # of a clean text nothing is asked
        ):
            self.wrong.add(made)
        return made if type(callee) is tree.Var else self._chained_call(callee, made)

    def _chained_call(self, callee: tree.Expr, made: tree.Call) -> tree.Call:
        kept: tree.Expr = self.chained(callee, made)
        if type(kept) is tree.Call:
            return kept
        missing = tree.Missing(callee.pos, callee.end)
        return tree.Call(missing, made.args, made.attrs, None, made.pos, made.end)

    def tuple_get_item(self, pos: int, end: int, value: tree.Expr, indices: list[tree.Expr]) -> tree.Expr:
        """`t[0]`. [G.33]"""
        index = indices[0] if len(indices) == 1 else None
        if type(index) is tree.Constant and type(index.data) is tree.IntLit and index.dtype is None:
            number = index.data.value
            return self.chained(value, tree.TupleGetItem(value, number, pos, end, index.pos, index.end))
        return self.subscript(pos, end, value, indices)

    def subscript(
        self, pos: int, end: int, value: tree.Expr, indices: list[tree.Expr] | None = None
    ) -> tree.Expr:
        """Error: what is not the number of a field."""
        from relax_lang.syntax.builders.foreign import subscripts

        made = subscripts.settle(self, pos, end, value, indices or ())
        return self._chained_call(value, made) if type(made) is tree.Call else self.chained(value, made)

    def slice(
        self,
        pos: int,
        end: int,
        begin: tree.Expr | None,
        stop: tree.Expr | None,
        stride: tree.Expr | None = None,
    ) -> object:
        """Error: `1:`, `:n:2` in brackets."""
        from relax_lang.syntax.builders.foreign.subscripts import Slice

        return Slice(pos, end, begin, stop, stride)

    def unit(self, pos: int, end: int) -> tree.Tuple:
        """`()`."""
        made = tree.Tuple((), pos, end)
        if pos in self.repairs.null_offsets:
            self.repairs.nulls.add(made)
        return made

    def tuple_one(self, pos: int, end: int, field: tree.Expr) -> tree.Tuple:
        """`(a,)`."""
        return tree.Tuple((field,), pos, end)

    def tuple_many(self, pos: int, end: int, first: tree.Expr, rest: list[tree.Expr]) -> tree.Tuple:
        """`(a, b)`."""
        return tree.Tuple((first, *rest), pos, end)

    def if_expr(self, pos: int, end: int, cond: tree.Expr, then: tree.Expr, other: tree.Expr) -> tree.If:
        """`if c { … } else { … }`."""
        return tree.If(cond, then, other, pos, end)

    def if_chain(self, pos: int, end: int, cond: tree.Expr, then: tree.Expr, other: tree.If) -> tree.If:
        """`if c { … } else if d { … } else { … }`."""
        return tree.If(cond, then, tree.SeqExpr((), other, other.pos, other.end), pos, end)

    def if_no_else(self, pos: int, end: int, cond: tree.Expr, then: tree.Expr) -> tree.If:
        """Error: `if` without `else`."""
        if not self.closing:
            self.report(diag.if_needs_else((pos, pos + 2), end))
        return tree.If(cond, then, tree.SeqExpr((), tree.Missing(end, end), end, end), pos, end)

    def fn_literal(
        self,
        pos: int,
        end: int,
        params: list[tree.Var],
        result: tree.StructInfo | None,
        attrs: list[tree.Attr] | None,
        body: tree.SeqExpr,
    ) -> tree.Function:
        """`fn (a: Tensor) -> Tensor { a }`."""
        given = self.attributes(attrs)
        return tree.Function(None, False, None, tuple(params), result, given, body, pos, end)

    def fn_literal_modified(
        self,
        pos: int,
        end: int,
        modifiers: list[Word],
        params: list[tree.Var],
        result: tree.StructInfo | None,
        attrs: list[tree.Attr] | None,
        body: tree.SeqExpr,
    ) -> tree.Function:
        """`pure fn …`."""
        private, purity = self.modifiers(modifiers)
        if private is not None:
            self.report(diag.syntax(private, "only items of the module are `private`"))
        given = self.attributes(attrs)
        name, at = (None, -1) if purity is None else (purity.name, purity.pos)
        return tree.Function(None, False, name, tuple(params), result, given, body, pos, end, at)

    def extern(self, pos: int, end: int, name: str) -> tree.ExternFunc:
        """`extern "my.f"`."""
        self.features.packed = True
        return tree.ExternFunc(self.string_text(name, end - len(name)), pos, end)

    def extern_bare(self, pos: int, end: int, name: str) -> tree.ExternFunc:
        """Error: `extern my.f`. [G.30]"""
        self.features.packed = True
        place = (end - len(name), end)
        found = diag.syntax(place, "the name of a packed function is a string")
        self.report(found.replace(place, f'"{name}"', "add quotes", applicability=SAFE))
        return tree.ExternFunc(name, pos, end)

    def shape_expr(self, pos: int, end: int, dims: list[tree.PrimExpr]) -> tree.ShapeExpr:
        """`shape(n, m)`."""
        made = tree.ShapeExpr(tuple(dims), pos, end)
        self.note_mistakes(made)
        return made

    def list_value(self, pos: int, end: int, values: list[tree.Expr] | None = None) -> tree.Tuple:
        """Error: `[a, b]` as an expression, which is read as a tuple."""
        made = tree.Tuple(tuple(values or ()), pos, end)
        found = diag.syntax((pos, end), "there are no lists of values")
        inner = self.text[pos + 1 : end - 1].strip().rstrip(",")
        self.mute(pos, end)  # what was said of lists in the list
        if not made.fields:
            found.helped("as a constant write `const([], float32)`, with its dtype; as a tuple, `()`")
        elif all(isinstance(value, tree.Constant) or value in self.lists for value in made.fields):
            found.replace((pos, end), f"const([{inner}])", f"as a constant write `const([{inner}])`")
        else:
            comma = "," if len(made.fields) == 1 else ""
            found.replace((pos, end), f"({inner}{comma})", f"as a tuple write `({inner}{comma})`")
        if pos not in self.operands:  # of which something was reported already
            self.report(found)
        self.lists.add(made)
        return made

    def string_value(self, pos: int, end: int, text: str) -> tree.Expr:
        """Error: a string as an expression."""
        if pos not in self.repaired:
            message = "a string is not a value; strings are written in attributes and after `extern`"
            found, name = diag.syntax((pos, end), message), text[1:-1]
            if name in self.visible:
                found.replace((pos, end), name, f"write `{name}`, which is a variable")
            self.report(found)
        made = tree.Missing(pos, end)
        self.strings[made] = text
        return made
