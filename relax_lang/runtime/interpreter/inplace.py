"""Calls whose results take over the memory of arguments: `call_tir_inplace`, `call_inplace_packed`."""

from __future__ import annotations

from relax_lang.base.wording import counted
from relax_lang.runtime.interpreter.dps import (
    allocated,
    call_prim_func,
    check_arguments,
    check_written,
    prim_func_of,
    result_infos,
    returned,
    scalars_of,
    separated,
    specs,
    spread,
)
from relax_lang.runtime.values.display import show_brief
from relax_lang.runtime.values.match_cast import compare
from relax_lang.runtime.values.mismatch import shown
from relax_lang.runtime.values.tensors import is_tensor, is_tuple
from relax_lang.syntax import tree
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.runtime.interpreter.machine import Scope

WANTED = "-1 or that of a tensor argument, none twice, and not -1 alone"


def call_tir_inplace(call: tree.Call, values: Sequence[object], scope: Scope) -> object:
    """`call_tir_inplace(@f, (args…), inplace_indices=[0, -1]) -> S`: some results are written into arguments.

    Each index is the argument that the result takes the memory of, or -1 for a new one; only new ones are
    passed after the arguments.
    """
    func = prim_func_of(call, values[0])
    arguments = spread(call, 1, values)
    infos = result_infos(call)
    indices = inplace_indices(call, len(infos), arguments)
    check_taken_over(infos, indices, arguments, scope)
    fresh_infos = [info for info, index in zip(infos, indices, strict=True) if index < 0]
    wanted = specs(fresh_infos, scope)
    arrays, numbers = separated(call, func, arguments, scalars_of(call, values), len(wanted))
    dims = check_arguments(call, func, (arrays, wanted, fresh_infos), numbers)
    fresh = allocated(wanted, scope)
    call_prim_func(call, func, ([*arrays, *fresh], numbers, dims), scope.machine)
    check_written(call, fresh_infos, fresh, scope)
    return returned(call, placed_results(indices, arguments, fresh))


def call_inplace_packed(
    call: tree.Call, arguments: tuple[object, ...], scope: Scope, apply: Callable[[], object]
) -> object:
    """`call_inplace_packed(extern "f", args…, inplace_indices=0)`: `f` writes into arguments, returns them.

    If it returns nothing, the arguments that the attribute names are the result. `apply` calls it.
    """
    declared = call.struct_info
    infos: Sequence[tree.StructInfo] = (
        declared.fields
        if isinstance(declared, tree.TupleStructInfo)
        else ()
        if declared is None
        else (declared,)
    )
    indices = inplace_indices(call, len(infos) if infos else None, arguments)
    if infos:
        check_taken_over(infos, indices, arguments, scope)
    result = apply()
    if not is_tuple(result) or result:
        return result
    if min(indices) < 0:
        raise RunFailure(
            "result-not-written",
            f"result {indices.index(-1) + 1} takes over no argument, and the packed function returned nothing",
            call,
        )
    taken = placed_results(indices, arguments, ())
    return tuple(taken) if isinstance(declared, tree.TupleStructInfo) or len(taken) > 1 else taken[0]


def inplace_indices(call: tree.Call, results: int | None, arguments: Sequence[object]) -> list[int]:
    """Return the attribute `inplace_indices`: one index for each result, -1 or that of a tensor argument."""
    for attr in call.attrs:
        if attr.key == "inplace_indices":
            items = attr.value.items if isinstance(attr.value, tree.ListLit) else (attr.value,)
            indices = [item.value for item in items if isinstance(item, tree.IntLit)]
            used = [index for index in indices if index >= 0]
            fits = used and all(index < len(arguments) and is_tensor(arguments[index]) for index in used)
            counts = results is None or len(indices) == results
            if fits and counts and len(set(used)) == len(used) and min(indices) >= -1:
                return indices
            each = "for each result" if results is None else f"for each of {counted(results, 'result')}"
            message = f"bad attribute `inplace_indices`: it needs one index {each}, {WANTED}"
            raise RunFailure("op-attribute", message, attr)
    raise RunFailure("op-attribute", "missing attribute `inplace_indices`", call)


def check_taken_over(
    infos: Sequence[tree.StructInfo], indices: Sequence[int], arguments: Sequence[object], scope: Scope
) -> None:
    """Hold the arguments that results take over against what is declared. [O.6]"""
    for info, index in zip(infos, indices, strict=True):
        if index < 0:
            continue
        mismatch = compare(arguments[index], info, scope)
        if mismatch is not None:
            taken = show_brief(arguments[index])
            message = f"result is declared `{shown(info)}` but takes over `{taken}`: {mismatch}"
            raise RunFailure("call-tir-output-mismatch", message, info)


def placed_results(
    indices: Sequence[int], arguments: Sequence[object], fresh: Sequence[object]
) -> list[object]:
    """Return the results in order: the arguments that were written, and the new tensors."""
    rest = iter(fresh)
    return [arguments[index] if index >= 0 else next(rest) for index in indices]
