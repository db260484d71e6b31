"""The module text of a compiled PrimFunc: helpers, checks at entry, allocations, kernels.

The text stands alone, importing numpy only. It is made from checked parts: identifiers that `Entry` chose,
numbers, and names of the program in comments, escaped.
"""

from __future__ import annotations

import inspect
import re

from relax_lang.base.wording import tuple_text
from relax_lang.syntax import dtypes, tree
from relax_lang.tir import prelude, signature
from relax_lang.tir.dependence import accesses
from relax_lang.tir.emit import comment, emit
from relax_lang.tir.emit_expressions import Writer, dtype_text, sizes_of, view
from relax_lang.tir.entry import HELPERS
from relax_lang.tir.recognize import ELEMENTWISE, Kernel
from relax_lang.tir.vector import Const, Storage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.lower import Lowering

_REMARKS = re.compile(r" +# (noqa|fmt|pyright)[^\n]*")


def generate(lowering: Lowering, kernels: list[Kernel], merged: dict[str, str]) -> str:
    """Return the text of the module; its function is also called `function`."""
    writer = Writer(lowering.entry.names, lowering.values.loops)
    writer.helpers |= {"NotVectorized", *lowering.entry.helpers}
    _fold_initial_values(writer, kernels)
    for storage in lowering.allocated:
        _allocate(writer, storage)
    for kernel in kernels:
        if not kernel.folded:
            emit(writer, kernel)
    body = writer.lines
    written = _written(kernels)
    if writer.may_fail_late and written:
        writer.helpers.add("restored")
        body = [f"    with restored({', '.join(written)}):", *[f"    {line}" for line in body]]
    writer.lines = []
    _enter(writer, lowering, written, merged)
    return _module(writer, lowering, [*writer.lines, *(body or ["    pass"])])


def _module(writer: Writer, lowering: Lowering, lines: list[str]) -> str:
    func = lowering.analysis.func
    entry = lowering.entry
    params = [entry.identifier(lowering.analysis.symbols[param]) for param in signature.params(func)]
    name = entry.fresh(func.name.name_hint)
    helpers = _helper_texts(writer.helpers)
    imports = ["import ml_dtypes"] if "ml_dtypes" in writer.helpers else []
    head = [
        f"# prim_func @{comment(func.name.name_hint)}, compiled to NumPy",
        "from __future__ import annotations",
        "",
        *imports,
        "import numpy as np",
        "",
        "",
        *helpers,
    ]
    if lowering.allocated:
        params += ["*", "empty=np.empty"]
    signature_line = f"def {name}({', '.join(params)}):"
    text = [*head, '@np.errstate(all="ignore")', signature_line, *lines, "", "", f"function = {name}", ""]
    return "\n".join(text)


def _helper_texts(names: set[str]) -> list[str]:
    """Return the texts of helpers and of the helpers in them, in the order of the prelude."""
    wanted = {name for name in names if hasattr(prelude, name)}
    texts: dict[str, str] = {}
    while wanted - texts.keys():
        for name in sorted(wanted - texts.keys()):
            texts[name] = _REMARKS.sub("", inspect.getsource(getattr(prelude, name)))
            wanted |= {other for other in HELPERS if hasattr(prelude, other) and other in texts[name]} - {
                "np"
            }
    order = [name for name in vars(prelude) if name in texts]
    return [f"{texts[name].rstrip()}\n\n" for name in order]


def _enter(writer: Writer, lowering: Lowering, written: list[str], merged: dict[str, str]) -> None:
    """Write the entry: names for sizes, checks of what the caller gave, requirements."""
    func, entry, symbols = lowering.analysis.func, lowering.entry, lowering.analysis.symbols
    buffers = signature.buffers(func)
    arrays = {buffer.name: entry.identifier(symbols[buffer]) for buffer in buffers}
    _require(
        writer, " and ".join([f"{arrays[buffer.name]}.ndim == {len(buffer.shape)}" for buffer in buffers])
    )
    for symbol in lowering.analysis.dims.values():
        assert symbol.binder is not None, "a dimension variable is bound by a buffer"
        name, position = symbol.binder
        writer.line(f"{entry.identifier(symbol)} = {arrays[name]}.shape[{position}]")
    for scalar in signature.scalars(func):
        if not dtypes.is_float(scalar.dtype.name):
            name = entry.identifier(symbols[scalar])
            kind = "bool" if scalar.dtype.name == dtypes.BOOL else "int"
            writer.line(f"{name} = {kind}({name})")
            if kind == "int":
                least, greatest = dtypes.INT_RANGES[scalar.dtype.name]
                _require(writer, f"{least} <= {name} <= {greatest}")
    for kind, text in entry.lines:
        if kind == "require":
            _require(writer, text)
        else:
            writer.line(text)
    for buffer in buffers:
        _check_array(writer, lowering, buffer, arrays[buffer.name])
    _check_overlap(writer, lowering, written, merged)


def _require(writer: Writer, condition: str) -> None:
    if condition:
        writer.line(f"{writer.helper('require')}({condition})")


def _check_array(writer: Writer, lowering: Lowering, buffer: tree.Buffer, name: str) -> None:
    shape = [str(lowering.values.polynomial(dim)) for dim in buffer.shape]
    dtype = buffer.dtype.name
    test = (
        f'{name}.dtype.name == "bfloat16"' if dtype == "bfloat16" else f"{name}.dtype == {dtype_text(dtype)}"
    )
    _require(writer, f"{test} and {name}.shape == {tuple_text(shape)}")


def _check_overlap(writer: Writer, lowering: Lowering, written: list[str], merged: dict[str, str]) -> None:
    """Check that arrays that are written can be, and share no memory with another parameter."""
    symbols = lowering.analysis.symbols
    buffers = [buffer for buffer in signature.buffers(lowering.analysis.func) if buffer.name not in merged]
    names = [lowering.entry.identifier(symbols[buffer]) for buffer in buffers]
    for at, name in enumerate(written):
        _require(writer, f"{name}.flags.writeable")
        # Two written arrays are compared once.
        others = [other for other in names if other != name and other not in written[:at]]
        if others:
            helper = writer.helper("overlapping")
            _require(writer, f"not {helper}({', '.join([name, *others])})")


def _written(kernels: list[Kernel]) -> list[str]:
    names = [kernel.stage.target.name for kernel in kernels if kernel.stage.target.is_param]
    return list(dict.fromkeys(names))


def _allocate(writer: Writer, storage: Storage) -> None:
    shape = tuple_text([str(size) for size in sizes_of(storage)])
    writer.needs(storage.dtype)
    writer.line(f"{storage.name} = empty({shape}, {dtype_text(storage.dtype)})")


def _fold_initial_values(writer: Writer, kernels: list[Kernel]) -> None:
    """Give reductions the constant that was stored just before to what they accumulate, instead of storing it."""
    for at, kernel in enumerate(kernels):
        if kernel.strategy == ELEMENTWISE or kernel.stage.guards:
            continue
        before = _last_access(kernels[:at], kernel.stage.target)
        if before is None or before.folded or not _fills_same(writer, before, kernel):
            continue
        assert isinstance(before.operand, Const)
        kernel.initial = before.operand
        before.folded = True


def _last_access(kernels: list[Kernel], target: Storage) -> Kernel | None:
    for kernel in reversed(kernels):
        if target in [storage for storage, _, _ in accesses(kernel.stage)]:
            return kernel
    return None


def _fills_same(writer: Writer, fill: Kernel, kernel: Kernel) -> bool:
    """Tell whether a kernel stores one constant to all elements that another one accumulates in."""
    if fill.strategy != ELEMENTWISE or fill.stage.guards or not isinstance(fill.operand, Const):
        return False
    order, fill_order = [loop.name for loop in kernel.kept], [loop.name for loop in fill.kept]
    wanted = view(writer, kernel.stage.target, kernel.stage.index, order)[0]
    return wanted == view(writer, fill.stage.target, fill.stage.index, fill_order)[0]
