"""What the interpreter reports to those who watch it, in the order of evaluation. [X.10]"""

from __future__ import annotations

from time import perf_counter_ns

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.node import Table
    from relax_lang.runtime.interpreter.machine import Scope


class Moment:
    """One evaluation of a binding.

    `function` is the name of the function it belongs to, `depth` the number of open calls (0: the entry), `name` the
    variable (empty: none), `key` the name by which this evaluation is recorded: `main.y`, the second one `main.y#2`.
    `began`, `ended` and `took` are nanoseconds; `took` leaves out what watching cost meanwhile, `inner` is the part of
    it that other bindings took.
    """

    __slots__ = ("began", "binding", "depth", "ended", "function", "inner", "key", "name", "took", "watched")

    def __init__(self, binding: tree.Binding, function: str, depth: int, key: str) -> None:
        self.binding = binding
        self.function = function
        self.depth = depth
        self.name = binding.var.name_hint if binding.var is not None else ""
        self.key = key
        self.began = 0
        self.ended = 0
        self.took = 0
        self.inner = 0
        self.watched = 0
        """What watching cost in between."""


class Observer:
    """An instrument: it is notified of every binding when its value is there, before anything later runs."""

    __slots__ = ()
    poisons = False
    """Whether new tensors are filled with what nothing computes; see `runtime.values.poison`."""

    def bound(self, moment: Moment, value: object, scope: Scope) -> None:
        """A binding was evaluated; `scope` holds its operands. A RunFailure raised here ends the program."""


class Instrumentation:
    """Keeps time and names for several observers; the interpreter knows only this."""

    __slots__ = ("_counts", "_functions", "_open", "observers")

    def __init__(self, observers: Sequence[Observer]) -> None:
        self.observers = observers
        self._functions: list[str] = []
        self._open: list[Moment] = []
        self._counts: dict[str, int] = {}

    @property
    def poisons(self) -> bool:
        """Whether an observer asks for new tensors to be poisoned."""
        return any(observer.poisons for observer in self.observers)

    def enter(self, function: str) -> None:
        """A function was called; its arguments are checked."""
        self._functions.append(function)

    def leave(self) -> None:
        """The function returns."""
        self._functions.pop()

    def begin(self, binding: tree.Binding) -> None:
        """The evaluation of a binding begins."""
        function = self._functions[-1]
        key = f"{function}.{binding.var.name_hint}" if binding.var is not None else function
        if "#" in key:  # in a quoted name; a single one precedes the number of an evaluation
            key = key.replace("#", "##")
        seen = self._counts[key] = self._counts.get(key, 0) + 1
        moment = Moment(binding, function, len(self._functions) - 1, key if seen == 1 else f"{key}#{seen}")
        self._open.append(moment)
        moment.began = perf_counter_ns()

    def bound(self, value: object, scope: Scope) -> None:
        """The binding that began last has its value."""
        moment = self._open.pop()
        moment.ended = perf_counter_ns()
        moment.took = moment.ended - moment.began - moment.watched
        for observer in self.observers:
            observer.bound(moment, value, scope)
        if self._open:
            outer = self._open[-1]
            outer.inner += moment.took
            outer.watched += moment.watched + perf_counter_ns() - moment.ended


def callee_of(binding: tree.Binding) -> str:
    """Return what a binding calls: `matmul`, `call_tir @dense`, `extern "f"`, `@f`, or a word for what else it does."""
    from relax_lang.format.printer import show

    value = binding.value
    if isinstance(value, tree.Call):
        op = value.op
        if isinstance(op, tree.Op):
            first = value.args[0] if value.args else None
            if isinstance(first, tree.GlobalVar | tree.ExternFunc):
                return f"{op.op_name} {show(first)}"
            return op.op_name
        return show(op)
    return _WORDS[type(value)]


_WORDS: Table[tree.Expr, str] = {
    tree.Call: "call",
    tree.If: "if",
    tree.Constant: "const",
    tree.Tuple: "tuple",
    tree.TupleGetItem: "tuple field",
    tree.ShapeExpr: "shape",
    tree.Function: "fn",
    tree.GlobalVar: "function",
    tree.ExternFunc: "extern",
    tree.PrimValue: "scalar",
    tree.Var: "match_cast",
    tree.DataflowVar: "match_cast",
    **dict.fromkeys(tree.NEVER_BOUND, ""),
}
