"""What generated code calls, beside NumPy and its own functions: one small function per place that needs it.

A *stub* is made once per place of a program, without a machine; `link` makes the function that generated code
calls on one machine. What goes wrong in them is found and worded by the interpreter's own procedures: stubs only
take the short way where it is known to lead to the same value.
"""

from __future__ import annotations

import numpy as np

from relax_lang.ops.calls.evaluate import as_value
from relax_lang.runtime.interpreter import interpreter
from relax_lang.runtime.interpreter.atoms import atom
from relax_lang.runtime.interpreter.machine import Activation, Scope
from relax_lang.runtime.values.match_cast import bind, compare, match_signature
from relax_lang.runtime.values.mismatch import Environment
from relax_lang.runtime.values.plain_signature import PlainSignature
from relax_lang.runtime.values.tensors import Remembered, is_tensor, is_tuple
from relax_lang.syntax import tree
from relax_lang.values import Closure, RunFailure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.runtime.calling.prepared_calls import Prepared
    from relax_lang.runtime.interpreter.machine import Machine

    Function = Callable[..., Any]
    Stub = Callable[[Machine], Any]
    Names = tuple[str, ...]


# Whatever has no shorter way: the interpreter evaluates it.


def interpreted(expr: tree.Expr, variables: Names, dims: Names) -> Stub:
    """Evaluate one right-hand side as the interpreter does; takes the variables and shape variables it mentions."""

    def link(machine: Machine) -> Function:
        def evaluate(*values: Any) -> object:
            named = dict(zip(variables, values, strict=False))
            scope = Scope(machine, named, _named(dims, values[len(variables) :]))
            return interpreter.evaluate(expr, scope)

        return evaluate

    return link


def atom_of(expr: tree.Expr, dims: Names) -> Stub:
    """Evaluate an atom that mentions nothing but shape variables."""

    def link(machine: Machine) -> Function:
        def evaluate(*sizes: int) -> object:
            return atom(expr, Scope(machine, {}, dict(zip(dims, sizes, strict=True))))

        return evaluate

    return link


def shared_constant(expr: tree.Constant) -> Stub:
    """Give the array of a constant itself, made when it is first needed. [X.1]"""

    def link(machine: Machine) -> Function:
        def get() -> object:
            known = machine.constants.get(expr)
            if known is None:
                atom(expr, Scope(machine, {}, {}))
                known = machine.constants[expr]
            return known

        return get

    return link


def global_value(name: str) -> Stub:
    """Give a global: a closure, or the tree of a PrimFunc. [X.0.1]"""
    return lambda machine: machine.globals[name]


def known(value: object) -> Stub:
    """Give a value that is the same on every machine."""
    return lambda _machine: value


def closure(function: tree.Function, name: str, variables: Names, dims: Names) -> Stub:
    """Make a closure; takes what it captures. [X.6]"""

    def make(*values: Any) -> Closure:
        captured = dict(zip(variables, values, strict=False))
        return Closure(function, name, captured, dict(zip(dims, values[len(variables) :], strict=True)))

    return known(make)


# Calls.


def applied(call: tree.Call) -> Stub:
    """Call whatever the callee is: gives a value, or what the machine has to run first. [X.9.2]"""

    def link(machine: Machine) -> Function:
        def apply(callee: object, *arguments: object) -> object:
            return interpreter.apply(callee, arguments, call, machine)

        return apply

    return link


def operator(prepared: Prepared, over: int | None = None, any_size: Function | None = None) -> Stub:
    """Call an operator with all its checks; a large result may be written over argument number `over`. [X.9.1]

    `any_size` runs it whatever the sizes are, dtypes and ranks being certain; where it raises, all checks are made.
    """
    return lambda machine: prepared.bound(machine.memory, over, any_size)


def reshaped(expr: tree.Call, variable: str, dims: Names) -> Stub:
    """Reshape a tensor, whose shape is given as NumPy takes it; where that is refused, the interpreter does it.

    Takes the tensor, the shape, and the shape variables that it is made of.
    """
    interpret = interpreted(expr, (variable,), dims)

    def link(machine: Machine) -> Function:
        again = interpret(machine)

        def reshape(x: Any, shape: tuple[int, ...], *sizes: int) -> object:
            try:
                return x.reshape(shape)
            except Exception:  # whatever it is, the interpreter reports it
                return again(x, *sizes)

        return reshape

    return link


def planned(prepared: Prepared, known: Sequence[Any], run: Function, converted: bool) -> Stub:
    """Call what a planned kernel gave for arguments of which all is known but the elements. [X.9.1]

    With `converted` NumPy may give a number for a tensor of rank 0.
    """
    wanted = prepared.wanted(known)

    def convert(*tensors: Any) -> object:
        return as_value(run(*tensors))

    def link(machine: Machine) -> Function:
        if wanted > machine.memory.max_bytes:
            return lambda *_tensors: machine.memory.check(wanted)
        return convert if converted else run

    return link


def estimate(prepared: Prepared) -> Stub:
    """Ask for the memory that results like this one need. [X.O5]"""
    size = prepared.estimate
    assert size is not None

    def link(machine: Machine) -> Function:
        check = machine.memory.check
        return lambda *args: check(size(args, prepared.options))

    return link


# Checks: they take the values, then shape variables, then the variables that infos mention. Those of bindings take the
# shape variables that infos mention; where they fail, the frame has the values of the others.


def arguments(
    function: tree.Function, bound_to: str, new: Names, dims: Names, variables: Names, proved: bool
) -> Stub:
    """Check the arguments of a call; gives the shape variables that they bind. [M.6]"""
    called = Closure(function, bound_to, {}, {})
    checked = [at for at, param in enumerate(function.params) if param.struct_info_annotation is not None]
    simple = not variables and not [
        at for at in checked if not _is_plain(function.params[at].struct_info_annotation)
    ]

    plain = PlainSignature.of([param.struct_info_annotation for param in function.params])
    if plain is not None and simple and not dims and new == plain.names:
        return _plain_arguments(
            plain, _arguments(called, (new, dims, variables), proved, simple), len(new) == 1
        )
    return _arguments(called, (new, dims, variables), proved, simple)


def _plain_arguments(plain: PlainSignature, otherwise: Stub, alone: bool) -> Stub:
    """Check the arguments of a call at first sight; those that have to be looked at closely, `otherwise`."""

    def link(machine: Machine) -> Function:
        check_closely = otherwise(machine)

        def check(*values: Any) -> Any:
            found = plain.sizes(values)
            return check_closely(*values) if found is None else found[0] if alone else found

        return check

    return link


def _arguments(called: Closure, names: tuple[Names, Names, Names], proved: bool, simple: bool) -> Stub:
    """Check the arguments of a call, and remember those that fit if the annotations are `simple`."""
    function, (new, dims, variables) = called.function, names
    assert isinstance(function, tree.Function)
    count = len(function.params)
    params = [param.name_hint for param in function.params]

    def link(machine: Machine) -> Function:
        seen = Remembered()

        def check(*given: Any) -> Any:
            values = given[:count]
            found = seen.find(values, given[count:]) if simple else None
            if found is None:
                others = dict(zip(variables, given[count + len(dims) :], strict=True))
                env = Scope(
                    machine, {**others, **dict(zip(params, values, strict=True))}, _named(dims, given[count:])
                )
                _match_arguments(called, values, env, proved)
                found = _sizes(new, env)
                if simple:
                    seen.keep(values, given[count:], found)
            return found

        return check

    return link


def _match_arguments(called: Closure, values: Sequence[object], env: Scope, proved: bool) -> None:
    function = called.function
    assert isinstance(function, tree.Function)
    if proved:
        for value, param in zip(values, function.params, strict=True):
            if param.struct_info_annotation is not None:
                bind(value, param.struct_info_annotation, env.shape_vars)
        return
    refused = match_signature(values, function.params, env)
    if refused is not None:
        failure = interpreter.argument_failure(called, *refused, None, env)
        failure.facts["at_call"] = True
        raise failure


def _named(dims: Names, sizes: Sequence[int]) -> dict[str, int]:
    return dict(zip(dims, sizes, strict=False))


def cast(binding: tree.MatchCast, new: Names, dims: Names, variables: Names, proved: bool) -> Stub:
    """Check a match_cast; gives the shape variables that it binds. [M.10]"""
    info = binding.struct_info

    def check(value: object, env: Scope) -> Any:
        if proved:
            bind(value, info, env.shape_vars)
        else:
            interpreter.match_cast(binding, value, env)
        return _sizes(new, env)

    return _check(check, _is_plain(info) and not variables, dims, variables, binding)


def annotation(binding: tree.Binding, dims: Names, variables: Names) -> Stub:
    """Check the annotation of a binding. [ERR.33]"""
    var = binding.var
    assert var is not None

    def check(value: object, env: Scope) -> bool:
        interpreter.check_annotation(var, binding, value, env)
        return True

    return _check(check, _is_plain(var.struct_info_annotation) and not variables, dims, variables, binding)


def _check(
    run: Callable[[object, Scope], Any], simple: bool, dims: Names, variables: Names, node: tree.Node
) -> Stub:
    def link(machine: Machine) -> Function:
        seen = Remembered()

        def check(value: Any, *given: Any) -> Any:
            found = seen.find((value,), given) if simple else None
            if found is None:
                named = dict(zip(variables, given[len(dims) :], strict=True))
                env = Scope(machine, named, _named(dims, given))
                try:
                    found = run(value, env)
                except RunFailure as failure:
                    failure.node = failure.node or node
                    failure.facts["bound"] = {
                        name: env.shape_vars[name] for name in env.shape_vars if name not in dims
                    }
                    raise
                if simple:
                    seen.keep((value,), given, found)
            return found

        return check

    return link


def result(function: tree.Function, bound_to: str, dims: Names, variables: Names) -> Stub:
    """Check the result of a function; gives it back. [M.7]"""
    called = Closure(function, bound_to, {}, {})
    info = function.ret_struct_info
    assert info is not None
    simple = _is_plain(info) and not variables

    def link(machine: Machine) -> Function:
        seen = Remembered()

        def check(value: Any, *given: Any) -> Any:
            if not simple or seen.find((value,), given) is None:
                named = dict(zip(variables, given[len(dims) :], strict=True))
                env = Scope(machine, named, _named(dims, given))
                mismatch = compare(value, info, env)
                if mismatch is not None:
                    raise interpreter.return_failure(called, info, mismatch, env)
                if simple:
                    seen.keep((value,), given, True)
            return value

        return check

    return link


def _is_plain(info: tree.StructInfo | None) -> bool:
    """Return whether an info asks nothing of a tensor but its dtype and shape."""
    return info is None or isinstance(info, tree.TensorStructInfo | tree.MatchShapeInfo)


def _sizes(new: Names, env: Environment) -> Any:
    """Return the values of new shape variables: none, one, or a tuple of them."""
    if len(new) == 1:
        return env.shape_vars[new[0]]
    return tuple([env.shape_vars[name] for name in new])


# What every module has.


def truth(condition: object) -> bool:
    """Return whether a condition holds; only scalar bools decide anything. [X.7]"""
    if not is_tensor(condition) or condition.ndim != 0 or condition.dtype != bool:
        raise interpreter.condition_failure(condition)
    return bool(condition)


def field(operand: object, index: int) -> object:
    """Give a field of a tuple: the stored value itself. [X.4]"""
    if not is_tuple(operand) or not 0 <= index < len(operand):
        raise interpreter.field_failure(operand, index)
    return operand[index]


LIBRARY: dict[str, object] = {
    "np": np,
    "Activation": Activation,
    "ShapeValue": ShapeValue,
    "truth": truth,
    "field": field,
}
