"""Destination passing: the caller allocates the results, the callee writes them. [O.1-O.8]

`call_tir` calls a PrimFunc of the module, `call_dps_packed` a packed function. The result info behind
`->` gives what to allocate, so it has dimensions and dtypes.
"""

from __future__ import annotations

from relax_lang.base.wording import counted, tuple_text
from relax_lang.format.lexemes import global_name
from relax_lang.ops.core.dtypes import name_of
from relax_lang.runtime.calling.packed import as_value, invoke
from relax_lang.runtime.calling.prim_funcs import buffer_type, scalar_result
from relax_lang.runtime.calling.strict_effects import Snapshot
from relax_lang.runtime.values.dimensions import sizes
from relax_lang.runtime.values.display import show_brief, tensor_type
from relax_lang.runtime.values.mismatch import shown
from relax_lang.runtime.values.poison import is_untouched, untouched_elements
from relax_lang.runtime.values.tensors import is_tensor, is_tuple
from relax_lang.syntax import tree
from relax_lang.tir.ir.signature import TensorSpec, bind, buffers, scalars
from relax_lang.values import PackedFunc, RunFailure, ShapeValue, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.runtime.interpreter.machine import Machine, Scope
    from relax_lang.runtime.values.tensors import Tensor
    from relax_lang.tir.ir.signature import Mismatch


def call_tir(call: tree.Call, values: Sequence[object], scope: Scope) -> object:
    """`call_tir(@f, (args…), shape(k)?) -> S`: allocate the results, run `f`, return them. [O.1-O.7]"""
    func = prim_func_of(call, values[0])
    infos = result_infos(call)
    arguments, numbers = separated(call, func, spread(call, 1, values), scalars_of(call, values), len(infos))
    wanted = specs(infos, scope)
    dims = check_arguments(call, func, (arguments, wanted, infos), numbers)
    results = allocated(wanted, scope)
    call_prim_func(call, func, ([*arguments, *results], numbers, dims), scope.machine)
    check_written(call, infos, results, scope)
    return returned(call, results)


def direct_call(
    func: tree.PrimFunc, arguments: Sequence[object], call: tree.Call, machine: Machine
) -> object:
    """`@f(x, k, y)`: run `f` on tensors and scalars that the caller has, in the order of the parameters. [V.12]

    Returns the result of `f` as a scalar, `()` if it has none.
    """
    arrays, numbers = separated(call, func, arguments, (), 0)
    dims = check_arguments(call, func, (arrays, (), ()), numbers)
    value = call_prim_func(call, func, (arrays, numbers, dims), machine)
    return () if func.ret_dtype is None else scalar_result(func, value)


def call_tir_dyn(call: tree.Call, values: Sequence[object], scope: Scope) -> object:
    """`vm.call_tir_dyn(@f, (x, k, y))`: the direct call, with the arguments in a tuple."""
    return direct_call(prim_func_of(call, values[0]), spread(call, 1, values), call, scope.machine)


def separated(
    call: tree.Call, func: tree.PrimFunc, arguments: Sequence[object], numbers: Sequence[int], results: int
) -> tuple[Sequence[object], Sequence[int | float]]:
    """Return the tensors and the scalars of a call whose arguments have both, in parameter order. [O.4]"""
    if numbers or not scalars(func) or len(arguments) + results != len(func.params):
        return arguments, numbers
    arrays: list[object] = []
    found: list[int | float] = []
    written = _written(call)
    for index, (param, value) in enumerate(zip(func.params, arguments, strict=False)):
        if isinstance(param, tree.Buffer):
            arrays.append(value)
        elif is_tensor(value) and value.ndim == 0 and name_of(value.dtype) == param.dtype.name:
            found.append(value.item())
        else:
            where = f"scalar `{param.name}` of {global_name(func.name.name_hint)} is `{param.dtype.name}`"
            message = f"the argument is `{show_brief(value)}` but {where}"
            raise RunFailure("call-tir-arguments", message, written[index] if written else call)
    return arrays, found


def call_prim_func(
    call: tree.Call,
    func: tree.PrimFunc,
    passed: tuple[Sequence[object], Sequence[int | float], dict[str, int]],
    machine: Machine,
) -> object:
    """Run a PrimFunc; a failure inside has a place of its own, and the call as one step of the way there."""
    arrays, numbers, dims = passed
    try:
        return machine.prim_funcs.run(func, arrays, numbers)
    except RunFailure as failure:
        failure.facts.setdefault("shape_vars", dims)
        failure.facts["prim_func_call"] = call
        raise


def call_dps_packed(call: tree.Call, values: Sequence[object], scope: Scope) -> object:
    """`call_dps_packed(extern "f", (args…)) -> S`: `f` may change its arguments too. [O.8]

    What it returns is the results that it was given, as NumPy's functions do with `out`, or nothing.
    """
    packed = _packed_func(call, values[0])
    arguments = spread(call, 1, values)
    infos = result_infos(call)
    wanted = specs(infos, scope)
    results = allocated(wanted, scope)
    kept = Snapshot(arguments) if scope.machine.strict_effects else None
    value = invoke(packed, (*arguments, *results), call)
    if not _is_nothing_new(value, results):
        raise _returned_instead(packed, value, call)
    if kept is not None:
        kept.check(packed.name, call)
    for info, result, expected in zip(infos, results, wanted, strict=True):
        if result.shape != expected.shape or result.dtype.name != expected.dtype:
            # An array can be given another shape in place; then it is not what was declared.
            message = (
                f'result is declared `{shown(info)}` but "{packed.name}" made it `{tensor_type(result)}`'
            )
            raise RunFailure("call-tir-output-mismatch", message, info)
    check_written(call, infos, results, scope)
    return returned(call, results)


def _is_nothing_new(value: object, results: Sequence[object]) -> bool:
    """Return whether a packed function returned nothing, or no more than the tensors that it wrote into."""
    if value is None:
        return True
    parts = value if is_tuple(value) else (value,)
    return all(any(part is result for result in results) for part in parts)


def _returned_instead(packed: PackedFunc, value: object, call: tree.Call) -> RunFailure:
    kind = kind_of(as_value(value))
    last = (
        "the last argument"
        if not isinstance(call.struct_info, tree.TupleStructInfo)
        else "the last arguments"
    )
    return RunFailure(
        "returned-instead-of-written",
        f'packed function "{packed.name}" returned {kind}, but call_dps_packed takes what is written into {last}',
        call,
        name=packed.name,
        help=f"in Python, write `result[...] = …` into {last} and return nothing; "
        "a packed function that returns its result is called with `call_pure_packed`",
    )


def specs(infos: Sequence[tree.TensorStructInfo], scope: Scope) -> list[TensorSpec]:
    """Return what results need: the dimensions with their values, and the dtypes. [O.4]"""
    return [_spec(info, scope) for info in infos]


def allocated(wanted: Sequence[TensorSpec], scope: Scope) -> list[Tensor]:
    """Allocate results. [O.7]"""
    empty = scope.machine.memory.empty
    return [empty(result.shape, result.dtype) for result in wanted]


def check_written(
    call: tree.Call, infos: Sequence[tree.StructInfo], results: Sequence[Tensor], scope: Scope
) -> None:
    """Fail if new tensors were poisoned, and nothing was written into one of them, or into an element of floats."""
    if not scope.machine.memory.poisons:
        return
    for info, result in zip(infos, results, strict=True):
        if is_untouched(result):
            callee = shown(call.args[0])
            raise RunFailure(
                "result-not-written", f"{callee} wrote nothing into its result `{shown(info)}`", info
            )
        left = untouched_elements(result)
        if left is not None:
            first, count = left
            more = "" if count == 1 else f", and {counted(count - 1, 'other element')}"
            where = f"element {list(first)}{more} of its result `{shown(info)}`"
            raise RunFailure("result-not-written", f"{shown(call.args[0])} wrote nothing into {where}", info)


def spread(call: tree.Call, index: int, values: Sequence[object]) -> tuple[object, ...]:
    """Return the fields of the tuple of arguments that these calls take. [O.1] [X15.7]"""
    if index >= len(values):
        return ()
    value = values[index]
    if is_tuple(value):
        return value
    raise RunFailure(
        "op-argument",
        f"argument {index + 1} of {_op_name(call)} must be a tuple, not `{show_brief(value)}`",
        call.args[index],
        help="a tuple with one field is written `(x,)`",
    )


def _op_name(call: tree.Call) -> str:
    return call.op.op_name if isinstance(call.op, tree.Op) else "the call"


def prim_func_of(call: tree.Call, callee: object) -> tree.PrimFunc:
    """Return the PrimFunc that the first argument names. [O.1]"""
    if isinstance(callee, tree.PrimFunc):
        return callee
    message = f"`{shown(call.args[0])}` is not a prim_func of this module"
    raise RunFailure("not-a-primfunc", message, call.args[0])


def _packed_func(call: tree.Call, callee: object) -> PackedFunc:
    if isinstance(callee, PackedFunc):
        return callee
    message = f"argument 1 of {_op_name(call)} must be a packed function, not `{show_brief(callee)}`"
    raise RunFailure("op-argument", message, call.args[0])


def scalars_of(call: tree.Call, values: Sequence[object]) -> tuple[int, ...]:
    """Return the values for the scalar parameters: the shape that may follow the arguments. [O.4]"""
    if len(values) < 3:
        return ()
    value = values[2]
    if isinstance(value, ShapeValue):
        return value.values
    if is_tuple(value) and not value:  # left out
        return ()
    message = f"argument 3 of {_op_name(call)} must be a shape, not `{show_brief(value)}`"
    raise RunFailure("op-argument", message, call.args[2])


def result_infos(call: tree.Call) -> list[tree.TensorStructInfo]:
    """Return the tensor infos behind `->`, one for each result. [O.2]"""
    declared = call.struct_info
    fields = declared.fields if isinstance(declared, tree.TupleStructInfo) else (declared,)
    infos: list[tree.TensorStructInfo] = []
    for info in fields:
        if not isinstance(info, tree.TensorStructInfo) or info.shape is None or info.dtype is None:
            message = "the result needs dimensions and a dtype: write `-> Tensor[(…), dtype]`"
            raise RunFailure("call-tir-output-incomplete", message, info or call)
        infos.append(info)
    return infos


def _spec(info: tree.TensorStructInfo, scope: Scope) -> TensorSpec:
    """Evaluate the dimensions of a result. [O.4]"""
    assert info.dtype is not None
    if isinstance(info.shape, tree.ShapeExpr):
        return TensorSpec(info.dtype.name, sizes(info.shape.values, scope.shape_vars))
    assert isinstance(info.shape, tree.Var)
    held = scope.variables[info.shape.name_hint]
    if isinstance(held, ShapeValue):
        return TensorSpec(info.dtype.name, held.values)
    message = f"`{info.shape.name_hint}` is `{show_brief(held)}`, not a shape"
    raise RunFailure("shape-var-not-a-shape", message, info.shape)


def check_arguments(
    call: tree.Call,
    func: tree.PrimFunc,
    passed: tuple[Sequence[object], Sequence[TensorSpec], Sequence[tree.TensorStructInfo]],
    numbers: Sequence[int | float],
) -> dict[str, int]:
    """Hold arguments, declared results and scalars against the buffers of a PrimFunc. [O.3] [O.6]

    Returns the values of its dimensions.
    """
    arguments, results, infos = passed
    name = func.name.name_hint
    expected = buffers(func)
    given = len(arguments) + len(results)
    if len(expected) != given:
        message = f"{global_name(name)} has {len(expected)} buffers, the call gives {given}"
        failure = RunFailure("call-tir-arguments", message, call)
        failure.facts["note"] = (
            f"{counted(len(arguments), 'argument')} and {counted(len(results), 'result')}; "
            "each of them needs a buffer"
        )
        raise failure
    bound = bind(func, [*arguments, *results], numbers)
    if not bound.mismatches:
        return bound.env
    mismatch = bound.mismatches[0]
    place = [index for index, buffer in enumerate(expected) if buffer is mismatch.param]
    if not place:
        raise _scalar_failure(call, name, mismatch)
    if place[0] < len(arguments):
        raise _argument_failure(call, func, arguments[place[0]], mismatch)
    raise _result_failure(
        name, infos[place[0] - len(arguments)], results[place[0] - len(arguments)], mismatch
    )


def _argument_failure(
    call: tree.Call, func: tree.PrimFunc, argument: object, mismatch: Mismatch
) -> RunFailure:
    where = _buffer(mismatch, func.name.name_hint)
    message = f"the argument is `{show_brief(argument)}` but buffer {where}: {mismatch}"
    written = _written(call)
    buffers_only = len(call.args) > 2 and isinstance(call.op, tree.Op)
    params = buffers(func) if buffers_only or not scalars(func) else list(func.params)
    index = [param is mismatch.param for param in params].index(True)
    return RunFailure("call-tir-arguments", message, written[index] if index < len(written) else call)


def _written(call: tree.Call) -> Sequence[tree.Expr]:
    """Return the arguments as they are written, in a call of an operator or of the PrimFunc itself."""
    if not isinstance(call.op, tree.Op):
        return call.args
    passed = call.args[1] if len(call.args) > 1 else None
    return passed.fields if isinstance(passed, tree.Tuple) else ()


def _result_failure(
    name: str, info: tree.TensorStructInfo, result: TensorSpec, mismatch: Mismatch
) -> RunFailure:
    declared = f"result is declared `{shown(info)}`"
    failure = RunFailure(
        "call-tir-output-mismatch", f"{declared} but buffer {_buffer(mismatch, name)}: {mismatch}", info
    )
    failure.facts["note"] = f"with its numbers the declared shape is {tuple_text(result.shape)}"
    return failure


def _buffer(mismatch: Mismatch, name: str) -> str:
    """Name a buffer with its type."""
    param = mismatch.param
    assert isinstance(param, tree.Buffer)
    return f"`{param.name}` of {global_name(name)} is `{buffer_type(param)}`"


def _scalar_failure(call: tree.Call, name: str, mismatch: Mismatch) -> RunFailure:
    if mismatch.param is None:
        message = (
            f"{global_name(name)} has {mismatch.expected} scalar parameters, the call gives {mismatch.found}"
        )
    else:
        message = f"scalar `{mismatch.param.name}` of {global_name(name)}: {mismatch}"
    return RunFailure("call-tir-arguments", message, call.args[2] if len(call.args) > 2 else call)


def returned(call: tree.Call, results: Sequence[object]) -> object:
    """Return one tensor, or the tuple of them that was declared. [O.3] [O.7]"""
    return tuple(results) if isinstance(call.struct_info, tree.TupleStructInfo) else results[0]
