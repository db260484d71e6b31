"""Calls of operators that NumPy computes with one function of its own, and where their results go. [X.O4]

Nothing is checked when they run: that dtypes and shapes go together is certain. A result of many elements is
written over an operand that is not shared and not needed any more; for small ones, new memory is faster.
"""

from __future__ import annotations

import math

from relax_lang.ops.calls import overwriting
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.ops.numpy_kernels.ufuncs import BINARY, UNARY
from relax_lang.runtime.compiler import call_stubs
from relax_lang.runtime.compiler.codegen.atoms import operand
from relax_lang.runtime.compiler.refinements import broadcast, dims_of, dtype_of, sizes_of
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.numpy_kernels.ufuncs import Ufunc
    from relax_lang.runtime.calling.prepared_calls import Prepared
    from relax_lang.runtime.compiler.codegen.function_writer import FunctionWriter
    from relax_lang.runtime.compiler.refinements import Sizes

_SMALL_PRODUCT = 1 << 16
"""Operands with so few elements, multiplied, are never refused for their memory: see `runtime.allocation`."""


def write_numpy_call(writer: FunctionWriter, call: tree.Call, prepared: Prepared, target: str) -> bool:
    """Write a call as NumPy's own; return whether that was possible."""
    name = prepared.operator.name
    if call.attrs or not all(isinstance(arg, tree.Var | tree.Constant) for arg in call.args):
        return False
    ufunc = (BINARY if len(call.args) == 2 else UNARY).get(name)
    if ufunc is None or len(call.args) != len(prepared.operator.params):
        return False
    infos = [writer.facts.of(arg) for arg in call.args]
    result = result_of_ufunc(infos, ufunc)
    if result is None:
        return False
    key = asked_for(infos) if prepared.estimate is not None else None
    if key is not None and key not in writer.facts.held and not _is_made(writer, infos[0], result):
        writer.facts.held[key] = ""
        texts = ", ".join([operand(writer, arg) for arg in call.args])
        stub = writer.module.stub("ask_for_memory", call_stubs.estimate(prepared), "memory")
        writer.line(f"{stub}({texts})", writer.place())
    texts = [operand(writer, arg) for arg in call.args]
    if ufunc.after:
        texts.append(ufunc.after)
    text = f"np.{ufunc.function}({', '.join(texts)})"
    if not sizes_of(result):
        text = f"np.asarray({text})"  # NumPy gives numbers there, not arrays
    over = _overwritten(writer, call.args, result)
    if over is not None:
        place, condition = over
        reusing = f"np.{ufunc.function}({', '.join(texts)}, out={place})"
        text = f"{reusing} if {condition} else {text}" if condition else reusing
    writer.assign(target, text, writer.place(operator=prepared.operator))
    writer.refine(result, fresh=True)
    return True


def result_of_ufunc(infos: Sequence[tree.StructInfo], ufunc: Ufunc) -> tree.TensorStructInfo | None:
    """Return the info of what NumPy's function makes of one or two tensors, if dtypes and shapes are known and fit."""
    dtypes = {dtype_of(info) for info in infos}
    dtype = dtypes.pop()
    if dtypes or dtype not in ufunc.dtypes:
        return None
    sizes = [sizes_of(info) for info in infos]
    first = sizes[0]
    if first is None:
        return None
    dims = dims_of(infos[0])
    if len(sizes) == 2:
        second = sizes[1]
        chosen = None if second is None else broadcast(first, second)
        if chosen is None:
            return None
        dims = [dims_of(infos[side])[at] for side, at in chosen]
    return tree.TensorStructInfo(tree.ShapeExpr(tuple(dims)), tree.DType(ufunc.result or dtype), None)


def asked_for(infos: Sequence[tree.StructInfo]) -> tuple[object, ...] | None:
    """Return what calls have in common that ask for as much memory as one of two tensors; None if it is little. [X.O5]

    Asking once is enough for all of them.
    """
    if len(infos) != 2:
        return None
    shapes = [sizes_of(info) for info in infos]
    sizes = [size for shape in shapes for size in shape or ()]
    numbers = [size for size in sizes if isinstance(size, int)]
    if len(numbers) == len(sizes) and math.prod(numbers) <= _SMALL_PRODUCT:
        return None
    return "memory", tuple(shapes), dtype_of(infos[0])


def note_product(writer: FunctionWriter, call: tree.Call, result: tree.StructInfo | None) -> None:
    """Note that a product asks for the memory of its result: what is as large as that needs no further question."""
    infos = [writer.facts.of(arg) for arg in call.args]
    if (
        result is not None
        and sizes_of(result) is not None
        and all(len(sizes_of(info) or ()) > 1 for info in infos)
    ):
        dtypes = {dtype_of(info) for info in (result, *infos)}
        if len(dtypes) == 1:
            writer.facts.held[_made_key(result, result)] = ""


def _is_made(writer: FunctionWriter, operand: tree.StructInfo, result: tree.StructInfo) -> bool:
    return _made_key(operand, result) in writer.facts.held


def _made_key(operand: tree.StructInfo, result: tree.StructInfo) -> tuple[object, ...]:
    return "made", sizes_of(result), dtype_of(operand)


def _overwritten(
    writer: FunctionWriter, args: Sequence[tree.Expr], result: tree.TensorStructInfo
) -> tuple[str, str] | None:
    """Return the operand that takes the result, and the condition under which that is worth it."""
    sizes, dtype = sizes_of(result), dtype_of(result)
    assert sizes is not None
    assert dtype is not None
    last_uses = writer.last_uses()
    for arg in args:
        if (
            not isinstance(arg, tree.Var)
            or arg.name_hint not in last_uses
            or arg.name_hint not in writer.facts.fresh
        ):
            continue
        info = writer.facts.of(arg)
        if dtype_of(info) == dtype and sizes_of(info) == sizes:
            condition = _is_large(writer, result, sizes, overwriting.LARGE // named_dtype(dtype).itemsize)
            return None if condition is None else (writer.variable(arg.name_hint), condition)
    return None


def overwritten(writer: FunctionWriter, call: tree.Call, prepared: Prepared) -> int | None:
    """Return which operand a call may write its result over, if that is worth it; it looks at shapes when it runs."""
    if prepared.named or not overwriting.can_overwrite(prepared.operator):
        return None
    last_uses = writer.last_uses()
    for at, arg in enumerate(call.args):
        if isinstance(arg, tree.Var) and arg.name_hint in last_uses and arg.name_hint in writer.facts.fresh:
            info = writer.facts.of(arg)
            sizes, dtype = sizes_of(info), dtype_of(info)
            numbers = [size for size in sizes or () if isinstance(size, int)]
            known = sizes is not None and dtype is not None and len(numbers) == len(sizes)
            if not known or math.prod(numbers) * named_dtype(dtype or "").itemsize >= overwriting.LARGE:
                return at
    return None


def _is_large(
    writer: FunctionWriter, result: tree.TensorStructInfo, sizes: Sizes, elements: int
) -> str | None:
    """Return a condition that holds for tensors of that many elements, empty for those of certain sizes; None if it
    never does, or the tensors may be numbers to NumPy.
    """
    key = ("large", sizes, elements)
    held = writer.facts.held.get(key)
    if held is not None:
        return held
    numbers = math.prod([size for size in sizes if isinstance(size, int)])
    names = [dim.name for dim in dims_of(result) if isinstance(dim, tree.PrimVar)]
    if len(names) + len([size for size in sizes if isinstance(size, int)]) < len(sizes):
        return None  # composite dimensions
    if (
        not names
    ):  # there is nothing to ask when it runs: writing over an operand takes no longer than new memory
        return "" if sizes else None
    if [name for name in names if name not in writer.dims]:
        return None  # only the rank is known
    held = writer.module.names.fresh("large")
    factors = [*[writer.dim(name) for name in names], *([str(numbers)] if numbers != 1 else [])]
    writer.size(held, f"{' * '.join(factors)} >= {elements}")
    writer.facts.held[key] = held
    return held
