"""`relax normalize`, `relax parse` and `relax compile`: other views of a program."""

from __future__ import annotations

import sys

from relax_lang import api
from relax_lang.base.node import Node
from relax_lang.base.python.output import put
from relax_lang.files.programs import read

from ..plugins import load_plugins
from ..render.highlight import highlight
from ..render.report import CLEAN, PROBLEMS, USAGE
from ..render.style import style_for
from ..show import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.base.source import SourceFile

    from ..options import Shown

MAX_INDENT = 100  # levels


def load(path: str, stdin_name: str, options: Shown, *, plugins: bool = True) -> SourceFile | None:
    """Read a program and load the plugins of its settings; report why and return None if that is not possible."""
    source, problem = read(path, stdin_name)
    if problem is not None:
        complain([problem], options, source)
        return None
    source.allowed = options.allow_path
    return None if plugins and load_plugins(path, stdin_name, options) is None else source


def normalize(path: str, stdin_name: str, options: Shown) -> int:
    """Print the normal form. [N.0]"""
    source = load(path, stdin_name, options)
    if source is None:
        return USAGE
    try:
        text = api.print_tree(api.normalize(source))
    except api.RelaxError as error:
        complain(error.diagnostics, options, source)
        return PROBLEMS
    _print(highlight(text, style_for(sys.stdout, color=options.color)))
    return CLEAN


def parse(path: str, stdin_name: str, options: Shown, *, as_json: bool) -> int:
    """Print the tree as written. A text with syntax errors has one, too: what could be read. Loads no plugins."""
    source = load(path, stdin_name, options, plugins=False)
    if source is None:
        return USAGE
    parsed = api.parse(source)
    if as_json:
        from relax_lang.base.node import to_json

        _print(_json_text(to_json(parsed.tree)) + "\n")
    else:
        _print("\n".join(_tree_rows(parsed.tree)) + "\n")
    if parsed.diagnostics:
        complain(parsed.diagnostics, options, source)
    return PROBLEMS if any(one.severity == "error" for one in parsed.diagnostics) else CLEAN


def compile(path: str, stdin_name: str, options: Shown, kind: str | None = None) -> int:  # noqa: A001
    """Print generated code: the NumPy of the PrimFuncs, a module that runs by itself, then the Python of the functions,
    which show what the engine runs; or one `kind` of them, `numpy` or `functions`.
    """
    source = load(path, stdin_name, options)
    if source is None:
        return USAGE
    try:
        checked = api.check_sound(source)
    except api.RelaxError as error:
        complain(error.diagnostics, options, source)
        return PROBLEMS
    texts = [api.numpy_module(checked)] if kind != "functions" else []
    if kind != "numpy":
        functions = api.compile_functions(checked)
        texts += [functions] if "\ndef " in functions else []
    _print(_python("\n\n".join([text for text in texts if text]), options))
    return CLEAN


def _python(text: str, options: Shown) -> str:
    """Return Python in colours if standard output has them."""
    if not style_for(sys.stdout, color=options.color).color:
        return text
    from io import StringIO

    from rich.console import Console
    from rich.syntax import Syntax

    stream = StringIO()
    width = max([len(line) for line in text.split("\n")])  # a line that is broken could not be copied
    console = Console(file=stream, force_terminal=True, color_system="standard", width=width + 1)
    console.print(Syntax(text, "python", theme="ansi_dark", background_color="default"))
    return "\n".join([line.rstrip() for line in stream.getvalue().split("\n")])


def _print(text: str) -> None:
    put(text, sys.stdout)


def _json_text(data: object) -> str:
    """Return nested dicts and lists as JSON. Iterative: `json.dumps` overflows the stack on deep trees."""
    from json import dumps

    parts: list[str] = []
    stack: list[Any] = [data]
    while stack:
        value = stack.pop()
        if isinstance(value, _Raw):
            parts.append(value.text)
        elif isinstance(value, dict):
            rest: list[Any] = [_Raw("}")]
            for key, field in reversed(value.items()):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
                rest += [field, _Raw(f", {dumps(key)}: ")]
            rest[-1] = _Raw("{" + rest[-1].text[2:])  # every node has fields: its class and its span
            stack += rest
        elif isinstance(value, list) and value:
            stack.append(_Raw("]"))
            for item in reversed(value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
                stack += [item, _Raw(", ")]
            stack[-1] = _Raw("[")
        else:
            parts.append(dumps(value))
    return "".join(parts)


class _Raw:
    """A piece of finished JSON."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def _tree_rows(root: Node) -> list[str]:
    """Return one row a node, indented by depth: its class, its plain fields, its span."""
    rows: list[str] = []
    stack: list[tuple[int, str, Any]] = [(0, "", root)]
    while stack:
        depth, label, value = stack.pop()
        # In a chain of thousands the indentation would be most of the text.
        indent = "  " * depth if depth <= MAX_INDENT else "  " * MAX_INDENT + f"({depth}) "
        start = indent + (f"{label}: " if label else "")
        if isinstance(value, Node):
            plain = [name for name in value.FIELDS if name not in value.CHILDREN]
            facts = "".join([f" {name}={getattr(value, name)!r}" for name in plain])
            rows.append(f"{start}{type(value).__name__}{facts} @{value.pos}:{value.end}")
            stack += [(depth + 1, name, getattr(value, name)) for name in reversed(value.CHILDREN)]
        elif isinstance(value, tuple):
            rows.append(start.rstrip() if value else f"{start}[]")
            stack += [(depth + 1, "", item) for item in reversed(value)]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        elif value is not None:
            rows.append(f"{start}{value!r}")
    return rows
