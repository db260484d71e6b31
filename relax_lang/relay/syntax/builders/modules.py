"""Modules, functions, blocks and matches."""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE
from relax_lang.relay.diagnostics import texts as diag
from relax_lang.relay.syntax import tree
from relax_lang.relay.syntax.builders.base import BuilderBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

VERSION = "0.0.5"
KINDS = ("Type", "Shape", "BaseType", "ShapeVar", "Constraint", "AdtHandle", "TypeData")
_VERSION = re.compile(r'#\[version\s*=\s*"([^"]*)"\s*\]')


class ModuleBuilder(BuilderBase):
    """One method for each production of an item, a binding, a clause or a pattern."""

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

    def import_item(self, pos: int, end: int, written: str) -> tree.Import:
        """`import "std/prelude.relay"`. [R.2]"""
        return tree.Import(written[1:-1], pos, end)

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
            found = diag.syntax((at, at + len(kind)), f"`{kind}` is not a kind of types")
            self.report(found.helped(f"the kinds are {', '.join(KINDS)}"))
        self._undotted(name, pos, "a type parameter")
        return tree.TypeParam(name, kind, pos, end)

    def tparams_seed(
        self, pos: int, end: int, opening: str, params: list[tree.TypeParam]
    ) -> list[tree.TypeParam]:
        """`<t : Type>(`. [R.5]"""
        return params

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
        self.without_sigil[at] = found
        return tree.Let(tree.Var(bare, at, at + len(name)), annotation, value, pos, end)

    def assign_bare(self, pos: int, end: int, name: str, value: tree.Expr) -> tree.Let:
        """Error: `x = e;`."""
        found = diag.syntax((pos, pos + len(name)), "a variable is bound with `let`")
        self.report(found.replace((pos, pos + len(name)), f"let %{name}", f"write `let %{name} =`"))
        self.without_sigil[pos] = found
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
