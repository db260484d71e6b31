"""Sums of products as NumPy: one product of matrices, or of stacks of them, that goes into the target.

Factors keep the small type that they are stored in: the product takes them as floats a block at a time.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.vector_ir import Load, Vector
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.array_expressions import Arrays
from relax_lang.tir.codegen.kernels.convolutions import correlation
from relax_lang.tir.codegen.views import align, is_view, view
from relax_lang.tir.codegen.writer import all_of, typed_literal
from relax_lang.tir.schedule.strategies.reductions.contractions import Factor, taken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.array_ir.nodes import Expr
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Kernel

    Groups = tuple[list[str], ...]
    Words = tuple[tuple[str, Expr], ...]


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

    @property
    def is_stack(self) -> bool:
        """Whether each dimension of the matrices is one loop, and both factors have a stack of several dimensions."""
        return len(self.rows) == len(self.columns) == len(self.depth) == 1 and len(self.batch) > 1


def product(writer: Writer, kernel: Kernel, masks: list[Vector]) -> None:
    """Write a sum of products: stored if the target holds nothing yet, else added to it."""
    target, kept = view(writer, kernel.stage.target, kernel.stage.index, [loop.name for loop in kernel.kept])
    layout = Layout(kernel, kept)
    sign = 0
    if not kernel.starts_from_identity:
        sign = -1 if kernel.negated else 1
        if kernel.initial is not None:
            writer.add(ir.Store(target, typed_literal(kernel.initial)))
    if not masks and correlation(writer, kernel, target, sign):
        return
    dtype = dtypes.computed_in(kernel.stage.target.dtype)
    axes = layout.axes
    is_apart = bool(masks) or not kept or set(axes) != set(kept)
    args, zeros, is_copied = _arguments(
        writer, layout, dtype, with_zeros=not is_apart or dtypes.is_integer(dtype)
    )
    if masks:
        masked = _masked(writer, layout, masks, args, dtype)
        _apart(writer, kernel, (target, kept), layout, sign, masked)
        return
    if is_apart:
        _apart(writer, kernel, (target, kept), layout, sign, _call(dtype, args, zeros))
        return
    out = align(target, kept, axes)
    if dtypes.is_integer(dtype):
        signs = [Literal(sign)] if sign else []
        writer.add(ir.Evaluate(ir.Call("integer_product", (out, *args, *signs), zeros)))
    elif sign or is_copied or kernel.stage.target.dtype != dtype:
        typed = (Literal(sign), ir.DtypeOf(dtype))
        writer.add(ir.Evaluate(ir.Call("float_product", (out, *args, *typed), zeros)))
    elif layout.is_plain and axes == kept:
        writer.add(ir.Store(out, ir.MatMul(args[0], args[1])))
    elif layout.is_stack and axes == kept:
        writer.add(ir.Store(out, ir.MatMul(_stack(args[0]), _stack(args[1]))))
    else:
        writer.add(ir.Evaluate(ir.Call("product_into", (*args, out))))


def _arguments(
    writer: Writer, layout: Layout, dtype: str, *, with_zeros: bool
) -> tuple[list[Expr], Words, bool]:
    """Return the factors, what is to be subtracted from them, and whether they are taken as another type."""
    args: list[Expr] = []
    zeros: list[tuple[str, Expr]] = []
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
            zeros.append((f"{name}_zero", _aligned(writer, factor, group)))
    return args, tuple(zeros), is_copied


def _call(dtype: str, args: list[Expr], zeros: Words) -> Expr:
    """Return a product that is an array of its own."""
    if dtypes.is_integer(dtype):
        return ir.Call("integer_matmul", (*args, ir.DtypeOf(dtype)), zeros)
    return ir.MatMul(args[0], args[1], dtype)


def _masked(writer: Writer, layout: Layout, masks: list[Vector], args: list[Expr], dtype: str) -> Expr:
    """Return a product in which one factor counts as 0 where conditions do not hold."""
    named = frozenset[str]().union(*[mask.dims for mask in masks]) - writer.fixed
    is_second = not named <= layout.left.dims
    groups = (
        (layout.batch or layout.spread, layout.depth, layout.columns)
        if is_second
        else (layout.batch, layout.rows, layout.depth)
    )
    order = [name for group in groups for name in group]
    mask = all_of([Arrays(writer, order).value(mask) for mask in masks])
    mask = ir.Broadcast(mask, writer.extents(order))
    if not _is_matrix(groups):
        mask = ir.Reshaped(mask, _shape(writer, groups))
    options = (("of_second", Literal(True)),) if is_second else ()
    return ir.Call("masked_product", (*args, mask, ir.DtypeOf(dtype)), options)


def _apart(
    writer: Writer, kernel: Kernel, target: tuple[Expr, list[str]], layout: Layout, sign: int, product: Expr
) -> None:
    """Write a product that has not the dimensions of its target: it is one number, or the same along a loop."""
    place, kept = target
    axes, dtype = layout.axes, kernel.stage.target.dtype
    if not layout.is_plain:
        first = ir.At(Literal(0))
        product = ir.Reshaped(product, writer.extents(axes)) if axes else ir.View(product, (first, first))
    value = align(product, axes, kept)
    if sign:
        current = ir.Cast(place, dtypes.FLOAT32) if dtype in dtypes.HALVES else place
        value = ir.Elementwise("+" if sign > 0 else "-", (current, value), dtypes.computed_in(dtype))
    writer.add(ir.Store(place, value))


def _matrices(writer: Writer, factor: Vector, groups: Groups, alone: list[str], dtype: str) -> Expr:
    """Return a factor as a stack of matrices: one dimension for each group, none for an empty batch."""
    wanted = [name for group in groups for name in group]
    alone = [name for name in alone if name in factor.dims]
    order = [*wanted, *alone]
    if isinstance(factor, Load) and is_view(writer, factor.index):
        value, axes = view(writer, factor.storage, factor.index, order)
        value = align(value, axes, order)
    else:
        value = Arrays(writer, order).value(factor)
    if alone:
        value = ir.Reduce("+", value, tuple([len(wanted) + at for at in range(len(alone))]), dtype)
    if not set(wanted) <= factor.dims:  # the same for all of these
        value = ir.Broadcast(value, writer.extents(wanted))
    if _is_matrix(groups):
        return value
    return ir.Reshaped(value, _shape(writer, groups))


def _stack(factor: Expr) -> Expr:
    """Return a stack of matrices with a dimension for each loop of the stack, as a product takes it without a copy."""
    return factor.array if isinstance(factor, ir.Reshaped) else factor


def _aligned(writer: Writer, factor: Factor, groups: Groups) -> Expr:
    """Return what is subtracted from a factor as a stack of matrices like it, of size 1 where it does not vary."""
    assert factor.zero is not None
    value = Arrays(writer, [name for group in groups for name in group]).value(factor.zero)
    if not factor.zero.dims or _is_matrix(groups):
        return value
    varying = tuple([group if set(group) & factor.zero.dims else [] for group in groups])
    return ir.Reshaped(value, _shape(writer, varying, has_batch=bool(groups[0])))


def _is_matrix(groups: Groups) -> bool:
    """Return whether each group is one dimension already."""
    batch, first, second = groups
    return len(batch) <= 1 and len(first) == 1 and len(second) == 1


def _shape(writer: Writer, groups: Groups, *, has_batch: bool = False) -> tuple[Polynomial, ...]:
    """Return the sizes of a stack of matrices."""
    batch, *matrix = groups
    sizes: list[Polynomial] = []
    for group in [batch, *matrix] if batch or has_batch else matrix:
        size = Polynomial.constant(1)
        for extent in writer.extents(group):
            size = size * extent
        sizes.append(size)
    return tuple(sizes)
