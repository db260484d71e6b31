"""DeadCodeElimination: functions that nothing reaches, and bindings that nothing needs."""

from __future__ import annotations

from relax_lang.analysis.removable import Removable
from relax_lang.base.node import assert_never, unreachable, walk
from relax_lang.normalize.inner_bodies import body_of
from relax_lang.syntax import tree
from relax_lang.transform.core.binders import local
from relax_lang.transform.core.rebuild import sequence, with_body, with_branches, with_value
from relax_lang.transform.core.revealing import without_revealing
from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.analysis.call_graph import Graph
    from relax_lang.typed import Typed


@module_pass("DeadCodeElimination", "entry_functions: list[str] = []", idempotent=True)
def dead_code_elimination(typed: Typed, run: Run, entry_functions: list[str]) -> Typed:
    """Remove functions and PrimFuncs that no entry reaches, and bindings that nothing needs.

    Entries are the functions that are not private, and those in `entry_functions`. A binding goes if nothing uses
    its variable and evaluating it can be left out: outside of dataflow blocks only what has no effect and cannot
    fail, inside of one also what might fail, and checks whose shape variables nothing uses. Chains go as a whole,
    and so does a local function that nothing but itself calls. What might fail stays in a function that would not
    be valid without it: then a failure is certain that only the run met before. Outputs that nothing uses are
    outputs no longer. A PrimFunc stays while a function that stays mentions it, and one that is not private stays
    in any case: a host program may call it.

    ```relax before
    def @main(x: Tensor[(n,), float32]) {
      dataflow {
        let a = exp(x);
        let b = negative(a);
        let c = add(x, x);
        output b, c;
      }
      c
    }

    private def @helper(x: Tensor[(n,), float32]) {
      x
    }
    ```

    ```relax after
    def @main(x: Tensor[(n,), float32]) {
      dataflow {
        let c = add(x, x);
        output c;
      }
      c
    }
    ```
    """
    for name in entry_functions:
        if name.removeprefix("@") not in typed.items:
            from relax_lang.base.names import nearest

            near = nearest(name.removeprefix("@"), list(typed.items))
            run.refuse(None, f"there is no function `{name}`", f"did you mean `{near}`?" if near else "")
    entries = {name.removeprefix("@") for name in entry_functions}
    typed = without_unreached(typed, entries)
    graph = typed.graph
    changed: dict[tree.Item, tree.Item | None] = {}
    forgets = False
    for function in typed.functions:
        work = _Function(graph, function)
        made = work.swept()
        if made is not function:
            changed[function] = made
            forgets |= work.forgets
    if forgets:
        after = without_revealing(
            typed, changed, lambda function: _Function(graph, function, keeps_checks=True).swept()
        )
    else:
        after = typed.with_items(changed)
    return without_unreached(after, entries)


def without_unreached(typed: Typed, entries: set[str]) -> Typed:
    """Return a program without the items that no entry reaches; those that are not private are entries."""
    items = typed.items
    reached: set[str] = set()
    todo = [name for name, item in items.items() if not item.private or name in entries]
    while todo:
        name = todo.pop()
        if name in reached:
            continue
        reached.add(name)
        item = items[name]
        if isinstance(item, tree.Function):
            todo += [one for one in mentioned(typed, item) if one in items]
    removed = [item for name, item in items.items() if name not in reached]
    return typed.with_items(dict.fromkeys(removed)) if removed else typed


def mentioned(typed: Typed, function: tree.Function) -> set[str]:
    """Return the names of items that a function mentions; also as `extern`, by which PrimFuncs can be called."""
    found = typed.mentions(function)
    if not found.packed:
        return found.functions
    return found.functions | {
        node.global_symbol for node in walk(function) if isinstance(node, tree.ExternFunc)
    }


class _Function:
    """One function of the module, walked from its end to its start."""

    __slots__ = ("_function", "_keeps_checks", "_live", "_noted", "_removable", "_sizes", "forgets")

    def __init__(self, graph: Graph, function: tree.Function, *, keeps_checks: bool = False) -> None:
        self.forgets = False
        """Whether something goes that may fail, behind which more is known."""
        self._keeps_checks = keeps_checks
        self._function = function
        self._removable = Removable(graph, function)
        self._live: set[str] = set()
        """Variables that something later mentions."""
        self._sizes: set[str] = set()
        """Shape variables that something later mentions."""
        self._noted: list[str] = []
        """Those shape variables in the order in which they were found."""

    def swept(self) -> tree.Function:
        return self._of(self._function)

    def _of(self, function: tree.Function) -> tree.Function:
        if function.ret_struct_info is not None:
            self._use(function.ret_struct_info)
        return with_body(function, self._sequence(body_of(function.body)))

    def _use(self, node: tree.Node) -> None:
        if node.__class__ is tree.Call:  # nearly all of them
            assert isinstance(node, tree.Call)
            for arg in node.args:
                self._use(arg)
            for part in (node.op, node.struct_info):
                if part is not None and part.__class__ is not tree.Op:
                    self._use(part)
            return
        if node.__class__ is tree.Var:
            assert isinstance(node, tree.Var)
            self._live.add(node.name_hint)
            return
        if not node.CHILDREN and node.__class__ is not tree.PrimVar:
            return
        for one in walk(node):
            kind = one.__class__
            if kind is tree.Var:
                assert isinstance(one, tree.Var)
                self._live.add(one.name_hint)
            elif kind is tree.PrimVar:
                assert isinstance(one, tree.PrimVar)
                if one.name not in self._sizes:
                    self._sizes.add(one.name)
                    self._noted.append(one.name)

    def _sequence(self, seq: tree.SeqExpr) -> tree.SeqExpr:
        self._use(seq.body)
        blocks: list[tree.BlockOfBindings] = []
        for block in reversed(seq.blocks):
            dataflow = isinstance(block, tree.DataflowBlock)
            leaving = (
                {var.name_hint for var in block.outputs if var.name_hint in self._live}
                if isinstance(block, tree.DataflowBlock)
                else set[str]()
            )
            bindings = [
                self._binding(binding)
                for binding in reversed(block.bindings)
                if not self._is_dead(binding, dataflow=dataflow)
            ]
            bindings.reverse()
            blocks.append(_block(block, bindings, leaving))
        blocks.reverse()
        return sequence(seq, blocks, seq.body)

    def _is_dead(self, binding: tree.Binding, *, dataflow: bool) -> bool:
        var = binding.var
        if var is not None and var.name_hint in self._live:
            return False
        if not dataflow or self._keeps_checks:
            return self._can_go(binding, dataflow=False)
        if not self._can_go(binding, dataflow=True):
            return False
        self.forgets = self.forgets or not self._can_go(binding, dataflow=False)
        return True

    def _can_go(self, binding: tree.Binding, *, dataflow: bool) -> bool:
        """Return whether a binding whose variable nothing uses may be left out."""
        if isinstance(binding, tree.MatchCast):
            needed = not dataflow or not self._sizes.isdisjoint(self._removable.bound_by(binding))
            return not needed and self._removable.can_go(binding.value, dataflow=True)
        if binding.var.struct_info_annotation is not None and not dataflow:
            return False
        return self._removable.can_go(binding.value, dataflow=dataflow)

    def _binding(self, binding: tree.Binding) -> tree.Binding:
        var, value = binding.var, binding.value
        if isinstance(binding, tree.MatchCast):
            self._use(binding.struct_info)
        if var is not None and var.struct_info_annotation is not None:
            self._use(var.struct_info_annotation)
        match value:
            case tree.If():
                return with_value(binding, self._branches(value))
            case tree.Function():
                for param in value.params:
                    if param.struct_info_annotation is not None:
                        self._use(param.struct_info_annotation)
                return with_value(binding, self._of(value))
            case tree.Call() | tree.TupleGetItem() | tree.Atom():
                self._use(value)
                return binding
            case tree.NeverBound():
                return unreachable(value)
            case _:
                return assert_never(value)

    def _branches(self, node: tree.If) -> tree.If:
        # Names are unique, so that what a branch uses of its own is in no conflict with others. Shape variables that
        # both bind need not be: the other branch does not know what one of them needs.
        mark = len(self._noted)
        one = self._sequence(body_of(node.true_branch))
        needed = self._noted[mark:]
        self._sizes.difference_update(needed)
        del self._noted[mark:]
        other = self._sequence(body_of(node.false_branch))
        more = [name for name in needed if name not in self._sizes]
        self._sizes.update(more)
        self._noted += more
        self._use(node.cond)
        return with_branches(node, one, other)


def _block(
    block: tree.BlockOfBindings, bindings: list[tree.Binding], leaving: set[str]
) -> tree.BlockOfBindings:
    """Return a block with these bindings; what leaves a dataflow block no longer is local to it."""
    if not isinstance(block, tree.DataflowBlock):
        if len(bindings) == len(block.bindings) and tuple(bindings) == block.bindings:
            return block
        return tree.BindingBlock(tuple(bindings), block.explicit, block.pos, block.end)
    outputs = tuple([var for var in block.outputs if var.name_hint in leaving])
    made = tuple(
        [
            local(one) if isinstance(one.var, tree.Var) and one.var.name_hint not in leaving else one
            for one in bindings
        ]
    )
    if made == block.bindings and len(outputs) == len(block.outputs):
        return block
    return tree.DataflowBlock(made, outputs, block.pos, block.end)
