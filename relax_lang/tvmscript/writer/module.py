"""A whole module as a Python file with TVMScript: imports, the class, PrimFuncs, then functions, as TVM prints them."""

from __future__ import annotations

import os

from relax_lang.base.node import walk
from relax_lang.check.infer.context.module_state import ModuleState
from relax_lang.syntax import tree
from relax_lang.syntax.constants import constant_dtype
from relax_lang.tvmscript import spelling
from relax_lang.tvmscript.writer.functions import FunctionWriter
from relax_lang.tvmscript.writer.heads import with_views_at_heads
from relax_lang.tvmscript.writer.layout import broken
from relax_lang.tvmscript.writer.prim_funcs import PrimFuncWriter
from relax_lang.tvmscript.writer.text import (
    CURRENT,
    OLDER,
    RESERVED,
    VERSIONS,
    Names,
    NotExportable,
    literal_text,
    quoted,
    value_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.check.driver import Checked

MAX_INLINE = 32
"""Elements of a constant that are written out; larger ones are loaded from a file."""


class Exported:
    """The text of a Python file, the constants that belong in the archive beside it, and what has no form."""

    __slots__ = ("constants", "diagnostics", "text")

    def __init__(self) -> None:
        self.text = ""
        self.constants: dict[str, tree.Constant] = {}
        self.diagnostics: list[Diagnostic] = []


def write_module(
    checked: Checked,
    *,
    version: str = CURRENT,
    name: str = "Module",
    archive: str = "",
    absolute: bool = False,
) -> Exported:
    """Return a program, which has no errors, as TVMScript; `archive` is the file for its large constants.

    With `absolute` the text names files of constants so that they are found from every folder.

    Raises ValueError for a version of TVM that nothing is known of.
    """
    if version not in VERSIONS:
        raise ValueError(f"TVMScript is written for TVM {' or '.join(VERSIONS)}, not {version}")
    exported = Exported()
    module = checked.normal
    names = Names(RESERVED | {name})
    global_names = {item.name.name_hint: names.of(item.name.name_hint) for item in module.items if item.name}
    lines: list[str] = []
    tir = "tir" if version == OLDER else "tirx"

    state = checked.inferred.state
    folder = os.path.dirname(os.path.abspath(checked.source.path))

    def store(constant: tree.Constant) -> str | None:
        data = constant.data
        if isinstance(data, tree.FileLit):
            key = f"[{quoted(data.key)}]" if data.key is not None else ""
            path = os.path.join(folder, data.path) if absolute else data.path
            known = state.headers.get(data) if isinstance(state, ModuleState) else None
            return _loaded(f"np.load({quoted(path)}){key}", known[0] if known is not None else "")
        if not archive or _size(data) <= MAX_INLINE:
            return None
        key = f"c{len(exported.constants)}"
        exported.constants[key] = constant
        return _loaded(f"np.load({quoted(archive)})[{quoted(key)}]", constant_dtype(constant))

    attrs = [one for one in module.attrs if one.key != spelling.VDEVICES]
    if attrs:
        items = [f"{quoted(one.key)}: {literal_text(value_of(one.value))}" for one in attrs]
        lines += [f"    I.module_attrs({{{', '.join(items)}}})"]
    devices = _devices(module)
    facts = _Facts(checked, on_devices=bool(devices))
    for item in sorted(module.items, key=lambda one: (isinstance(one, tree.Function), _name(one))):
        try:
            made = _item(item, facts, global_names, version, store)
        except NotExportable as refused:
            exported.diagnostics.append(refused.diagnostic)
            continue
        lines += ["", *made] if lines else made
    if devices:
        lines = [f'    I.module_global_infos({{"vdevice": [{", ".join(devices)}]}})', "", *lines]
    head = [
        f"from tvm.script import ir as I, relax as R, {tir} as T",
        "",
        "",
        "@I.ir_module",
        f"class {name}:",
    ]
    body = [
        line.replace("cls = Module", f"cls = {name}") if line.endswith("cls = Module") else line
        for line in lines
    ]
    if any("np.load(" in line for line in body):
        head = ["import numpy as np", *head]
    fitted = [part for line in body or ["    pass"] for part in broken(line)]
    exported.text = "\n".join([*head, *fitted]) + "\n"
    return exported


def _loaded(array: str, dtype: str) -> str:
    """Return a constant of an array out of a file; TVM makes those of 64 bits smaller unless their dtype is named."""
    return f"R.const({array}, {quoted(dtype)})" if dtype in ("int64", "float64") else f"R.const({array})"


def _devices(module: tree.IRModule) -> list[str]:
    """Return the devices of a module: those that it names, or else those that it mentions."""
    for attr in module.attrs:
        if attr.key == spelling.VDEVICES and isinstance(attr.value, tree.ListLit):
            given = [value_of(one) for one in attr.value.items]
            return [f"I.vdevice({literal_text(one)[1:-1]})" for one in given if isinstance(one, list)]
    return [
        f"I.vdevice({quoted(kind)}, {number}, {quoted(scope)})"
        for kind, number, scope in spelling.mentioned_devices(module)
    ]


def _name(item: tree.Item) -> str:
    return item.name.name_hint if item.name is not None else ""


class _Facts:
    """What is known of a whole module and asked of each of its functions."""

    __slots__ = ("inferred", "on_devices", "results", "written")

    def __init__(self, checked: Checked, *, on_devices: bool) -> None:
        self.inferred = checked.inferred
        self.on_devices = on_devices
        self.written = {_name(item): item for item in reversed(checked.tree.items)}
        """The functions as they are written, by name."""
        self.results: dict[str, int] = {}
        """How many results the calls of a PrimFunc that pass numbers have, by its name."""
        for node in walk(checked.normal):
            if isinstance(node, tree.Call) and isinstance(node.op, tree.Op) and len(node.args) > 2:
                callee = node.args[0]
                if isinstance(callee, tree.GlobalVar):
                    results = node.struct_info
                    count = len(results.fields) if isinstance(results, tree.TupleStructInfo) else 1
                    self.results[callee.name_hint] = count


def _item(item: tree.Item, facts: _Facts, names: dict[str, str], version: str, store: object) -> list[str]:
    name = names[_name(item)]
    if isinstance(item, tree.PrimFunc):
        if version != OLDER:
            item = _scalars_before_results(item, facts.results.get(_name(item), 0))
        return PrimFuncWriter(with_views_at_heads(item), version).write(1, name)
    inferred = facts.inferred
    info = inferred.functions.get(_name(item))
    pure = info.pure if isinstance(info, tree.FuncStructInfo) else True
    result = item.ret_struct_info
    writer = FunctionWriter(inferred.infos, names, version, store)  # type: ignore[arg-type]
    written = facts.written.get(_name(item))
    if isinstance(written, tree.Function):
        writer.keys = spelling.keys_by_place(written)
    writer.on_devices = facts.on_devices
    pure = pure or item.purity == "force_pure"
    return writer.write(item, 1, name, result, pure=pure)


def _scalars_before_results(func: tree.PrimFunc, count: int) -> tree.PrimFunc:
    """Return a PrimFunc with so many results as TVM 0.27 calls it: numbers come with arguments, before results."""
    if not count:
        return func
    buffers = [one for one in func.params if isinstance(one, tree.Buffer)]
    scalars = [one for one in func.params if isinstance(one, tree.ScalarParam)]
    params = (*buffers[:-count], *scalars, *buffers[-count:])
    return tree.PrimFunc(
        func.name,
        func.private,
        params,
        func.attrs,
        func.body,
        func.ret_dtype,
        func.result,
        func.pos,
        func.end,
    )


def _size(data: tree.Literal) -> int:
    return sum(not isinstance(one, tree.ListLit) for one in walk(data))
