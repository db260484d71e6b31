"""Functions with explicit memory, for arguments of certain dtypes and shapes.

In a lowered program sizes come from a shape heap, tensors are places in storages, and PrimFuncs are called with them.
In a function without branches all of that follows from the dtypes and shapes of the arguments. So the second call with
some dtypes and shapes is recorded, and later ones with the same run a shorter form: checks and sizes are left out, and
where a PrimFunc makes a whole tensor, its call makes it, if no other tensor with the same bytes lives at that time. A
storage of which all tensors are made so is not allocated; every other one is, and has its tensors where they were.
A result that may be written over an input which is made so, and dies with the call, is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from relax_lang.analysis.effects import calls_out, stored_to
from relax_lang.ops.definitions.program.memory import ALLOCATING, KILLING, PLACING
from relax_lang.runtime.interpreter.dps import check_arguments
from relax_lang.runtime.values.tensors import specs_of
from relax_lang.syntax import tree
from relax_lang.tir.ir.signature import TensorSpec, scalars
from relax_lang.tir.options.sharing import Sharing
from relax_lang.values import Storage
from relax_lang.vm.executable import BUILTIN, OPERATOR, PRIM
from relax_lang.vm.instructions import Call
from relax_lang.vm.machine.decoded import FRAMED, ONE, PLAIN, RET, THREE, TWO, Decoded
from relax_lang.vm.machine.form_steps import (
    address,
    binding,
    placing,
    storing,
    with_second_way,
    without_checks,
    written_over,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

    from relax_lang.runtime.interpreter.machine import Activation, Machine
    from relax_lang.vm.builtins import Frame
    from relax_lang.vm.executable import Executable
    from relax_lang.vm.machine.decoded import Step

    Specs = tuple[Any, ...]

MOST_FORMS = 8
"""A function has forms for no more combinations of dtypes and shapes."""

_SIZE, _STORAGE, _TENSOR, _CALL, _VALUE, _END, _KILL = range(7)
"""What a step is about: sizes and checks of them, a storage, a place in one, the call of a PrimFunc, a tuple, the
result, or nothing but kills."""
_SIZES = {
    BUILTIN: frozenset(
        ["vm.check_arguments", "vm.check_result", "vm.check_annotation", "vm.make_prim_value", "vm.make_shape"]
    ),
    OPERATOR: frozenset(
        [
            "vm.alloc_shape_heap", "vm.match_shape", "vm.make_shape", "vm.make_prim_value",
            "vm.check_tensor_info", "vm.check_shape_info", "vm.check_tuple_info",
        ]
    ),
}  # fmt: skip


class _Tensor(NamedTuple):
    """A tensor in a storage: the step that places it, its bytes, and the first and the last step that use it."""

    step: int
    start: int
    end: int
    first: int
    last: int


def specialized(decoded: Decoded, executable: Executable) -> Specialized | None:
    """Return the forms of a function; None if it has no explicit memory, or could do different things."""
    found = _outline(decoded, executable)
    return None if found is None else Specialized(decoded, executable, *found)


def _outline(decoded: Decoded, executable: Executable) -> tuple[list[int], list[list[int]]] | None:
    """Return what each step is about, and which steps made its operands: less than 0 for parameters and constants."""
    code = decoded.code
    if code.captures or code.own or not decoded.steps or decoded.steps[-1][0] != RET:
        return None
    roles: list[int] = []
    operands: list[list[int]] = []
    made = {at: -1 - at for at in range(code.entries)}
    for at, (kind, _, args, dst, killed) in enumerate(decoded.steps):
        taken: list[int] = [args] if kind in (ONE, RET) else list(args or ())
        sources: list[int] = [made.get(one, -1 - one) for one in taken]
        role = _role(decoded, executable, at, [roles[one] if one >= 0 else _VALUE for one in sources])
        if role is None:
            return None
        roles.append(role)
        operands.append(sources)
        made[dst] = at
        for one in killed:
            made.pop(one, None)
    return (roles, operands) if _TENSOR in roles else None


def _role(decoded: Decoded, executable: Executable, at: int, given: list[int]) -> int | None:
    """Return what a step is about, given that of its operands; None if it could do anything."""
    origin = decoded.origins[at]
    if decoded.steps[at][0] == RET:
        fine = at == len(decoded.steps) - 1 and given[0] in (_TENSOR, _VALUE)
        return _END if fine else None
    if not isinstance(origin, Call):
        return None
    row = executable.functions[origin.function]
    if row.kind == PRIM and row.prim_func is not None:
        return _role_of_call(row.prim_func, given)
    if row.name in _SIZES.get(row.kind, ()):
        return _SIZE
    if row.name == "vm.kill" or (row.kind == OPERATOR and row.name in KILLING):
        return _KILL
    if row.kind == OPERATOR and row.name in ALLOCATING:
        return _STORAGE
    if row.kind == OPERATOR and row.name in PLACING:
        return _TENSOR if given[0] == _STORAGE else None
    fields = row.kind == BUILTIN and row.name == "vm.make_tuple"
    return _VALUE if fields and not {*given} - {_TENSOR, _VALUE} else None


def _role_of_call(func: tree.PrimFunc, given: list[int]) -> int | None:
    if calls_out(func) or scalars(func) or func.ret_dtype is not None:
        return None
    if given == [_SIZE]:  # a shape function: it has the shape heap, which nothing else writes, and no data
        return _SIZE
    return _CALL if not {*given} - {_TENSOR, _VALUE} else None


class Specialized:
    """The forms of one function on one machine, by the dtypes and shapes of its arguments."""

    __slots__ = ("_decoded", "_executable", "_forms", "_operands", "_roles", "generate")

    def __init__(
        self, decoded: Decoded, executable: Executable, roles: list[int], operands: list[list[int]]
    ) -> None:
        self._decoded = decoded
        self._executable = executable
        self._roles = roles
        self._operands = operands
        self._forms: dict[Specs, Decoded | None] = {}
        self.generate: Callable[[Decoded], Any] | None = None
        """What makes Python of a form, if that is wanted."""

    def form(self, arguments: Sequence[object]) -> Decoded:
        """Return the code that a call with these arguments runs."""
        try:
            specs: Specs = tuple(map(specs_of, arguments))
        except AttributeError:
            return self._decoded
        found = self._forms.get(specs, self)
        if isinstance(found, Decoded):
            return found
        if found is self:
            if len(self._forms) >= MOST_FORMS or not all(one[0] is np.ndarray for one in specs):
                return self._decoded
            is_first = not self._forms
            self._forms[specs] = None
            if not is_first:  # the function was called before it got here
                return self._decoded
        return self._recording(specs)

    def _recording(self, specs: Specs) -> Decoded:
        """Return code that runs as it is, and finds out what is the same in calls like this one."""
        decoded = self._decoded

        def record(
            machine: Machine, frame: Frame, values: list[Any], at: list[int]
        ) -> Generator[Activation, object, object]:
            recorder = _Recorder(decoded, self._executable, machine, self._roles, self._operands)
            result = recorder.run(frame, values, at)
            form = recorder.form()
            if self.generate is not None:
                form.python = self.generate(form)
            self._forms[specs] = form
            return result
            yield  # never reached: it makes this a generator

        made = Decoded(decoded.code, decoded.steps, decoded.template, decoded.sites, decoded.origins)
        made.python = record
        return made


class _Recorder:
    """Runs one call, and makes the form for calls like it."""

    def __init__(
        self,
        decoded: Decoded,
        executable: Executable,
        machine: Machine,
        roles: list[int],
        operands: list[list[int]],
    ) -> None:
        self.decoded = decoded
        self.executable = executable
        self.machine = machine
        self.roles = roles
        self.operands = operands
        self.dims: dict[str, Any] = {}
        self.made: dict[int, Any] = {}
        """What steps made: storages and tensors, by their memory alone."""
        self.made_by_call: dict[int, Step] = {}
        """The calls that can make what they are given last."""
        self.made_over: dict[int, tuple[int, Callable[..., object]]] = {}
        """Those of them that can write it over what some step made."""
        self.called: dict[int, Step] = {}

    def run(self, frame: Frame, values: list[Any], at: list[int]) -> object:
        """Run the call, as the loop does."""
        for pc, (kind, function, args, dst, killed) in enumerate(self.decoded.steps):
            at[0] = pc
            if kind == RET:
                self.dims = dict(frame.scope.shape_vars)
                return values[args]
            given = [values[args]] if kind == ONE else [values[one] for one in args]
            if self.roles[pc] == _CALL:
                self._plan(pc, given)
            value = function(frame, given) if kind == FRAMED else function(*given)
            if isinstance(value, Storage):
                self.made[pc] = address(value.octets), value.size
            elif self.roles[pc] == _TENSOR:
                self.made[pc] = address(value), value.nbytes, value.shape, value.dtype
            values[dst] = value
            for one in killed:
                values[one] = None
        raise AssertionError("code ends with its result")

    def _plan(self, pc: int, arrays: list[Any]) -> None:
        """Plan a call: without checks, and as one that makes its result."""
        _, _, args, dst, killed = self.decoded.steps[pc]
        origin = self.decoded.origins[pc]
        assert isinstance(origin, Call)
        func = self.executable.functions[origin.function].prim_func
        site: Any = self.decoded.sites[pc]
        call: Any = site.value if isinstance(site, tree.Binding) else site
        assert func is not None
        dims = check_arguments(call, func, (arrays, (), ()), ())
        prim_funcs = self.machine.prim_funcs
        store = without_checks(prim_funcs.prepared(func), call, dims)
        self.called[pc] = PLAIN, store, args, dst, killed
        last = self.operands[pc][-1]
        is_one = [param.name for param in func.params if param.name in stored_to(func)] == [
            func.params[-1].name
        ]
        if not is_one or last < 0 or self.roles[last] != _TENSOR or self.operands[pc].count(last) > 1:
            return
        *inputs, result = arrays
        wanted = TensorSpec(result.dtype.name, result.shape)
        if prim_funcs.divided(func, arrays) is not None:
            return
        dying = [
            position
            for position, one in enumerate(self.operands[pc][:-1])
            if one >= 0 and self.roles[one] == _TENSOR and self.operands[pc].count(one) == 1
        ]
        plan = prim_funcs.planned(func, inputs, [wanted], (), False, Sharing(over=tuple(dying)))
        if plan is None or not plan.makes:
            return
        run = plan.run if plan.certain else with_second_way(plan.run, plan.gives_up, store, result)
        kind = {1: ONE, 2: TWO, 3: THREE}.get(len(inputs), PLAIN)
        if plan.over is not None:
            over, position = plan.over
            self.made_over[pc] = self.operands[pc][position], written_over(over, position, run, func, call)
        given = args[0] if kind == ONE else args[:-1]
        self.made_by_call[pc] = kind, run, given, args[-1], tuple([one for one in killed if one != dst])

    # The form.

    def form(self) -> Decoded:
        """Return the code for calls like the one that ran."""
        decoded = self.decoded
        gone, makers, last = self._dissolved()
        for at in makers & set(self.made_over):
            source, over = self.made_over[at]
            if source in gone and last[source] == at:
                kind, _, args, dst, killed = self.made_by_call[at]
                self.made_by_call[at] = kind, over, args, dst, killed
        bind = FRAMED, binding(self.dims), (), decoded.code.registers, ()
        steps: list[Step] = [bind]
        sites: list[tree.Node | None] = [None]
        origins = [decoded.origins[0]]
        for at, (kind, function, args, dst, killed) in enumerate(decoded.steps):
            step = self._step(at, gone, makers, (kind, function, args, dst, killed))
            if step is not None:
                steps.append(step)
                sites.append(decoded.sites[at])
                origins.append(decoded.origins[at])
            elif killed:
                before = steps[-1]
                steps[-1] = *before[:4], (*before[4], *killed)
        return Decoded(
            decoded.code, _killing_what_lives(steps, decoded.code.entries), decoded.template, sites, origins
        )

    def _step(self, at: int, gone: set[int], makers: set[int], step: Step) -> Step | None:
        """Return a step of the form; None if there is nothing left to do."""
        role, operands = self.roles[at], self.operands[at]
        kind, _, args, dst, killed = step
        if role in (_SIZE, _KILL) or at in gone:
            return None
        if role == _STORAGE:
            return PLAIN, storing(self.made[at][1]), (), dst, killed
        if role == _TENSOR:
            start, _, shape, dtype = self.made[at]
            return ONE, placing(start - self.made[operands[0]][0], shape, dtype), args[0], dst, killed
        if role == _CALL:
            return self.made_by_call[at] if at in makers else self.called[at]
        return kind, step[1], args, dst, killed

    def _dissolved(self) -> tuple[set[int], set[int], dict[int, int]]:
        """Return the storages that need not be allocated, and their tensors, which are steps that the form leaves out;
        the calls that make these tensors; and the last step that uses what a step made.
        """
        tensors: dict[int, list[_Tensor]] = {}
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        for at, role in enumerate(self.roles):
            for one in self.operands[at] if role in (_CALL, _VALUE, _END) else ():
                first.setdefault(one, at)
                # A tuple may keep it.
                last[one] = max(last.get(one, 0), at if role == _CALL else len(self.roles))
        for at, role in enumerate(self.roles):
            if role == _TENSOR:
                start, size, *_ = self.made[at]
                storage = self.operands[at][0]
                there = tensors.setdefault(storage, [])
                there.append(_Tensor(at, start, start + size, first.get(at, -1), last.get(at, -1)))
        gone: set[int] = set()
        makers: set[int] = set()
        for storage, there in tensors.items():
            if all(self._is_made(one) for one in there) and _never_share(there):
                gone |= {storage, *[one.step for one in there]}
                makers.update([one.first for one in there])
        return gone, makers, last

    def _is_made(self, tensor: _Tensor) -> bool:
        """Return whether the first call that is given a tensor can make it."""
        return tensor.first in self.made_by_call and self.operands[tensor.first][-1] == tensor.step


def _never_share(tensors: Sequence[_Tensor]) -> bool:
    """Return whether no two tensors that live at one time have a byte in common."""
    living: list[_Tensor] = []
    for one in sorted(tensors, key=lambda tensor: tensor.first):
        living = [other for other in living if other.last >= one.first]
        if any(one.start < other.end and other.start < one.end for other in living):
            return False
        living.append(one)
    return True


def _killing_what_lives(steps: Sequence[Step], entries: int) -> list[Step]:
    """Return steps that kill each value once: sizes and storages that are left out need not be killed."""
    live = set(range(entries))
    found: list[Step] = []
    for kind, function, args, dst, killed in steps:
        live.add(dst)
        dead = tuple([one for one in dict.fromkeys(killed) if one in live])
        live.difference_update(dead)
        found.append((kind, function, args, dst, dead))
    return found
