"""The module text of a compiled PrimFunc: helpers, checks at entry, allocations, kernels.

The text stands alone, importing numpy only. It is made from checked parts: identifiers that `Entry` chose,
numbers, and names of the program in comments, escaped.
"""

from __future__ import annotations

import inspect
import re
from functools import cache

from relax_lang.base.wording import tuple_text
from relax_lang.syntax import dtypes, tree
from relax_lang.tir import prelude, signature
from relax_lang.tir.vectorize.arrays import text_of
from relax_lang.tir.vectorize.blocking import Blocking
from relax_lang.tir.vectorize.emit import emit
from relax_lang.tir.vectorize.entry import HELPERS
from relax_lang.tir.vectorize.initial import fold_initial_values, used_storages
from relax_lang.tir.vectorize.plan import ArgKernel, Block, Kernel, Sequential, Single, Turned, While
from relax_lang.tir.vectorize.turning import Turning
from relax_lang.tir.vectorize.vector import Extern, Refused, Storage
from relax_lang.tir.vectorize.writer import Writer, comment, dtype_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node as TreeNode
    from relax_lang.tir.vectorize.lower import Lowering
    from relax_lang.tir.vectorize.plan import Node

_REMARKS = re.compile(r" +# (noqa|fmt|pyright)[^\n]*")


def generate(lowering: Lowering, nodes: list[Node], merged: dict[str, str]) -> tuple[str, list[TreeNode]]:
    """Return the text of the module, and the calls of packed functions that it refers to by number. Its function is
    also called `function`. Raises `Refused` where the interpreter may have to repeat such a call.
    """
    writer = Writer(lowering.entry, lowering.space, text_of)
    writer.helpers.add("NotVectorized")
    fold_initial_values(writer, nodes)
    nodes = Turning(lowering.space, lowering.entry).run(nodes)
    nodes = Blocking(lowering.space, lowering.entry, lowering.allocated).run(nodes)
    used = used_storages(writer.space, nodes)
    for storage in lowering.allocated:
        if storage in used or not storage.is_temporary:
            _allocate(writer, storage)
    emit(writer, nodes)
    if writer.may_call_twice:
        raise Refused("what follows the call may fail, and would repeat it", writer.externs[0])
    writer.helpers |= lowering.entry.helpers
    body = writer.lines
    written = _written(nodes)
    if writer.may_fail_late and written:
        writer.helpers.add("restored")
        body = [f"    with restored({', '.join(written)}):", *[f"    {line}" for line in body]]
    writer.lines = []
    _enter(writer, lowering, written, merged)
    return _module(writer, lowering, [*writer.lines, *(body or ["    pass"])]), writer.externs


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
    text = "\n".join(lines)
    options = ["empty=np.empty"] if "empty(" in text else []
    options += ["call_extern=None"] if writer.externs else []
    params += ["*", *options] if options else []
    signature_line = f"def {name}({', '.join(params)}):"
    text = [*head, '@np.errstate(all="ignore")', signature_line, *lines, "", "", f"function = {name}", ""]
    return "\n".join(text)


@cache
def _helper_text(name: str) -> str:
    return _REMARKS.sub("", inspect.getsource(getattr(prelude, name)))


def _helper_texts(names: set[str]) -> list[str]:
    """Return the texts of helpers and of the helpers in them, in the order of the prelude."""
    wanted = {name for name in names if hasattr(prelude, name)}
    texts: dict[str, str] = {}
    while wanted - texts.keys():
        for name in sorted(wanted - texts.keys()):
            texts[name] = _helper_text(name)
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


def _written(nodes: list[Node]) -> list[str]:
    """Return the names of the parameters that are stored to."""
    found: list[str] = []
    for node in nodes:
        if isinstance(node, Kernel) and node.stage.target.is_param:
            found.append(node.stage.target.name)
        elif isinstance(node, Single) and isinstance(node.statement, Extern):
            found += [arg.name for arg in node.statement.args if isinstance(arg, Storage) and arg.is_param]
        elif isinstance(node, ArgKernel):
            found += [update.storage.name for update in node.statement.updates if update.storage.is_param]
        elif isinstance(node, Block):
            found += [kernel.stage.target.name for kernel in node.body if kernel.stage.target.is_param]
        elif isinstance(node, Turned):
            found += [storage.name for storage, _, stored, _ in node.copies if stored and storage.is_param]
        elif isinstance(node, Sequential | While):
            found += _written(node.body)
    return list(dict.fromkeys(found))


def _allocate(writer: Writer, storage: Storage) -> None:
    shape = tuple_text([writer.number(size) for size in storage.sizes])
    writer.line(f"{storage.name} = empty({shape}, {writer.dtype(storage.dtype)})")
