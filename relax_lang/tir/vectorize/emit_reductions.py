"""Reductions and contractions as NumPy: one call over all iterations, combined with what the target holds."""

from __future__ import annotations

import string

from relax_lang.syntax import dtypes
from relax_lang.tir.vectorize import plan
from relax_lang.tir.vectorize.arrays import Arrays, assignable
from relax_lang.tir.vectorize.plan import COMBINES, identity
from relax_lang.tir.vectorize.vector import Apply, Const, Load, Vector, loads
from relax_lang.tir.vectorize.views import align, is_view, view
from relax_lang.tir.vectorize.writer import dtype_text, typed_literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.vectorize.plan import Kernel
    from relax_lang.tir.vectorize.vector import Loop
    from relax_lang.tir.vectorize.writer import Writer


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
    computing it for one iteration at a time keeps the temporary arrays small.
    """
    operand = kernel.operand
    if kernel.strategy == plan.CONTRACTION or not kernel.kept:
        return []
    widest = max([len(load.dims - writer.fixed) for load in loads(operand)], default=0)
    missing = len(operand.dims - writer.fixed) - widest
    return [loop for loop in kernel.kept if loop.name in operand.dims][: max(0, missing)]


def _reduce(writer: Writer, kernel: Kernel, masks: list[Vector]) -> None:
    stage = kernel.stage
    target, kept = view(writer, stage.target, stage.index, [loop.name for loop in kernel.kept])
    if kernel.strategy == plan.CONTRACTION:
        text, call = _contraction(writer, kernel, kept)
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
        return _float_sum(writer, kernel, kept, order)
    text = Arrays(writer, order).text(kernel.operand)
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


def _float_sum(writer: Writer, kernel: Kernel, kept: list[str], order: list[str]) -> str:
    """Return the text of a sum of floats: einsum adds much faster than `add.reduce`, and multiplies as it adds."""
    letters = string.ascii_lowercase[: len(order)]
    operand = kernel.operand
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


def _contraction(writer: Writer, kernel: Kernel, kept: list[str]) -> tuple[str, str]:
    """Return the text of a sum of products of two factors: one matrix product, batched where both vary.

    The loops fall into four groups: those of both factors that are kept (batch) or reduced (depth), and those of
    one factor only (rows and columns). The factor with the innermost kept loop gives the columns; its loops outside
    of the rows are a batch that the other factor is the same for. The first text is empty where the call, the
    second, has the dimensions of the target and can write to it.
    """
    reduced = [loop.name for loop in kernel.reduced]
    left, right = [_narrow(factor) for factor in kernel.factors]
    if kept and kept[-1] in left.dims and kept[-1] not in right.dims:
        left, right = right, left
    both = left.dims & right.dims
    batch = [name for name in kept if name in both]
    depth = [name for name in reduced if name in both]
    rows = [name for name in kept if name in left.dims and name not in both]
    columns = [name for name in kept if name in right.dims and name not in both]
    spread: list[str] = []
    if not batch and rows:
        spread = [name for name in columns if kept.index(name) < kept.index(rows[-1])]
        columns = [name for name in columns if name not in spread]
    dtype = kernel.stage.target.dtype
    a = _operand(writer, left, reduced, (batch, rows, depth), dtype)
    b = _operand(writer, right, reduced, (batch or spread, depth, columns), dtype)
    axes = [*batch, *spread, *rows, *columns]
    if dtypes.is_integer(dtype):
        call = f"{writer.helper('integer_matmul')}({a}, {b}, {dtype_text(dtype)})"
    else:
        call = f"np.matmul({a}, {b})"
    text = call
    if len(rows) != 1 or len(columns) != 1 or len(batch or spread) > 1:
        shape = ", ".join([writer.extent(writer.space.loops[name]) for name in axes])
        into = axes == kept and not dtypes.is_integer(dtype) and kernel.starts_from_identity
        if into and axes and dtype not in dtypes.HALVES:
            return "", f"{writer.helper('product_into')}({a}, {b})"
        text = f"{writer.named(call)}.reshape({shape})" if axes else f"{call}[0, 0]"
    text = align(text, axes, kept)
    return ("" if text == call and axes == kept and call.startswith("np.") else text), call


def _narrow(factor: Vector) -> Vector:
    """Return what an integer factor is widened from, if that has the same values: products are taken of that."""
    while isinstance(factor, Apply) and factor.op == "cast" and dtypes.is_integer(factor.dtype):
        source = factor.args[0]
        if not dtypes.is_integer(source.dtype):
            break
        (least, greatest), wide = dtypes.INT_RANGES[source.dtype], dtypes.INT_RANGES[factor.dtype]
        if least < wide[0] or greatest > wide[1]:
            break
        factor = source
    return factor


def _operand(
    writer: Writer, factor: Vector, reduced: list[str], groups: tuple[list[str], ...], dtype: str
) -> str:
    """Return a factor as a stack of matrices: one dimension for each group, none for an empty batch."""
    wanted = [name for group in groups for name in group]
    alone = [name for name in reduced if name in factor.dims and name not in wanted]
    order = [*wanted, *alone]
    if isinstance(factor, Load) and factor.dtype not in dtypes.HALVES and is_view(writer, factor.index):
        text, axes = view(writer, factor.storage, factor.index, order)
        text = align(text, axes, order)
    else:
        text = Arrays(writer, order).text(factor)
    if alone:
        axes_text = ", ".join([str(len(wanted) + at) for at in range(len(alone))])
        extra = f", dtype={dtype_text(dtype)}" if dtypes.is_integer(dtype) else ""
        text = f"np.add.reduce({writer.named(text)}, axis=({axes_text},){extra})"
    text = writer.named(text)
    batch, first, second = groups
    if len(batch) <= 1 and len(first) == 1 and len(second) == 1:
        return text
    shape = [_product(writer, group) for group in ((batch, first, second) if batch else (first, second))]
    return f"{text}.reshape({', '.join(shape)})"


def _product(writer: Writer, group: list[str]) -> str:
    product = "1"
    for name in group:
        size = writer.space.loops[name].extent
        number = writer.number(size)
        text = f"({number})" if len(size.terms) > 1 and len(group) > 1 else number
        product = text if product == "1" else f"{product} * {text}"
    return product
