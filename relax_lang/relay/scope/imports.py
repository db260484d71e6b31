"""What programs can import: the texts of the standard library, `std/*.relay`. [R.2]

They are data of the package; no other files are read. The nodes of what is imported have the place of the import.
"""

from __future__ import annotations

from functools import cache

from relax_lang.base.names import nearest
from relax_lang.base.node import Node, slots
from relax_lang.relay.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any, TypeVar

    from relax_lang.base.source import Span
    from relax_lang.relay.scope.resolved import Resolved
    from relax_lang.relay.syntax.parser import Parsed

    N = TypeVar("N", bound=Node)

PATHS = ("std/prelude.relay",)
"""The texts that there are, as an import names them."""


class Library:
    """The definitions of one text."""

    __slots__ = ("ctors", "functions", "path", "types")

    def __init__(self, path: str, module: tree.Module) -> None:
        self.path = path
        self.functions = {item.name.name: item for item in module.items if isinstance(item, tree.Def)}
        self.types = {item.name: item for item in module.items if isinstance(item, tree.TypeDef)}
        self.ctors = {ctor.name for item in self.types.values() for ctor in item.ctors}


@cache
def library(path: str) -> Library | None:
    """Return the definitions of a text of the standard library; None if there is no such text."""
    if path not in PATHS:
        return None
    from pkgutil import get_data  # only for programs that import

    from relax_lang.relay.syntax.parser import parse

    data = get_data("relax_lang.std", path.removeprefix("std/"))
    assert data is not None
    return Library(path, parse(data.decode("utf-8")).tree)


def similar(path: str) -> str:
    """Return the text that a path is likely to mean, or nothing: `prelude.rly` is `std/prelude.relay`."""
    by_stem = {_stem(one): one for one in PATHS}
    return by_stem.get(_stem(path)) or nearest(path, PATHS) or ""


def _stem(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2].partition(".")[0].lower()


class Imports:
    """What one program imports: its types are defined at once, its functions when they are mentioned."""

    def __init__(
        self,
        parsed: Parsed,
        operators: Collection[str],
        found: Resolved,
        report: Callable[..., None],
        define: Callable[[tree.TypeDef], None],
    ) -> None:
        self.parsed = parsed
        self.operators = operators
        self.found = found
        self.report = report
        self.define = define
        """Defines a type of the program."""
        self.offered: dict[str, tuple[tree.Def, Span]] = {}
        """Functions that were not mentioned yet, with the place of their import."""
        self.waiting: list[tree.Def] = []
        """Functions that were mentioned, and whose own names have to be resolved."""

    def add(self, node: tree.Import) -> bool:
        """Import a text; return whether that is all that the program meant to import: nothing is, if names clash."""
        offered = library(node.path)
        if offered is None:
            like = similar(node.path)
            self.report("unknown_import", node, node.path, PATHS, like)
            offered = library(like)
            if offered is None:
                return False
        before = len(self.found.diagnostics)
        found, place = self.found, (node.pos, node.end)
        for name, item in offered.types.items():
            own = found.types.get(name)
            taken = [found.ctors[ctor.name].ctor for ctor in item.ctors if ctor.name in found.ctors]
            if own is not None:
                at = (own.name_pos, own.name_pos + len(name))
                self.report("imported_twice", at, place, f"the type `{name}`", node.path)
            elif taken:
                at = (taken[0].pos, taken[0].pos + len(taken[0].name))
                self.report("imported_twice", at, place, f"the constructor `{taken[0].name}`", node.path)
        whole = len(self.found.diagnostics) == before
        for name, item in offered.functions.items():
            own = found.functions.get(name)
            if own is not None:
                self.report("imported_twice", own.name, place, f"the function `@{name}`", node.path)
            elif whole:
                self.offered[name] = item, place
        for item in offered.types.values() if whole else ():
            self.define(placed(item, place))
        return whole

    def take(self, name: str) -> bool:
        """Define a function that is mentioned; return whether it is imported."""
        if name not in self.offered:
            return False
        made = placed(*self.offered.pop(name))
        self.found.functions[name] = made
        self.found.imported.add(name)
        self.waiting.append(made)
        return True

    def forgotten(self, shown: str, place: Span) -> bool:
        """Report a name of a text that is not imported, and import that; return whether there is such a text."""
        if shown.removeprefix("@") in self.operators:
            return False
        path = offering(shown, self.found)
        if not path:
            return False
        self.report("not_imported", place, shown, path, insertion(self.parsed, path))
        self.add(tree.Import(path, *place))
        return True


def offering(shown: str, found: Resolved) -> str:
    """Return the text that defines `@map`, `Cons` or `List`, if a program can import it: it has none of its names."""
    own = {*found.functions, *found.types, *found.ctors}
    for path in PATHS:
        offered = library(path)
        assert offered is not None
        others = {*offered.types, *offered.ctors}
        names = {f"@{name}" for name in offered.functions} | others
        if shown in names and own.isdisjoint([*offered.functions, *others]):
            return path
    return ""


def placed(node: N, place: Span) -> N:
    """Return a copy of a tree all of whose nodes have one place."""
    made: Any = object.__new__(type(node))
    for name in slots(type(node)):
        value: Any = getattr(node, name)
        if name.endswith("pos"):
            value = place[0]
        elif name == "end":
            value = place[1]
        elif isinstance(value, Node):
            value = placed(value, place)
        elif value.__class__ is tuple:
            value = tuple([placed(one, place) if isinstance(one, Node) else one for one in value])
        setattr(made, name, value)
    return made


def insertion(parsed: Parsed, path: str) -> tuple[int, str]:
    """Return where a program imports a text that it does not import yet, and what is written there."""
    module: tree.Module = parsed.tree
    line = f'import "{path}"'
    if module.version is None:
        return 0, f"{line}\n\n"
    text = parsed.text
    begin = text.find("#[version")
    at = text.find("]", begin) + 1 if begin >= 0 else text.find("\n")
    return at, f"\n\n{line}"
