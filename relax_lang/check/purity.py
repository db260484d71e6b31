"""Effects, as far as names show them: which calls are impure, and what that means. [P.1-P.11]

A call is impure if it is one of a packed function without `pure=true`, of an operator that is registered as
impure, of a function that makes an impure call, or through a parameter of an `impure fn` or PackedFunc type. What
a variable holds that comes from elsewhere is for the types to say: inference tells it (`Effects.settle`), and where
it cannot, such a call is taken to be pure.
"""

from __future__ import annotations

from relax_lang.base.node import children
from relax_lang.format.lexemes import global_name, local_name
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.scope.resolve import Resolved


# Nothing below these is a call.
_ATOMS = frozenset(
    (
        *(tree.Var, tree.DataflowVar, tree.GlobalVar, tree.Constant, tree.ShapeExpr, tree.Op, tree.Attr),
        *(tree.TensorStructInfo, tree.ShapeStructInfo, tree.TupleStructInfo, tree.ObjectStructInfo),
    )
)


class _Function:
    """A function and the calls that its body makes itself: functions inside it have their own. [P.11]"""

    __slots__ = ("callers", "calls", "in_dataflow", "node", "open", "why")

    def __init__(self, node: tree.Function) -> None:
        self.node = node
        self.calls: list[tree.Call] = []
        self.in_dataflow: list[tree.Call] = []
        self.callers: list[tuple[_Function, tree.Call]] = []
        self.why: tree.Call | None = None
        """The first impure call."""
        self.open = 0
        """How many calls go to something that names do not show, and nobody has told."""

    @property
    def is_impure(self) -> bool:
        """What callers must take it for. [P.5-P.7]"""
        return self.node.purity == "impure" or (self.why is not None and self.node.purity is None)


def effects_of(items: Iterable[tree.Item], resolved: Resolved, text: str) -> Effects:
    """Return what names tell of the effects of functions; `text` is where the items were read from."""
    effects = Effects(resolved, text)
    effects.judge([item for item in items if isinstance(item, tree.Function)])
    return effects


def calls_with_effects(items: Iterable[tree.Item], resolved: Resolved) -> set[tree.Call]:
    """Return the calls that may have effects, with those of callees that names do not show. [P.4 P.5 P.8]"""
    purity = Effects(resolved, "", doubts=True)
    purity.judge([item for item in items if isinstance(item, tree.Function)])
    return set(purity.impure)


class Effects:
    """One module: its functions, and what its variables are bound to.

    With `doubts`, a callee that names do not show is taken to be impure.
    """

    def __init__(self, resolved: Resolved, text: str, *, doubts: bool = False) -> None:
        self.resolved = resolved
        self.text = text
        self.doubts = doubts
        self.functions: dict[tree.Function, _Function] = {}
        self.values: dict[Node, tree.Expr] = {}
        self.impure: dict[tree.Call, str] = {}
        """Impure calls with the words for their callee."""
        self.packed: set[tree.Call] = set()
        """Impure calls that would be pure with `pure=true`. [P.4]"""
        self.called: dict[tree.Call, _Function] = {}
        """Calls of functions of this module."""
        self._open: dict[tuple[int, int], tuple[_Function, tree.Call]] = {}
        self._places: dict[tuple[int, int], _Function] = {}

    def diagnostics(self) -> list[Diagnostic]:
        """Return what is wrong about effects, in no particular order. [P.*]"""
        found: list[Diagnostic] = []
        for function in self.functions.values():
            found += self.report(function)
        return found

    def settle(self, callees: Iterable[tuple[tuple[int, int], bool, bool]]) -> None:
        """Decide on calls by the types of their callees: place of the call, whether it is pure, or packed. [P.8]"""
        changed: list[_Function] = []
        for place, pure, packed in callees:
            if place not in self._open:
                continue
            function, call = self._open.pop(place)
            function.open -= 1
            if not pure:
                name = f"`{local_name(call.op.name_hint)}`" if isinstance(call.op, tree.Var) else "the callee"
                self.mark(function, call, name, packed=packed)
                changed.append(function)
        self.spread([function for function in changed if function.is_impure])

    def is_pure(self, place: tuple[int, int]) -> bool:
        """Tell whether the function in that place is pure; one with calls that nobody judged yet is not. [P.5-P.7]"""
        if not self._places:
            self._places = {(node.pos, node.end): function for node, function in self.functions.items()}
        function = self._places.get(place)
        if function is None:
            return True
        return not (function.is_impure or (function.open > 0 and function.node.purity is None))

    def judge(self, items: list[tree.Function]) -> None:
        """Find out which calls are impure, and why functions are."""
        for item in items:
            self.collect(item)
        for function in list(self.functions.values()):
            for call in function.calls:
                self.classify(function, call)
        self.spread([function for function in self.functions.values() if function.is_impure])

    def collect(self, item: tree.Function) -> None:
        """Note every call under the function that makes it, in the order of the text."""
        owner = self.functions[item] = _Function(item)
        stack: list[tuple[Node, _Function, bool]] = [(item.body, owner, False)]
        while stack:
            node, owner, in_dataflow = stack.pop()
            kind = type(node)
            if kind is tree.Function:
                assert isinstance(node, tree.Function)
                owner = self.functions[node] = _Function(node)
                stack.append((node.body, owner, False))
                continue
            if kind is tree.Call:
                assert isinstance(node, tree.Call)
                owner.calls.append(node)
                if in_dataflow:
                    owner.in_dataflow.append(node)
            elif kind is tree.VarBinding:
                assert isinstance(node, tree.VarBinding)
                self.values[node.var] = node.value
            in_dataflow = in_dataflow or kind is tree.DataflowBlock
            below = [child for child in children(node) if type(child) not in _ATOMS]
            stack += [(child, owner, in_dataflow) for child in reversed(below)]

    def classify(self, function: _Function, call: tree.Call) -> None:
        """Decide on a call by its callee, or leave it to the function that it calls."""
        op = call.op
        if isinstance(op, tree.Op):
            operator = lookup(op.op_name)
            if operator is not None and not operator.pure and not claims_pure(call):
                takes_pure = "pure" in [attr.name for attr in operator.attrs]
                self.mark(function, call, f"operator `{op.op_name}`", packed=takes_pure)
            return
        if isinstance(op, tree.GlobalVar):
            called = self.resolved.globals.get(op.name_hint)
            if isinstance(called, tree.Function) and called in self.functions:
                self.link(function, call, self.functions[called])
            return
        value = self.value_of(op)
        if isinstance(value, tree.ExternFunc):
            if not claims_pure(call):
                self.mark(function, call, f'packed function "{value.global_symbol}"', packed=True)
        elif isinstance(value, tree.Function):
            self.link(function, call, self.functions[value])
        elif isinstance(value, tree.Var) and isinstance(value.struct_info_annotation, tree.FuncStructInfo):
            info = value.struct_info_annotation
            is_packed = info.params is None
            if not info.pure and not (is_packed and claims_pure(call)):
                self.mark(function, call, f"`{local_name(value.name_hint)}`", packed=is_packed)
        elif not claims_pure(call):
            function.open += 1
            self._open[call.pos, call.end] = function, call
            if self.doubts:
                self.mark(function, call, "the callee")

    def link(self, caller: _Function, call: tree.Call, called: _Function) -> None:
        """Note that a call is as pure as the function that it calls."""
        called.callers.append((caller, call))
        self.called[call] = called

    def value_of(self, callee: tree.Expr) -> tree.Expr:
        """Look through variables: what they are bound to, or the definition that says no more."""
        for _ in range(1_000):
            binder = self.resolved.bindings.get(callee)
            if not isinstance(binder, tree.Var | tree.DataflowVar):
                break
            if binder.struct_info_annotation is not None or binder not in self.values:
                return binder
            callee = self.values[binder]
        return callee

    def mark(self, function: _Function, call: tree.Call, callee: str, *, packed: bool = False) -> None:
        """Note an impure call; the first one is the reason why the function is impure."""
        self.impure[call] = callee
        if packed:
            self.packed.add(call)
        if function.why is None or call.pos < function.why.pos:
            function.why = call

    def spread(self, queue: list[_Function]) -> None:
        """Callers of impure functions make impure calls. [P.5]"""
        done = set(queue)
        for function in queue:
            for caller, call in function.callers:
                self.mark(caller, call, self.name_of(function, call))
                if caller.is_impure and caller not in done:
                    done.add(caller)
                    queue.append(caller)

    @staticmethod
    def name_of(function: _Function, call: tree.Call) -> str:
        """Return how a message calls a function that is called."""
        if function.node.name is not None:
            return f"function {global_name(function.node.name.name_hint)}"
        if isinstance(call.op, tree.Var):
            return f"function `{local_name(call.op.name_hint)}`"
        return "the function"

    def report(self, function: _Function) -> list[Diagnostic]:
        """Return what is wrong in one function."""
        if function.why is None and function.node.purity != "impure":
            return []
        from relax_lang.check.diagnostics import purity as diag  # only where something is impure

        found: list[Diagnostic] = []
        for call in function.in_dataflow:
            if call in self.impure:
                called = self.called.get(call)
                reason = called.why if called is not None else None
                found.append(diag.impure_in_dataflow(call, self.impure[call], reason, call in self.packed))
        node, why = function.node, function.why
        if node.purity == "pure" and why is not None:
            shown = "the function" if node.name is None else global_name(node.name.name_hint)
            found.append(diag.impure_body(why, shown, self.impure[why], self.claim(node, "pure")))
        if node.purity == "impure" and why is None and not function.open:
            found.append(diag.impure_not_needed(self.claim(node, "impure")))
        return found

    def claim(self, node: tree.Function, word: str) -> tuple[int, int]:
        """Return where a function says what it is."""
        at = max(node.pos, self.text.find(word, node.pos))
        return at, at + len(word)


def claims_pure(call: tree.Call) -> bool:
    """Tell whether a call says `pure=true`. [P.4]"""
    for attr in call.attrs:
        if attr.key == "pure":
            return isinstance(attr.value, tree.BoolLit) and attr.value.value
    return False
