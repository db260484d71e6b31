"""When values die, and which bindings are not needed. [X.O2] [X.O4]

One pass over a function from its end to its start: a variable is live where something later mentions it. In a
dataflow block a binding whose variable is not live is dropped, if evaluating it has no effect.
"""

from __future__ import annotations

from relax_lang.analysis.bindings import names_in
from relax_lang.analysis.effects import INVOKING, PACKED_CALLS, is_quiet
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.analysis.call_graph import Graph, Plan

_SIMPLE = (
    tree.Constant, tree.Var, tree.GlobalVar, tree.Tuple, tree.ShapeExpr, tree.PrimValue, tree.ExternFunc,
    tree.TupleGetItem, tree.Function,
)  # fmt: skip


class Liveness:
    """What is known of the bindings of one function.

    `last_uses` are the variables that a binding is the last to need, or that one branch does not need but the other
    does; `ends` are those that only the value of a branch needs. `unneeded` are the bindings whose variable is not
    read, `dead` those that are dropped altogether.
    """

    __slots__ = ("_drops", "_graph", "_live", "_noted", "dead", "ends", "last_uses", "unneeded")

    def __init__(self, plan: Plan, graph: Graph, drops: bool = True) -> None:
        """Look at one function; with `drops` off nothing is `dead`."""
        self._graph = graph
        self._drops = drops
        self.dead: set[tree.Binding] = set()
        self.unneeded: set[tree.Binding] = set()
        self.last_uses: dict[tree.Binding | tree.SeqExpr, set[str]] = {}
        self.ends: dict[tree.SeqExpr, set[str]] = {}
        function = plan.function
        self._live: set[str] = set()
        """What something later mentions."""
        self._noted: list[str] = []
        """What became live, in order."""
        if function.ret_struct_info is not None:
            self._use(names_in(function.ret_struct_info))
        assert isinstance(function.body, tree.SeqExpr)
        self._sequence(function.body)

    def _use(self, names: set[str]) -> set[str]:
        """Note that something mentions variables; return those that were not live."""
        new = names - self._live
        self._live |= new
        self._noted += new
        return new

    def _sequence(self, seq: tree.SeqExpr) -> None:
        """Turn what is live after a sequence into what is live before it."""
        self.ends[seq] = self._use(names_in(seq.body))
        for block in reversed(seq.blocks):
            pure = isinstance(block, tree.DataflowBlock)
            for binding in reversed(block.bindings):
                if pure and self._drops and isinstance(binding, tree.VarBinding) and self._is_dead(binding):
                    self.dead.add(binding)
                else:
                    self._binding(binding)

    def _binding(self, binding: tree.Binding) -> None:
        var, value = binding.var, binding.value
        if var is not None:
            if var.name_hint not in self._live:
                self.unneeded.add(binding)
            self._live.discard(var.name_hint)
        checked: set[str] = set()
        if isinstance(binding, tree.MatchCast):
            checked |= names_in(binding.struct_info)
        if var is not None and var.struct_info_annotation is not None:
            checked |= names_in(var.struct_info_annotation)
        if isinstance(value, tree.If):
            self.last_uses[binding] = self._use(checked)
            self._branches(value)
        else:
            used = checked.union(self._graph.names.of(value))
            if var is not None:
                used.discard(var.name_hint)  # a function that calls itself
            self.last_uses[binding] = self._use(used)

    def _branches(self, value: tree.If) -> None:
        """Go through both branches. Each begins with what is live after both; nothing of that is copied."""
        used = names_in(value.cond)
        before: dict[tree.SeqExpr, set[str]] = {}
        for branch in (value.true_branch, value.false_branch):
            assert isinstance(branch, tree.SeqExpr)
            mark = len(self._noted)
            self._sequence(branch)
            needed = self._live.intersection(self._noted[mark:])
            del self._noted[mark:]
            self._live -= needed
            before[branch] = needed
            used |= needed
        new = self._use(used)
        for branch, needed in before.items():
            self.last_uses[branch] = new - needed

    def _is_dead(self, binding: tree.VarBinding) -> bool:
        var = binding.var
        if var.struct_info_annotation is not None or var.name_hint in self._live:
            return False
        return isinstance(binding.value, _SIMPLE) or self._is_silent_call(binding.value)

    def _is_silent_call(self, value: tree.Expr) -> bool:
        """Return whether an expression is a call without effects; what packed functions claim is not relied on."""
        if not isinstance(value, tree.Call):
            return False
        callee = self._graph.callees.get(value)
        if isinstance(callee, tree.Function):
            return self._graph.plans[callee].quiet
        if isinstance(value.op, tree.Op):
            name = value.op.op_name
            if name not in (*INVOKING, *PACKED_CALLS):
                return is_quiet(value, self._graph.prim_funcs)
        return False
