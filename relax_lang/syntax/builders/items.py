"""From reductions of the parser to nodes: one method for each `-> name` of the grammar.

Here are modules, items and blocks; `build_expr` has the expressions, `build_info` the struct infos, `build_tir`
and `build_prim` the code of PrimFuncs, `build_parts` what all of them share.

A method gets the span of its production and the children that are not punctuation, and returns a node, a list
(for the grammar's lists), or one of the small helpers below. Mistakes that one construct shows by itself are
reported here; the tree is completed with something harmless, so that parsing goes on.
"""

from __future__ import annotations

from relax_lang.base.cancellation import checkpoint
from relax_lang.base.diagnostic import SAFE, UNSAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.builders.expressions import ExprBuilder
from relax_lang.syntax.builders.parts import Output, Word
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary.words import STRUCT_INFOS, WORDS_FOR_NULL, literal_of_python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.syntax.builders.parts import Body, Given


class Builder(ExprBuilder):
    """The callbacks for modules, functions and blocks."""

    # -- modules and items ---------------------------------------------------------------------------------

    def ir_module(self, pos: int, end: int, attrs: list[tree.Attr], items: list[tree.Item]) -> tree.IRModule:
        """`module attrs { … }` and items."""
        return tree.IRModule(self.attributes(attrs), tuple(items), pos, end)

    def ir_module_plain(self, pos: int, end: int, items: list[tree.Item]) -> tree.IRModule:
        """Items alone."""
        return tree.IRModule((), tuple(items), pos, end)

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
        given = self.attributes(attrs)
        word, at = (None, -1) if purity is None else (purity.name, purity.pos)
        made = tree.Function(
            name, private is not None, word, tuple(params), result, given, body, pos, end, at
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
        dtype: tree.DType | None,
        attrs: list[tree.Attr] | None,
        body: Body,
    ) -> tree.PrimFunc:
        """`prim_func @p(…) -> int32 attrs { … } { … }`. A result has a dtype."""
        private, purity = self.modifiers(modifiers)
        if purity is not None:
            found = diag.syntax(purity, f"a prim_func is not `{purity.name}`: it writes its buffers")
            self.report(found.replace(purity, "", "remove it"))
        made = tree.PrimFunc(
            name,
            private is not None,
            tuple(params),
            self.attributes(attrs),
            self.statements_of(body.statements),
            dtype,
            body.result,
            pos,
            end,
        )
        self.finish_tir(made)
        self.check_result(made)
        return made

    def inline_prim_func(
        self, pos: int, end: int, name: tree.GlobalVar, params: object, attrs: object, body: object
    ) -> tree.Expr:
        """Error: a prim_func in an expression."""
        self.finish_tir(None)
        self.report(diag.inline_primfunc((pos, name.end)))
        return tree.Missing(pos, end)

    def param(self, pos: int, end: int, name: str, info: tree.StructInfo) -> tree.Var:
        """`x: Tensor`."""
        return tree.Var(name, self.checked_info(info), pos, end)

    def param_bare(self, pos: int, end: int, name: str) -> tree.Var:
        """Error: a parameter without struct info."""
        self.report(diag.param_needs_annotation((pos, end), name))
        return self.param(pos, end, name, tree.MissingStructInfo(None, pos, end))

    # -- attributes ----------------------------------------------------------------------------------------

    def attr(self, pos: int, end: int, key: str, value: tree.Literal) -> tree.Attr:
        """`axis: -1`."""
        self.check_literal(value, key)
        return tree.Attr(key, value, pos, end)

    def argument_attr(self, pos: int, end: int, key: str, value: tree.Literal) -> tree.Attr:
        """`axis=-1` in a call. Whether a name there is an operand is for those to say who know the operator."""
        self.check_literal(value, key, in_call=True)
        return tree.Attr(key, value, pos, end)

    def attr_pure(self, pos: int, end: int, value: tree.Literal) -> tree.Attr:
        """`pure=true`: the one attribute whose name is a keyword. [P.4]"""
        return self.attr(pos, end, "pure", value)

    def attr_string_key(self, pos: int, end: int, key: str, value: tree.Literal) -> tree.Attr:
        """`"any key": 1`."""
        return self.attr(pos, end, self.string_text(key, pos), value)

    def check_literal(self, value: tree.Literal, key: str, in_call: bool = False) -> None:
        """Report words that are not dtypes, and integers beyond int64."""
        todo = [value]
        while todo:
            item = todo.pop()
            if type(item) is tree.ListLit:
                todo += reversed(item.items)
            elif type(item) is tree.DType and item.name not in DTYPES:
                if in_call and item is value and item.name in WORDS_FOR_NULL:
                    continue  # whether the attribute may be null is known where its operator is
                if "dtype" in key:
                    self.report(diag.unknown_dtype(item, item.name, self.nearest_dtype(item.name)))
                    continue
                found = diag.bad_attribute_value(item, key, "a literal", item.name)
                word = literal_of_python(item.name, "null")
                if word is not None:
                    self.report(found.replace(item, word, f"write `{word}`", applicability=SAFE))
                    continue
                if not in_call:
                    self.report(found.replace(item, f'"{item.name}"', "write the word as a string"))
            elif type(item) is tree.IntLit and not -(1 << 63) <= item.value < 1 << 64:
                self.report(diag.literal_does_not_fit(item, self.text[item.pos : item.end], "int64"))

    # -- blocks and statements -----------------------------------------------------------------------------

    def taken_back(self, at: int) -> tuple[Edit, ...] | None:
        """Take back what was reported last if it is a `;` that is missing at an offset; return the edits of its fix."""
        fixes = self.diagnostics[-1].fixes if self.diagnostics else []
        if len(fixes) != 1 or [(edit.pos, edit.text) for edit in fixes[0].edits] != [(at, ";")]:
            return None
        return self.diagnostics.pop().fixes[0].edits

    def seq_expr(self, pos: int, end: int, statements: list[Given], body: tree.Expr) -> tree.SeqExpr:
        """`{ statements value }`."""
        body = self.without_return(body, end, statements)
        return tree.SeqExpr(self.blocks(statements), body, pos, end)

    def seq_no_value(self, pos: int, end: int, statements: list[Given]) -> tree.SeqExpr:
        """Error: a block without value. After `return x;` the value is known."""
        last = statements[-1] if statements else None
        if type(last) is tree.VarBinding and last.pos in self.returned:
            return tree.SeqExpr(self.blocks(statements[:-1]), last.value, pos, end)
        reported = self.closing or any(pos <= at <= end for at, _ in (*self.gaps, *self.half_lines[-1:]))
        from relax_lang.syntax.builders import block_ends  # only for this mistake

        if not reported and not block_ends.without_semicolon(self, last):
            found = diag.block_without_value((end - 1, end))
            if type(last) is tree.VarBinding and block_ends.is_ignored(last):
                found.label((last.end - 1, last.end), "without this `;` the expression is the value")
                found.fix("remove the `;`", Edit(last.end - 1, last.end, ""))
            elif type(last) is tree.VarBinding and isinstance(last.var, tree.Var):
                name = self.text[last.var.pos : last.var.end].split(":")[0].strip()
                missing = self.taken_back(last.end)
                whole = None if missing is None else block_ends.divided(self, last)
                if whole is not None:
                    return tree.SeqExpr(self.blocks([*statements[:-1], whole[0]]), whole[1], pos, end)
                if missing is None:
                    found.fix(f"return `{name}`", Edit(end - 1, end - 1, f"{name} "))
                else:  # `let a = x }`: one mistake
                    found.fix(f"return `{name}`", *missing, Edit(end - 1, end - 1, f"{name} "))
            self.report(found)
        return tree.SeqExpr(self.blocks(statements), tree.Missing(end - 1, end), pos, end)

    def without_return(self, value: tree.Expr, end: int, before: Iterable[Given] = ()) -> tree.Expr:
        """Report `return (x)` and `return;`, which read as a call and a variable; return the value alone.

        `before` are the statements of its block, where it ends the block.
        """
        if not self.text.startswith("return", value.pos):
            return value
        from relax_lang.syntax.builders import returned_values  # only for this mistake

        return returned_values.without_return(self, value, end, before)

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
                if self.elsewhere.unpacked:
                    from relax_lang.syntax.builders.foreign import foreign_values  # only for this mistake

                    run += foreign_values.fields(self, statement)
            else:
                self.report(diag.output_outside_dataflow((statement.pos, statement.pos + 6)))
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
                self.report(diag.output_outside_dataflow((statement.pos, statement.pos + 6)))
            else:
                word = "dataflow" if type(statement) is tree.DataflowBlock else "bindings"
                place = (statement.pos, statement.pos + len(word))
                found = diag.syntax(place, f"a `{word}` block cannot be inside a `{kind}` block")
                self.report_contents(found.helped("blocks follow each other; close the outer one first"))
        return tuple(kept)

    def dataflow_block(self, pos: int, end: int, statements: list[Given]) -> tree.DataflowBlock:
        """`dataflow { …; output a, b; }`: which variables stay inside, name resolution decides. [G.24]"""
        self.features.dataflow = True
        outputs: list[tree.Var] = []
        place = -1, -1
        rest = statements
        if statements and type(statements[-1]) is Output:
            outputs = statements[-1].names
            place = statements[-1].pos, statements[-1].end
            rest = statements[:-1]
        early = [s for s in rest if type(s) is Output]
        for statement in early:
            found = diag.syntax(
                (statement.pos, statement.pos + 6), "`output` is the last statement of its dataflow block"
            )
            self.report_contents(found)
            outputs = [*statement.names, *outputs]
        bindings = self.only_bindings([s for s in rest if type(s) is not Output], "dataflow")
        return tree.DataflowBlock(bindings, tuple(outputs), pos, end, *place)

    def dataflow_value(
        self, pos: int, end: int, statements: list[Given], value: tree.Expr
    ) -> tree.DataflowBlock:
        """Error: a value at the end of a dataflow block."""
        found = diag.syntax(value, "a dataflow block has no value; list what leaves it in `output`")
        fields = value.fields if type(value) is tree.Tuple and value.fields else (value,)
        names = [field for field in fields if type(field) is tree.Var]
        if any(type(statement) is Output for statement in statements):
            found = diag.syntax(value, "the dataflow block is not closed before this value")
            found.fix("add `}`", Edit(value.pos, value.pos, "} "))
        elif len(names) == len(fields):
            shown = ", ".join([self.text[name.pos : name.end] for name in names])
            found.replace(value, f"output {shown};", f"write `output {shown};`", applicability=SAFE)
            statements = [*statements, Output(names, value.pos, value.end)]
        else:
            found.helped("write `output name;` and use the name after the block")
        self.report_contents(found)
        return self.dataflow_block(pos, end, statements)

    def output(self, pos: int, end: int, names: list[tree.Var]) -> Output:
        """`output a, b;`"""
        return Output(names, pos, end)

    def binder(self, pos: int, end: int, name: str) -> tree.Var:
        """`v` of `let v = …`."""
        return tree.Var(name, None, pos, end)

    def binder_annotated(self, pos: int, end: int, name: str, info: tree.StructInfo) -> tree.Var:
        """`v: S` of `let v: S = …`."""
        return tree.Var(name, self.checked_info(info), pos, end)

    def let(self, pos: int, end: int, var: tree.Var, value: tree.Expr) -> tree.VarBinding:
        """`let v = e;`"""
        checkpoint()
        if var.pos in self.compounds:
            value = self.compound_value(var, value)
        if self.elsewhere.sizes and value in self.elsewhere.sizes:
            var = tree.Var("_", None, pos, pos)  # the name is that of a size
        return tree.VarBinding(var, value, pos, end)

    def let_mut(self, pos: int, end: int, word: str, var: tree.Var, value: tree.Expr) -> tree.VarBinding:
        """Error: `let mut v = e;`, `let v Tensor = e;`"""
        at = self.offset_of(word, pos + 3)
        if var.name_hint in STRUCT_INFOS:
            behind = at + len(word)
            found = diag.syntax((behind, behind + 1), "expected `:` before the struct info of a variable")
            self.report(found.fix("add `:`", Edit(behind, behind, ":"), applicability=SAFE))
            return tree.VarBinding(tree.Var(word, None, at, behind), value, pos, end)
        message = f"expected `=` or `:`, found `{var.name_hint}`"
        if word == "mut":
            message = "variables are bound once; there is no `mut`"
        found = diag.syntax((at, at + len(word)), message)
        is_sure = word == "mut"  # with another word a `:` may be missing
        title = f"remove `{word}`" if is_sure else f"remove `{word}`, if it is not a name"
        self.report(found.replace((at, var.pos), "", title, SAFE if is_sure else UNSAFE))
        return tree.VarBinding(var, value, pos, end)

    def bare_assign(self, pos: int, end: int, name: str, value: tree.Expr) -> tree.VarBinding:
        """Error: `v = e;`"""
        if value in self.elsewhere.sizes:
            return self.let(pos, end, tree.Var(name, None, pos, pos + len(name)), value)
        found = diag.syntax((pos, pos + len(name)), "a statement that binds a variable begins with `let`")
        self.report_assignment(pos, found.fix("write `let`", Edit(pos, pos, "let "), applicability=SAFE))
        return tree.VarBinding(tree.Var(name, None, pos, pos + len(name)), value, pos, end)

    def bare_match(self, pos: int, end: int, name: str, match: tree.MatchCast) -> tree.MatchCast:
        """Error: `v = match_cast(e, S);`"""
        found = diag.syntax((pos, pos + len(name)), "a statement that binds a variable begins with `let`")
        self.report(found.fix("write `let`", Edit(pos, pos, "let ")))
        return self.let_match(pos, end, self.binder(pos, pos + len(name), name), match)

    def expr_statement(self, pos: int, end: int, value: tree.Expr) -> tree.VarBinding | Output:
        """`e;`, the same as `let _ = e;`. [Y.11]"""
        value = self.without_return(value, end)
        if value in self.elsewhere.outputs:
            return Output(self.elsewhere.outputs[value], pos, end)
        return tree.VarBinding(tree.Var("_", None, pos, pos), value, pos, end)

    def match_cast(self, pos: int, end: int, value: tree.Expr, info: tree.StructInfo) -> tree.MatchCast:
        """`match_cast(e, S)`."""
        return tree.MatchCast(None, self.checked_info(info), value, pos, end, pos, end)

    def match_cast_bare(self, pos: int, end: int, value: tree.Expr) -> tree.MatchCast:
        """Error: `match_cast(e)`."""
        self.report(diag.syntax((end - 1, end), "expected a struct info: `match_cast(value, Tensor[...])`"))
        return tree.MatchCast(None, tree.MissingStructInfo(None, end - 1, end), value, pos, end, pos, end)

    def match_shape(self, pos: int, end: int, value: tree.Expr, dims: list[tree.PrimExpr]) -> tree.MatchCast:
        """`match_shape(e, (n, m))`, the older form. [B.1]"""
        info_pos = dims[0].pos if dims else end - 1
        info = tree.MatchShapeInfo(tuple(dims), info_pos, dims[-1].end if dims else end - 1)
        return tree.MatchCast(None, self.checked_info(info), value, pos, end, pos, end)

    def let_match(self, pos: int, end: int, var: tree.Var, match: tree.MatchCast) -> tree.MatchCast:
        """`let v = match_cast(e, S);`"""
        info = var.struct_info_annotation
        if info is not None and isinstance(match.struct_info, tree.MissingStructInfo) and self.diagnostics:
            return self._info_before_match(pos, end, var, match, info)
        kept = None if var.name_hint == "_" and var.struct_info_annotation is None else var
        return tree.MatchCast(kept, match.struct_info, match.value, pos, end, match.pos, match.end)

    def _info_before_match(
        self, pos: int, end: int, var: tree.Var, match: tree.MatchCast, info: tree.StructInfo
    ) -> tree.MatchCast:
        """Error: `let v: S = match_cast(e);`."""
        name_end = self.name_end(var.pos, var.name_hint)
        self.mute(match.struct_info.pos, end)
        shown = self.text[info.pos : info.end]
        found = diag.syntax(info, "the struct info that is checked is an operand of match_cast")
        edits = Edit(name_end, info.end, ""), Edit(match.value.end, match.value.end, f", {shown}")
        self.report(found.fix(f"write `match_cast(…, {shown})`", *edits, applicability=SAFE))
        bare = tree.Var(var.name_hint, None, var.pos, name_end)
        return tree.MatchCast(bare, info, match.value, pos, end)

    def match_statement(self, pos: int, end: int, match: tree.MatchCast) -> tree.MatchCast:
        """`match_cast(e, S);`"""
        return tree.MatchCast(None, match.struct_info, match.value, pos, end, match.pos, match.end)

    def match_inside(self, pos: int, end: int, match: tree.MatchCast) -> tree.Expr:
        """Error: a match_cast inside an expression. [G.39]"""
        found = diag.syntax((pos, end), "a match_cast is a statement, or the whole value of a `let`")
        edits = Edit(pos, pos, "{ let v = "), Edit(end, end, "; v }")
        # In the block, shape variables that it binds end with it: others of that name later would be bound anew.
        found = found.fix("or bind it in a block, whose value it is", *edits)
        self.report(found.helped("bind it first: `let v = match_cast(…);`"))
        bound = self.let_match(pos, end, tree.Var("v", None, pos, pos), match)
        return tree.SeqExpr(self.blocks([bound]), tree.Var("v", None, end, end), pos, end)
