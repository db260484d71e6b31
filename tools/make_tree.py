"""Write the trees from grammar/*.asdl: relax_lang/syntax/tree.py, and that of Relay; what the fields of Relax's tree
hold, as a table for those who read trees from files.

Sixty dataclasses cost about thirty milliseconds at import; plain classes with `__slots__` a third of one.
So the classes are generated, and the declaration stays readable. `--check` only compares (CI does that).
"""

from __future__ import annotations

import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

ALIAS = re.compile(r"\w+ = [\w |]+")
KIND = re.compile(r"(\w+): ([\w |]+)")
ROOT = Path(__file__).resolve().parent.parent
TREES = (
    ("Relax", "tree.asdl", "relax_lang/syntax/tree.py"),
    ("Relay", "relay.asdl", "relax_lang/relay/syntax/tree.py"),
)
"""The language, the declaration in grammar/, and the module that is written from it."""
PLACE = "place"
"""The type of offsets into the text beside `pos` and `end`: layout only, after these, -1 where there is none."""
PRIMITIVES = {
    "number": "bool | int | float",
    "string": "str",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "place": "int",
}

HEADER = '''"""The tree of a {language} program. Generated from grammar/{source} by tools/make_tree.py: do not edit.

Nodes are values: nothing is changed after construction and a tree never carries what a pass learned.
Compare trees with `relax_lang.base.node.same`; `==` is identity.

A group such as `Expr` is an abstract class at run time and the closed union of its classes to a type checker.
So a pass that lacks a new node is a type error: in a `match` or a chain of tests that ends in `assert_never`,
and in a table that is declared `Table[Expr, …]` (both in `relax_lang.base.node`). A kind such as `Atom` is a base class
that some classes of a group have in common, for passes that treat these alike: `case tree.Atom():` covers them all, and
so do the rows `**dict.fromkeys(tree.ATOM, …)` of a table; `AnyAtom` is their union, for annotations.
"""

from __future__ import annotations

from relax_lang.base.node import Node

TYPE_CHECKING = False  # `typing` costs milliseconds at start-up; type checkers know this name
if TYPE_CHECKING:
    from typing import TypeAlias, final
else:

    def final(cls):
        """Return the class: that it has no subclasses matters to type checkers alone."""
        return cls
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
        if self.type == PLACE:
            return " = -1"
        if self.type == "bool":
            return " = True" if self.name == "pure" else " = False"
        return ""

    @property
    def is_child(self) -> bool:
        """Return whether the field holds nodes."""
        return self.type not in PRIMITIVES


@dataclass
class Class:
    """One node class with the base classes of its groups, or a group (without fields of its own)."""

    name: str
    groups: list[str]
    doc: str
    fields: list[Field] | None
    kinds: list[str] = field(default_factory=list[str])
    """The kinds it belongs to: base classes that a type checker knows as such."""


@dataclass
class Kind:
    """A kind of classes of one group, which passes name together."""

    name: str
    doc: str
    members: list[str]


def read(text: str) -> list[Class]:
    """Parse the declaration."""
    classes: list[Class] = []
    listed: list[tuple[str, str]] = []
    doc: list[str] = []
    group = "Node"
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped:
            doc = []
        elif stripped.startswith("--"):
            doc.append(stripped[2:].strip())
        elif ALIAS.fullmatch(line) or KIND.fullmatch(line):
            doc = []  # see read_aliases and read_kinds
        elif not line.startswith(" "):
            group = stripped
            classes.append(Class(group, [], " ".join(doc), None))
            doc = []
        elif re.fullmatch(r"\w+", stripped):
            listed.append((stripped, group))
        else:
            match = re.fullmatch(r"(\w+)\((.*)\)", stripped)
            if match is None:
                raise SystemExit(f"line {number}: not a declaration: {stripped}")
            fields = [read_field(part.strip()) for part in match[2].split(",") if part.strip()]
            classes.append(Class(match[1], [group], " ".join(doc), fields))
            doc = []
    by_name = {cls.name: cls for cls in classes}
    for name, other in listed:
        by_name[name].groups.append(other)
    for kind in read_kinds(text):
        for name in kind.members:
            by_name[name].kinds.append(kind.name)
    return classes


def read_aliases(text: str) -> list[str]:
    """Return the lines `Name = A | B`."""
    return [line for line in text.splitlines() if ALIAS.fullmatch(line)]


def read_kinds(text: str) -> list[Kind]:
    """Parse the lines `Name: A | B`, each with the comment above it."""
    kinds: list[Kind] = []
    doc: list[str] = []
    for line in text.splitlines():
        found = KIND.fullmatch(line)
        if line.startswith("--"):
            doc.append(line[2:].strip())
            continue
        if found is not None:
            kinds.append(Kind(found[1], " ".join(doc), found[2].split(" | ")))
        doc = []
    return kinds


def read_field(text: str) -> Field:
    """Parse `~type? name` or `@name`."""
    if text.startswith("@"):
        return Field(text[1:], PLACE, "", True)
    match = re.fullmatch(r"(~?)(\w+)([?*]*) (\w+)", text)
    if match is None:
        raise SystemExit(f"not a field: {text}")
    return Field(match[4], match[2], match[3], bool(match[1]))


def write_class(cls: Class) -> list[str]:
    """Return the lines of one class."""
    doc = cls.doc if cls.doc.endswith((".", "]")) else cls.doc + "."
    if cls.fields is None:
        return [f"class _{cls.name}(Node):", f'    """{doc}"""', "", "    __slots__ = ()", "", ""]
    bases = ", ".join([*[f"_{group}" for group in cls.groups], *cls.kinds])
    lines = ["@final", f"class {cls.name}({bases}):", f'    """{doc}"""', ""]
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
    inner = [field for field in cls.fields if field.type != PLACE]
    places = [field for field in cls.fields if field.type == PLACE]
    must = max((i for i, field in enumerate(inner) if not field.default), default=-1)
    parameters = [
        f"{field.name}: {field.annotation}" + (field.default if i > must else "")
        for i, field in enumerate(inner)
    ]
    more = [f"{field.name}: int = -1" for field in places]
    lines += ["", "    def __init__(", "        self,"]
    lines += [f"        {parameter}," for parameter in [*parameters, "pos: int = -1", "end: int = -1", *more]]
    lines += ["    ) -> None:"]
    lines += [f"        self.{name} = {name}" for name in [*names, "pos", "end"]]
    return [*lines, "", ""]


def write_kind(kind: Kind) -> list[str]:
    """Return the lines of the base class of a kind."""
    return [f"class {kind.name}(Node):", f'    """{kind.doc}"""', "", "    __slots__ = ()", "", ""]


def write_union(name: str, members: list[str]) -> list[str]:
    """Return the lines of the closed union that a group is to a type checker."""
    if len(members) == 1:
        return [f"    {name}: TypeAlias = {members[0]}"]
    return [
        f"    {name}: TypeAlias = (",
        f"        {members[0]}",
        *[f"        | {m}" for m in members[1:]],
        "    )",
    ]


def constant_name(kind: str) -> str:
    """Return the name of the tuple of a kind's classes: `NEVER_BOUND` for `NeverBound`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind).upper()


def tuple_text(names: list[str]) -> str:
    """Return a tuple display."""
    if len(names) == 1:
        return f'("{names[0]}",)'
    return "(" + ", ".join(f'"{name}"' for name in names) + ")"


def generate(language: str, source: str) -> str:
    """Return the text of a tree's module."""
    declaration = (ROOT / "grammar" / source).read_text(encoding="utf-8")
    classes = read(declaration)
    groups = [cls for cls in classes if cls.fields is None]
    nodes = [cls for cls in classes if cls.fields is not None]
    lines = [HEADER.replace("{language}", language).replace("{source}", source), ""]
    for group in groups:
        lines += write_class(group)
    for kind in read_kinds(declaration):
        lines += write_kind(kind)
    for cls in nodes:
        lines += write_class(cls)
    aliases = read_aliases(declaration)
    lines += ["if TYPE_CHECKING:"]
    for group in groups:
        members = [cls.name for cls in nodes if group.name in cls.groups]
        lines += write_union(group.name, members)
    for kind in read_kinds(declaration):
        lines += write_union(f"Any{kind.name}", kind.members)
    lines += [
        *[f"    {alias}" for alias in aliases],
        "else:",
        *[f"    {group.name} = _{group.name}" for group in groups],
        "",
    ]
    lines += ["NODES: tuple[type[Node], ...] = (", *[f"    {cls.name}," for cls in nodes], ")"]
    for kind in read_kinds(declaration):
        lines += [
            f"{constant_name(kind.name)} = (",
            *[f"    {name}," for name in kind.members],
            ")",
            f'"""The classes of `{kind.name}`, as rows of a table."""',
        ]
    return "\n".join(lines) + "\n"


FIELDS_TARGET = "relax_lang/vm/serialization/node_fields.py"


def generate_fields(source: str) -> str:
    """Return the text of the module that says what every field of every class holds."""
    classes = read((ROOT / "grammar" / source).read_text(encoding="utf-8"))
    aliases = [
        re.split(r" = | \| ", line) for line in read_aliases((ROOT / "grammar" / source).read_text("utf-8"))
    ]
    lines = [
        f'"""What the fields of nodes hold. Generated from grammar/{source} by tools/make_tree.py: do not edit."""',
        "",
        "from __future__ import annotations",
        "",
        "# fmt: off",
        "SPECS: dict[str, str] = {",
    ]
    nodes = [cls for cls in classes if cls.fields is not None]
    for cls in nodes:
        words = [f"{field.name}:{field.type}{field.mark}" for field in cls.fields or ()]
        parts = textwrap.wrap(" ".join(words), 80) or [""]
        if len(parts) == 1:
            lines.append(f'    "{cls.name}": "{parts[0]}",')
            continue
        lines += [f'    "{cls.name}": (', *[f'        "{part} "' for part in parts], "    ),"]
    lines += [
        "}",
        '"""Class to its fields: `name:type`; with `?` nothing is allowed too, with `*` there are several."""',
    ]
    lines += ["", "GROUPS: dict[str, str] = {"]
    groups = {
        cls.name: [one.name for one in nodes if cls.name in one.groups]
        for cls in classes
        if cls.fields is None
    }
    named = {
        name: [inner for one in members for inner in groups.get(one, [one])] for name, *members in aliases
    }
    for name, members in {**groups, **named}.items():
        parts = textwrap.wrap(" ".join(members), 80)
        lines += [f'    "{name}": (', *[f'        "{part} "' for part in parts], "    ),"]
    lines += ["}", '"""Type of a field to the classes that it may hold; a class stands for itself."""', ""]
    return "\n".join(lines)


def main() -> None:
    """Write the files, or with --check compare them."""
    made = [(target, generate(language, source)) for language, source, target in TREES]
    for target, text in [*made, (FIELDS_TARGET, generate_fields("tree.asdl"))]:
        path = ROOT / target
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{target} is not what tools/make_tree.py writes; run it")


if __name__ == "__main__":
    main()
