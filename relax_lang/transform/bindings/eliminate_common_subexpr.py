"""EliminateCommonSubexpr: what was evaluated before is not evaluated again."""

from __future__ import annotations

from relax_lang.analysis.bindings import names_in
from relax_lang.analysis.escape import kept_names
from relax_lang.analysis.removable import Removable
from relax_lang.base.node import assert_never, structure, unreachable
from relax_lang.normalize.inner_bodies import body_of
from relax_lang.syntax import tree
from relax_lang.transform.core.rebuild import Substitution, sequence, with_body, with_branches, with_value
from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable

    from relax_lang.analysis.call_graph import Graph
    from relax_lang.typed import Typed

    Entry = tuple[str, bool, int]
    """The variable that has the value, whether it is an ordinary one, and the epoch in which it got it."""

_NEW_MEMORY = ("builtin.alloc", "memory.", "vm.", "alloc_")
"""Beginnings of the names of operators whose results are memory, which is different each time."""


@module_pass("EliminateCommonSubexpr", "calls_only: bool = false", idempotent=True)
def eliminate_common_subexpr(typed: Typed, run: Run, calls_only: bool) -> Typed:
    """Evaluate equal right-hand sides once: `let b = exp(x)` after `let a = exp(x)` becomes `let b = a`.

    Two values become one only if that cannot be seen: neither variable may be kept or changed by something else,
    since arrays that are one are changed together, and at most one of them is part of the function's result. Values
    found in a branch are not known after it, and nothing is merged across a call that may change arrays in place.
    Calls with effects, allocations, bindings with an annotation and checks are left alone. With `calls_only`, only
    calls are merged.

    ```relax before
    def @main(x: Tensor[(n,), float32]) {
      dataflow {
        let a = exp(x);
        let b = exp(x);
        let c = add(a, b);
        output c;
      }
      c
    }
    ```

    ```relax after
    def @main(x: Tensor[(n,), float32]) {
      dataflow {
        let a = exp(x);
        let c = add(a, a);
        output c;
      }
      c
    }
    ```
    """
    graph = typed.graph
    changed: dict[tree.Item, tree.Item | None] = {}
    for function in typed.functions:
        made = _Function(graph, function, calls_only=calls_only).merged(function)
        if made is not function:
            changed[function] = made
    return typed.with_items(changed)


class _Function:
    """A function of the module, or a local function, which begins with nothing known."""

    def __init__(self, graph: Graph, function: tree.Function, *, calls_only: bool) -> None:
        self._graph = graph
        self._calls_only = calls_only
        self._removable = Removable(graph, function)
        self._substitution = Substitution()
        body = body_of(function.body)
        self._final = names_in(body.body)
        """Variables in the result, which a caller may keep: only after everything here is done."""
        self._kept = kept_names(tree.SeqExpr(body.blocks, tree.Tuple(())), graph.prim_funcs, graph.names)
        self._table: dict[Hashable, Entry] = {}
        self._trail: list[tuple[Hashable, Entry | None]] = []
        self._epoch = 0

    def merged(self, function: tree.Function) -> tree.Function:
        return with_body(function, self._sequence(body_of(function.body)))

    def _sequence(self, seq: tree.SeqExpr) -> tree.SeqExpr:
        mark = len(self._trail)
        blocks: list[tree.BlockOfBindings] = []
        for block in seq.blocks:
            if isinstance(block, tree.DataflowBlock):
                blocks.append(self._dataflow(block))
            else:
                bindings = [self._binding(binding) for binding in block.bindings]
                made = tuple([one for one in bindings if one is not None])
                blocks.append(
                    block
                    if made == block.bindings
                    else tree.BindingBlock(made, block.explicit, block.pos, block.end)
                )
        made = sequence(seq, blocks, self._substitution.of(seq.body))
        self._undo(mark)
        return made

    def _dataflow(self, block: tree.DataflowBlock) -> tree.DataflowBlock:
        """Merge within a block; its own variables are not known after it."""
        mark = len(self._trail)
        bindings = [self._binding(binding) for binding in block.bindings]
        made = tuple([one for one in bindings if one is not None])
        ordinary = [(key, self._table[key]) for key, _ in self._trail[mark:] if self._table[key][1]]
        self._undo(mark)
        for key, entry in ordinary:
            self._note(key, entry)
        return (
            block if made == block.bindings else tree.DataflowBlock(made, block.outputs, block.pos, block.end)
        )

    def _undo(self, mark: int) -> None:
        while len(self._trail) > mark:
            key, before = self._trail.pop()
            if before is None:
                self._table.pop(key, None)
            else:
                self._table[key] = before

    def _note(self, key: Hashable, entry: Entry) -> None:
        self._trail.append((key, self._table.get(key)))
        self._table[key] = entry

    def _binding(self, binding: tree.Binding) -> tree.Binding | None:
        value = binding.value
        match value:
            case tree.If():
                return self._substitution.around(binding, self._if(self._substitution.of(value.cond), value))
            case tree.Function():
                inner = _Function(self._graph, value, calls_only=self._calls_only)
                inner._substitution = self._substitution
                return self._substitution.around(binding, inner.merged(self._substitution.of(value)))
            case tree.Call() | tree.TupleGetItem() | tree.Atom():
                return self._straight(self._substitution.of(binding))
            case tree.NeverBound():
                return unreachable(value)
            case _:
                return assert_never(value)

    def _straight(self, binding: tree.Binding) -> tree.Binding | None:
        """Return a binding without branches and functions, or None if its variable means an earlier one now."""
        if isinstance(binding.value, tree.Call) and not self._removable.is_quiet(binding.value):
            self._epoch += 1  # it may have changed arrays in place
            return binding
        if isinstance(binding, tree.VarBinding) and self._is_candidate(binding):
            return self._merge(binding)
        return binding

    def _if(self, cond: tree.Expr, node: tree.If) -> tree.If:
        one, other = self._sequence(body_of(node.true_branch)), self._sequence(body_of(node.false_branch))
        if cond is not node.cond:
            return tree.If(cond, one, other, node.pos, node.end)
        return with_branches(node, one, other)

    def _is_candidate(self, binding: tree.VarBinding) -> bool:
        var, value = binding.var, binding.value
        if var.struct_info_annotation is not None or var.name_hint == "_":
            return False
        match value:
            case tree.TupleGetItem():
                return not self._calls_only
            case tree.Call():
                name = value.op.op_name if isinstance(value.op, tree.Op) else ""
                return not name.startswith(_NEW_MEMORY)
            case tree.Atom() | tree.If() | tree.Function():
                return False  # nothing is computed, or it is evaluated by itself
            case tree.NeverBound():
                return unreachable(value)
            case _:
                return assert_never(value)

    def _merge(self, binding: tree.VarBinding) -> tree.Binding | None:
        var, value = binding.var, binding.value
        key = _key(value)
        found = self._table.get(key)
        name = var.name_hint
        if found is not None and found[2] == self._epoch and self._may_share(found[0], name):
            known, ordinary, _ = found
            use = tree.Var(known, None, value.pos, value.end)
            if name in self._final:
                self._final.add(known)
            local = isinstance(var, tree.DataflowVar)
            if local or ordinary:
                self._substitution.values[name] = use
            return None if local else with_value(binding, use)
        self._note(key, (name, isinstance(var, tree.Var), self._epoch))
        return binding

    def _may_share(self, one: str, other: str) -> bool:
        if one in self._kept or other in self._kept:
            return False
        return not (one in self._final and other in self._final)


def _key(value: tree.Expr) -> Hashable:
    """Return what is equal for expressions that are the same."""
    if not isinstance(value, tree.Call) or value.struct_info is not None or not isinstance(value.op, tree.Op):
        return structure(value)
    args = [arg.name_hint if isinstance(arg, tree.Var) else structure(arg) for arg in value.args]
    if not value.attrs:
        return value.op.op_name, *args
    return value.op.op_name, *args, *[structure(attr) for attr in value.attrs]
