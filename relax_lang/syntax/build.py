"""From reductions of the parser to nodes: one method for each `-> name` of grammar/relax.lark.

A method gets the span of its production and the children that are not punctuation, and returns a node, a list
(for the grammar's lists), or one of the small helpers below. Mistakes that one construct shows by itself are
reported here; the tree is completed with something harmless, so that parsing goes on.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.base.names import nearest
from relax_lang.syntax import problems, tree
from relax_lang.syntax.build_info import InfoBuilder
from relax_lang.syntax.build_parts import Output, Word
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.signs import COMPARISONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.syntax.build_parts import Given


class Builder(InfoBuilder):
    """The callbacks for modules, functions, blocks and expressions."""

    # -- modules and items ---------------------------------------------------------------------------------

    def ir_module(self, pos: int, end: int, attrs: list[tree.Attr], items: list[tree.Item]) -> tree.IRModule:
        """`module attrs { … }` and items."""
        return tree.IRModule(self.attributes(attrs), tuple(items), pos, end)

    def ir_module_plain(self, pos: int, end: int, items: list[tree.Item]) -> tree.IRModule:
        """Items alone."""
        return tree.IRModule((), tuple(items), pos, end)

    def modifier(self, pos: int, end: int, word: str) -> Word:
        """`private`, `pure`, …"""
        return Word(word, pos, end)

    def modifiers(self, words: list[Word]) -> tuple[bool, str | None]:
        """Return (private, purity) and report what excludes each other."""
        private: Word | None = None
        purity: Word | None = None
        for word in words:
            earlier = private if word.name == "private" else purity
            if earlier is not None:
                self.report(problems.conflicting_modifiers(word, earlier, word.name, earlier.name))
            elif word.name == "private":
                private = word
            else:
                purity = word
        return private is not None, purity.name if purity else None

    def def_item(
        self,
        pos: int,
        end: int,
        modifiers: list[Word],
        name: tree.GlobalVar,
        params: list[tree.Var],
        result: tree.StructInfo | None,
        attrs: list[tree.Attr] | None,
        body: tree.SeqExpr,
    ) -> tree.Function:
        """`def @f(…) -> S attrs { … } { … }`."""
        private, purity = self.modifiers(modifiers)
        made = tree.Function(
            name, private, purity, tuple(params), result, self.attributes(attrs), body, pos, end
        )
        self.finish_relax(made)
        return made

    def prim_func_item(
        self,
        pos: int,
        end: int,
        modifiers: list[Word],
        name: tree.GlobalVar,
        params: list[tree.PrimParam],
        attrs: list[tree.Attr] | None,
        body: list[tree.Stmt],
    ) -> tree.PrimFunc:
        """`prim_func @p(…) attrs { … } { … }`."""
        private, purity = self.modifiers(modifiers)
        if purity is not None:
            word = next(w for w in modifiers if w.name == purity)
            self.report(
                problems.syntax(word, f"a prim_func is not `{purity}`: it writes its buffers").replace(
                    word, "", "remove it"
                )
            )
        self.finish_tir()
        return tree.PrimFunc(
            name, private, tuple(params), self.attributes(attrs), self.statements_of([*body]), pos, end
        )

    def inline_prim_func(
        self, pos: int, end: int, name: tree.GlobalVar, params: object, attrs: object, body: object
    ) -> tree.Expr:
        """Error: a prim_func in an expression."""
        del params, attrs, body
        self.finish_tir()
        self.report(problems.inline_primfunc((pos, name.end)))
        return tree.Tuple((), pos, end)

    def param(self, pos: int, end: int, name: str, info: tree.StructInfo) -> tree.Var:
        """`x: Tensor`."""
        self.bound.add(name)
        return tree.Var(name, info, pos, end)

    def param_bare(self, pos: int, end: int, name: str) -> tree.Var:
        """Error: a parameter without struct info."""
        self.report(problems.param_needs_annotation((pos, end), name))
        return self.param(pos, end, name, tree.ObjectStructInfo(pos, end))

    # -- attributes ----------------------------------------------------------------------------------------

    def attr(self, pos: int, end: int, key: str, value: tree.Literal) -> tree.Attr:
        """`axis=-1`, `axis: -1`."""
        self.check_literal(value, key)
        return tree.Attr(key, value, pos, end)

    def attr_pure(self, pos: int, end: int, value: tree.Literal) -> tree.Attr:
        """`pure=true`: the one attribute whose name is a keyword. [P.4]"""
        return self.attr(pos, end, "pure", value)

    def attr_string_key(self, pos: int, end: int, key: str, value: tree.Literal) -> tree.Attr:
        """`"any key": 1`."""
        return self.attr(pos, end, self.string_text(key, pos), value)

    def check_literal(self, value: tree.Literal, key: str) -> None:
        """Report words that are no dtypes, and integers beyond int64."""
        todo = [value]
        while todo:
            item = todo.pop()
            if type(item) is tree.ListLit:
                todo += reversed(item.items)
            elif type(item) is tree.DType and item.name not in DTYPES:
                if "dtype" in key:
                    self.report(problems.unknown_dtype(item, item.name, nearest(item.name, DTYPES)))
                    continue
                found = problems.bad_attribute_value(item, key, "a literal", item.name)
                self.report(found.replace(item, f'"{item.name}"', "write the word as a string"))
            elif type(item) is tree.IntLit and not -(1 << 63) <= item.value < 1 << 64:
                self.report(problems.literal_does_not_fit(item, self.text[item.pos : item.end], "int64"))

    # -- blocks and statements -----------------------------------------------------------------------------

    def seq_expr(self, pos: int, end: int, statements: list[Given], body: tree.Expr) -> tree.SeqExpr:
        """`{ statements value }`."""
        return tree.SeqExpr(self.blocks(statements), body, pos, end)

    def seq_no_value(self, pos: int, end: int, statements: list[Given]) -> tree.SeqExpr:
        """Error: a block without value. After `return x;` the value is known."""
        last = statements[-1] if statements else None
        if type(last) is tree.VarBinding and last.pos in self.returned:
            return tree.SeqExpr(self.blocks(statements[:-1]), last.value, pos, end)
        reported = self.closing or any(pos <= at <= end for at, _ in self.broken)
        if not reported:
            found = problems.block_without_value((end - 1, end))
            if type(last) is tree.VarBinding and self.is_ignored(last):
                found.label((last.end - 1, last.end), "without this `;` the expression is the value")
                found.fix("remove the `;`", Edit(last.end - 1, last.end, ""))
            elif type(last) is tree.VarBinding and isinstance(last.var, tree.Var):
                name = self.text[last.var.pos : last.var.end].split(":")[0].strip()
                found.fix(f"return `{name}`", Edit(end - 1, end - 1, f"{name} "))
            self.report(found)
        return tree.SeqExpr(self.blocks(statements), tree.Tuple((), end - 1, end), pos, end)

    @staticmethod
    def is_ignored(binding: tree.VarBinding) -> bool:
        """Tell whether a binding is `e;`."""
        return type(binding.var) is tree.Var and binding.var.name_hint == "_"

    def blocks(self, statements: Iterable[Given]) -> tuple[tree.BlockOfBindings, ...]:
        """Gather adjacent statements into blocks. [G.36]"""
        blocks: list[tree.BlockOfBindings] = []
        run: list[tree.Binding] = []
        for statement in statements:
            if isinstance(statement, tree.BlockOfBindings):
                if run:
                    blocks.append(tree.BindingBlock(tuple(run), False, run[0].pos, run[-1].end))
                    run = []
                blocks.append(statement)
            elif isinstance(statement, tree.Binding):
                run.append(statement)
            else:
                self.report(problems.output_outside_dataflow((statement.pos, statement.pos + 6)))
        if run:
            blocks.append(tree.BindingBlock(tuple(run), False, run[0].pos, run[-1].end))
        return tuple(blocks)

    def bindings_block(self, pos: int, end: int, statements: list[Given]) -> tree.BindingBlock:
        """`bindings { … }`."""
        return tree.BindingBlock(self.only_bindings(statements, "bindings"), True, pos, end)

    def only_bindings(self, statements: list[Given], kind: str) -> tuple[tree.Binding, ...]:
        """Return the bindings among statements and report the rest."""
        kept: list[tree.Binding] = []
        for statement in statements:
            if isinstance(statement, tree.Binding):
                kept.append(statement)
            elif isinstance(statement, Output):
                self.report(problems.output_outside_dataflow((statement.pos, statement.pos + 6)))
            else:
                word = "dataflow" if type(statement) is tree.DataflowBlock else "bindings"
                place = (statement.pos, statement.pos + len(word))
                message = f"a `{word}` block does not stand inside a `{kind}` block"
                self.report(
                    problems.syntax(place, message).helped(
                        "blocks follow each other; close the outer one first"
                    )
                )
        return tuple(kept)

    def dataflow_block(self, pos: int, end: int, statements: list[Given]) -> tree.DataflowBlock:
        """`dataflow { …; output a, b; }`: bindings not in the output become DataflowVars. [G.24]"""
        outputs: list[tree.Var] = []
        rest = statements
        if statements and type(statements[-1]) is Output:
            outputs = statements[-1].names
            rest = statements[:-1]
        early = [s for s in rest if type(s) is Output]
        for statement in early:
            place = (statement.pos, statement.pos + 6)
            self.report(problems.syntax(place, "`output` is the last statement of its dataflow block"))
            outputs = [*statement.names, *outputs]
        bindings = self.only_bindings([s for s in rest if type(s) is not Output], "dataflow")
        wanted = {var.name_hint for var in outputs}
        made: list[tree.Binding] = []
        for binding in reversed(bindings):  # of two bindings of one name the later one leaves
            assert isinstance(binding, tree.VarBinding | tree.MatchCast)
            var = binding.var
            if var is None or var.name_hint == "_":
                made.append(binding)
            elif var.name_hint in wanted:
                wanted.discard(var.name_hint)
                made.append(binding)
            else:
                made.append(self.local(binding, var))
        return tree.DataflowBlock(tuple(reversed(made)), tuple(outputs), pos, end)

    @staticmethod
    def local(binding: tree.Binding, var: tree.Binder) -> tree.Binding:
        """Return a binding with its variable as a DataflowVar."""
        inner = tree.DataflowVar(var.name_hint, var.struct_info_annotation, var.pos, var.end)
        if type(binding) is tree.VarBinding:
            return tree.VarBinding(inner, binding.value, binding.pos, binding.end)
        assert type(binding) is tree.MatchCast
        return tree.MatchCast(inner, binding.struct_info, binding.value, binding.pos, binding.end)

    def dataflow_value(
        self, pos: int, end: int, statements: list[Given], value: tree.Expr
    ) -> tree.DataflowBlock:
        """Error: a value at the end of a dataflow block."""
        found = problems.syntax(value, "a dataflow block has no value; list what leaves it in `output`")
        self.report(found.helped("write `output name;` and use the name after the block"))
        return self.dataflow_block(pos, end, statements)

    def output(self, pos: int, end: int, names: list[tree.Var]) -> Output:
        """`output a, b;`"""
        return Output(names, pos, end)

    def binder(self, pos: int, end: int, name: str) -> tree.Var:
        """`v` of `let v = …`."""
        self.bound.add(name)
        return tree.Var(name, None, pos, end)

    def binder_annotated(self, pos: int, end: int, name: str, info: tree.StructInfo) -> tree.Var:
        """`v: S` of `let v: S = …`."""
        self.bound.add(name)
        return tree.Var(name, info, pos, end)

    def let(self, pos: int, end: int, var: tree.Var, value: tree.Expr) -> tree.VarBinding:
        """`let v = e;`"""
        return tree.VarBinding(var, value, pos, end)

    def let_mut(self, pos: int, end: int, word: str, var: tree.Var, value: tree.Expr) -> tree.VarBinding:
        """Error: `let mut v = e;`"""
        at = self.offset_of(word, pos + 3)
        message = f"expected `=` or `:`, found `{var.name_hint}`"
        if word == "mut":
            message = "variables are bound once; there is no `mut`"
        found = problems.syntax((at, at + len(word)), message)
        self.report(found.replace((at, var.pos), "", f"remove `{word}`", applicability=SAFE))
        return tree.VarBinding(var, value, pos, end)

    def bare_assign(self, pos: int, end: int, name: str, value: tree.Expr) -> tree.VarBinding:
        """Error: `v = e;`"""
        found = problems.syntax((pos, pos + len(name)), "a statement that binds a variable begins with `let`")
        self.report(found.fix("write `let`", Edit(pos, pos, "let "), applicability=SAFE))
        self.bound.add(name)
        return tree.VarBinding(tree.Var(name, None, pos, pos + len(name)), value, pos, end)

    def expr_statement(self, pos: int, end: int, value: tree.Expr) -> tree.VarBinding:
        """`e;`, the same as `let _ = e;`. [Y.11]"""
        return tree.VarBinding(tree.Var("_", None, pos, pos), value, pos, end)

    def match_cast(self, pos: int, end: int, value: tree.Expr, info: tree.StructInfo) -> tree.MatchCast:
        """`match_cast(e, S)`."""
        return tree.MatchCast(None, info, value, pos, end)

    def match_cast_bare(self, pos: int, end: int, value: tree.Expr) -> tree.MatchCast:
        """Error: `match_cast(e)`."""
        self.report(
            problems.syntax((end - 1, end), "expected a struct info: `match_cast(value, Tensor[...])`")
        )
        return tree.MatchCast(None, tree.ObjectStructInfo(end - 1, end), value, pos, end)

    def match_shape(self, pos: int, end: int, value: tree.Expr, dims: list[tree.PrimExpr]) -> tree.MatchCast:
        """`match_shape(e, (n, m))`, the older form. [B.1]"""
        info_pos = dims[0].pos if dims else end - 1
        info = tree.MatchShapeInfo(tuple(dims), info_pos, dims[-1].end if dims else end - 1)
        return tree.MatchCast(None, info, value, pos, end)

    def let_match(self, pos: int, end: int, var: tree.Var, match: tree.MatchCast) -> tree.MatchCast:
        """`let v = match_cast(e, S);`"""
        kept = None if var.name_hint == "_" and var.struct_info_annotation is None else var
        return tree.MatchCast(kept, match.struct_info, match.value, pos, end)

    def match_statement(self, pos: int, end: int, match: tree.MatchCast) -> tree.MatchCast:
        """`match_cast(e, S);`"""
        return tree.MatchCast(None, match.struct_info, match.value, pos, end)

    def match_inside(self, pos: int, end: int, match: tree.MatchCast) -> tree.Expr:
        """Error: a match_cast inside an expression. [G.39]"""
        found = problems.syntax((pos, end), "a match_cast is a statement, or the whole value of a `let`")
        self.report(found.helped("bind it first: `let v = match_cast(…);`"))
        return match.value

    # -- expressions ---------------------------------------------------------------------------------------

    def var(self, pos: int, end: int, name: str) -> tree.Var:
        """A use of a variable."""
        return tree.Var(name, None, pos, end)

    def op(self, pos: int, end: int, name: str) -> tree.Op:
        """`nn.softmax`."""
        return tree.Op(name, pos, end)

    def binary(self, pos: int, end: int, lhs: tree.Expr, op: str, rhs: tree.Expr) -> tree.BinaryOp:
        """`a + b`."""
        return self.chained(lhs, tree.BinaryOp(op, lhs, rhs, pos, end))

    def compare(self, pos: int, end: int, lhs: tree.Expr, op: str, rhs: tree.Expr) -> tree.BinaryOp:
        """`a < b`; `a < b < c` is an error. [Y.10]"""
        if type(lhs) is tree.BinaryOp and lhs.op in COMPARISONS and lhs not in self.parens:
            shown = self.text[lhs.rhs.pos : lhs.rhs.end]
            found = problems.syntax((pos, end), "comparisons do not chain")
            self.report(found.helped(f"write `… {lhs.op} {shown} && {shown} {op} …`"))
        return self.binary(pos, end, lhs, op, rhs)

    def unary(self, pos: int, end: int, op: str, operand: tree.Expr) -> tree.UnaryOp:
        """`-a`, `!a`."""
        return tree.UnaryOp(op, operand, pos, end)

    def typed_call(self, pos: int, end: int, callee: tree.Expr, info: tree.StructInfo) -> tree.Expr:
        """`f(x) -> S`. [G.31]"""
        if type(callee) is not tree.Call or callee in self.parens:
            self.report(problems.syntax(info, "`-> S` says what a call returns; this is no call"))
            return callee
        made = tree.Call(callee.op, callee.args, callee.attrs, info, pos, end)
        if self.callees and self.callees[-1] is callee:
            self.callees[-1] = made
        return made

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
            if attrs:
                found = problems.syntax(item, "positional arguments stand before named ones")
                self.report(found.label(attrs[-1], "the first named one" if len(attrs) == 1 else "named"))
            assert isinstance(item, tree.Expr)
            args.append(item)
        if attrs:
            self.report_doubles(attrs)
            for attr in attrs:
                if (
                    attr.key == "pure"
                    and type(callee) is tree.ExternFunc
                    and type(attr.value) is not tree.BoolLit
                ):
                    shown = self.text[attr.value.pos : attr.value.end]
                    self.report(problems.bad_attribute_value(attr.value, "pure", "true or false", shown))
        if type(callee) is tree.Var:
            op = tree.Op(callee.name_hint, callee.pos, callee.end)
            if callee in self.parens:
                self.parens[op] = self.parens.pop(callee)
            made = tree.Call(op, tuple(args), tuple(attrs), None, pos, end)
            self.callees.append(made)
            return made
        return self.chained(callee, tree.Call(callee, tuple(args), tuple(attrs), None, pos, end))

    def tuple_get_item(self, pos: int, end: int, value: tree.Expr, index: tree.Expr) -> tree.Expr:
        """`t[0]`. [G.33]"""
        number = 0
        if type(index) is tree.Constant and type(index.data) is tree.IntLit and index.dtype is None:
            number = index.data.value
        elif type(index) is tree.UnaryOp and index.op == "-" and type(index.operand) is tree.Constant:
            self.report(problems.negative_index(index, self.text[index.pos : index.end]))
        else:
            self.report(problems.index_not_constant(index))
        return self.chained(value, tree.TupleGetItem(value, number, pos, end))

    def unit(self, pos: int, end: int) -> tree.Tuple:
        """`()`."""
        return tree.Tuple((), pos, end)

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
            self.report(problems.if_needs_else((pos, pos + 2), end))
        return tree.If(cond, then, tree.SeqExpr((), tree.Tuple((), end, end), end, end), pos, end)

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
        return tree.Function(None, False, None, tuple(params), result, self.attributes(attrs), body, pos, end)

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
        if private:
            word = next(w for w in modifiers if w.name == "private")
            self.report(problems.syntax(word, "only items of the module are `private`"))
        return tree.Function(
            None, False, purity, tuple(params), result, self.attributes(attrs), body, pos, end
        )

    def extern(self, pos: int, end: int, name: str) -> tree.ExternFunc:
        """`extern "my.f"`."""
        return tree.ExternFunc(self.string_text(name, end - len(name)), pos, end)

    def extern_bare(self, pos: int, end: int, name: str) -> tree.ExternFunc:
        """Error: `extern my.f`. [G.30]"""
        place = (end - len(name), end)
        found = problems.syntax(place, "the name of a packed function is a string")
        self.report(found.replace(place, f'"{name}"', "add quotes", applicability=SAFE))
        return tree.ExternFunc(name, pos, end)

    def shape_expr(self, pos: int, end: int, dims: list[tree.PrimExpr]) -> tree.ShapeExpr:
        """`shape(n, m)`."""
        return tree.ShapeExpr(tuple(dims), pos, end)

    def string_value(self, pos: int, end: int, text: str) -> tree.Expr:
        """Error: a string as an expression."""
        if pos not in self.repaired:
            message = "a string is no value; strings stand in attributes and after `extern`"
            self.report(problems.syntax((pos, end), message))
        return tree.Tuple((), pos, end)
