"""Write relax_lang/syntax/tree.py from grammar/tree.asdl.

Sixty dataclasses cost about thirty milliseconds at import; plain classes with `__slots__` a third of one.
So the classes are generated, and the declaration stays readable. `--check` only compares (CI does that).
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "grammar" / "tree.asdl"
TARGET = ROOT / "relax_lang" / "syntax" / "tree.py"
PRIMITIVES = {"string": "str", "int": "int", "float": "float", "bool": "bool"}

HEADER = '''"""The tree of a Relax program. Generated from grammar/tree.asdl by tools/make_tree.py: do not edit.

Nodes are values: nothing is changed after construction and a tree never carries what a pass learned.
Compare trees with `relax_lang.base.node.same`; `==` is identity.
"""

from __future__ import annotations

from relax_lang.base.node import Node
'''


@dataclass
class Field:
    """One field: its name, element type, how often it occurs, and whether it is layout only."""

    name: str
    type: str
    mark: str
    layout: bool

    @property
    def annotation(self) -> str:
        """Return the Python annotation."""
        base = PRIMITIVES.get(self.type, self.type)
        return {"": base, "?": f"{base} | None", "*": f"tuple[{base}, ...]"}.get(
            self.mark, f"tuple[{base}, ...] | None"
        )

    @property
    def default(self) -> str:
        """Return ` = default` where the field can be left out, else nothing."""
        if self.mark == "*":
            return " = ()"
        if self.mark in ("?", "*?"):
            return " = None"
        if self.type == "bool":
            return " = True" if self.name == "pure" else " = False"
        return ""

    @property
    def is_child(self) -> bool:
        """Tell whether the field holds nodes."""
        return self.type not in PRIMITIVES


@dataclass
class Class:
    """One node class, or a group (a class without fields of its own)."""

    name: str
    base: str
    doc: str
    fields: list[Field] | None


def read(text: str) -> list[Class]:
    """Parse the declaration."""
    classes: list[Class] = []
    doc: list[str] = []
    group = "Node"
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped:
            doc = []
        elif stripped.startswith("--"):
            doc.append(stripped[2:].strip())
        elif re.fullmatch(r"\w+ = [\w |]+", line):
            doc = []  # an alias: see read_aliases
        elif not line.startswith(" "):
            group = stripped
            classes.append(Class(group, "Node", " ".join(doc), None))
            doc = []
        else:
            match = re.fullmatch(r"(\w+)\((.*)\)", stripped)
            if match is None:
                raise SystemExit(f"{SOURCE}:{number}: not a declaration: {stripped}")
            fields = [read_field(part.strip()) for part in match[2].split(",") if part.strip()]
            classes.append(Class(match[1], group, " ".join(doc), fields))
            doc = []
    return classes


def read_aliases(text: str) -> list[str]:
    """Return the lines `Name = A | B`."""
    return [line for line in text.splitlines() if re.fullmatch(r"\w+ = [\w |]+", line)]


def read_field(text: str) -> Field:
    """Parse `~type? name`."""
    match = re.fullmatch(r"(~?)(\w+)([?*]*) (\w+)", text)
    if match is None:
        raise SystemExit(f"{SOURCE}: not a field: {text}")
    return Field(match[4], match[2], match[3], bool(match[1]))


def write_class(cls: Class) -> list[str]:
    """Return the lines of one class."""
    bases = cls.base
    if cls.name == "Function":
        bases = "Expr, Item"
    doc = cls.doc if cls.doc.endswith((".", "]")) else cls.doc + "."
    lines = [f"class {cls.name}({bases}):", f'    """{doc}"""', ""]
    if cls.fields is None:
        return [*lines, "    __slots__ = ()", "", ""]
    names = [field.name for field in cls.fields]
    compared = [field.name for field in cls.fields if not field.layout]
    children = [field.name for field in cls.fields if field.is_child]
    lines += [
        f"    __slots__ = {tuple_text(names)}",
        f"    FIELDS = {tuple_text(compared)}",
        f"    CHILDREN = {tuple_text(children)}",
        f"    __match_args__ = {tuple_text(compared)}",
    ]
    lines += [f"    {field.name}: {field.annotation}" for field in cls.fields]
    # A default may only follow defaults, so a required field after an optional one loses none of them:
    # required fields never come late in the declaration except where every caller passes them all.
    must = max((i for i, field in enumerate(cls.fields) if not field.default), default=-1)
    parameters = [
        f"{field.name}: {field.annotation}" + (field.default if i > must else "")
        for i, field in enumerate(cls.fields)
    ]
    lines += ["", "    def __init__(", "        self,"]
    lines += [f"        {parameter}," for parameter in [*parameters, "pos: int = -1", "end: int = -1"]]
    lines += ["    ) -> None:"]
    lines += [f"        self.{name} = {name}" for name in [*names, "pos", "end"]]
    return [*lines, "", ""]


def tuple_text(names: list[str]) -> str:
    """Return a tuple display."""
    if len(names) == 1:
        return f'("{names[0]}",)'
    return "(" + ", ".join(f'"{name}"' for name in names) + ")"


def generate() -> str:
    """Return the text of tree.py."""
    classes = read(SOURCE.read_text(encoding="utf-8"))
    # Function derives from two groups, so groups come first.
    groups = [cls for cls in classes if cls.fields is None]
    nodes = [cls for cls in classes if cls.fields is not None]
    lines = [HEADER, ""]
    for cls in [*groups, *nodes]:
        lines += write_class(cls)
    aliases = read_aliases(SOURCE.read_text(encoding="utf-8"))
    lines += ["TYPE_CHECKING = False", "if TYPE_CHECKING:", *[f"    {alias}" for alias in aliases], ""]
    names = ", ".join(cls.name for cls in nodes)
    lines += ["NODES: tuple[type[Node], ...] = (", *[f"    {n}," for n in names.split(", ")], ")"]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the file, or with --check compare it."""
    text = generate()
    if "--check" in sys.argv:
        if TARGET.read_text(encoding="utf-8") != text:
            raise SystemExit("relax_lang/syntax/tree.py is not what tools/make_tree.py writes; run it")
        return
    TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
