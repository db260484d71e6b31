"""Who calls whom, as far as names show; what follows for how a function is compiled. [X.11] [X.O2]

A function is *plain* if all Relax functions it can call are known and plain, none of them itself: it becomes a
Python function that is called directly, and how deep its calls go is known. All others are *stepping*: they
become generators that hand their calls to the machine, whose stack has no limit but its own.
"""

from __future__ import annotations

from collections import deque

from relax_lang.analysis.bindings import FreeNames, bindings_of
from relax_lang.analysis.effects import INVOKING, PACKED_CALLS, is_quiet
from relax_lang.base.node import assert_never, unreachable
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    Callee = tree.Function | tree.ExternFunc

DEEPEST = 100
"""Plain functions call each other no deeper, far from any limit of Python's."""
_DEEPEST_BRANCHES = 60
"""Python reads no more than a hundred levels of indentation."""


class Plan:
    """How one function is compiled.

    `bound_to` is the variable that a function literal is bound to, "" for none; `top` is the function of the
    module that it is in. `inside` is how many calls can be open inside of it, if it is plain. A `quiet`
    function has no effect but its result. What is not `compiled` is left to the interpreter.
    """

    __slots__ = ("bound_to", "calls", "compiled", "function", "inside", "quiet", "stepping", "top")

    def __init__(self, function: tree.Function, top: tree.Function, bound_to: str) -> None:
        self.function = function
        self.top = top
        self.bound_to = bound_to
        self.calls: list[tree.Function] = []
        self.inside = 0
        self.stepping = False
        self.quiet = True
        self.compiled = True


class Graph:
    """The functions of a module, and what each call calls."""

    __slots__ = ("_globals", "callees", "names", "plans", "prim_funcs")

    def __init__(self, module: tree.IRModule) -> None:
        self.plans: dict[tree.Function, Plan] = {}
        self.callees: dict[tree.Call, Callee] = {}
        """Calls of functions and packed functions that are known, with as many arguments as they take."""
        self.prim_funcs: dict[str, tree.PrimFunc] = {}
        self.names = FreeNames()
        """What branches and local functions use from outside."""
        self._globals: dict[str, tree.Function] = {}
        functions: list[tree.Function] = []
        for item in module.items:
            if isinstance(item, tree.PrimFunc):
                self.prim_funcs[item.name.name_hint] = item
            elif item.name is not None:
                self._globals[item.name.name_hint] = item
                functions.append(item)
        for function in functions:
            self._add(function, function, "", {})
        self._settle()

    # Collecting calls.

    def _add(
        self, function: tree.Function, top: tree.Function, bound_to: str, known: dict[str, Callee]
    ) -> None:
        plan = self.plans[function] = Plan(function, top, bound_to)
        assert isinstance(function.body, tree.SeqExpr)
        self._sequence(function.body, plan, known, 0)

    def _sequence(self, seq: tree.SeqExpr, plan: Plan, known: dict[str, Callee], level: int) -> None:
        if level > _DEEPEST_BRANCHES:
            plan.compiled = False
        for binding in bindings_of(seq):
            value = binding.value
            name = binding.var.name_hint if binding.var is not None else "_"
            match value:
                case tree.Function():
                    if name != "_":
                        known[name] = value
                    self._add(value, plan.top, "" if name == "_" else name, known)
                case tree.If():
                    for branch in (value.true_branch, value.false_branch):
                        assert isinstance(branch, tree.SeqExpr)
                        self._sequence(branch, plan, known, level + 1)
                case tree.Call():
                    self._call(value, plan, known)
                case tree.Var() | tree.GlobalVar() | tree.ExternFunc():
                    meant = self._meant(value, known)
                    if meant is not None and name != "_":
                        known[name] = meant
                case (
                    tree.Constant() | tree.Tuple() | tree.ShapeExpr() | tree.PrimValue() | tree.TupleGetItem()
                ):
                    pass  # they call nothing
                case tree.DataflowVar() | tree.NeverBound():
                    unreachable(value)
                case _:
                    assert_never(value)

    def _meant(self, expr: tree.Expr, known: dict[str, Callee]) -> Callee | None:
        if isinstance(expr, tree.Var):
            return known.get(expr.name_hint)
        if isinstance(expr, tree.GlobalVar):
            return self._globals.get(expr.name_hint)
        return expr if isinstance(expr, tree.ExternFunc) else None

    def _call(self, call: tree.Call, plan: Plan, known: dict[str, Callee]) -> None:
        if isinstance(call.op, tree.Op):
            self._operator(call, call.op.op_name, plan, known)
        elif isinstance(call.op, tree.GlobalVar) and call.op.name_hint in self.prim_funcs:
            plan.quiet = False  # it stores into arguments
        else:
            self._note(call, self._meant(call.op, known), len(call.args), plan)

    def _operator(self, call: tree.Call, name: str, plan: Plan, known: dict[str, Callee]) -> None:
        if name in INVOKING:
            passed = call.args[1] if len(call.args) == 2 else None
            count = len(passed.fields) if isinstance(passed, tree.Tuple) else -1
            self._note(call, self._meant(call.args[0], known), count, plan)
        elif name in PACKED_CALLS:
            self._note(call, self._meant(call.args[0], known) if call.args else None, -1, plan)
        elif not is_quiet(call, self.prim_funcs):
            plan.quiet = False

    def _note(self, call: tree.Call, callee: Callee | None, count: int, plan: Plan) -> None:
        if isinstance(callee, tree.Function) and len(callee.params) == count:
            self.callees[call] = callee
            plan.calls.append(callee)
            return
        plan.quiet = False
        if isinstance(callee, tree.ExternFunc):
            self.callees[call] = callee
        else:
            plan.stepping = True

    # What follows.

    def _settle(self) -> None:
        """Find the plain functions, from those that call nothing upwards; what is left over is recursive."""
        open_calls = {function: len(plan.calls) for function, plan in self.plans.items()}
        callers: dict[tree.Function, list[Plan]] = {}
        for plan in self.plans.values():
            for callee in plan.calls:
                callers.setdefault(callee, []).append(plan)
        ready = deque([plan for plan in self.plans.values() if not plan.calls])
        settled: set[tree.Function] = set()
        while ready:
            plan = ready.popleft()
            settled.add(plan.function)
            self._judge(plan)
            for caller in callers.get(plan.function, ()):
                open_calls[caller.function] -= 1
                if not open_calls[caller.function]:
                    ready.append(caller)
        for plan in self.plans.values():
            if plan.function not in settled:
                plan.stepping, plan.quiet = True, False

    def _judge(self, plan: Plan) -> None:
        called = [self.plans[callee] for callee in plan.calls]
        plan.inside = 1 + max([one.inside for one in called], default=-1)
        plan.quiet = plan.quiet and not [one for one in called if not one.quiet]
        if plan.inside > DEEPEST or [one for one in called if one.stepping or not one.compiled]:
            plan.stepping = True
