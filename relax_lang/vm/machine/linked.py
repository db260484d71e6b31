"""Executables made ready to run. The loop in `_loop` is the meaning of the four instructions."""

from __future__ import annotations

from functools import partial

from relax_lang.base.python.gc_pause import no_collection
from relax_lang.runtime.interpreter import interpreter
from relax_lang.runtime.interpreter.machine import (
    Activation,
    Scope,
    exhausted,
    function_name,
    interrupted,
    placed,
)
from relax_lang.syntax import tree
from relax_lang.values import Closure, RunFailure, words_of
from relax_lang.vm.builtins import Frame
from relax_lang.vm.machine.decoded import CLOSURE, FRAMED, IF, ONE, PLAIN, RET, THREE, TWO, Decoded, Decoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from typing import Any

    from relax_lang.runtime.interpreter.machine import Calls, Machine, Steps
    from relax_lang.tir.compile import Compiled
    from relax_lang.vm.executable import Executable
    from relax_lang.vm.machine.decoded import Step


AGAIN = 2
"""The call of a function before which its code is planned: many functions are called once."""
LOOP, GENERATED = "loop", "generated"
MODES = (LOOP, GENERATED)
"""How code runs: instruction by instruction, or as Python that is generated from it when it is first called."""


class Linked:
    """An executable with a machine: what a session takes in place of a module in normal form."""

    def __init__(self, executable: Executable, mode: str = LOOP) -> None:
        if mode not in MODES:
            raise ValueError(f"mode is one of {', '.join(MODES)}, not {mode!r}")
        self.executable = executable
        self.mode = mode
        items: list[tree.Item] = []
        for row in executable.functions:
            if row.prim_func is not None:
                items.append(row.prim_func)
            elif row.code is not None and row.code.signature.name is not None:
                items.append(row.code.signature)
        self.module = tree.IRModule((), tuple(items))
        self.prim_funcs: dict[tree.PrimFunc, Compiled] = {}
        self.forms = executable.forms

    def link(self, machine: Machine) -> None:
        """Make a machine call these functions."""
        machine.activate = _Activate(self.executable, self.mode)
        if self.executable.from_file:
            machine.explain = _explain


class _Activate:
    """Begins calls of closures; functions are decoded when they are first called."""

    __slots__ = ("_codes", "_decoded", "_executable", "_mode")

    def __init__(self, executable: Executable, mode: str) -> None:
        self._executable = executable
        self._mode = mode
        codes = [row.code for row in executable.functions if row.code is not None]
        self._codes = {code.signature: code for code in codes}
        self._decoded: dict[tree.Function, Decoded] = {}

    def __call__(
        self, machine: Machine, closure: Closure, arguments: tuple[object, ...], call: tree.Call | None
    ) -> Activation:
        function = closure.function
        assert isinstance(function, tree.Function)
        decoded = self._decoded.get(function)
        if decoded is None:
            code = self._codes.get(function)
            if code is None:  # a closure of another program
                return interpreter.activate(machine, closure, arguments, call)
            with no_collection():
                decoded = self._decoded[function] = Decoder(self._executable, code, machine).decoded()
            if self._mode == GENERATED:
                from relax_lang.vm.machine.generated import generate  # only for those who want it

                decoded.python = generate(decoded)
        if machine.watch is not None:
            self._note(decoded)
        else:
            decoded.calls += 1
            if decoded.calls == AGAIN:
                self._plan(decoded, machine)
            if decoded.form_for is not None:
                decoded = decoded.form_for((*arguments, *closure.bound))
        given = (*arguments, *closure.bound)
        return Activation(_steps(machine, decoded, closure, given, call), closure, call)

    def _note(self, decoded: Decoded) -> None:
        """Find out where bindings begin and end, for those who watch."""
        if decoded.watched is None:
            from relax_lang.vm.machine.watched import notes_of, watched

            decoded.watched = partial(watched, decoded=decoded, notes=notes_of(decoded, self._executable))

    def _plan(self, decoded: Decoded, machine: Machine) -> None:
        """Make the code of a function shorter that is called again."""
        from relax_lang.vm.machine.planned import plan  # it loads rules of operators
        from relax_lang.vm.machine.specialized import specialized

        try:
            with no_collection():
                decoded.steps = plan(decoded, self._executable, machine)
        except Exception:
            if not self._executable.from_file:  # where trees can be anything
                raise
            return
        forms = specialized(decoded, self._executable)
        if decoded.python is not None:
            from relax_lang.vm.machine.generated import generate

            decoded.python = generate(decoded)
            if forms is not None:
                forms.generate = generate
        if forms is not None:
            decoded.form_for = forms.form


def _explain(error: BaseException, innermost: Activation) -> tuple[BaseException, Calls]:
    """Make a failure of what no executable that was built here ends with: the file is at fault."""
    if isinstance(error, RunFailure | RecursionError | MemoryError) or not isinstance(error, Exception):
        return error, []
    assert innermost.closure is not None
    name = function_name(innermost.closure)
    message = f"{name} fails in the machine itself: {words_of(error)}"
    return RunFailure("executable-failed", message, innermost.closure.function), []


def _steps(
    machine: Machine,
    decoded: Decoded,
    closure: Closure,
    arguments: tuple[object, ...],
    call: tree.Call | None,
) -> Steps:
    """Run the code of a function."""
    if len(arguments) != len(decoded.code.signature.params):
        raise interpreter.wrong_arity(closure, len(arguments), call)
    values = decoded.template.copy()
    values[: len(arguments)] = arguments
    code = decoded.code
    at = len(arguments)
    for name in code.captures:
        values[at] = closure.variables[name]
        at += 1
    if code.own:
        values[at] = closure.variables[code.own] if closure.bound else closure
    frame = Frame(Scope(machine, dict(closure.variables), dict(closure.shape_vars)), closure, call)
    pc = [0]
    try:
        if machine.watch is not None and decoded.watched is not None:
            return (yield from decoded.watched(machine, frame, values, pc))
        if decoded.python is not None:
            python: Steps = decoded.python(machine, frame, values, pc)
            return (yield from python)
        return (yield from _loop(machine, frame, values, pc, decoded.steps))
    except RunFailure as failure:
        placed(failure, decoded.place(pc[0]), frame.scope)
        raise
    except MemoryError:
        node = decoded.place(pc[0])
        failure = exhausted(node)
        placed(failure, node, frame.scope)
        raise failure from None
    except KeyboardInterrupt:
        raise interrupted(decoded.place(pc[0])) from None


def _loop(  # noqa: C901 - the loop is one function, for its speed
    machine: Machine, frame: Frame, values: list[Any], at: list[int], steps: Sequence[Step]
) -> Generator[Activation, object, object]:
    """Run decoded instructions; `at` has the one that runs."""
    pc = 0
    try:
        while True:
            kind, function, args, dst, killed = steps[pc]
            pc += 1
            if kind == THREE:
                one, two, three = args
                values[dst] = function(values[one], values[two], values[three])
            elif kind == TWO:
                one, two = args
                values[dst] = function(values[one], values[two])
            elif kind == ONE:
                values[dst] = function(values[args])
            elif kind == PLAIN:
                values[dst] = function(*[values[one] for one in args])
            elif kind == FRAMED:
                value = function(frame, [values[one] for one in args])
                if type(value) is Activation:
                    value = yield value
                values[dst] = value
            elif kind == CLOSURE:
                called, site = function
                values[dst] = yield machine.activate(
                    machine, called, tuple([values[one] for one in args]), site
                )
            elif kind == IF:
                if not values[args]:
                    pc = dst
            elif kind == RET:
                return values[args]
            else:
                pc = dst
            for one in killed:
                values[one] = None
    except BaseException:
        at[0] = pc - 1
        raise
