"""Code decoded for one machine: operands become indices into one list of values per call.

The list has the registers, then what constants, numbers and functions an instruction can take.
"""

from __future__ import annotations

from relax_lang.arith.evaluate import names_in
from relax_lang.runtime.calling.prepared_calls import Prepared, prepare
from relax_lang.runtime.compiler.tir_calls import direct_call
from relax_lang.runtime.interpreter import interpreter
from relax_lang.runtime.interpreter.operator_calls import SPECIAL
from relax_lang.syntax import tree
from relax_lang.values import RunFailure
from relax_lang.vm.builtins import BUILTINS, Frame
from relax_lang.vm.executable import BUILTIN, OPERATOR, PRIM
from relax_lang.vm.instructions import CONSTANT, FUNCTION, NUMBER, REGISTER, VOID, Call, Goto, If

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.runtime.interpreter.machine import Machine, Steps
    from relax_lang.vm.builtins import Run
    from relax_lang.vm.executable import Code, Executable, Function
    from relax_lang.vm.instructions import Instruction, Operand

    Step = tuple[int, Any, Any, int, tuple[int, ...]]

ONE, TWO, THREE, PLAIN, FRAMED, CLOSURE, RET, GOTO, IF = range(9)
"""What a decoded instruction is. The first four call a function with values alone, of one, two, three or any operands;
the others give it the frame as well, or a function in code its arguments."""


class Decoded:
    """The code of a function, decoded for one machine."""

    __slots__ = ("calls", "code", "form_for", "origins", "python", "sites", "steps", "template", "watched")

    def __init__(
        self,
        code: Code,
        steps: list[Step],
        template: list[object],
        sites: list[tree.Node | None],
        origins: list[Instruction],
    ) -> None:
        self.code = code
        self.steps = steps
        self.template = template
        self.sites = sites
        self.origins = origins
        """The instruction that each step does, beside what it kills."""
        self.calls = 0
        """How often the function was called, as far as that matters."""
        self.python: Callable[..., Any] | None = None
        """A generator function that does the same, if one was made."""
        self.watched: Callable[..., Steps] | None = None
        """One that notifies instruments of bindings."""
        self.form_for: Callable[[tuple[object, ...]], Decoded] | None = None
        """What gives the code for calls with some arguments, if that differs."""

    def fixed(self, value: object) -> int:
        """Return where in the list of values something is that nothing changes."""
        self.template.append(value)
        return len(self.template) - 1

    def place(self, at: int) -> tree.Node:
        """Return what a message about an instruction points to."""
        return self.sites[at] or self.code.signature


class Decoder:
    """Decodes the code of one function."""

    def __init__(self, executable: Executable, code: Code, machine: Machine) -> None:
        self.executable = executable
        self.code = code
        self.machine = machine
        self.void = code.registers
        self.template: list[object] = [None] * (code.registers + 1)
        self.slots: dict[Operand, int] = {}
        self.shares = len(code.instructions) > 4096

    def decoded(self) -> Decoded:
        """Return the decoded form; what is killed after an instruction becomes part of it."""
        steps: list[Step] = []
        sites: list[tree.Node | None] = []
        origins: list[Instruction] = []
        moved: list[int] = []  # where each instruction is now
        jumps: list[tuple[int, int]] = []
        targets = self._targets()
        for at, one in enumerate(self.code.instructions):
            moved.append(len(steps))
            dead = self._killed(one)
            if dead and steps and at not in targets and steps[-1][0] < RET:
                kind, function, args, dst, killed = steps[-1]
                steps[-1] = kind, function, args, dst, (*killed, *dead)
                continue
            origins.append(one)
            if isinstance(one, Call):
                steps.append(self._call(one))
                sites.append(self.executable.sites[one.site] if one.site >= 0 else None)
                continue
            sites.append(None)
            if isinstance(one, Goto):
                jumps.append((len(steps), at + one.offset))
                steps.append((GOTO, None, None, 0, ()))
            elif isinstance(one, If):
                jumps.append((len(steps), at + one.false_offset))
                steps.append((IF, None, one.cond, 0, ()))
            else:
                steps.append((RET, None, one.src, 0, ()))
        for index, target in jumps:
            kind, function, args, _, killed = steps[index]
            steps[index] = kind, function, args, moved[target], killed
        return Decoded(self.code, steps, self.template, sites, origins)

    def _killed(self, one: Instruction) -> tuple[int, ...]:
        """Return the registers that an instruction kills."""
        if not isinstance(one, Call) or self.executable.functions[one.function].name != "vm.kill":
            return ()
        return tuple([arg.value for arg in one.args])

    def _targets(self) -> set[int]:
        found: set[int] = set()
        for at, one in enumerate(self.code.instructions):
            if isinstance(one, Goto):
                found.add(at + one.offset)
            elif isinstance(one, If):
                found |= {at + 1, at + one.false_offset}
        return found

    def _slot(self, operand: Operand) -> int:
        """Return where in the list of values an operand is."""
        if operand.kind == REGISTER:
            return operand.value
        found = self.slots.get(operand)
        if found is None:
            found = self.slots[operand] = len(self.template)
            self.template.append(self._fixed(operand))
        return found

    def _fixed(self, operand: Operand) -> object:
        if operand.kind == NUMBER:
            return operand.value
        if operand.kind == CONSTANT:
            return self.executable.constants[operand.value]
        assert operand.kind == FUNCTION
        row = self.executable.functions[operand.value]
        if row.code is not None and row.code.signature.name is None:
            return row.code
        return self.machine.globals[row.name]

    def _call(self, one: Call) -> Step:
        row = self.executable.functions[one.function]
        args = tuple([self._slot(arg) for arg in one.args])
        killed = self._killed(one)
        if killed:
            return PLAIN, _nothing, (), self.void, killed
        if one.dst == VOID:  # the value is dropped at once, as nothing else may keep it alive
            kind, function, slots, dst, _ = self._step(one, row, args, self.void)
            return kind, function, slots, dst, (self.void,)
        return self._step(one, row, args, one.dst)

    def _step(self, one: Call, row: Function, args: tuple[int, ...], dst: int) -> Step:
        site: Any = self.executable.sites[one.site] if one.site >= 0 else None
        call: Any = site.value if isinstance(site, tree.Binding) else site
        if row.kind == BUILTIN:
            return self._builtin(row.name, site, args, dst)
        if row.kind == OPERATOR:
            return self._operator(row.name, call, args, dst)
        if row.kind == PRIM:
            assert row.prim_func is not None
            return PLAIN, direct_call(call, row.prim_func)(self.machine), args, dst, ()
        return CLOSURE, (self.machine.globals[row.name], call), args, dst, ()

    def _builtin(self, name: str, site: Any, args: tuple[int, ...], dst: int) -> Step:
        if name == "vm.make_tuple":
            return PLAIN, _tuple_of, args, dst, ()
        if name == "vm.move":
            return ONE, _itself, args[0], dst, ()
        run = BUILTINS[name].run
        if name == "vm.make_shape":
            return FRAMED, _remembering(run, self.template[args[0]]), args, dst, ()

        def call(frame: Frame, values: Sequence[object]) -> object:
            return run(frame, site, values)

        return FRAMED, call, args, dst, ()

    def _operator(self, name: str, call: tree.Call, args: tuple[int, ...], dst: int) -> Step:
        special = SPECIAL.get(name) or interpreter.CLOSURE_CALLS.get(name)
        if special is not None:

            def run(frame: Frame, values: Sequence[object]) -> object:
                return special(call, values, frame.scope)

            return FRAMED, run, args, dst, ()
        function = self._kernel(name, call)
        if len(args) == 1:
            return ONE, function, args[0], dst, ()
        return TWO if len(args) == 2 else PLAIN, function, args, dst, ()

    def _kernel(self, name: str, call: tree.Call) -> Callable[..., object]:
        """Return what runs an operator; one that cannot be prepared fails where it is called."""
        try:
            prepared: Prepared = prepare(call, name)
        except RunFailure as failure:
            return _fail(failure)
        if not self.shares:
            return prepared.bound(self.machine.memory)
        key = prepared.key()
        shared = self.machine.shared_operators
        if key not in shared:
            shared[key] = prepared.bound(self.machine.memory)
        return shared[key]


def _nothing() -> None:
    """Do what an instruction does that only kills."""


def _itself(value: object) -> object:
    return value


def _tuple_of(*values: object) -> tuple[object, ...]:
    return values


def _remembering(run: Run, dims: Any) -> Callable[[Frame, Sequence[object]], object]:
    """Return what computes a shape, anew only if its shape variables have other values than before."""
    names = list(dict.fromkeys([use.name for use in names_in(dims)]))
    last: tuple[list[int] | None, object] = (None, None)

    def make(frame: Frame, values: Sequence[object]) -> object:
        nonlocal last
        known = frame.scope.shape_vars
        sizes = [known[name] for name in names if name in known]
        seen, made = last  # one tuple, so that threads never see half of an update
        if sizes != seen:
            made = run(frame, None, values)
            last = (sizes, made) if len(sizes) == len(names) else (None, None)
        return made

    return make


def _fail(failure: RunFailure) -> Callable[..., object]:
    def run(*_: object) -> object:
        raise RunFailure(failure.slug, failure.message, failure.node, **failure.facts)

    return run
