"""Destination passing: the caller allocates the results, the callee writes them. [O.1-O.8]

`call_tir` calls a PrimFunc of the module, `call_dps_packed` a packed function. The result info behind
`->` says what to allocate, so it has dimensions and dtypes.
"""

from __future__ import annotations

from relax_lang.base.wording import counted, tuple_text
from relax_lang.format.lexemes import global_name
from relax_lang.runtime.calling.packed import invoke
from relax_lang.runtime.calling.prim_funcs import buffer_type
from relax_lang.runtime.calling.strict_effects import Snapshot
from relax_lang.runtime.interpreter.atoms import atom
from relax_lang.runtime.values.dimensions import sizes
from relax_lang.runtime.values.display import show_brief, tensor_type
from relax_lang.runtime.values.mismatch import shown
from relax_lang.runtime.values.tensors import is_tensor, is_tuple
from relax_lang.syntax import tree
from relax_lang.tir.ir.signature import TensorSpec, bind, buffers
from relax_lang.values import PackedFunc, RunFailure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.runtime.interpreter.machine import Scope
    from relax_lang.tir.ir.signature import Mismatch


def call_tir(call: tree.Call, scope: Scope) -> object:
    """`call_tir(@f, (args…), shape(k)?) -> S`: allocate the results, run `f`, return them. [O.1-O.7]"""
    func = _prim_func(call, scope)
    arguments = spread(call, 1, scope)
    numbers = _scalars(call, scope)
    infos = result_infos(call)
    wanted = [_spec(info, scope) for info in infos]
    dims = check_arguments(call, func, (arguments, wanted, infos), numbers)
    results = [scope.machine.memory.empty(result.shape, result.dtype) for result in wanted]
    _run(call, func, ([*arguments, *results], numbers, dims), scope)
    return returned(call, results)


def _run(
    call: tree.Call,
    func: tree.PrimFunc,
    passed: tuple[Sequence[object], Sequence[int], dict[str, int]],
    scope: Scope,
) -> None:
    """Run a PrimFunc; a failure inside has a place of its own, and the call as one step of the way there."""
    arrays, numbers, dims = passed
    try:
        scope.machine.prim_funcs.run(func, arrays, numbers)
    except RunFailure as failure:
        failure.facts.setdefault("shape_vars", dims)
        failure.facts["prim_func_call"] = call
        raise


def call_dps_packed(call: tree.Call, scope: Scope) -> object:
    """`call_dps_packed(extern "f", (args…)) -> S`: `f` may change its arguments too. [O.8]"""
    packed = _packed_func(call, scope)
    arguments = spread(call, 1, scope)
    infos = result_infos(call)
    wanted = [_spec(info, scope) for info in infos]
    results = [scope.machine.memory.empty(result.shape, result.dtype) for result in wanted]
    kept = Snapshot(arguments) if scope.machine.strict_effects else None
    invoke(packed, (*arguments, *results), call)
    if kept is not None:
        kept.check(packed.name, call)
    for info, result, expected in zip(infos, results, wanted, strict=True):
        if result.shape != expected.shape or result.dtype.name != expected.dtype:
            # An array can be given another shape in place; then it is not what was declared.
            message = (
                f'result is declared `{shown(info)}` but "{packed.name}" made it `{tensor_type(result)}`'
            )
            raise RunFailure("call-tir-output-mismatch", message, info)
    return returned(call, results)


def call_tir_inplace(call: tree.Call, scope: Scope) -> object:
    """`call_tir_inplace(@f, (args…), inplace_indices=[0, -1]) -> S`: some results are written into arguments.

    Each index is the argument that the result takes the memory of, or -1 for a new one; only new ones are
    passed after the arguments.
    """
    func = _prim_func(call, scope)
    arguments = spread(call, 1, scope)
    numbers = _scalars(call, scope)
    infos = result_infos(call)
    indices = inplace_indices(call, len(infos), arguments)
    fresh_infos = [info for info, index in zip(infos, indices, strict=True) if index < 0]
    wanted = [_spec(info, scope) for info in fresh_infos]
    dims = check_arguments(call, func, (arguments, wanted, fresh_infos), numbers)
    fresh = [scope.machine.memory.empty(result.shape, result.dtype) for result in wanted]
    _run(call, func, ([*arguments, *fresh], numbers, dims), scope)
    return returned(call, placed_results(indices, arguments, fresh))


def inplace_indices(call: tree.Call, results: int, arguments: Sequence[object]) -> list[int]:
    """Return the attribute `inplace_indices`: one index for each result, -1 or that of a tensor argument."""
    for attr in call.attrs:
        if attr.key == "inplace_indices":
            items = attr.value.items if isinstance(attr.value, tree.ListLit) else (attr.value,)
            indices = [item.value for item in items if isinstance(item, tree.IntLit)]
            used = [index for index in indices if index >= 0]
            fits = all(index < len(arguments) and is_tensor(arguments[index]) for index in used)
            if (
                len(indices) == results
                and fits
                and len(set(used)) == len(used)
                and min(indices, default=-1) >= -1
            ):
                return indices
            raise RunFailure(
                "op-attribute",
                f"bad attribute `inplace_indices`: it needs one index for each of {results} results, "
                "-1 or that of a tensor argument, none twice",
                attr,
            )
    raise RunFailure("op-attribute", "missing attribute `inplace_indices`", call)


def placed_results(
    indices: Sequence[int], arguments: Sequence[object], fresh: Sequence[object]
) -> list[object]:
    """Return the results in order: the arguments that were written, and the new tensors."""
    rest = iter(fresh)
    return [arguments[index] if index >= 0 else next(rest, ()) for index in indices]


def spread(call: tree.Call, index: int, scope: Scope) -> tuple[object, ...]:
    """Return the fields of the tuple of arguments that these calls take. [O.1] [X15.7]"""
    if index >= len(call.args):
        return ()
    value = atom(call.args[index], scope)
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


def _prim_func(call: tree.Call, scope: Scope) -> tree.PrimFunc:
    """Return the PrimFunc that the first argument names. [O.1]"""
    callee = atom(call.args[0], scope)
    if isinstance(callee, tree.PrimFunc):
        return callee
    message = f"`{shown(call.args[0])}` is no prim_func of this module"
    raise RunFailure("not-a-primfunc", message, call.args[0])


def _packed_func(call: tree.Call, scope: Scope) -> PackedFunc:
    callee = atom(call.args[0], scope)
    if isinstance(callee, PackedFunc):
        return callee
    message = f"argument 1 of {_op_name(call)} must be a packed function, not `{show_brief(callee)}`"
    raise RunFailure("op-argument", message, call.args[0])


def _scalars(call: tree.Call, scope: Scope) -> tuple[int, ...]:
    """Return the values for the scalar parameters: the shape that may follow the arguments. [O.4]"""
    if len(call.args) < 3:
        return ()
    value = atom(call.args[2], scope)
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
    numbers: Sequence[int],
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
        raise _argument_failure(call, name, place[0], arguments[place[0]], mismatch)
    raise _result_failure(
        name, infos[place[0] - len(arguments)], results[place[0] - len(arguments)], mismatch
    )


def _argument_failure(
    call: tree.Call, name: str, index: int, argument: object, mismatch: Mismatch
) -> RunFailure:
    message = (
        f"argument {index + 1} is `{show_brief(argument)}` but buffer {_buffer(mismatch, name)}: {mismatch}"
    )
    written = call.args[1]
    node = written.fields[index] if isinstance(written, tree.Tuple) else written
    return RunFailure("call-tir-arguments", message, node)


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
