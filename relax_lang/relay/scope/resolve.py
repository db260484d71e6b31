"""What every name of a module means: functions, types, constructors, local variables, graph nodes. [R.7-R.10]"""

from __future__ import annotations

from functools import partial

from relax_lang.base.diagnostic import Edit
from relax_lang.base.node import assert_never
from relax_lang.relay.scope.local_names import Scope
from relax_lang.relay.scope.resolved import CtorInfo, Resolved
from relax_lang.relay.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from relax_lang.base.node import Node, Table
    from relax_lang.relay.scope.imports import Imports
    from relax_lang.relay.syntax.parser import Parsed


def resolve(parsed: Parsed, operators: Collection[str]) -> Resolved:
    """Resolve all names of a module; `operators` are the names of the operators that there are."""
    return _Resolver(parsed, operators).module()


class _Resolver:
    def __init__(self, parsed: Parsed, operators: Collection[str]) -> None:
        self.parsed = parsed
        self.module_node: tree.Module = parsed.tree
        self._imports: Imports | None = None
        self.has_gaps = bool(parsed.gaps)
        self.without_sigil = dict(parsed.without_sigil)
        """What was reported where a variable is bound without its `%`, by offset."""
        self.operators = operators
        self.found = Resolved(parsed)
        self.mentioned: list[str] = []
        self.path: tuple[Node, ...] = ()
        """The branches, clauses and functions around what is walked."""
        self.within: tree.GraphBind | None = None
        """The graph node whose value is walked, and how far the path led to it."""
        self.uses: dict[tree.GraphBind, list[tuple[tree.GraphBind | None, tuple[Node, ...]]]] = {}

    def report(self, name: str, *facts: object, **more: object) -> None:
        from relax_lang.relay.diagnostics import imports, names, texts  # only where something is wrong

        make = next(getattr(one, name) for one in (names, texts, imports) if hasattr(one, name))
        self.found.diagnostics.append(make(*facts, **more))

    def module(self) -> Resolved:
        """Walk the module."""
        found = self.found
        for item in self.module_node.items:
            self._declare(item)
        paths: dict[str, tree.Import] = {}
        for item in self.module_node.items:
            if isinstance(item, tree.Import):
                first = paths.setdefault(item.path, item)
                if first is item:
                    if not self.imports.add(item):
                        self.has_gaps = found.is_incomplete = True
                else:
                    self.report("duplicate", item, first, f"the import of `{item.path}`")
        for item in self.module_node.items:
            if isinstance(item, tree.Def):
                self._def(item)
        while self._imports is not None and self._imports.waiting:
            self._def(self._imports.waiting.pop())
        return found

    def _declare(self, item: tree.Item) -> None:
        match item:
            case tree.Def():
                first = self.found.functions.setdefault(item.name.name, item)
                if first is not item:
                    self.report("duplicate", item.name, first.name, f"the function `@{item.name.name}`")
            case tree.TypeDef() | tree.ExternType():
                self._type(item)
            case tree.Import():
                pass
            case _:
                assert_never(item)

    def _def(self, item: tree.Def) -> None:
        self.mentioned = []
        self._function(item.function, Scope())
        self._settle()
        self.found.references[item.name.name] = self.mentioned

    @property
    def imports(self) -> Imports:
        """What is imported, and what could be."""
        if self._imports is None:
            from relax_lang.relay.scope.imports import Imports  # hardly any program imports

            self._imports = Imports(self.parsed, self.operators, self.found, self.report, self._type)
        return self._imports

    def _is_imported(self, name: str) -> bool:
        """Take a function from what is imported, if it is there."""
        return self._imports is not None and self._imports.take(name)

    def _type(self, item: tree.TypeDef | tree.ExternType) -> None:
        found = self.found
        place = (item.name_pos, item.name_pos + len(item.name))
        first = found.types.setdefault(item.name, item)
        if first is not item:
            before = (first.name_pos, first.name_pos + len(first.name))
            self.report("duplicate", place, before, f"the type `{item.name}`")
        self._unique_params(item.params)
        if isinstance(item, tree.ExternType):
            return
        for index, ctor in enumerate(item.ctors):
            there = found.ctors.setdefault(ctor.name, CtorInfo(ctor, item, index))
            if there.ctor is not ctor:
                end, other = ctor.pos + len(ctor.name), there.ctor.pos + len(ctor.name)
                self.report(
                    "duplicate", (ctor.pos, end), (there.ctor.pos, other), f"the constructor `{ctor.name}`"
                )

    def _unique_params(self, params: tuple[tree.TypeParam, ...]) -> None:
        first: dict[str, tree.TypeParam] = {}
        for one in params:
            if first.setdefault(one.name, one) is not one:
                self.report("duplicate", one, first[one.name], f"the type parameter `{one.name}`")

    def _function(self, node: tree.Function, scope: Scope) -> None:
        self._unique_params(node.type_params)
        outer, self.path = self.path, (*self.path, node)
        mark = scope.mark()
        first: dict[str, tree.Var] = {}
        for param in node.params:
            if first.setdefault(param.var.name, param.var) is not param.var:
                self.report(
                    "duplicate", param.var, first[param.var.name], f"the parameter `%{param.var.name}`"
                )
            scope.bind(param.var)
        self._block(node.body, scope)
        scope.leave(mark)
        self.path = outer

    def _settle(self) -> None:
        """Decide where the graph nodes of a function are evaluated, the last ones first: they use those before them."""
        where: dict[tree.GraphBind, tuple[Node, ...]] = {}
        for binding, uses in reversed(self.uses.items()):
            common: tuple[Node, ...] | None = None
            for within, path in uses:
                if within is not None:
                    if within not in where:
                        continue  # by a node that is not used
                    path = (*where[within], *path)
                common = path if common is None else _common(common, path)
            if common is not None:
                where[binding] = common
                self.found.regions[binding] = common[-1] if common else None
        self.uses = {}

    def _within(self, region: Node, walk: Callable[[], None]) -> None:
        """Walk a branch or clause."""
        outer, self.path = self.path, (*self.path, region)
        walk()
        self.path = outer

    def _block(self, node: tree.Block, scope: Scope) -> None:
        mark = scope.mark()
        for binding in node.bindings:
            match binding:
                case tree.Let():
                    if isinstance(binding.value, tree.Function):
                        scope.bind(binding.var)
                    self._expr(binding.value, scope)
                    scope.bind(binding.var)
                case tree.GraphBind():
                    self._graph_value(binding, scope)
                    scope.bind_graph(binding)
                case tree.FreeVar():
                    scope.bind(binding.var)
                case tree.Then():
                    self._expr(binding.value, scope)
                case _:
                    assert_never(binding)
        self._expr(node.value, scope)
        scope.leave(mark)

    def _graph_value(self, binding: tree.GraphBind, scope: Scope) -> None:
        outer = self.path, self.within
        self.path, self.within = (), binding
        self._expr(binding.value, scope)
        self.path, self.within = outer
        self.uses[binding] = []  # behind the nodes within its value, which `_settle` takes after it

    def _expr(self, node: tree.Expr, scope: Scope) -> None:
        _VISIT[type(node)](self, node, scope)

    def var(self, node: tree.Var, scope: Scope) -> None:
        """`%x`."""
        bound = scope.names.get(node.name)
        if bound is not None:
            self.found.bindings[node] = bound
        elif not self.has_gaps:
            self.report("undefined_variable", node, f"%{node.name}", [f"%{one}" for one in scope.names])

    def graph_var(self, node: tree.GraphVar, scope: Scope) -> None:
        """`%3`."""
        bound = scope.graph.get(node.index)
        if bound is not None:
            self.found.graph[node] = bound
            self.uses.setdefault(bound, []).append((self.within, self.path))
        elif not self.has_gaps:
            self.report("undefined_variable", node, f"%{node.index}", [])

    def global_var(self, node: tree.GlobalVar, scope: Scope) -> None:
        """`@f`."""
        if node.name in self.found.functions or self._is_imported(node.name):
            self.mentioned.append(node.name)
        elif not self.has_gaps:
            if self.imports.forgotten(f"@{node.name}", (node.pos, node.end)):
                self.global_var(node, scope)
                return
            known = [f"@{one}" for one in (*self.found.functions, *self.imports.offered)]
            if node.name in self.operators or f"nn.{node.name}" in self.operators:
                known = [node.name if node.name in self.operators else f"nn.{node.name}"]
            self.report("undefined_variable", node, f"@{node.name}", known)

    def op_ref(self, node: tree.OpRef, scope: Scope) -> None:
        """`nn.relu`, `Cons`."""
        if node.name in self.found.ctors or node.name in self.operators or self.has_gaps:
            return
        bound = scope.names.get(node.name)
        if bound is not None and bound.pos in self.without_sigil:
            self.without_sigil[bound.pos].extend(Edit(node.pos, node.end, f"%{node.name}"))
        elif bound is not None:
            self.report("undefined_variable", node, node.name, [f"%{node.name}"])
        elif node.name in self.found.functions:
            self.report("undefined_variable", node, node.name, [f"@{node.name}"])
        elif node.name == "None" or not self.imports.forgotten(node.name, (node.pos, node.end)):
            self.report("unknown_operator", node, node.name, [*self.found.ctors, *self.operators])

    def call(self, node: tree.Call, scope: Scope) -> None:
        """`f(%x)`; long chains are walked without recursion."""
        chain: list[tree.Call] = [node]
        while True:
            last = chain[-1]
            following = last.args[0] if last.infix is not None else last.op
            if not isinstance(following, tree.Call):
                break
            chain.append(following)
        for link in reversed(chain):
            self._call_parts(link, scope, is_first=link is chain[-1])

    def _call_parts(self, node: tree.Call, scope: Scope, *, is_first: bool) -> None:
        if node.infix is not None:
            operands = node.args if is_first else node.args[1:]
        else:
            if is_first:
                self._expr(node.op, scope)
            operands = node.args
        for arg in operands:
            self._expr(arg, scope)

    def match(self, node: tree.Match, scope: Scope) -> None:
        """`match (e) { … }`."""
        self._expr(node.data, scope)
        for clause in node.clauses:
            mark = scope.mark()
            self._pattern(clause.pattern, scope, {})
            self._within(clause, partial(self._expr, clause.body, scope))
            scope.leave(mark)

    def _pattern(self, node: tree.Pattern, scope: Scope, bound: dict[str, tree.Var]) -> None:
        match node:
            case tree.PVar():
                first = bound.setdefault(node.var.name, node.var)
                if first is not node.var:
                    self.report(
                        "duplicate", node.var, first, f"the variable `%{node.var.name}` of the pattern"
                    )
                scope.bind(node.var)
            case tree.PCtor() | tree.PTuple():
                if isinstance(node, tree.PCtor) and node.name not in self.found.ctors and not self.has_gaps:
                    place = (node.pos, node.pos + len(node.name))
                    if not self.imports.forgotten(node.name, place):
                        self._unknown_constructor(node, place, scope)
                for field in node.fields:
                    self._pattern(field, scope, bound)
            case tree.PWild():
                pass
            case _:
                assert_never(node)

    def _unknown_constructor(self, node: tree.PCtor, place: tuple[int, int], scope: Scope) -> None:
        self.report("unknown_constructor", place, node.name, list(self.found.ctors))
        found = self.found.diagnostics[-1]
        if not node.fields and found.fixes[0].edits[0].text == f"%{node.name}":  # a variable
            self.without_sigil[node.pos] = found
            scope.bind(tree.Var(node.name, *place))

    def proj(self, node: tree.Proj, scope: Scope) -> None:
        """`%t.0`; long chains are walked without recursion."""
        inner: tree.Expr = node
        while isinstance(inner, tree.Proj):
            inner = inner.tuple
        self._expr(inner, scope)

    def if_else(self, node: tree.If, scope: Scope) -> None:
        """`if (c) { … } else { … }`; long chains are walked without recursion."""
        outer = self.path
        while True:
            self._expr(node.cond, scope)
            self._within(node.then, partial(self._block, node.then, scope))
            other = node.other
            if other.bindings or not isinstance(other.value, tree.If):
                self._within(other, partial(self._block, other, scope))
                self.path = outer
                return
            self.path = (*self.path, other)
            node = other.value

    def parts(self, node: Node, scope: Scope) -> None:
        """What holds expressions and binds nothing."""
        for name in node.CHILDREN:
            value = getattr(node, name)
            for child in value if isinstance(value, tuple) else (value,):  # pyright: ignore[reportUnknownVariableType]
                self._expr(child, scope)  # pyright: ignore[reportUnknownArgumentType]

    def function(self, node: tree.Function, scope: Scope) -> None:
        """`fn (%x) { … }`."""
        self._function(node, scope)

    def block(self, node: tree.Block, scope: Scope) -> None:
        """`{ … }`."""
        self._block(node, scope)

    def nothing(self, node: Node, scope: Scope) -> None:
        """What holds no names."""


def _common(one: tuple[Node, ...], other: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return what two paths begin with."""
    count = 0
    while count < min(len(one), len(other)) and one[count] is other[count]:
        count += 1
    return one[:count]


_VISIT: Table[tree.Expr, Callable[[_Resolver, Any, Scope], None]] = {
    tree.Var: _Resolver.var,
    tree.GraphVar: _Resolver.graph_var,
    tree.GlobalVar: _Resolver.global_var,
    tree.OpRef: _Resolver.op_ref,
    tree.Call: _Resolver.call,
    tree.Match: _Resolver.match,
    tree.Proj: _Resolver.proj,
    tree.If: _Resolver.if_else,
    tree.Function: _Resolver.function,
    tree.Block: _Resolver.block,
    tree.Tuple: _Resolver.parts,
    tree.RefNew: _Resolver.parts,
    tree.RefRead: _Resolver.parts,
    tree.RefWrite: _Resolver.parts,
    tree.Const: _Resolver.nothing,
    tree.MetaRef: _Resolver.nothing,
    tree.Missing: _Resolver.nothing,
}
