"""Sums of products as NumPy: one product of matrices, or of stacks of them, that goes into the target.

Factors keep the small type that they are stored in: the product takes them as floats a block at a time.
"""

from __future__ import annotations

from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.vector_ir import Load, Vector
from relax_lang.tir.codegen.array_expressions import Arrays, assignable
from relax_lang.tir.codegen.views import align, is_view, view
from relax_lang.tir.codegen.writer import dtype_text, typed_literal
from relax_lang.tir.schedule.strategies.contractions import Factor, taken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Kernel

    Groups = tuple[list[str], ...]


class Layout:
    """How the loops of a product make matrices.

    They fall into groups: those of both factors that are kept (`batch`) or reduced (`depth`), and those of one factor
    only (`rows` and `columns`). The factor with the innermost kept loop gives the columns; its loops outside of the
    rows are a batch that the other factor is the same for (`spread`).
    """

    def __init__(self, kernel: Kernel, kept: list[str]) -> None:
        self.left, self.right = kernel.factors
        if kept and kept[-1] in self.left.dims and kept[-1] not in self.right.dims:
            self.left, self.right = self.right, self.left
        both = self.left.dims & self.right.dims
        reduced = [loop.name for loop in kernel.reduced]
        is_exact = dtypes.is_integer(kernel.stage.target.dtype)
        self.depth = [name for name in reduced if name in both or not is_exact]
        self.alone = [name for name in reduced if name not in self.depth]
        """The loops of a sum of integers that one factor does not vary over: the other one is summed up first."""
        self.batch = [name for name in kept if name in both]
        self.rows = [name for name in kept if name in self.left.dims and name not in both]
        self.columns = [name for name in kept if name in self.right.dims and name not in both]
        self.spread: list[str] = []
        if not self.batch and self.rows:
            last = kept.index(self.rows[-1])
            self.spread = [name for name in self.columns if kept.index(name) < last]
            self.columns = [name for name in self.columns if name not in self.spread]

    @property
    def axes(self) -> list[str]:
        """The loops along the dimensions of the product."""
        return [*self.batch, *self.spread, *self.rows, *self.columns]

    @property
    def is_plain(self) -> bool:
        """Whether each dimension of the matrices, and of a stack of them, is one loop."""
        return len(self.rows) == 1 and len(self.columns) == 1 and len(self.batch or self.spread) <= 1


def product(writer: Writer, kernel: Kernel, masks: list[Vector]) -> None:
    """Write a sum of products: stored if the target holds nothing yet, else added to it."""
    assert not masks, "a sum of products has no conditions"
    target, kept = view(writer, kernel.stage.target, kernel.stage.index, [loop.name for loop in kernel.kept])
    layout = Layout(kernel, kept)
    sign = 0
    if not kernel.starts_from_identity:
        sign = -1 if kernel.negated else 1
        if kernel.initial is not None:
            writer.line(f"{assignable(target) if kept else target} = {typed_literal(kernel.initial)}")
    dtype = dtypes.computed_in(kernel.stage.target.dtype)
    axes = layout.axes
    is_apart = not kept or set(axes) != set(kept)
    args, zeros, is_copied = _arguments(
        writer, layout, dtype, with_zeros=not is_apart or dtypes.is_integer(dtype)
    )
    if is_apart:
        _apart(writer, kernel, (target, kept), layout, sign, _call(writer, dtype, args, zeros))
        return
    out = align(target, kept, axes)
    if dtypes.is_integer(dtype):
        call = [writer.helper("integer_product"), out, *args, *([str(sign)] if sign else []), *zeros]
    elif sign or is_copied or kernel.stage.target.dtype != dtype:
        call = [writer.helper("float_product"), out, *args, str(sign), dtype_text(dtype), *zeros]
    elif layout.is_plain and axes == kept:
        call = ["np.matmul", *args, f"out={out}"]
    else:
        call = [writer.helper("product_into"), *args, out]
    writer.line(f"{call[0]}({', '.join(call[1:])})")


def _arguments(
    writer: Writer, layout: Layout, dtype: str, *, with_zeros: bool
) -> tuple[list[str], list[str], bool]:
    """Return the factors as text, what is to be subtracted from them, and whether they are taken as another type."""
    args: list[str] = []
    zeros: list[str] = []
    is_copied = False
    groups = (
        (layout.batch, layout.rows, layout.depth),
        (layout.batch or layout.spread, layout.depth, layout.columns),
    )
    for name, vector, group in zip("ab", (layout.left, layout.right), groups, strict=True):
        factor = taken(vector, dtype, group, layout.alone)
        if factor.zero is not None and not with_zeros:
            factor = Factor(vector)
        args.append(_matrices(writer, factor.vector, group, layout.alone, dtype))
        is_copied = is_copied or factor.vector.dtype != dtype or factor.zero is not None
        if factor.zero is not None:
            zeros.append(f"{name}_zero={_aligned(writer, factor, group)}")
    return args, zeros, is_copied


def _call(writer: Writer, dtype: str, args: list[str], zeros: list[str]) -> str:
    """Return the text of a product that is an array of its own."""
    if dtypes.is_integer(dtype):
        return f"{writer.helper('integer_matmul')}({', '.join([*args, dtype_text(dtype), *zeros])})"
    return f"np.matmul({args[0]}, {args[1]}, dtype={dtype_text(dtype)})"


def _apart(
    writer: Writer, kernel: Kernel, target: tuple[str, list[str]], layout: Layout, sign: int, call: str
) -> None:
    """Write a product that has not the dimensions of its target: it is one number, or the same along a loop."""
    text, kept = target
    axes = layout.axes
    if not layout.is_plain:
        sizes = "".join([f"{writer.extent(writer.space.loops[name])}, " for name in axes])
        call = f"{call}.reshape(({sizes}))" if axes else f"{call}[0, 0]"
    value = align(call, axes, kept)
    if sign:
        is_half = kernel.stage.target.dtype in dtypes.HALVES
        current = f"{text}.astype(np.float32)" if is_half else text
        value = f"{current} {'+' if sign > 0 else '-'} {value}"
    writer.line(f"{assignable(text) if kept else text} = {value}")


def _matrices(writer: Writer, factor: Vector, groups: Groups, alone: list[str], dtype: str) -> str:
    """Return a factor as a stack of matrices: one dimension for each group, none for an empty batch."""
    wanted = [name for group in groups for name in group]
    alone = [name for name in alone if name in factor.dims]
    order, before = [*wanted, *alone], len(writer.lines)
    if isinstance(factor, Load) and is_view(writer, factor.index):
        text, axes = view(writer, factor.storage, factor.index, order)
        text = align(text, axes, order)
    else:
        text = Arrays(writer, order).text(factor)
    if alone:
        axes_text = ", ".join([str(len(wanted) + at) for at in range(len(alone))])
        text = f"np.add.reduce({writer.named(text)}, axis=({axes_text},), dtype={dtype_text(dtype)})"
    text = writer.named(text)
    if not set(wanted) <= factor.dims:  # the same for all of these
        sizes = "".join([f"{writer.extent(writer.space.loops[name])}, " for name in wanted])
        text = writer.named(f"np.broadcast_to({text}, ({sizes}))")
    batch, first, second = groups
    if len(batch) <= 1 and len(first) == 1 and len(second) == 1:
        return text
    shape = [_size(writer, group) for group in ((batch, first, second) if batch else (first, second))]
    text = f"{text}.reshape({', '.join(shape)})"
    steps = writer.steps
    if steps is not None and before == len(writer.lines) and steps.is_same(writer, factor, order):
        return steps.computed(writer, ("matrices", text), lambda: text)
    return text


def _aligned(writer: Writer, factor: Factor, groups: Groups) -> str:
    """Return what is subtracted from a factor as a stack of matrices like it, of size 1 where it does not vary."""
    assert factor.zero is not None
    text = Arrays(writer, [name for group in groups for name in group]).text(factor.zero)
    batch, first, second = groups
    if not factor.zero.dims or (len(batch) <= 1 and len(first) == 1 and len(second) == 1):
        return text
    shape = [
        _size(writer, group) if set(group) & factor.zero.dims else "1"
        for group in ((batch, first, second) if batch else (first, second))
    ]
    return f"{writer.named(text)}.reshape({', '.join(shape)})"


def _size(writer: Writer, group: list[str]) -> str:
    product = "1"
    for name in group:
        size = writer.space.loops[name].extent
        number = writer.number(size)
        text = f"({number})" if len(size.terms) > 1 and len(group) > 1 else number
        product = text if product == "1" else f"{product} * {text}"
    return product
