"""Programs over the rows of arrays of Dask.

    import dask.array as da
    import relax_lang.dask

    module = relax_lang.load("model.rlx")
    x = da.from_zarr("big.zarr")
    y = relax_lang.dask.map(module, x, over="n", w=weights)    # lazy, as arrays of Dask are

It takes the extra `dask`.
"""

from __future__ import annotations

from importlib import import_module

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.base.relax_error import RelaxError
from relax_lang.mapping import diagnostics as diag
from relax_lang.mapping.job import Job
from relax_lang.mapping.plan import plan_rows
from relax_lang.modules.loaded import from_python
from relax_lang.runtime.calling.arguments import ArgumentsRefused, Given
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from relax_lang.mapping.plan import RowPlan
    from relax_lang.modules.loaded import Module

    Infos = list[tuple[tuple[int, ...], str]]


def map(  # noqa: A001 - `relax_lang.dask.map`
    module: Module,
    arrays: Any,
    *,
    over: str = "n",
    entry: str = "main",
    assume_independent: bool = False,
    **shared: object,
) -> Any:
    """Run a function of a module over the rows of arrays of Dask; the result is such an array, or a tuple of them.

    `arrays` is the array for the parameter that has the dimension `over`, or a mapping from the names of all those
    parameters to arrays with equally many rows; `shared` are the other arguments. The pieces are those of the first
    array along its rows; along other axes the arrays are put together. Nothing is computed yet.

    Raises RelaxError if rows are not known to be independent (see `relax map`), if an argument does not fit, or if the
    shape of a result does not follow from those of the arguments; ImportError without Dask.
    """
    name = entry.removeprefix("@")
    if name not in module:
        raise KeyError(f"no function {entry!r} to run in {module.source.path}")
    plan = plan_rows(module.typed, name, over, assume=assume_independent)
    given = arrays if isinstance(arrays, dict) else {plan.params[0].name: arrays}  # pyright: ignore[reportUnknownVariableType]
    values, rows = _pieces(module, plan, given)  # pyright: ignore[reportUnknownArgumentType]
    job = Job(module.source, plan, {}, {})
    job.shared, infos = _bind(module, plan, given, shared, rows)  # pyright: ignore[reportUnknownArgumentType]
    dask, da = import_module("dask"), import_module("dask.array")
    part = dask.delayed(_part, pure=True)
    found = [
        part(job, {param.name: values[param.name][at] for param in plan.params}) for at in range(len(rows))
    ]
    results: list[Any] = []
    for index, (axis, (shape, dtype)) in enumerate(zip(plan.results, infos, strict=True)):
        if axis is None:
            results.append(da.from_delayed(found[0][index], shape, dtype))
            continue
        blocks: list[Any] = []
        for value, count in zip(found, rows, strict=True):
            extents = list(shape)
            extents[axis] = shape[axis] // max(1, sum(rows)) * count
            blocks.append(da.from_delayed(value[index], tuple(extents), dtype))
        results.append(da.concatenate(blocks, axis=axis))
    return results[0] if len(results) == 1 else tuple(results)


def _part(job: Job, rows: Mapping[str, Any]) -> list[Any]:
    values: dict[str, Any] = {name: from_python(value) for name, value in rows.items()}
    return job.compute(values)


def _pieces(
    module: Module, plan: RowPlan, given: Mapping[str, Any]
) -> tuple[dict[str, list[Any]], list[int]]:
    """Return the delayed pieces of each array, and how many rows each piece has."""
    wanted = [param.name for param in plan.params]
    if sorted(given) != sorted(wanted):
        listed = ", ".join([f"`{name}`" for name in wanted])
        raise RelaxError(module.source, [diag.rows_unknown(None, f"these parameters have rows: {listed}")])
    first = plan.params[0]
    counts = [size // first.places for size in given[first.name].chunks[first.axis]]
    if sum(counts) * first.places != given[first.name].shape[first.axis]:  # pieces that cut rows in two
        counts = [given[first.name].shape[first.axis] // first.places]
    values: dict[str, list[Any]] = {}
    for param in plan.params:
        array = given[param.name]
        if array.shape[param.axis] != sum(counts) * param.places:
            message = f"`{param.name}` has {array.shape[param.axis]} places along axis {param.axis} of {array.shape}"
            raise RelaxError(module.source, [diag.array_unfit(param.name, message)])
        whole = [(size,) for size in array.shape]
        whole[param.axis] = tuple([count * param.places for count in counts])
        values[param.name] = list(array.rechunk(tuple(whole)).to_delayed().ravel())
    return values, counts


def _bind(
    module: Module, plan: RowPlan, given: Mapping[str, Any], shared: Mapping[str, object], rows: list[int]
) -> tuple[dict[str, object], Infos]:
    """Return values for the other parameters, and shape and dtype of each result."""
    import numpy as np

    from relax_lang import api
    from relax_lang.runtime.values.match_cast import bind

    session = api.start(module.typed)
    function = session.entry(plan.entry)
    stand_in = {
        param.name: np.broadcast_to(np.zeros((), given[param.name].dtype), given[param.name].shape)
        for param in plan.params
    }
    others = {name: from_python(value) for name, value in shared.items()}
    try:
        values = session.arguments(plan.entry, Given(named={**others, **stand_in}))
    except ArgumentsRefused as refused:
        raise RelaxError(module.source, [session.diagnose(one) for one in refused.failures]) from None
    sizes: dict[str, int] = {}
    for param, value in zip(function.params, values, strict=True):
        bind(value, param.struct_info_annotation or tree.ObjectStructInfo(), sizes)
    sizes[plan.dim] = sum(rows)
    signature = module.typed.signatures[plan.entry]
    result = signature.ret if isinstance(signature, tree.FuncStructInfo) else None
    infos = [_info(module, one, sizes) for one in _flat(result)]
    pairs = zip(function.params, values, strict=True)
    return {param.name_hint: value for param, value in pairs if param.name_hint not in stand_in}, infos


def _flat(info: tree.StructInfo | None) -> list[tree.StructInfo | None]:
    if isinstance(info, tree.TupleStructInfo):
        return [one for field in info.fields for one in _flat(field)]
    return [info]


def _info(
    module: Module, info: tree.StructInfo | None, sizes: Mapping[str, int]
) -> tuple[tuple[int, ...], str]:
    shape = info.shape if isinstance(info, tree.TensorStructInfo) else None
    if (
        isinstance(info, tree.TensorStructInfo)
        and isinstance(shape, tree.ShapeExpr)
        and info.dtype is not None
    ):
        try:
            dtype = "float32" if info.dtype.name == "bfloat16" else info.dtype.name
            return tuple([int(evaluate(dim, sizes)) for dim in shape.values]), dtype
        except DimensionError:
            pass
    message = (
        "the shape of a result does not follow from those of the arguments; `relax map` does not need it"
    )
    raise RelaxError(module.source, [diag.result_unfit(info, message)])
