"""The stack of a running program, and what the program needs from the world around it.

Calls of Relax functions never use Python's own stack: a function body is a generator that gives every call it
makes to the loop in `Machine.run` and gets the result back. So recursion is as deep as the machine's limit
allows, and no deeper. [X.11]
"""

from __future__ import annotations

import numpy as np

from relax_lang.analysis.bindings import FreeNames
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.format.lexemes import global_name
from relax_lang.ops.core.error_state import run_silently
from relax_lang.runtime.values.mismatch import Environment
from relax_lang.runtime.values.tensors import Memory, out_of_memory
from relax_lang.syntax import tree
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import NoReturn, Protocol

    from relax_lang.runtime.calling.packed import PackedFuncs
    from relax_lang.runtime.calling.prepared_calls import Prepared
    from relax_lang.runtime.calling.prim_funcs import PrimFuncs
    from relax_lang.runtime.values.tensors import LoadConstant, Tensor
    from relax_lang.values import Closure

    Steps = Generator["Activation", object, object]
    Calls = list[tuple[str, tree.Call | None]]
    Activate = Callable[["Machine", Closure, tuple[object, ...], tree.Call | None], "Activation"]
    Code = Callable[..., object]
    Plain = Callable[[Closure, int], tuple[Code, int] | None]
    CertainForm = Callable[[Closure, Sequence[object]], Code | None]
    Explain = Callable[[BaseException, "Activation"], tuple[BaseException, Calls]]

    class Instrumentation(Protocol):
        """What is notified of functions and bindings while they are evaluated; see `runtime.instrument`."""

        @property
        def poisons(self) -> bool:
            """Whether new tensors are filled with what nothing computes."""
            ...

        def enter(self, function: str) -> None:
            """A function was called; its arguments are checked."""
            ...

        def leave(self) -> None:
            """The function returns."""
            ...

        def begin(self, binding: tree.Binding) -> None:
            """The evaluation of a binding begins."""
            ...

        def bound(self, value: object, scope: Scope) -> None:
            """The binding that began last has its value."""
            ...


DEFAULT_MAX_CALLS = 200_000
"""How many calls may be open at once."""


class Activation:
    """One function or branch that is being evaluated.

    `steps` yields the activations whose values it waits for and returns its own value. `closure` is the
    function, None for a branch; `call` is where it was called, None for the entry. Compiled code makes up to
    `inside` further calls without the machine; `counted` gives steps that leave all of them to it.
    """

    __slots__ = ("call", "closure", "counted", "inside", "steps")

    def __init__(
        self,
        steps: Steps,
        closure: Closure | None = None,
        call: tree.Call | None = None,
        inside: int = 0,
        counted: Callable[[], Steps] | None = None,
    ) -> None:
        self.steps = steps
        self.closure = closure
        self.call = call
        self.inside = inside
        self.counted = counted


class Links:
    """What a program is given from outside: packed functions, an engine, files, a place to print."""

    __slots__ = ("load_constant", "packed", "prim_funcs", "write")

    def __init__(
        self,
        packed: PackedFuncs,
        prim_funcs: PrimFuncs,
        load_constant: LoadConstant,
        write: Callable[[str], object],
    ) -> None:
        self.packed = packed
        self.prim_funcs = prim_funcs
        self.load_constant = load_constant
        self.write = write


class Interrupted(KeyboardInterrupt):
    """The program was stopped; `failure` has the place."""

    def __init__(self, failure: RunFailure) -> None:
        super().__init__()
        self.failure = failure


def interrupted(node: tree.Node | None) -> Interrupted:
    """Return what to raise where a program is stopped from outside."""
    return Interrupted(RunFailure("interrupted", "stopped here by an interrupt", node))


class Machine:
    """One program that is ready to run: its globals and its links to the outside. [X.0.1] [X.12]"""

    __slots__ = (
        "activate",
        "certain_form",
        "constants",
        "explain",
        "globals",
        "load_constant",
        "max_calls",
        "memory",
        "names",
        "operators",
        "packed",
        "plain",
        "prim_funcs",
        "shared_operators",
        "strict_effects",
        "watch",
        "write",
    )

    def __init__(self, links: Links, memory: Memory, max_calls: int = DEFAULT_MAX_CALLS) -> None:
        self.packed = links.packed
        self.prim_funcs = links.prim_funcs
        self.load_constant = links.load_constant
        self.write = links.write
        self.memory = memory
        self.max_calls = max_calls
        self.activate: Activate = _no_engine
        """How a closure is called: by which engine."""
        self.plain: Plain = _nothing_plain
        """The plain Python function that a closure was compiled to, and how many calls are open inside it at most."""
        self.certain_form: CertainForm = _no_form
        """What a plain closure is compiled to for the sizes of some arguments that fit."""
        self.explain: Explain = _nothing_to_explain
        """What an engine knows of an exception that ends the program."""
        self.watch: Instrumentation | None = None
        self.strict_effects = False
        """Whether packed functions are held to leaving their arguments alone; see `effects`."""
        self.globals: dict[str, Closure | tree.PrimFunc] = {}
        # What was worked out once for a node of the program and holds for every evaluation of it.
        self.constants: dict[tree.Constant, Tensor] = {}
        self.names = FreeNames()
        self.operators: dict[tree.Call, Prepared | Callable[..., object]] = {}
        self.shared_operators: dict[object, Callable[..., object]] = {}

    def run(self, entry: Activation) -> object:
        """Evaluate an activation and all it calls; raises RunFailure with the chain of calls. [RUN.5]"""
        stack = [entry]
        try:
            # Floats follow IEEE silently: infinities and NaNs are values, not warnings.
            with np.errstate(all="ignore"):
                return self._evaluate(stack)
        except (Exception, KeyboardInterrupt) as error:
            self._end(error, stack, entry)

    def run_plain(
        self, code: Code, closure: Closure, arguments: Sequence[object], form: Code | None = None
    ) -> object:
        """Call the plain Python function that a closure was compiled to: `run` without a stack of activations.

        A `form` of it for these sizes runs in its place if there is one, unless it fails.
        """
        try:
            if form is not None:
                try:
                    return run_silently(form, arguments)
                except Exception:  # whatever it is, the function reports it
                    pass
            return run_silently(code, arguments)
        except (Exception, KeyboardInterrupt) as error:
            entry = Activation(_no_steps(), closure)
            self._end(error, [entry], entry)

    def run_settled(self, code: Code, closure: Closure, arguments: Sequence[object], form: Code) -> object:
        """Call the form of a function that calls nothing but operators and PrimFuncs, which plan nothing any more.

        So nothing walks a deep tree, and Python's limit of recursion may stay as it is. If the form fails the function
        runs, which reports it.
        """
        try:
            return run_silently(form, arguments)
        except KeyboardInterrupt as error:
            activation = Activation(_no_steps(), closure)
            self._end(error, [activation], activation)
        except Exception:  # whatever it is, the function reports it
            with deep_recursion():
                return self.run_plain(code, closure, arguments)

    def _end(self, error: BaseException, stack: list[Activation], entry: Activation) -> NoReturn:
        """Raise what an exception that ends the program means, with the chain of calls. [RUN.5]"""
        innermost = stack[-1] if stack else entry
        ended, inner = self.explain(error, innermost)
        if isinstance(ended, KeyboardInterrupt) and not isinstance(ended, Interrupted):
            ended = interrupted(_place(innermost))  # between two steps
        calls = [*inner, *_chain(stack)]
        if isinstance(ended, RunFailure):
            ended.facts["calls"] = [*_prim_func_call(ended), *calls]
        elif isinstance(ended, Interrupted):
            ended.failure.facts["calls"] = calls
        elif isinstance(ended, RecursionError):
            message = "a value or an expression is nested too deeply"
            raise RunFailure("recursion-limit", message, calls=calls) from None
        if ended is error:
            raise error
        raise ended from ended.__cause__

    def _evaluate(self, stack: list[Activation]) -> object:
        open_calls = 1
        self._make_room(stack[0], open_calls)
        value: object = None
        while True:
            try:
                called = stack[-1].steps.send(value)
            except StopIteration as ended:
                value = ended.value
                if stack.pop().closure is not None:
                    open_calls -= 1
                if not stack:
                    return value
                continue
            value = None
            stack.append(called)
            if called.closure is not None:
                open_calls += 1
                if open_calls + called.inside > self.max_calls:
                    if open_calls > self.max_calls:
                        raise self._too_deep(called)
                    self._make_room(called, open_calls)

    def _make_room(self, called: Activation, open_calls: int) -> None:
        """Near the limit every call is counted."""
        if called.counted is not None and open_calls + called.inside > self.max_calls:
            called.steps = called.counted()

    def _too_deep(self, called: Activation) -> RunFailure:
        return RunFailure(
            "recursion-limit",
            f"recursion deeper than {self.max_calls}",
            called.call,
            limit=self.max_calls,
            help="a recursion must end; give it a condition under which it does not call itself",
        )


def _no_steps() -> Steps:
    """Return the steps of an activation that makes none."""
    return
    yield


def _no_engine(
    machine: Machine, closure: Closure, arguments: tuple[object, ...], call: tree.Call | None
) -> Activation:
    raise AssertionError("a machine needs an engine: set `activate`")


def _nothing_plain(_closure: Closure, _arguments: int) -> None:
    """Without a compiler no function is plain Python."""


def _no_form(_closure: Closure, _arguments: Sequence[object]) -> None:
    """Without a compiler there are no forms."""


def _nothing_to_explain(error: BaseException, innermost: Activation) -> tuple[BaseException, Calls]:
    return error, []


def _chain(stack: list[Activation]) -> list[tuple[str, tree.Call | None]]:
    """Return the open calls, innermost first: the function's name and where it was called."""
    return [(function_name(one.closure), one.call) for one in reversed(stack) if one.closure is not None]


def _place(activation: Activation) -> tree.Node | None:
    """Return a place for what is neither in one step of an activation nor in the next."""
    if activation.call is None and activation.closure is not None:
        return activation.closure.function
    return activation.call


def _prim_func_call(failure: RunFailure) -> list[tuple[str, tree.Call | None]]:
    """Return the call of the PrimFunc inside which a program failed, if there is one."""
    call = failure.facts.pop("prim_func_call", None)
    return [("", call)] if isinstance(call, tree.Call) else []


def function_name(closure: Closure) -> str:
    """Return how messages call a function: `@f` at module level, else the variable it is bound to. [Z.7]"""
    function = closure.function
    assert isinstance(function, tree.Function)
    if function.name is not None:
        return global_name(function.name.name_hint)
    return f"`{closure.name}`" if closure.name else "the function"


class Scope(Environment):
    """The variables and shape variables that an expression may mention. [X.10.1]"""

    __slots__ = ("machine",)

    def __init__(self, machine: Machine, variables: dict[str, object], shape_vars: dict[str, int]) -> None:
        self.machine = machine
        self.variables: dict[str, object] = variables
        self.shape_vars = shape_vars

    def pushed(self) -> Scope:
        """Return a scope above this one; dropping it pops what was bound in it. [X.10.1] [X.10.5]"""
        return Scope(self.machine, dict(self.variables), dict(self.shape_vars))


def placed(failure: RunFailure, node: tree.Node, scope: Scope) -> None:
    """Note in a failure where it happened and what the shape variables were there."""
    if failure.node is None:
        failure.node = node
    failure.facts.setdefault("shape_vars", dict(scope.shape_vars))


def exhausted(node: tree.Node) -> RunFailure:
    """Return the failure for an allocation that the machine refused. [X.O5]"""
    failure = out_of_memory(None)
    failure.node = node
    return failure
