"""What all writers share: lines with indentation, names, refusals."""

from __future__ import annotations

import keyword

from relax_lang.base.node import assert_never
from relax_lang.syntax import tree
from relax_lang.tvmscript import diagnostics as diag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic, Location

INDENT = "    "

OBJECTS = frozenset(("T.target",))
"""Objects of TVM in attributes: a map whose first key makes them of its value, with the others as options."""

CURRENT, OLDER = "0.27", "0.20"
VERSIONS = (CURRENT, OLDER)

RESERVED = frozenset((*keyword.kwlist, "R", "T", "I", "cls", "np", "metadata", "True", "False", "None"))


class NotExportable(Exception):  # noqa: N818 - carries the diagnostic of what has no form
    """A part of a program that has no form in TVMScript."""

    def __init__(self, place: Location, construct: str, why: str = "") -> None:
        super().__init__(construct)
        self.diagnostic: Diagnostic = diag.not_exportable(place, construct, why)


class Names:
    """Names of one Python scope: what is not an identifier there, or is taken, is changed."""

    __slots__ = ("_given", "_taken")

    def __init__(self, taken: frozenset[str] | set[str] = RESERVED) -> None:
        self._taken = set(taken)
        self._given: dict[str, str] = {}

    def of(self, name: str) -> str:
        """Return the Python name of a name, the same each time."""
        found = self._given.get(name)
        if found is None:
            found = self._given[name] = self.fresh(name)
        return found

    def alias(self, name: str, python_name: str) -> None:
        """Let a name have the Python name of another one."""
        self._given[name] = python_name

    def fresh(self, name: str) -> str:
        """Return a name that is not taken, and take it."""
        base = "".join([c if c.isidentifier() or c.isdigit() else "_" for c in name]) or "v"
        if base[0].isdigit():
            base = "_" + base
        made, number = base, 0
        while made in self._taken or keyword.iskeyword(made):
            number += 1
            made = f"{base}_{number}" if number > 1 or base not in RESERVED else f"{base}_"
        self._taken.add(made)
        return made


class Lines:
    """Lines of Python, indented."""

    __slots__ = ("depth", "lines")

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def add(self, text: str) -> None:
        """Add a line."""
        self.lines.append(INDENT * self.depth + text if text else "")

    def enter(self, text: str) -> None:
        """Add a line that opens a block."""
        self.add(text)
        self.depth += 1

    def leave(self) -> None:
        """Close a block; an empty one gets a `pass`."""
        if self.lines and self.lines[-1].endswith(":"):
            self.add("pass")
        self.depth -= 1


def literal_text(value: Any) -> str:
    """Return a Python literal; infinities and nan are calls."""
    if isinstance(value, float) and value - value != 0:
        word = "nan" if value != value else ("inf" if value > 0 else "-inf")
        return f'float("{word}")'
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list | tuple):
        items = [literal_text(one) for one in list(value)]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        return f"[{', '.join(items)}]"
    if isinstance(value, dict):
        given: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        word = next(iter(given), "")
        if word in OBJECTS:
            options = [f"{key}={literal_text(one)}" for key, one in given.items() if key != word]
            return f"{word}({', '.join([literal_text(given[word]), *options])})"
        return f"{{{', '.join([f'{quoted(key)}: {literal_text(one)}' for key, one in given.items()])}}}"
    return repr(value)


def quoted(text: str) -> str:
    """Return a string in double quotes."""
    shown = repr(text)
    if shown[0] == '"':
        return shown
    return '"' + shown[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'


def value_of(literal: tree.Literal) -> Any:
    """Return a literal as a Python value; a dtype is its name. Raises NotExportable."""
    match literal:
        case tree.IntLit() | tree.FloatLit() | tree.BoolLit() | tree.StrLit():
            return literal.value
        case tree.ListLit():
            return [value_of(one) for one in literal.items]
        case tree.MapLit():
            return {one.key: value_of(one.value) for one in literal.items}
        case tree.DType():
            return literal.name
        case tree.NullLit():
            return None
        case tree.FileLit():
            raise NotExportable(literal, "a file as an attribute")
        case _:
            return assert_never(literal)
