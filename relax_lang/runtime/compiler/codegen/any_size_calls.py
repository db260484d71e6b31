"""Calls of planned operators on tensors whose dtypes and ranks are certain, but not their sizes. [X.9.1] [X.O4]"""

from __future__ import annotations

from relax_lang.ops.calls.any_size import may_be_of_any_size, run_of_any_size
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.runtime.compiler import call_stubs
from relax_lang.runtime.compiler.codegen.atoms import atom, summed_sizes
from relax_lang.runtime.compiler.refinements import dtype_of, rank_of
from relax_lang.syntax import tree
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.runtime.calling.prepared_calls import Prepared
    from relax_lang.runtime.compiler.codegen.function_writer import FunctionWriter

_MOST_AXES = 32
"""NumPy before version 2 has no more."""


def any_size_call(writer: FunctionWriter, call: tree.Call, prepared: Prepared) -> Callable[..., Any] | None:
    """Return what runs a call whatever the sizes of its tensors are; None if there is no such function."""
    params = prepared.operator.params
    if not may_be_of_any_size(prepared.operator) or prepared.named or len(call.args) != len(params):
        return None
    infos = [writer.facts.of(arg) for arg in call.args]
    if params[0].kind == "tensors":
        [given] = infos
        if not isinstance(given, tree.TupleStructInfo):
            return None
        infos = [*given.fields]
    ranks: list[int] = []
    dtypes: list[Any] = []
    for info in infos:
        dtype, rank = dtype_of(info), rank_of(info)
        if dtype is None or rank is None:
            return None
        try:
            dtypes.append(named_dtype(dtype))
        except RunFailure:  # bfloat16 without its package
            return None
        ranks.append(rank)
    return run_of_any_size(prepared.operator, ranks, dtypes, prepared.options)


def worked_out_reshape(writer: FunctionWriter, call: tree.Call) -> str | None:
    """Return a `reshape` of a tensor to sizes that are sums and products of shape variables; None if it is another."""
    if len(call.args) != 2 or call.attrs:
        return None
    given, target = call.args
    if not isinstance(given, tree.Var) or not isinstance(target, tree.ShapeExpr):
        return None
    if rank_of(writer.facts.of(given)) is None:
        return None
    shape = summed_sizes(writer, target)
    if shape is None or len(target.values) > _MOST_AXES:
        return None
    dims = writer.dims_in(target)
    stub = writer.module.stub("reshape", call_stubs.reshaped(call, given.name_hint, dims))
    return f"{stub}({', '.join([atom(writer, given), shape, *writer.given(dims)])})"
