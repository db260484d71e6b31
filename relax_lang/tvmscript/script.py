"""A Python file as programs: one `Parsed` for each unit of TVMScript in it."""

from __future__ import annotations

import ast

from relax_lang.base.python.recursion import deep_recursion
from relax_lang.syntax import tree
from relax_lang.syntax.parsed import Features, Parsed
from relax_lang.tvmscript import diagnostics as diag
from relax_lang.tvmscript import spelling
from relax_lang.tvmscript.prim_reader.prim_statements import read_prim_func
from relax_lang.tvmscript.python.python_comments import comments_of, doc_comments
from relax_lang.tvmscript.python.python_text import PythonText, parse_python
from relax_lang.tvmscript.python.python_values import Environment
from relax_lang.tvmscript.python.units import (
    FUNCTION,
    MODULE,
    PRIM_FUNC,
    Aliases,
    Unit,
    decorated,
    find_units,
)
from relax_lang.tvmscript.reader.functions import FunctionReader
from relax_lang.tvmscript.scalar_reader.attributes import literal_or_none, read_attributes
from relax_lang.tvmscript.scalar_reader.reading import Reading, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.base.diagnostic import Diagnostic

OBSTACLES = frozenset(
    ("tvmscript-unsupported", "tvmscript-captured-name", "tvmscript-unknown-operator", "tvmscript-argument",
     "metadata-missing")
)  # fmt: skip
"""What keeps a unit from being a whole program."""


class ReadUnit:
    """One unit: where it is, what became of it, and what could not be read."""

    __slots__ = ("claims", "kind", "line", "name", "parsed")

    def __init__(self, unit: Unit, reading: Reading, parsed: Parsed) -> None:
        self.claims = reading.claims
        self.kind = unit.kind
        self.name = unit.name
        self.line = unit.line
        self.parsed = parsed

    @property
    def obstacles(self) -> list[Diagnostic]:
        """What could not be read; empty for a whole program."""
        return [one for one in self.parsed.diagnostics if one.slug in OBSTACLES]


class Script:
    """A Python file: its units in order, and what is wrong with the file itself."""

    __slots__ = ("diagnostics", "text", "units")

    def __init__(self, text: str, units: list[ReadUnit], diagnostics: list[Diagnostic]) -> None:
        self.text = text
        self.units = units
        self.diagnostics = diagnostics

    def select(self, wanted: str) -> list[ReadUnit]:
        """Return the units of a name, or the one that a line is part of; all of them for an empty text."""
        if not wanted:
            return self.units
        if wanted.isdigit():
            line = int(wanted)
            before = [one for one in self.units if one.line <= line]
            return before[-1:]
        return [one for one in self.units if one.name == wanted]


def read_script(text: str, defines: Mapping[str, object] | None = None, *, comments: bool = False) -> Script:
    """Read a Python file; nothing of it is executed. Raises nothing on account of the text.

    `defines` are values for names of the surrounding Python. With `comments` each unit gets all its comments,
    otherwise only those for the toolchain.
    """
    py = PythonText(text)
    module, problem = parse_python(py)
    if module is None:
        return Script(text, [], [problem] if problem is not None else [])
    with deep_recursion():
        aliases = Aliases(module, text)
        found = find_units(module, aliases, py)
        remarks = comments_of(text) if found and (comments or "relax:" in text) else []
        units = [_read_unit(py, aliases, one, defines or {}) for one in found]
    for unit, read in zip(found, units, strict=True):
        pos, end = py.start(unit.decorator), py.end(unit.node)
        own = [one for one in remarks if pos <= one.pos < end or one.is_directive]
        if comments:
            own = sorted([*own, *doc_comments(py, _functions(unit.node))], key=lambda one: one.pos)
        read.parsed.comments = own
        read.parsed.features.directives = any(one.is_directive for one in read.parsed.comments)
    return Script(text, units, [])


def _functions(node: ast.ClassDef | ast.FunctionDef) -> list[ast.FunctionDef]:
    """Return the functions of a unit."""
    body = node.body if isinstance(node, ast.ClassDef) else [node]
    return [one for one in body if isinstance(one, ast.FunctionDef)]


def _read_unit(py: PythonText, aliases: Aliases, unit: Unit, defines: Mapping[str, object]) -> ReadUnit:
    features = Features()
    parsed = Parsed(py.text, features)
    reading = Reading(py, aliases, Environment(unit.scopes, defines, unit.line), features)
    items: list[tree.Item] = []
    attrs: list[tree.Attr] = []
    node = unit.node
    if isinstance(node, ast.ClassDef):
        reading.module_names.add(node.name)
        reading.functions.update([one.name for one in node.body if isinstance(one, ast.FunctionDef)])
        if any(reading.py.shown(one).endswith("BasePyModule") for one in node.bases):
            span = py.span(node.bases[0])
            attrs.append(tree.Attr("base_py_module", tree.BoolLit(True, *span), *span))
        for statement in node.body:
            _read_member(reading, parsed, statement, items, attrs)
    else:
        reading.functions.add(node.name)
        _read_item(reading, parsed, node, unit.kind, unit.decorator, items)
    for name, (place, value) in reading.env.assumed.items():
        reading.found.append(diag.assumed_value(py.span(place), name, repr(value)))
    for attr in [one for one in attrs if one.key == spelling.VDEVICES]:
        if spelling.are_mentioned(attr.value, tree.IRModule((), tuple(items))):
            attrs.remove(attr)
    parsed.tree = tree.IRModule(tuple(attrs), tuple(items), py.start(unit.decorator), py.end(node))
    parsed.diagnostics = reading.found
    parsed.losses.some = any(one.slug in OBSTACLES for one in reading.found)
    return ReadUnit(unit, reading, parsed)


def _read_member(
    reading: Reading, parsed: Parsed, node: ast.stmt, items: list[tree.Item], attrs: list[tree.Attr]
) -> None:
    """Read a statement of a module's class."""
    if isinstance(node, ast.FunctionDef):
        found = decorated(node, reading.aliases)
        if found is None:
            parsed.losses.names.add(node.name)
            shown = reading.py.shown(node.decorator_list[0]) if node.decorator_list else node.name
            refused = reading.unsupported(node, f"the Python function `{shown}`", "it needs Python to run")
            pos = reading.py.start(node)
            refused.diagnostic.end = min(refused.diagnostic.end, pos + len("def ") + len(node.name))
            reading.found.append(refused.diagnostic)
            return
        _read_item(reading, parsed, node, found[0], found[1], items)
        return
    if isinstance(node, ast.Pass):
        return
    if isinstance(node, ast.Assign) and reading.py.shown(node).startswith("__tvm_meta__"):
        return  # a table that TVM's printer leaves empty
    try:
        if isinstance(node, ast.Expr):
            if isinstance(node.value, ast.Constant):
                return
            dialect, name = reading.called(node.value)
            if dialect == "I" and isinstance(node.value, ast.Call):
                if name == "module_attrs":
                    attrs += read_attributes(reading, node.value)
                elif name != "module_global_infos" or not _read_devices(reading, node.value, attrs):
                    reading.drop(node, "what a module declares about devices")
                return
        raise reading.unsupported(node, f"`{reading.py.shown(node)}` in a module", "it needs Python to run")
    except Refused as refused:
        reading.found.append(refused.diagnostic)


def _read_devices(reading: Reading, call: ast.Call, attrs: list[tree.Attr]) -> bool:
    """Read `I.module_global_infos({"vdevice": [I.vdevice("cuda", 0)]})`; False if it is something else."""
    if len(call.args) != 1 or not isinstance(call.args[0], ast.Dict) or len(call.args[0].keys) != 1:
        return False
    key, given = call.args[0].keys[0], call.args[0].values[0]
    if not isinstance(key, ast.Constant) or key.value != "vdevice" or not isinstance(given, ast.List):
        return False
    made: list[tree.Literal] = []
    for one in given.elts:
        if reading.called(one) != ("I", "vdevice") or not isinstance(one, ast.Call):
            return False
        named = {part.arg: part.value for part in one.keywords}
        order = [
            *one.args,
            *[named[word] for word in ("target", "vdevice_id", "memory_scope") if word in named],
        ]
        parts = [literal_or_none(reading, part) for part in order]
        kept = [part for part in parts if part is not None]
        if len(kept) < len(parts) or len(order) != len(one.args) + len(named):
            return False
        made.append(tree.ListLit(tuple(kept), *reading.span(one)))
    span = reading.span(call)
    attrs.append(tree.Attr(spelling.VDEVICES, tree.ListLit(tuple(made), *span), *span))
    return True


def _read_item(
    reading: Reading,
    parsed: Parsed,
    node: ast.ClassDef | ast.FunctionDef,
    kind: str,
    decorator: ast.expr,
    items: list[tree.Item],
) -> None:
    assert isinstance(node, ast.FunctionDef)
    try:
        if kind == PRIM_FUNC:
            items.append(read_prim_func(reading, node, decorator))
        elif kind == FUNCTION:
            items.append(FunctionReader(reading).read(node, decorator))
        else:
            assert kind == MODULE
    except Refused as refused:
        reading.found.append(refused.diagnostic)
        parsed.losses.names.add(node.name)
