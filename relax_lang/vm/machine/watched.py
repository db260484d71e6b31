"""The loop that notifies instruments of bindings, as the interpreter does. [X.10]

The instructions of a binding have its site. It begins with the first of them and has its value after the last one; one
with an `if` where its branches come together. Bindings that make no instruction, `let y = x` and constants that are
only looked at, are not seen.
"""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.runtime.interpreter.machine import Activation
from relax_lang.syntax import tree
from relax_lang.vm.executable import BUILTIN
from relax_lang.vm.instructions import Call
from relax_lang.vm.machine.decoded import CLOSURE, FRAMED, GOTO, IF, ONE, RET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from relax_lang.runtime.interpreter.machine import Instrumentation, Machine
    from relax_lang.vm.builtins import Frame
    from relax_lang.vm.executable import Executable
    from relax_lang.vm.machine.decoded import Decoded, Step

CHECKED = {"vm.check_annotation": 0, "vm.match_cast": 1}
"""Checks, and which of their operands is the value of the binding."""

_BETWEEN = ("vm.kill", "vm.enter_scope", "vm.leave_scope")


class Notes(NamedTuple):
    """What there is to say, by the number of a step.

    Bindings that begin with it; those that have their value after it, and where the value is; those that have it before
    it, since branches of theirs come together there; and the operands of a call by their names.
    """

    begins: dict[int, tree.Binding]
    ends: dict[int, tuple[tree.Binding, int]]
    joins: dict[int, tuple[tree.Binding, int]]
    operands: dict[int, list[tuple[str, int]]]


def notes_of(decoded: Decoded, executable: Executable) -> Notes:
    """Return where bindings begin and end in the code of a function."""
    notes = Notes({}, {}, {}, {})
    steps, sites = decoded.steps, decoded.sites
    at = 0
    while at < len(steps):
        site = sites[at]
        if not isinstance(site, tree.Binding) or _is_between(decoded, executable, at):
            at += 1
            continue
        end = at
        _note_operands(notes, decoded, at, site.value)
        while end + 1 < len(steps) and sites[end + 1] is site and end + 1 not in notes.joins:
            end += 1
            _note_operands(notes, decoded, end, site.value)
        going_on = notes.joins.get(at)
        if going_on is not None and going_on[0] is site:
            del notes.joins[at]  # checks of what an `if` gave
        else:
            notes.begins[at] = site
        if end + 1 < len(steps) and steps[end + 1][0] == IF and isinstance(site.value, tree.If):
            _note_join(notes, steps, end + 1, site)
        else:
            notes.ends[end] = site, _value_of(decoded, executable, end)
        at = end + 1
    return notes


def _is_between(decoded: Decoded, executable: Executable, at: int) -> bool:
    """Return whether a step belongs to no binding: it begins or ends a branch."""
    origin = decoded.origins[at]
    return isinstance(origin, Call) and executable.functions[origin.function].name in _BETWEEN


def _note_operands(notes: Notes, decoded: Decoded, at: int, value: tree.Expr) -> None:
    """Note the variables among the operands of a call, or of the tuple of arguments that it takes."""
    if not isinstance(value, tree.Call):
        return
    args: Any = decoded.steps[at][2]
    slots: list[int] = [args] if type(args) is int else list(args)
    for written in (value.args, *[one.fields for one in value.args if isinstance(one, tree.Tuple)]):
        if len(written) == len(slots):
            pairs = zip(written, slots, strict=True)
            named = [(one.name_hint, slot) for one, slot in pairs if isinstance(one, tree.Var)]
            if named:
                notes.operands[at] = named
            return


def _note_join(notes: Notes, steps: list[Step], at: int, site: tree.Binding) -> None:
    """Note where the branches of an `if` come together: behind the jump at the end of the first one."""
    last = steps[at][3] - 1
    if steps[last][0] == GOTO and last > at:
        notes.joins[steps[last][3]] = site, steps[last - 1][3]


def _value_of(decoded: Decoded, executable: Executable, at: int) -> int:
    """Return where the value of a binding is after its last step."""
    origin = decoded.origins[at]
    if isinstance(origin, Call):
        row = executable.functions[origin.function]
        which = CHECKED.get(row.name) if row.kind == BUILTIN else None
        if which is not None:
            return decoded.steps[at][2][which]
    return decoded.steps[at][3]


def watched(  # noqa: C901 - one function, as the loop itself
    machine: Machine, frame: Frame, values: list[Any], at: list[int], decoded: Decoded, notes: Notes
) -> Generator[Activation, object, object]:
    """Run decoded instructions as the loop of `linked` does; `at` has the one that runs."""
    watch = machine.watch
    assert watch is not None
    frame.scope.variables.update(
        zip([param.name_hint for param in decoded.code.signature.params], values, strict=False)
    )
    entered = False
    pc = 0
    while True:
        at[0] = pc
        kind, function, args, dst, killed = decoded.steps[pc]
        if not entered and not _is_check(decoded, pc):
            entered = True
            watch.enter(frame.closure.name)
        if pc in notes.joins:
            _tell(watch, frame, *notes.joins[pc], values)
        if pc in notes.begins:
            watch.begin(notes.begins[pc])
        for name, slot in notes.operands.get(pc, ()):
            frame.scope.variables[name] = values[slot]
        if kind == RET:
            watch.leave()
            return values[args]
        if kind in (IF, GOTO):
            pc = dst if kind == GOTO or not values[args] else pc + 1
            continue
        value: object
        if kind == CLOSURE:
            called, site = function
            value = yield machine.activate(machine, called, tuple([values[one] for one in args]), site)
        elif kind == FRAMED:
            value = function(frame, [values[one] for one in args])
            if type(value) is Activation:
                value = yield value
        elif kind == ONE:
            value = function(values[args])
        else:
            value = function(*[values[one] for one in args])
        values[dst] = value
        if pc in notes.ends:
            _tell(watch, frame, *notes.ends[pc], values)
        for one in killed:
            values[one] = None
        pc += 1


def _is_check(decoded: Decoded, at: int) -> bool:
    """Return whether a step checks the arguments, which comes before a function is entered."""
    return at == 0 and decoded.sites[0] is decoded.code.signature


def _tell(watch: Instrumentation, frame: Frame, binding: tree.Binding, slot: int, values: list[Any]) -> None:
    """Say that a binding has its value; those who watch may ask for it by its name from now on."""
    if binding.var is not None:
        frame.scope.variables[binding.var.name_hint] = values[slot]
    watch.bound(values[slot], frame.scope)
