"""The builtins: functions of the machine itself, which code calls by names that begin with `vm.`.

They do what operators do not: check and bind shape variables, make what the normal form writes as an atom, call values.
What they mean, and how they fail, is the interpreter's own procedures.
"""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.analysis.bindings import names_in
from relax_lang.runtime.interpreter.interpreter import (
    apply,
    argument_failure,
    check_annotation,
    condition_failure,
    field_failure,
    match_cast,
    return_failure,
)
from relax_lang.runtime.values.dimensions import prim_value, sizes
from relax_lang.runtime.values.match_cast import bind, compare, match_signature
from relax_lang.runtime.values.tensors import is_tensor, is_tuple
from relax_lang.syntax import tree
from relax_lang.values import Closure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.runtime.interpreter.machine import Scope
    from relax_lang.runtime.values.tensors import Tensor
    from relax_lang.vm.executable import Code, Executable
    from relax_lang.vm.instructions import Operand

    Run = Callable[["Frame", Any, Sequence[Any]], object]

VALUES = "*"
"""At the end of the operands of a builtin: any number of values."""


class Builtin(NamedTuple):
    """A builtin: what it takes, and what it does.

    `operands` has a word for each: `value`, `number`, `closure` (a function in code), or what kind of constant:
    `tensor`, or a class of nodes. `site` has the classes that its site may be of, none if it needs none.
    """

    operands: tuple[str, ...]
    site: tuple[type, ...]
    run: Run
    summary: str
    wrong: Callable[[Code, Any, Sequence[Operand], Executable], str | None] | None = None
    """What is wrong with a call beside that, as far as the code shows; None if nothing is."""


class Frame:
    """One call of a function: its shape variables, the closure that was called, and where."""

    __slots__ = ("call", "closure", "outer", "scope")

    def __init__(self, scope: Scope, closure: Closure, call: tree.Call | None) -> None:
        self.scope = scope
        self.closure = closure
        self.call = call
        self.outer: list[Scope] = []
        """The scopes around the branch that runs."""


def _named(frame: Frame, info: tree.StructInfo, values: Sequence[object]) -> None:
    """Make the variables that an annotation mentions known to those who read it: `Tensor[s]`."""
    if values:
        frame.scope.variables.update(zip(mentioned_in(info), values, strict=True))


def mentioned_in(info: tree.StructInfo | None) -> list[str]:
    """Return the variables that an annotation mentions, in the order in which code passes them."""
    return [] if info is None else sorted(names_in(info))


def _check_arguments(frame: Frame, site: tree.Function, values: Sequence[Any]) -> None:
    scope = frame.scope
    arguments = values[1:]
    for param, value in zip(site.params, arguments, strict=True):
        scope.variables[param.name_hint] = value
    if values[0]:
        for param, value in zip(site.params, arguments, strict=True):
            if param.struct_info_annotation is not None:
                bind(value, param.struct_info_annotation, scope.shape_vars)
        return
    refused = match_signature(arguments, site.params, scope)
    if refused is not None:
        raise argument_failure(frame.closure, *refused, frame.call, scope)


def _check_result(frame: Frame, site: tree.Function, values: Sequence[Any]) -> None:
    info = site.ret_struct_info
    assert info is not None
    _named(frame, info, values[1:])
    mismatch = compare(values[0], info, frame.scope)
    if mismatch is not None:
        raise return_failure(frame.closure, info, mismatch, frame.scope)


def _match_cast(frame: Frame, site: tree.MatchCast, values: Sequence[Any]) -> None:
    if values[0]:
        bind(values[1], site.struct_info, frame.scope.shape_vars)
        return
    _named(frame, site.struct_info, values[2:])
    match_cast(site, values[1], frame.scope)


def _check_annotation(frame: Frame, site: tree.Binding, values: Sequence[Any]) -> None:
    var = site.var
    assert var is not None
    assert var.struct_info_annotation is not None
    _named(frame, var.struct_info_annotation, values[1:])
    check_annotation(var, site, values[0], frame.scope)


def _constant(frame: Frame, _site: object, values: Sequence[Any]) -> Tensor:
    frame.scope.machine.memory.check(values[0].nbytes)
    return values[0].copy()


def _make_tuple(_frame: Frame, _site: object, values: Sequence[Any]) -> tuple[object, ...]:
    return tuple(values)


def _move(_frame: Frame, _site: object, values: Sequence[Any]) -> object:
    return values[0]


def _tuple_getitem(_frame: Frame, site: Any, values: Sequence[Any]) -> object:
    operand, index = values
    if not is_tuple(operand) or not 0 <= index < len(operand):
        raise field_failure(operand, index, site.value)
    return operand[index]


def _make_shape(frame: Frame, _site: object, values: Sequence[Any]) -> ShapeValue:
    return ShapeValue(sizes(values[0].values, frame.scope.shape_vars, inferred=bool(values[1])))


def _make_prim_value(frame: Frame, _site: object, values: Sequence[Any]) -> object:
    return prim_value(values[0], frame.scope.shape_vars)


def _extern(frame: Frame, _site: object, values: Sequence[Any]) -> object:
    return frame.scope.machine.packed.lookup(values[0])


def _make_closure(frame: Frame, site: Any, values: Sequence[Any]) -> Closure:
    """X.6: a new closure that captures variables of both kinds; `values` are the code, then what it captures."""
    code: Code = values[0]
    bound_to = site.var.name_hint if site.var is not None else ""
    dims = frame.scope.shape_vars
    return Closure(
        code.signature,
        "" if bound_to == "_" else bound_to,
        dict(zip(code.captures, values[1:], strict=True)),
        {name: dims[name] for name in code.dims if name in dims},
    )


def _call(frame: Frame, site: Any, values: Sequence[Any]) -> object:
    return apply(values[0], tuple(values[1:]), site.value, frame.scope.machine)


def _bind_names(frame: Frame, site: Any, values: Sequence[Any]) -> None:
    _named(frame, site.value.struct_info, values)


def _read_if_cond(_frame: Frame, site: Any, values: Sequence[Any]) -> bool:
    condition = values[0]
    if not is_tensor(condition) or condition.ndim != 0 or condition.dtype != bool:
        raise condition_failure(condition, site.value.cond)
    return bool(condition)


def _enter_scope(frame: Frame, _site: object, _values: Sequence[Any]) -> None:
    frame.outer.append(frame.scope)
    frame.scope = frame.scope.pushed()


def _leave_scope(frame: Frame, _site: object, _values: Sequence[Any]) -> None:
    frame.scope = frame.outer.pop()


_BINDINGS = (tree.VarBinding, tree.MatchCast)


def _wrong_count(expected: int, args: Sequence[Operand]) -> str | None:
    return None if len(args) == expected else f"it takes {expected} operands here, not {len(args)}"


def _wrong_arguments(code: Code, site: Any, args: Sequence[Operand], _exe: Executable) -> str | None:
    return (
        _wrong_count(1 + len(site.params), args) if site is code.signature else "its site is another function"
    )


def _wrong_result(code: Code, site: Any, args: Sequence[Operand], _exe: Executable) -> str | None:
    if site is not code.signature or site.ret_struct_info is None:
        return "its site is not a function with a declared result"
    return _wrong_count(1 + len(mentioned_in(site.ret_struct_info)), args)


def _wrong_cast(_code: Code, site: Any, args: Sequence[Operand], _exe: Executable) -> str | None:
    return None if args[0].value else _wrong_count(2 + len(mentioned_in(site.struct_info)), args)


def _wrong_annotation(_code: Code, site: Any, args: Sequence[Operand], _exe: Executable) -> str | None:
    if site.var is None or site.var.struct_info_annotation is None:
        return "its site has no annotation"
    return _wrong_count(1 + len(mentioned_in(site.var.struct_info_annotation)), args)


def _wrong_closure(_code: Code, _site: Any, args: Sequence[Operand], exe: Executable) -> str | None:
    code = exe.functions[args[0].value].code
    return None if code is None else _wrong_count(1 + len(code.captures), args)


def _wrong_call(_code: Code, site: Any, args: Sequence[Operand], _exe: Executable) -> str | None:
    return None if isinstance(site.value, tree.Call) else "its site is not a call"


def _wrong_names(code: Code, site: Any, args: Sequence[Operand], exe: Executable) -> str | None:
    wrong = _wrong_call(code, site, args, exe)
    return wrong or _wrong_count(len(mentioned_in(site.value.struct_info)), args)


def _wrong_if(_code: Code, site: Any, _args: Sequence[Operand], _exe: Executable) -> str | None:
    return None if isinstance(site.value, tree.If) else "its site is not an `if`"


BUILTINS: dict[str, Builtin] = {
    "vm.check_arguments": Builtin(
        ("number", "value", VALUES),
        (tree.Function,),
        _check_arguments,
        "binds the shape variables of the parameters and checks the arguments; with 1, it only binds",
        _wrong_arguments,
    ),
    "vm.check_result": Builtin(
        ("value", "value", VALUES),
        (tree.Function,),
        _check_result,
        "checks the result of the function",
        _wrong_result,
    ),
    "vm.match_cast": Builtin(
        ("number", "value", "value", VALUES),
        (tree.MatchCast,),
        _match_cast,
        "binds the shape variables of a struct info and checks a value; with 1, it only binds",
        _wrong_cast,
    ),
    "vm.check_annotation": Builtin(
        ("value", "value", VALUES),
        _BINDINGS,
        _check_annotation,
        "checks a value against an annotation",
        _wrong_annotation,
    ),
    "vm.constant": Builtin(("tensor",), (), _constant, "makes a new tensor of a constant"),
    "vm.make_tuple": Builtin(("value", VALUES), (), _make_tuple, "makes a tuple"),
    "vm.tuple_getitem": Builtin(
        ("value", "number"), (tree.VarBinding, tree.MatchCast), _tuple_getitem, "gives a field of a tuple"
    ),
    "vm.make_shape": Builtin(
        ("ShapeExpr", "number"),
        (),
        _make_shape,
        "computes a shape from shape variables; with 1, `-1` stands for a size that follows",
    ),
    "vm.make_prim_value": Builtin(
        ("PrimExpr",), (), _make_prim_value, "computes a number from shape variables"
    ),
    "vm.extern": Builtin(("ExternFunc",), (), _extern, "looks a packed function up"),
    "vm.make_closure": Builtin(
        ("closure", "value", VALUES),
        _BINDINGS,
        _make_closure,
        "makes a closure with the captured values",
        _wrong_closure,
    ),
    "vm.call": Builtin(("value", "value", VALUES), _BINDINGS, _call, "calls a value", _wrong_call),
    "vm.bind_names": Builtin(
        ("value", VALUES),
        _BINDINGS,
        _bind_names,
        "makes variables known that the declared result of the next call mentions",
        _wrong_names,
    ),
    "vm.read_if_cond": Builtin(
        ("value",), _BINDINGS, _read_if_cond, "reads the condition of an `if`", _wrong_if
    ),
    "vm.move": Builtin(("value",), (), _move, "gives the value itself"),
    "vm.enter_scope": Builtin((), (), _enter_scope, "begins a branch that binds shape variables"),
    "vm.leave_scope": Builtin((), (), _leave_scope, "ends such a branch"),
    "vm.kill": Builtin(("value", VALUES), (), _move, "forgets the values of registers"),
}
"""By name. `vm.kill` is carried out by the machine as part of the instruction before."""
