"""Calls of operators as Python statements. [X.9.1] [OP.*]

What is known of the arguments decides how short the way is: NumPy's own function; what a planned kernel gives, if all
that it depends on is known; the operator with all checks, which remembers what fitted; or the interpreter.
"""

from __future__ import annotations

import math

import numpy as np

from relax_lang.analysis.escape import only_looks, param_at
from relax_lang.arith.evaluate import names_in
from relax_lang.ops.calls.call_cache import plan
from relax_lang.ops.core.attributes import move_scalars
from relax_lang.ops.core.dtypes import CLASSES, named_dtype
from relax_lang.ops.core.operator import BY_KERNEL
from relax_lang.ops.core.specialization import TensorSpec
from relax_lang.ops.registry import is_built_in, lookup
from relax_lang.runtime.calling.prepared_calls import prepare
from relax_lang.runtime.compiler import call_stubs
from relax_lang.runtime.compiler.codegen.any_size_calls import any_size_call, worked_out_reshape
from relax_lang.runtime.compiler.codegen.atoms import atom, operand, plain_sizes
from relax_lang.runtime.compiler.codegen.numpy_calls import note_product, overwritten, write_numpy_call
from relax_lang.runtime.compiler.refinements import dtype_of, sizes_of
from relax_lang.runtime.values.dimensions import prim_value, sizes
from relax_lang.runtime.values.mismatch import shown
from relax_lang.syntax import tree
from relax_lang.values import RunFailure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.ops.core.operator import Operator
    from relax_lang.ops.core.signature import Param
    from relax_lang.ops.core.specialization import Run
    from relax_lang.runtime.calling.prepared_calls import Prepared
    from relax_lang.runtime.compiler.codegen.function_writer import FunctionWriter
    from relax_lang.runtime.compiler.refinements import Sizes

_PRODUCT = "matmul"
_RESHAPE = "reshape"
"""In its target, and nowhere else, `-1` may be written."""
_MOST_AXES = 32
"""NumPy before version 2 has no more."""


def write_operator_call(writer: FunctionWriter, call: tree.Call, name: str, target: str) -> None:
    """X.9.1: the arguments from the left, then the operator."""
    operator = lookup(name)
    try:
        prepared = prepare(call, name)
    except RunFailure:  # the program reports it when it gets there
        writer.assign(target, writer.interpreted(call))
        return
    assert operator is not None
    if operator.kernel is None or _is_worked_out(writer, call, operator):
        text = worked_out_reshape(writer, call) if operator.kernel and is_built_in(operator) else None
        writer.assign(target, text or writer.interpreted(call), writer.place(operator=operator))
        if operator.kernel is not None:
            writer.refine(writer.facts.of_call(operator, call))
        return
    if not write_numpy_call(writer, call, prepared, target):
        _checked_call(writer, call, prepared, target)


def _is_worked_out(writer: FunctionWriter, call: tree.Call, operator: Operator) -> bool:
    """Return whether the target of a `reshape` is more than numbers and names; a `-1` in it has its own meaning."""
    target = call.args[-1] if operator.name == _RESHAPE else None
    return isinstance(target, tree.ShapeExpr) and _sizes(writer, operator, target) is None


def _sizes(writer: FunctionWriter, operator: Operator, shape: tree.ShapeExpr) -> str | None:
    return plain_sizes(writer, shape, inferred=operator.name == _RESHAPE)


def _checked_call(writer: FunctionWriter, call: tree.Call, prepared: Prepared, target: str) -> None:
    operator = prepared.operator
    ours = is_built_in(operator)
    info = writer.facts.of_call(operator, call) if ours else None
    over = overwritten(writer, call, prepared) if ours else None
    text = _planned_call(writer, call, prepared, info) if ours and operator.planned and over is None else None
    if text is None and ours and operator.name == _RESHAPE:
        text = _reshaped(writer, call)
    if text is None:
        texts = [_argument(writer, operator, at, arg) for at, arg in enumerate(call.args)]
        run = any_size_call(writer, call, prepared) if ours else None
        # A planned call remembers the shapes it had: each place has its own.
        key = None if operator.planned else ("operator", *prepared.key(), over)
        stub = writer.module.stub(
            operator.name, call_stubs.operator(prepared, over, run), key, _shown(operator, call)
        )
        text = f"{stub}({', '.join(texts)})"
    if not ours:
        writer.facts.forget()
    writer.assign(target, text, writer.place(operator=operator))
    if operator.name == _PRODUCT and ours:
        note_product(writer, call, info)
    is_new = not operator.aliases and operator.evaluated == BY_KERNEL
    writer.refine(info, fresh=is_new and ours and (info is None or isinstance(info, tree.TensorStructInfo)))


def _reshaped(writer: FunctionWriter, call: tree.Call) -> str | None:
    """Return a `reshape` as NumPy's own; None unless the shapes are certain to have equally many elements."""
    if len(call.args) != 2 or not isinstance(call.args[1], tree.ShapeExpr):
        return None
    before, target = sizes_of(writer.facts.of(call.args[0])), call.args[1]
    shape = plain_sizes(writer, target)
    if before is None or shape is None or len(target.values) > _MOST_AXES:
        return None
    after = sizes_of(tree.TensorStructInfo(target, None, None))
    assert after is not None
    if _elements(before) != _elements(after):
        return None
    return f"{atom(writer, call.args[0])}.reshape({shape})"


def _elements(sizes: Sizes) -> tuple[int, list[str]]:
    """Return how many elements tensors have, as a product of a number and of names."""
    numbers = [size for size in sizes if isinstance(size, int)]
    return math.prod(numbers), sorted([size for size in sizes if isinstance(size, str)])


def _shown(operator: Operator, call: tree.Call) -> str:
    return ", ".join([operator.name, *[f"{attr.key}={shown(attr.value)[:60]}" for attr in call.attrs]])


def _argument(writer: FunctionWriter, operator: Operator, at: int, arg: tree.Expr) -> str:
    """Return an argument; the memory of what the operator only looks at does not get another owner."""
    param = param_at(operator, at)
    if param is not None and param.optional and left_out(arg):
        return "None"
    if operator.name == _RESHAPE and isinstance(arg, tree.ShapeExpr):
        return f"ShapeValue({_sizes(writer, operator, arg)})"
    return operand(writer, arg) if only_looks(operator, at) else atom(writer, arg)


def left_out(arg: tree.Expr) -> bool:
    """Return whether an argument stands for none."""
    return isinstance(arg, tree.Tuple) and not arg.fields


# A plan that is made while the program is compiled.


def _planned_call(
    writer: FunctionWriter, call: tree.Call, prepared: Prepared, info: tree.StructInfo | None
) -> str | None:
    """Return a call of what the plan gives; None unless all that it depends on is known and goes together."""
    operator = prepared.operator
    known = _known_arguments(writer, call, prepared)
    if known is None:
        return None
    key = ("plan", *prepared.key(), repr(known))
    name = writer.module.known(key)
    if name is None:
        run = _planned(prepared, known)
        if run is None:
            return None
        what = f"{_shown(operator, call)} of {', '.join([_brief(value) for value in known])}"
        stub = call_stubs.planned(prepared, known, run, converted=not _has_axes(info))
        name = writer.module.stub(operator.name, stub, key, what)
    texts = [
        "None" if value is None else _argument(writer, operator, at, call.args[at])
        for at, value in enumerate(known)
        if operator.params[at].kind in ("tensor", "tensors")
    ]
    return f"{name}({', '.join(texts)})"


_MOST_BYTES = 1 << 24
"""Larger results are planned when they are needed: a plan may have a number for each of their rows."""


def _planned(prepared: Prepared, known: Sequence[Any]) -> Run | None:
    """Make the plan; None if it is refused, or better left to the call."""
    kernel = prepared.operator.kernel
    assert kernel is not None
    given = [value.values if isinstance(value, ShapeValue) else value for value in known]
    try:
        if prepared.wanted(known) > _MOST_BYTES:
            return None
        with np.errstate(all="ignore"):
            return plan(kernel, given, prepared.options)
    except Exception:  # whatever it is, the program reports it when it gets there
        return None


def _brief(value: Any) -> str:
    return f"{value}"[:60]


def _has_axes(info: tree.StructInfo | None) -> bool:
    """Return whether a result is certain to have no tensor of rank 0, for which NumPy may give a number."""
    if isinstance(info, tree.TupleStructInfo):
        return not [field for field in info.fields if not _has_axes(field)]
    return isinstance(info, tree.ShapeStructInfo) or (info is not None and bool(sizes_of(info)))


def _known_arguments(writer: FunctionWriter, call: tree.Call, prepared: Prepared) -> list[Any] | None:
    """Return all arguments, tensors as specs, if they are known and fit the signature."""
    operator = prepared.operator
    given: list[Any] = [*move_scalars(operator, call.args, prepared.named)[0]]
    given += [None] * (len(operator.params) - len(given))
    known: list[Any] = []
    for param, arg in zip(operator.params, given, strict=True):
        if arg is None or (param.optional and left_out(arg)):
            known.append(None)
            continue
        is_target = operator.name == _RESHAPE and param.kind == "shape"
        value = _known(writer, "target" if is_target else param.kind, param, arg)
        if value is None:
            return None
        known.append(value)
    return known


def _known(writer: FunctionWriter, kind: str, param: Param, arg: Any) -> Any:
    """Return one argument as a plan gets it (a shape as a value), or None."""
    if isinstance(arg, int | float):  # a scalar that was given by its name
        return _fitting(param, arg)
    if kind in ("tensor", "tensors"):
        return _spec(writer.facts.of(arg), param, kind)
    if names_in(arg):
        return None
    try:
        if kind in ("shape", "target") and isinstance(arg, tree.ShapeExpr):
            return ShapeValue(sizes(arg.values, {}, inferred=kind == "target"))
        if kind == "prim" and isinstance(arg, tree.PrimValue):
            return _number(param, arg)
        if kind == "prims" and isinstance(arg, tree.Tuple):
            numbers = [_number(param, field) for field in arg.fields]
            return None if None in numbers else tuple(numbers)
    except RunFailure:
        pass
    return None


def _number(param: Param, arg: tree.Expr) -> Any:
    return _fitting(param, prim_value(arg.value, {})) if isinstance(arg, tree.PrimValue) else None


def _fitting(param: Param, value: Any) -> Any:
    return None if param.dtypes == "int" and type(value) is not int else value


def _spec(info: tree.StructInfo, param: Param, kind: str) -> Any:
    if kind == "tensors":
        if not isinstance(info, tree.TupleStructInfo):
            return None
        fields = [_spec(field, param, "tensor") for field in info.fields]
        return None if None in fields else tuple(fields)
    shape, dtype = sizes_of(info), dtype_of(info)
    if shape is None or dtype is None or not _is_tensor(info, param):
        return None
    known = tuple([size for size in shape if isinstance(size, int)])
    try:
        return TensorSpec(named_dtype(dtype), known) if len(known) == len(shape) else None
    except RunFailure:  # bfloat16 without its package
        return None


def _is_tensor(info: tree.StructInfo, param: Param) -> bool:
    if not isinstance(info, tree.TensorStructInfo):
        return False
    if param.ndim is not None:
        sizes = sizes_of(info)
        if sizes is None or len(sizes) != param.ndim:
            return False
    return not param.dtypes or dtype_of(info) in CLASSES[param.dtypes][0]
