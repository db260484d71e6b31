"""From reductions of the parser to nodes: the statements of PrimFuncs."""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.base.names import nearest
from relax_lang.base.wording import counted
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.builders.parts import Clause, InitBlock, Word
from relax_lang.syntax.builders.prim_funcs.memory import MemoryBuilder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.syntax.builders.parts import Given

LOOP_KINDS = ("parallel", "vectorized", "unrolled", "thread")
ASSERTIONS = ("require", "assume", "ensure", "check")
"""What other languages call `assert`."""
CLAUSES = ("where", "reads", "writes")


class TirBuilder(MemoryBuilder):
    """The callbacks for statements."""

    def finish_relax(self, root: Node) -> None:
        """Called when a Relax item is complete: report code of PrimFuncs in it."""
        if self.tir_only:
            from relax_lang.syntax.builders.foreign_prim_funcs import extents  # only for this mistake

            self.extents.update(extents.of_shapes(self.tir_only, root))
        if self.extents:
            self.report_extents(root)
        for expr in self.tir_only:
            if expr in self.extents:
                continue
            shown = self.text[expr.pos : expr.end]
            self.report(
                diag.syntax(expr, f"`{shown}` is code of a prim_func; a dimension is an integer expression")
            )
        self.wrong.update(self.tir_only)
        self.tir_only.clear()
        self.extents.clear()
        if self.diagnostics:
            self.note_item(root)

    def info_field(self, pos: int, end: int, name: str, args: list[Given] | None = None) -> Given:
        """Error: `Tensor[x.shape, float32]`, `Tensor[x.shape[0], float32]`, `Tensor[(n,), torch.float32]`."""
        from relax_lang.syntax.builders.foreign_prim_funcs import extents  # only for this mistake

        self.mute(pos, end)  # a number alone is a dimension without parentheses
        index = args[0] if args and len(args) == 1 else None
        if not name.endswith(".shape") or type(index) is not Word or not self.text[index.pos].isdigit():
            return extents.other_field(self, (pos, end), name, alone=args is None)
        number = tree.IntImm(int(self.text[index.pos : index.end]))
        extent = self.extent_of_axis(pos, end, name, [number])
        self.whole_shapes.add(extent)
        return tree.ShapeExpr((extent,), pos, end)

    def report_extents(self, root: Node | None) -> None:
        """Report `x.shape[0]`, now that the parameters of the item are known."""
        from relax_lang.syntax.builders.foreign_prim_funcs import extents  # only for this mistake

        extents.report(self, self.extents, root, self.whole_shapes)

    def finish_tir(self, root: Node | None) -> None:
        """Called when a PrimFunc is complete, or given up."""
        self.tir_only.clear()
        if self.extents:
            self.report_extents(root)
            self.extents.clear()
        if self.diagnostics and root is not None:
            self.note_item(root)
            self.note_mistakes(root)

    def statements_of(self, body: list[Given]) -> tuple[tree.Stmt, ...]:
        """Return the statements of a block; an `init { }` among them is out of place."""
        for statement in body:
            if isinstance(statement, InitBlock):
                self.report_init(statement)
        return tuple(s for s in body if isinstance(s, tree.Stmt))

    def report_init(self, block: InitBlock) -> None:
        """Report a named block that is not an `init`, or an `init` in the wrong place."""
        place = (block.pos, block.pos + len(block.name))
        if block.name == "init":
            self.report(diag.syntax(place, "`init { … }` comes first in a block"))
        else:
            near = nearest(block.name, ("init", "block", "while", "for", "if"))
            found = diag.syntax(place, f"expected a statement, found `{block.name} {{`")
            if block.name == "loop":
                found = diag.syntax(place, "a loop without an end is written `while true { … }`")
                found.replace(place, "while true", "write `while true`", applicability=SAFE)
            self.report(found.helped(f"did you mean `{near}`?") if near else found)

    def buffer_store(
        self, pos: int, end: int, name: str, indices: list[tree.PrimExpr], op: str, value: tree.PrimExpr
    ) -> tree.BufferStore:
        """`Y[i] = e;`"""
        at = tree.PrimVar(name, pos, self.name_end(pos, name))
        return tree.BufferStore(at, tuple(indices), op, value, pos, end)

    def assign_name(self, pos: int, end: int, name: str, op: str, value: tree.PrimExpr) -> tree.LetStmt:
        """Error: `v = e;`. [TIR.16]"""
        place = (pos, self.name_end(pos, name))
        found = diag.syntax(
            place, "only elements of buffers are assigned; a variable is bound once, with `let`"
        )
        if op == "=":
            found.fix("write `let`", Edit(pos, pos, "let "), applicability=SAFE)
        if value not in self.wrong:  # else what it calls was reported
            self.report_assignment(pos, found)
        return tree.LetStmt(tree.PrimVar(name, *place), None, value, pos, end)

    def tir_let(self, pos: int, end: int, var: tree.PrimVar, value: tree.PrimExpr) -> tree.LetStmt:
        """`let v = e;`"""
        return tree.LetStmt(var, None, value, pos, end)

    def tir_let_typed(
        self, pos: int, end: int, var: tree.PrimVar, dtype: tree.DType, value: tree.PrimExpr
    ) -> tree.LetStmt:
        """`let v: int32 = e;` [TIR.16]"""
        return tree.LetStmt(var, dtype, value, pos, end)

    def assert_stmt(self, pos: int, end: int, condition: tree.PrimExpr, message: str) -> tree.AssertStmt:
        """`assert c, "message";` [TIR.17]"""
        at = self.offset_of(message, condition.end)
        return tree.AssertStmt(condition, self.string_text(message, at), pos, end)

    def assert_bare(self, pos: int, end: int, condition: tree.PrimExpr) -> tree.AssertStmt:
        """Error: an assert without message."""
        found = diag.syntax(
            (end - 1, end), 'an assert has a message for when it fails: `assert c, "message";`'
        )
        self.report(found)
        return tree.AssertStmt(condition, "assertion failed", pos, end)

    def call_extern(self, pos: int, end: int, name: str, args: list[Given]) -> tree.Stmt:
        """`call_extern("name", A, n);` [TIR.19]"""
        self.features.tir_externs = True
        place = (pos, self.name_end(pos, name))
        if name == "where":
            found = diag.syntax(place, "the condition of a block comes before its body")
            self.report(found.helped("write `block name (…) where c { … }`"))
            return tree.CallExtern(name, (), pos, end)
        if name != "call_extern":
            found = diag.syntax(place, 'a call is not a statement here, except `call_extern("name", …);`')
            if name in ASSERTIONS and len(args) == 1:
                condition = self.text[args[0].pos : args[0].end]
                form = f'assert {condition}, "{condition}";'
                found = diag.syntax(place, 'a condition is checked by `assert c, "message";`')
                if not any(mark in condition for mark in '"\\\n'):
                    found.replace((pos, end), form, f"write `{form}`", applicability=SAFE)
                self.report(found)
            else:
                self.report(found.helped("a prim_func computes by storing: `B[i] = …;`"))
            return tree.CallExtern(name, (), pos, end)
        if not args or type(args[0]) is not tree.StrLit:
            self.report(
                diag.syntax(place, "the first argument of `call_extern` is the function's name, a string")
            )
            return tree.CallExtern("", (), pos, end)
        values = [arg for arg in args[1:] if isinstance(arg, tree.PrimExpr | tree.StrLit)]
        return tree.CallExtern(args[0].value, tuple(values), pos, end)

    def jump(self, pos: int, end: int, name: str) -> tree.Stmt:
        """`break;`, `continue;` [TIR.15]"""
        if name == "continue":
            return tree.Continue(pos, end)
        if name != "break":
            place = (pos, pos + len(name))
            near = nearest(name, ("break", "continue"))
            found = diag.syntax(place, f"a value is not a statement; `{name}` has no effect")
            if name == "return":
                found.replace((pos, end), "", "remove it", applicability=SAFE)
            self.report(found.helped(f"did you mean `{near}`?") if near else found)
        return tree.Break(pos, end)

    def tir_if(
        self,
        pos: int,
        end: int,
        condition: tree.PrimExpr,
        then: list[Given],
        other: list[Given] | None = None,
    ) -> tree.IfThenElse:
        """`if c { } else { }`."""
        no = self.statements_of(other) if other else ()
        return tree.IfThenElse(condition, self.statements_of(then), no, pos, end)

    def tir_if_chain(
        self, pos: int, end: int, condition: tree.PrimExpr, then: list[Given], other: tree.IfThenElse
    ) -> tree.IfThenElse:
        """`if c { } else if d { }`."""
        return tree.IfThenElse(condition, self.statements_of(then), (other,), pos, end)

    def while_stmt(self, pos: int, end: int, condition: tree.PrimExpr, body: list[Given]) -> tree.While:
        """`while c { }`."""
        return tree.While(condition, self.statements_of(body), pos, end)

    def prim_range(self, pos: int, end: int, low: tree.PrimExpr, stop: tree.PrimExpr) -> tree.Range:
        """`0..n`."""
        return tree.Range(low, self.extent(stop), pos, end)

    def extent(self, given: tree.PrimExpr) -> tree.PrimExpr:
        """Report `range(n)` where `n` alone is meant; return what is meant."""
        if type(given) is not tree.PrimCall or given.name != "range" or len(given.args) != 1:
            return given
        inner = given.args[0]
        shown = self.text[inner.pos : inner.end]
        found = diag.syntax(given, "there is no `range`: an extent is a number")
        self.report(found.replace(given, shown, f"write `{shown}`", applicability=SAFE))
        return inner

    def grid(self, pos: int, end: int, call: tree.PrimExpr) -> list[tree.Range]:
        """`grid(n, m)`: a range from 0 for each argument."""
        if type(call) is not tree.PrimCall or call.name != "grid":
            from relax_lang.syntax.builders.foreign_prim_funcs import (
                loop_ranges,  # only where something else is written
            )

            return loop_ranges.as_grid(self, pos, end, call) or [loop_ranges.other(self, pos, end, call)]
        return [
            tree.Range(tree.IntImm(0, None, "0", stop.pos, stop.pos), stop, stop.pos, stop.end)
            for stop in map(self.extent, call.args)
        ]

    def for_stmt(
        self,
        pos: int,
        end: int,
        names: list[tree.PrimVar],
        over: tree.Range | list[tree.Range],
        attrs: list[tree.Attr] | None,
        body: list[Given],
    ) -> tree.For:
        """`for i, j in grid(n, m) { }`, `for i in 0..n { }`."""
        return self.loop(pos, end, "serial", None, names, over, attrs, body)

    def for_kind(
        self,
        pos: int,
        end: int,
        kind: str,
        names: list[tree.PrimVar],
        over: tree.Range | list[tree.Range],
        attrs: list[tree.Attr] | None,
        body: list[Given],
    ) -> tree.For:
        """`for parallel i in 0..n { }`. [TIR.15]"""
        if kind not in LOOP_KINDS[:3]:
            at = self.offset_of(kind, pos + 3)
            near = nearest(kind, LOOP_KINDS)
            found = diag.syntax((at, at + len(kind)), f"`{kind}` is not a kind of loop")
            if kind == "thread":
                found.helped('name the thread axis: `thread("threadIdx.x")`')
            elif kind == "serial":
                found.replace((at, at + len(kind) + 1), "", "a loop without a kind is serial")
            elif near:
                found.replace((at, at + len(kind)), near, f"write `{near}`")
            self.report(found)
            kind = "serial"
        return self.loop(pos, end, kind, None, names, over, attrs, body)

    def for_thread(
        self,
        pos: int,
        end: int,
        kind: str,
        tag: str,
        names: list[tree.PrimVar],
        over: tree.Range | list[tree.Range],
        attrs: list[tree.Attr] | None,
        body: list[Given],
    ) -> tree.For:
        """`for thread("threadIdx.x") i in 0..n { }`."""
        at = self.offset_of(tag, pos)
        if kind != "thread":
            self.report(diag.syntax((at - 1 - len(kind), at - 1), f"expected `thread`, found `{kind}`"))
        return self.loop(pos, end, "thread", self.string_text(tag, at), names, over, attrs, body)

    def loop(
        self,
        pos: int,
        end: int,
        kind: str,
        thread: str | None,
        names: list[tree.PrimVar],
        over: tree.Range | list[tree.Range],
        attrs: list[tree.Attr] | None,
        body: list[Given],
    ) -> tree.For:
        """Make a loop; there must be one range for each variable."""
        ranges = over if isinstance(over, list) else [over]
        if len(ranges) != len(names) and not any(one in self.wrong for one in ranges):
            found = diag.syntax(
                (names[0].pos, names[-1].end),
                f"{counted(len(names), 'loop variable')}, {counted(len(ranges), 'range')}",
            )
            self.report(found.helped("`for i, j in grid(n, m)` has one extent for each variable"))
        if len(ranges) != len(names):
            names, ranges = names[: len(ranges)], ranges[: len(names)]
        inner = self.statements_of(body)
        made = self.attributes(attrs)
        return tree.For(
            kind, thread, tuple(names), tuple(ranges), inner, made, isinstance(over, list), pos, end
        )

    # -- blocks --------------------------------------------------------------------------------------------

    def axis(
        self, pos: int, end: int, name: str, kind: str, value: tree.PrimExpr, dom: tree.Range | None = None
    ) -> tree.IterVar:
        """`v = spatial(i, 0..n)`. [TIR.9]"""
        return tree.IterVar(tree.PrimVar(name, pos, self.name_end(pos, name)), kind, value, dom, pos, end)

    def where_clause(self, pos: int, end: int, word: str, value: tree.PrimExpr) -> Clause:
        """`where c`. [TIR.12]"""
        return Clause(word, value, [], pos, end)

    def regions_empty(self, pos: int, end: int, word: str) -> Clause:
        """`reads []`."""
        return Clause(word, None, [], pos, end)

    def regions_clause(self, pos: int, end: int, word: str, regions: list[tree.BufferRegion]) -> Clause:
        """`reads [A[v, 0..k]]`. [TIR.11]"""
        return Clause(word, None, regions, pos, end)

    def region(self, pos: int, end: int, name: str, indices: list[tree.RegionIndex]) -> tree.BufferRegion:
        """`A[v, 0..k]`."""
        return tree.BufferRegion(tree.PrimVar(name, pos, self.name_end(pos, name)), tuple(indices), pos, end)

    def init_block(self, pos: int, end: int, name: str, body: list[tree.Stmt]) -> InitBlock:
        """`init { … }`. [TIR.10]"""
        return InitBlock(name, body, pos, end)

    def block_stmt(
        self,
        pos: int,
        end: int,
        name: str,
        axes: list[tree.IterVar] | None,
        clauses: list[Clause],
        attrs: list[tree.Attr] | None,
        body: list[Given],
    ) -> tree.Block:
        """`block b (v = spatial(i)) where c reads [...] writes [...] attrs { } { init { } … }`."""
        found = self.clauses(clauses)
        init: tuple[tree.Stmt, ...] | None = None
        first = body[0] if body else None
        if isinstance(first, InitBlock) and first.name == "init":
            init = self.statements_of([*first.body])
            body = body[1:]
        where, reads, writes = (found.get(word) for word in CLAUSES)
        return tree.Block(
            name,
            tuple(axes or ()),
            where.value if where else None,
            tuple(reads.regions) if reads else None,
            tuple(writes.regions) if writes else None,
            self.attributes(attrs),
            init,
            self.statements_of(body),
            pos,
            end,
        )

    def clauses(self, clauses: list[Clause]) -> dict[str, Clause]:
        """Return the clauses by their word, and report unknown, repeated and misplaced ones."""
        found: dict[str, Clause] = {}
        for clause in clauses:
            place = (clause.pos, clause.pos + len(clause.word))
            if clause.word not in CLAUSES:
                near = nearest(clause.word, CLAUSES)
                problem = diag.syntax(
                    place, f"expected `where`, `reads`, `writes` or `{{`, found `{clause.word}`"
                )
                self.report(problem.replace(place, near, f"write `{near}`") if near else problem)
            elif clause.word in found:
                self.report(diag.syntax(place, f"`{clause.word}` is given twice"))
            elif (clause.word == "where") != (clause.value is not None):
                form = "a condition" if clause.word == "where" else "a list of regions in brackets"
                self.report(diag.syntax(place, f"`{clause.word}` takes {form}"))
            elif any(CLAUSES.index(word) > CLAUSES.index(clause.word) for word in found):
                self.report(diag.syntax(place, "the order is `where`, `reads`, `writes`"))
                found[clause.word] = clause
            else:
                found[clause.word] = clause
        return found
