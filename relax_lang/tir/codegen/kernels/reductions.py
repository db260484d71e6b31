"""Reductions as NumPy: one call over all iterations, combined with what the target holds."""

from __future__ import annotations

import string

from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.vector_ir import Apply, Const, Index, Load, Vector, loads
from relax_lang.tir.codegen.array_expressions import Arrays, assignable
from relax_lang.tir.codegen.strength_reduction import scale_of_terms
from relax_lang.tir.codegen.views import view
from relax_lang.tir.codegen.writer import dtype_text, typed_literal
from relax_lang.tir.schedule.plan import COMBINES, identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.vector_ir import Loop
    from relax_lang.tir.codegen.strength_reduction import Scale
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Kernel


def reduction(writer: Writer, kernel: Kernel, masks: list[Vector]) -> None:
    """Write a reduction: its value, combined with what the target holds, or with its known initial value."""
    outer = _outer_loops(writer, kernel)
    _around(writer, kernel, masks, outer)


def _around(writer: Writer, kernel: Kernel, masks: list[Vector], outer: list[Loop]) -> None:
    if not outer:
        _reduce(writer, kernel, masks)
        return
    with writer.indented(f"for {outer[0].name} in range({writer.extent(outer[0])}):", outer[0]):
        _around(writer, kernel, masks, outer[1:])


def _outer_loops(writer: Writer, kernel: Kernel) -> list[Loop]:
    """Return the loops that stay Python loops: where the operand is as large as no array that it is made from,
    computing it for one iteration at a time keeps the temporary arrays small. One of several always stays an array.
    """
    operand = kernel.operand
    if not kernel.kept:
        return []
    widest = max([len(load.dims - writer.fixed) for load in loads(operand)], default=0)
    missing = len(operand.dims - writer.fixed) - widest
    outer = [loop for loop in kernel.kept if loop.name in operand.dims]
    return outer[: max(0, min(missing, max(1, len(outer) - 1)))]


def _reduce(writer: Writer, kernel: Kernel, masks: list[Vector]) -> None:
    stage = kernel.stage
    target, kept = view(writer, stage.target, stage.index, [loop.name for loop in kernel.kept])
    scale = None if masks else scale_of_terms(writer, kernel)
    if scale is not None and kernel.starts_from_identity and kept:
        _sum_of_scaled(writer, kernel, kept, scale, target)
        return
    if scale is not None:
        text = call = _sum_of_scaled(writer, kernel, kept, scale, "")
    else:
        text, call = "", _reduced(writer, kernel, kept, masks)
    dtype = stage.target.dtype
    in_place = bool(kept) and dtype not in dtypes.HALVES
    if kernel.starts_from_identity:
        if in_place and not text:
            writer.line(f"{call[:-1]}, out={target})")
        else:
            writer.line(f"{assignable(target) if kept else target} = {text or call}")
        return
    combine = "np.subtract" if kernel.negated else COMBINES[kernel.combine]
    if kernel.initial is not None:
        current = typed_literal(kernel.initial)
    else:
        current = f"{target}.astype(np.float32)" if dtype in dtypes.HALVES else target
    args = f"{current}, {writer.named(text or call)}"
    if in_place:
        writer.line(f"{combine}({args}, out={target})")
    else:
        writer.line(f"{assignable(target) if kept else target} = {combine}({args})")


def _reduced(writer: Writer, kernel: Kernel, kept: list[str], masks: list[Vector]) -> str:
    """Return the text that reduces the operand over the loops that are not kept."""
    order = [*kept, *[loop.name for loop in kernel.reduced]]
    dtype = kernel.stage.target.dtype
    if (
        kernel.combine == "+"
        and dtypes.is_float(dtype)
        and not masks
        and kernel.operand.dims - writer.fixed == frozenset(order)
    ):
        return _float_sum(writer, kernel, kernel.operand, kept, order)
    text = Arrays(writer, order).text(_counted(kernel))
    start = typed_literal(Const(identity(kernel.combine, dtype), dtype))
    dims = kernel.operand.dims - writer.fixed
    if masks:
        mask = " & ".join([writer.named(Arrays(writer, order).text(mask)) for mask in masks])
        text = f"np.where({mask}, {writer.named(text)}, {start})"
        dims = dims.union(*[mask.dims for mask in masks]) - writer.fixed
    text = writer.named(text)
    if dims != frozenset(order):
        shape = ", ".join([writer.extent(writer.space.loops[name]) for name in order])
        text = f"np.broadcast_to({text}, ({shape},))"
    axes = ", ".join([str(len(kept) + at) for at in range(len(kernel.reduced))])
    axis = axes if len(kernel.reduced) == 1 else f"({axes})"
    extra = ""
    if kernel.combine in ("+", "*") and dtypes.is_integer(dtype):
        extra = f", dtype={dtype_text(dtype)}"
    if kernel.combine in ("min", "max"):
        extra = f", initial={start}"  # without it an empty range would be an error
    return f"{COMBINES[kernel.combine]}.reduce({text}, axis={axis}{extra})"


def _counted(kernel: Kernel) -> Vector:
    """Return what a reduction combines; where it counts with a sum of ones and zeros, the condition instead."""
    operand = kernel.operand
    if kernel.combine != "+" or not dtypes.is_integer(operand.dtype) or not isinstance(operand, Apply):
        return operand
    if operand.op == "cast" and operand.args[0].dtype == dtypes.BOOL:
        return operand.args[0]
    if operand.op == "select" and [_whole(arg) for arg in operand.args[1:]] == [1, 0]:
        return operand.args[0]
    return operand


def _whole(vector: Vector) -> float | None:
    """Return the number that a vector is, if it is one."""
    if isinstance(vector, Index):
        return vector.polynomial.value
    return vector.value if isinstance(vector, Const) else None


def _sum_of_scaled(writer: Writer, kernel: Kernel, kept: list[str], scale: Scale, out: str) -> str:
    """Write a sum whose terms have a factor in common: that of the terms without it, times the factor. Where this is
    not finite, terms may have been too large without their factor, and the sum is taken as the program says.
    """
    order = [*kept, *[loop.name for loop in kernel.reduced]]
    factor = writer.named(Arrays(writer, kept).text(scale.factor))
    total = _float_sum(writer, kernel, scale.term, kept, order)
    result = out
    if out:
        writer.line(f"{total[:-1]}, out={out})")
        writer.line(f"{_FUNCTION[scale.op]}({out}, {factor}, out={out})")
    else:
        result = writer.name(total, "total")
        writer.line(f"{result} = {result} {scale.op} {factor}")
    shared, scratch = dict(writer.shared), writer.scratch
    writer.scratch = None  # no array is worth its while for what hardly ever runs
    with writer.indented(f"if not np.isfinite({result}).all():"):
        again = _float_sum(writer, kernel, kernel.operand, kept, order)
        writer.line(f"{again[:-1]}, out={out})" if out else f"{result} = {again}")
    writer.shared, writer.scratch = shared, scratch
    return result


_FUNCTION = {"*": "np.multiply", "/": "np.divide"}


def _float_sum(writer: Writer, kernel: Kernel, operand: Vector, kept: list[str], order: list[str]) -> str:
    """Return the text of a sum of floats: einsum adds much faster than `add.reduce`, and multiplies as it adds."""
    letters = string.ascii_lowercase[: len(order)]
    if isinstance(operand, Apply) and operand.op == "*":
        factors = operand.args
        if (
            all(factor.dims - writer.fixed == frozenset(order) for factor in factors)
            and operand.dtype not in dtypes.HALVES
        ):
            first, second = Arrays(writer, order).texts(factors)
            if len(order) - len(kept) == 1:
                return f"np.vecdot({first}, {second})"
            return f'np.einsum("{letters},{letters}->{letters[: len(kept)]}", {first}, {second})'
    text = writer.named(Arrays(writer, order).text(operand))
    if isinstance(operand, Load) and not operand.index[-1].names() & {loop.name for loop in kernel.reduced}:
        axes = ", ".join([str(len(kept) + at) for at in range(len(kernel.reduced))])
        return f"np.add.reduce({text}, axis=({axes},))"  # over rows, which NumPy adds to each other
    return f'np.einsum("{letters}->{letters[: len(kept)]}", {text})'
