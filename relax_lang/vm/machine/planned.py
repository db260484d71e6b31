"""Code of a function that is called again: calls of operators whose checks certainly succeed are NumPy's own functions.

What is certain of the values in registers is what the engine knows of variables (`runtime.compiler.refinements`):
checks that were made confirm it, and the rules of operators conclude from that. Of a file nothing is believed that the
machine does not check itself.

A result that is as large as an operand which dies with the call is written over that, if one of these calls made it and
nothing else can have it: neither a tuple nor a closure, no other register, and nothing that was called.
"""

from __future__ import annotations

import numpy as np

from relax_lang.analysis.effects import calls_out
from relax_lang.analysis.escape import TIR_CALLS, closed_prim_func
from relax_lang.arith.evaluate import names_in
from relax_lang.base.names import FreshNames
from relax_lang.ops.core.operator import BY_KERNEL
from relax_lang.ops.numpy_kernels.ufuncs import BINARY, UNARY
from relax_lang.ops.registry import is_built_in, lookup
from relax_lang.runtime.compiler.codegen.calls import certain_dims
from relax_lang.runtime.compiler.codegen.numpy_calls import asked_for, result_of_ufunc
from relax_lang.runtime.compiler.refinements import Refinements, dtype_of, sizes_of
from relax_lang.runtime.compiler.tir_calls import planned_tir_call
from relax_lang.runtime.interpreter.dps import result_infos
from relax_lang.runtime.values.tensors import is_tensor
from relax_lang.syntax import tree
from relax_lang.tir.ir.signature import scalars
from relax_lang.values import ShapeValue
from relax_lang.vm.executable import BUILTIN, OPERATOR, PRIM
from relax_lang.vm.instructions import CONSTANT, FUNCTION, REGISTER, Call
from relax_lang.vm.machine.decoded import FRAMED, GOTO, IF, ONE, RET, THREE, TWO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.ops.core.operator import Operator
    from relax_lang.runtime.interpreter.machine import Machine
    from relax_lang.vm.builtins import Frame
    from relax_lang.vm.executable import Executable
    from relax_lang.vm.instructions import Operand
    from relax_lang.vm.machine.decoded import Decoded, Step

    Rule = Callable[["_Planner", Call, Any], "tree.StructInfo | None"]


def plan(decoded: Decoded, executable: Executable, machine: Machine) -> list[Step]:
    """Return the steps of a function, as many as before, those that can be shorter are."""
    planner = _Planner(decoded, executable, machine)
    return [planner.step(at) for at in range(len(decoded.steps))]


class _Planner:
    """Goes over the steps of a function once: jumps go forward."""

    def __init__(self, decoded: Decoded, executable: Executable, machine: Machine) -> None:
        self.decoded = decoded
        self.machine = machine
        self.executable = executable
        self.facts: Refinements | None = Refinements(FreshNames())
        """What is certain where the current step begins; None where nothing leads."""
        self.own: set[int] = set()
        """The registers whose tensors these calls made, and nothing else has."""
        self.arriving: dict[int, Refinements] = {}
        self.dims: set[str] = set(decoded.code.dims)
        """The shape variables that are bound on some way."""
        self.prim_funcs = {
            row.name: row.prim_func for row in executable.functions if row.prim_func is not None
        }

    def step(self, at: int) -> Step:
        """Return a step as it is planned, and take over what is certain after it."""
        step = self.decoded.steps[at]
        self._arrive(at)
        facts, origin = self.facts, self.decoded.origins[at]
        if facts is None:
            return step
        kind, _, _, target, killed = step
        if kind in (IF, GOTO):
            self._leave(target)
            if kind == GOTO:
                self.facts = None
        elif kind == RET:
            self.facts = None
        elif isinstance(origin, Call):
            step = self._call(facts, origin, step)
        for one in killed:
            facts.drop(_name(one))
            self.own.discard(one)
        return step

    def _arrive(self, at: int) -> None:
        other = self.arriving.pop(at, None)
        if other is None:
            return
        self.own.clear()
        if self.facts is None:
            self.facts = other
            return
        held = {key: value for key, value in self.facts.held.items() if key in other.held}
        self.facts.join(self.facts, other)
        self.facts.held = held

    def _leave(self, target: int) -> None:
        assert self.facts is not None
        before = self.arriving.get(target)
        if before is None:
            self.arriving[target] = self.facts.copy()
        else:
            before.join(before, self.facts)

    def _call(self, facts: Refinements, origin: Call, step: Step) -> Step:
        row = self.executable.functions[origin.function]
        site: Any = self.executable.sites[origin.site] if origin.site >= 0 else None
        info: tree.StructInfo | None = None
        if row.kind == PRIM:
            assert row.prim_func is not None
            if calls_out(row.prim_func):
                facts.forget()
        elif row.kind == OPERATOR:
            called: Any = site.value if isinstance(site, tree.Binding) else site
            step, info = self._operator(facts, row.name, called, origin, step)
        elif row.kind == BUILTIN:
            rule = _BUILTINS.get(row.name)
            if rule is not None:
                info = rule(self, origin, site)
        else:
            facts.forget()
        facts.drop(_name(step[3]))
        facts.refine(_name(step[3]), info)
        self._own(origin, row.name if row.kind == BUILTIN else "", step)
        return step

    def _own(self, origin: Call, builtin: str, step: Step) -> None:
        """Take over what the tensors of a call are shared with."""
        direct = isinstance(step[1], np.ufunc) or step[1] in _INTO.values()
        if not direct and builtin not in _ONLY_LOOKING:
            self.own.difference_update([arg.value for arg in origin.args if arg.kind == REGISTER])
        self.own.discard(step[3])
        if direct:
            self.own.add(step[3])

    # Operators.

    def _operator(
        self, facts: Refinements, name: str, call: tree.Call, origin: Call, step: Step
    ) -> tuple[Step, tree.StructInfo | None]:
        if name in TIR_CALLS:
            return self._call_tir(facts, call, origin, step)
        operator = lookup(name)
        if operator is None or operator.evaluated != BY_KERNEL or not is_built_in(operator):
            facts.forget()
            return step, None
        infos = [self.info(arg) for arg in origin.args]
        ufunc = (BINARY if len(infos) == 2 else UNARY).get(name)
        if ufunc is not None and not call.attrs and step[0] in (ONE, TWO):
            result = result_of_ufunc(infos, ufunc)
            if result is not None:
                key = asked_for(infos)
                if key is not None and key not in facts.held:
                    facts.held[key] = ""  # this one asks, with all its checks
                elif sizes_of(result):  # NumPy gives numbers for tensors of rank 0
                    step = self._direct(getattr(np, ufunc.function), ufunc.after, step)
                    step = self._overwriting(origin, result, step)
                return step, result
        return step, self._concluded(facts, operator, call, origin)

    def _call_tir(
        self, facts: Refinements, call: tree.Call, origin: Call, step: Step
    ) -> tuple[Step, tree.StructInfo | None]:
        callee = origin.args[0]
        func = self.executable.functions[callee.value].prim_func if callee.kind == FUNCTION else None
        if func is None or calls_out(func):
            facts.forget()
            return step, None
        result = call.struct_info
        if result is None or not _is_plain(result):
            return step, None
        passed = self.info(origin.args[1])
        if closed_prim_func(call, self.prim_funcs) is func and isinstance(passed, tree.TupleStructInfo):
            step = self._planned_tir(call, func, passed.fields, step)
        return step, result

    def _planned_tir(
        self, call: tree.Call, func: tree.PrimFunc, infos: Sequence[tree.StructInfo], step: Step
    ) -> Step:
        """Return a call whose arguments are certain to fit as the engine plans it."""
        written = call.args[1]
        numbers = call.args[2:]
        dims = certain_dims(infos, call, self.dims)
        if (
            dims is None
            or not isinstance(written, tree.Tuple)
            or len(written.fields) != len(infos)
            or len(numbers) != bool(scalars(func))
            or not all(isinstance(one, tree.ShapeExpr) for one in numbers)
            or not all(isinstance(one.shape, tree.ShapeExpr) for one in result_infos(call))
        ):
            return step
        run = planned_tir_call(call, func, dims)(self.machine)

        def call_planned(frame: Frame, values: Sequence[Any]) -> object:
            return run(*values[1])

        def call_sized(frame: Frame, values: Sequence[Any]) -> object:
            sizes = frame.scope.shape_vars
            return run(*[sizes[name] for name in dims], *values[1])

        _, _, args, dst, killed = step
        return FRAMED, call_sized if dims else call_planned, args, dst, killed

    def _direct(self, function: Callable[..., object], after: str, step: Step) -> Step:
        kind, _, args, dst, killed = step
        if after:  # relu is the maximum of a tensor and 0
            return TWO, function, (args, self.decoded.fixed(int(after))), dst, killed
        return kind, function, args, dst, killed

    def _overwriting(self, origin: Call, result: tree.TensorStructInfo, step: Step) -> Step:
        """Return a call that writes its result over an operand, if one can take it."""
        kind, function, args, dst, killed = step
        wanted = dtype_of(result), sizes_of(result)
        for arg in origin.args:
            if arg.kind == REGISTER and arg.value in self.own and arg.value in killed:
                info = self.info(arg)
                if (dtype_of(info), sizes_of(info)) == wanted:  # as an operand in order, it costs least
                    given = (args,) if kind == ONE else args
                    into = _INTO.get(function, function)
                    return TWO if kind == ONE else THREE, into, (*given, arg.value), dst, killed
        return step

    def _concluded(
        self, facts: Refinements, operator: Operator, call: tree.Call, origin: Call
    ) -> tree.StructInfo | None:
        """Return what an operator's rule gives for its result."""
        args = tuple([self._argument(arg) for arg in origin.args])
        if None in args:
            return None
        written = tree.Call(call.op, args, call.attrs, call.struct_info)  # pyright: ignore[reportArgumentType] - none is None
        found = facts.of_call(operator, written)
        return found if isinstance(found, tree.TensorStructInfo | tree.TupleStructInfo) else None

    def _argument(self, arg: Operand) -> tree.Expr | None:
        """Return an operand as rules see it."""
        if arg.kind == REGISTER:
            return tree.Var(_name(arg.value), None)
        if arg.kind != CONSTANT:
            return None
        value = self.executable.constants[arg.value]
        if isinstance(value, ShapeValue):
            return tree.ShapeExpr(tuple([tree.IntImm(size) for size in value.values]))
        if is_tensor(value):
            name = f"{_name(arg.value)}c"
            assert self.facts is not None
            self.facts.refine(name, self.info(arg))
            return tree.Var(name, None)
        return None

    def info(self, arg: Operand) -> tree.StructInfo:
        """Return what is certain of an operand."""
        assert self.facts is not None
        if arg.kind == REGISTER:
            return self.facts.named(_name(arg.value))
        value: Any = self.executable.constants[arg.value] if arg.kind == CONSTANT else None
        if is_tensor(value):
            dims = tuple([tree.IntImm(size) for size in value.shape])
            return tree.TensorStructInfo(tree.ShapeExpr(dims), tree.DType(value.dtype.name), None)
        return tree.ObjectStructInfo()

    # What checks confirm.

    def confirm(self, arg: Operand, info: tree.StructInfo | None, proved: bool) -> None:
        """Take over that a value fits an annotation."""
        if proved and self.executable.from_file:
            self.distrust()
        elif info is not None and arg.kind == REGISTER and _is_plain(info):
            assert self.facts is not None
            self.facts.refine(_name(arg.value), info)
            self.dims.update([use.name for use in names_in(info)])

    def distrust(self) -> None:
        """Begin anew where a file could give names of sizes another meaning."""
        assert self.facts is not None
        self.facts.forget()
        self.facts.held.clear()


def _is_plain(info: tree.StructInfo) -> bool:
    if isinstance(info, tree.TupleStructInfo):
        return all(_is_plain(field) for field in info.fields)
    return isinstance(info, tree.TensorStructInfo) and not isinstance(info.shape, tree.Var)


def _name(slot: int) -> str:
    """Return the name under which facts have the value of a register."""
    return f"%{slot}"


def _arguments(planner: _Planner, origin: Call, site: tree.Function) -> None:
    for param, arg in zip(site.params, origin.args[1:], strict=True):
        planner.confirm(arg, param.struct_info_annotation, bool(origin.args[0].value))


def _match_cast(planner: _Planner, origin: Call, site: tree.MatchCast) -> None:
    planner.confirm(origin.args[1], site.struct_info, bool(origin.args[0].value))


def _annotation(planner: _Planner, origin: Call, site: tree.Binding) -> None:
    assert site.var is not None
    planner.confirm(origin.args[0], site.var.struct_info_annotation, False)


def _tuple(planner: _Planner, origin: Call, _site: object) -> tree.StructInfo:
    return tree.TupleStructInfo(tuple([planner.info(arg) for arg in origin.args]))


def _field(planner: _Planner, origin: Call, _site: object) -> tree.StructInfo | None:
    info = planner.info(origin.args[0])
    index = origin.args[1].value
    if isinstance(info, tree.TupleStructInfo) and 0 <= index < len(info.fields):
        return info.fields[index]
    return None


def _same(planner: _Planner, origin: Call, _site: object) -> tree.StructInfo:
    return planner.info(origin.args[0])


def _shape(planner: _Planner, origin: Call, _site: object) -> tree.StructInfo | None:
    dims: Any = planner.executable.constants[origin.args[0].value]
    if origin.args[1].value and not all(_is_size(dim) for dim in dims.values):
        return None  # a `-1` may be among them
    return tree.ShapeStructInfo(dims.values, None)


def _is_size(dim: tree.PrimExpr) -> bool:
    return isinstance(dim, tree.PrimVar) or (isinstance(dim, tree.IntImm) and dim.value >= 0)


def _anything(planner: _Planner, _origin: Call, _site: object) -> None:
    assert planner.facts is not None
    planner.facts.forget()


def _leave_scope(planner: _Planner, _origin: Call, _site: object) -> None:
    if planner.executable.from_file:
        planner.distrust()


def _maximum_into(one: Any, two: Any, result: Any) -> Any:
    return np.maximum(one, two, out=result)


def _minimum_into(one: Any, two: Any, result: Any) -> Any:
    return np.minimum(one, two, out=result)


_INTO = {np.maximum: _maximum_into, np.minimum: _minimum_into}
"""NumPy's functions that do not take in order what to write into."""
_ONLY_LOOKING = ("vm.check_arguments", "vm.check_annotation", "vm.check_result", "vm.match_cast", "vm.kill")
"""Builtins that keep nothing of what they are given."""
_BUILTINS: dict[str, Rule] = {
    "vm.check_arguments": _arguments,
    "vm.match_cast": _match_cast,
    "vm.check_annotation": _annotation,
    "vm.make_tuple": _tuple,
    "vm.tuple_getitem": _field,
    "vm.constant": _same,
    "vm.move": _same,
    "vm.make_shape": _shape,
    "vm.call": _anything,
    "vm.leave_scope": _leave_scope,
}
"""What is certain of the result of a builtin, or of what it was given."""
