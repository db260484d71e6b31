"""Kernels as statements of the generated NumPy function."""

from __future__ import annotations

from relax_lang.syntax import dtypes
from relax_lang.tir.emit_expressions import UFUNCS, Writer, align, constant, dtype_text, view
from relax_lang.tir.recognize import COMBINES, CONTRACTION, ELEMENTWISE, Kernel
from relax_lang.tir.vector import Apply, Const, Load, Vector, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.vector import Loop


def emit(writer: Writer, kernel: Kernel) -> None:
    """Write the statements of one kernel."""
    writer.line(f"# {comment(kernel.stage.label)}: {_what(kernel)}")
    depth = writer.depth
    mask = _conditions(writer, kernel)
    if kernel.strategy == ELEMENTWISE:
        _elementwise(writer, kernel, mask)
    else:
        _reduction(writer, kernel, mask)
    writer.depth = depth


def comment(name: str) -> str:
    """Return a name of the program so that it cannot end a comment."""
    return name.encode("unicode_escape").decode("ascii")


def _what(kernel: Kernel) -> str:
    if kernel.strategy == ELEMENTWISE:
        return "elementwise" + (f" over {_names(kernel.kept)}" if kernel.kept else "")
    return f"{kernel.strategy} over {_names(kernel.reduced)}"


def _names(loops: Sequence[object]) -> str:
    return ", ".join([str(getattr(loop, "name", "")) for loop in loops])


def _conditions(writer: Writer, kernel: Kernel) -> list[Vector]:
    """Write conditions that hold for all iterations or for none as `if`; return the others."""
    varying: list[Vector] = []
    for guard in kernel.stage.guards:
        if guard.dims:
            varying.append(guard)
        else:
            writer.line(f"if {writer.expression(guard, ())}:")
            writer.depth += 1
    return varying


def _mask(writer: Writer, guards: list[Vector], order: Sequence[str]) -> str:
    return writer.named(" & ".join([writer.named(writer.expression(guard, order)) for guard in guards]))


def _target(writer: Writer, kernel: Kernel) -> tuple[str, list[str]]:
    stage = kernel.stage
    return view(writer, stage.target, stage.index, [loop.name for loop in kernel.kept])


def _assign(writer: Writer, target: str, axes: list[str], value: str) -> None:
    """Write a store; a view is filled, a single element is set."""
    if axes and not target.endswith("]"):
        target = f"{target}[...]"
    writer.line(f"{target} = {value}")


def _elementwise(writer: Writer, kernel: Kernel, guards: list[Vector]) -> None:
    target, order = _target(writer, kernel)
    value = kernel.operand
    if guards:
        text = writer.named(writer.expression(value, order))
        mask = _mask(writer, guards, order)
        writer.line(f'np.copyto({target}, {text}, where={mask}, casting="unsafe")')
        return
    direct = _direct(writer, value, target, order, kernel)
    if direct is not None:
        writer.line(direct)
    else:
        _assign(writer, target, order, writer.expression(value, order))


def _direct(writer: Writer, value: Vector, target: str, order: list[str], kernel: Kernel) -> str | None:
    """Return a call that writes to the target itself, where the outermost operation is one of NumPy's."""
    if not isinstance(value, Apply) or not order or value.dtype != kernel.stage.target.dtype:
        return None
    if value.dtype in dtypes.HALVES or not value.dims or value.op in ("cast", "select"):
        return None
    if value.op in UFUNCS:
        function = UFUNCS[value.op]
    elif value.op.isidentifier() and writer.function(value.op).startswith("np."):
        function = writer.function(value.op)
    else:
        return None
    args = [writer.named(writer.expression(arg, order)) for arg in value.args]
    return f"{function}({', '.join([*args, f'out={target}'])})"


def _reduction(writer: Writer, kernel: Kernel, guards: list[Vector]) -> None:
    """Write a reduction: its value, combined with what the target holds, or with its known initial value."""
    for loop in _outer_loops(kernel):
        writer.line(f"for {loop.name} in range({loop.extent}):")
        writer.depth += 1
        writer.fixed.add(loop.name)
    _reduce(writer, kernel, guards)
    writer.fixed.clear()


def _outer_loops(kernel: Kernel) -> list[Loop]:
    """Return the loops that stay Python loops: where the operand is as large as no array that it is made from,
    computing it for one iteration at a time keeps the temporary arrays small.
    """
    operand = kernel.operand
    if kernel.strategy == CONTRACTION or not kernel.kept:
        return []
    widest = max([len(load.dims) for load in loads(operand)], default=0)
    missing = len(operand.dims) - widest
    return [loop for loop in kernel.kept if loop.name in operand.dims][:missing]


def _reduce(writer: Writer, kernel: Kernel, guards: list[Vector]) -> None:
    target, kept = _target(writer, kernel)
    if kernel.strategy == CONTRACTION:
        text, call = _contraction(writer, kernel, kept)
    else:
        text, call = "", _reduced(writer, kernel, kept, guards)
    dtype = kernel.stage.target.dtype
    in_place = bool(kept) and dtype not in dtypes.HALVES
    if _is_identity(kernel) and not kernel.negated:
        if in_place and not text:
            writer.line(f"{call[:-1]}, out={target})")
        else:
            _assign(writer, target, kept, text or call)
        return
    combine = "np.subtract" if kernel.negated else COMBINES[kernel.combine]
    if kernel.initial is not None:
        current = constant(kernel.initial)
    else:
        current = f"{target}.astype(np.float32)" if dtype in dtypes.HALVES else target
    args = f"{current}, {writer.named(text or call)}"
    if in_place:
        writer.line(f"{combine}({args}, out={target})")
    else:
        _assign(writer, target, kept, f"{combine}({args})")


def _is_identity(kernel: Kernel) -> bool:
    """Tell whether the initial value does not change what is combined with it."""
    initial = kernel.initial
    return initial is not None and initial.value == identity(kernel.combine, initial.dtype)


def identity(combine: str, dtype: str) -> float | int | bool:
    """Return the value that a reduction starts from."""
    if combine in ("+", "|", "^", "||"):
        return False if dtype == dtypes.BOOL else 0
    if combine in ("*", "&&"):
        return True if dtype == dtypes.BOOL else 1
    if combine == "&":
        return (
            True if dtype == dtypes.BOOL else (-1 if dtype in dtypes.SIGNED else dtypes.INT_RANGES[dtype][1])
        )
    if dtypes.is_float(dtype):
        return float("-inf") if combine == "max" else float("inf")
    return dtypes.INT_RANGES[dtype][0 if combine == "max" else 1]


def _reduced(writer: Writer, kernel: Kernel, kept: list[str], guards: list[Vector]) -> str:
    """Return the text that reduces the operand over the loops that are not kept."""
    order = [*kept, *[loop.name for loop in kernel.reduced]]
    dtype = kernel.stage.target.dtype
    text = writer.expression(kernel.operand, order)
    start = constant(Const(identity(kernel.combine, dtype), dtype))
    dims = set(kernel.operand.dims) - writer.fixed
    if guards:
        mask = _mask(writer, guards, order)
        text = f"np.where({mask}, {writer.named(text)}, {start})"
        dims = dims.union(*[guard.dims for guard in guards]) - writer.fixed
    text = writer.named(text)
    if dims != set(order):
        shape = ", ".join([str(writer.loops[name].extent) for name in order])
        text = f"np.broadcast_to({text}, ({shape},))"
    axes = ", ".join([str(len(kept) + at) for at in range(len(kernel.reduced))])
    axis = axes if len(kernel.reduced) == 1 else f"({axes})"
    extra = (
        f", dtype={dtype_text(dtype)}" if kernel.combine in ("+", "*") and dtypes.is_integer(dtype) else ""
    )
    if kernel.combine in ("min", "max"):
        extra = f", initial={start}"  # without it an empty range would be an error
    return f"{COMBINES[kernel.combine]}.reduce({text}, axis={axis}{extra})"


def _contraction(writer: Writer, kernel: Kernel, kept: list[str]) -> tuple[str, str]:
    """Return the text of a sum of products of two factors: one matrix product, batched where both vary.

    The loops fall into four groups: those of both factors that are kept (batch) or reduced (depth), and those of
    one factor only (rows and columns). The factor with the innermost kept loop gives the columns. The first text
    is empty where the call, the second, has the dimensions of the target and can write to it.
    """
    reduced = [loop.name for loop in kernel.reduced]
    left, right = kernel.factors
    if kept and kept[-1] in left.dims and kept[-1] not in right.dims:
        left, right = right, left
    both = left.dims & right.dims
    batch = [name for name in kept if name in both]
    depth = [name for name in reduced if name in both]
    rows = [name for name in kept if name in left.dims and name not in both]
    columns = [name for name in kept if name in right.dims and name not in both]
    a = _operand(writer, left, reduced, (batch, rows, depth))
    b = _operand(writer, right, reduced, (batch, depth, columns))
    call = f"np.matmul({a}, {b})"
    axes = [*batch, *rows, *columns]
    text = call
    if len(rows) != 1 or len(columns) != 1 or len(batch) > 1:
        shape = ", ".join([str(writer.loops[name].extent) for name in axes])
        text = f"{writer.named(call)}.reshape({shape})" if axes else f"{call}[0, 0]"
    text = align(text, axes, kept)
    return ("" if text == call and axes == kept else text), call


def _operand(writer: Writer, factor: Vector, reduced: list[str], groups: tuple[list[str], ...]) -> str:
    """Return a factor as a stack of matrices: one dimension for each group, none for an empty batch."""
    wanted = [name for group in groups for name in group]
    alone = [name for name in reduced if name in factor.dims and name not in wanted]
    order = [*wanted, *alone]
    if isinstance(factor, Load) and factor.dtype not in dtypes.HALVES:
        text, axes = view(writer, factor.storage, factor.index, order)
        text = align(text, axes, order)
    else:
        text = writer.expression(factor, order)
    if alone:
        axes_text = ", ".join([str(len(wanted) + at) for at in range(len(alone))])
        extra = f", dtype={dtype_text(factor.dtype)}" if dtypes.is_integer(factor.dtype) else ""
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
        size = writer.loops[name].extent
        text = f"({size})" if len(size.terms) > 1 and len(group) > 1 else str(size)
        product = text if product == "1" else f"{product} * {text}"
    return product
