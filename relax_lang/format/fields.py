"""Do the fields of a node hold what tree.asdl declares? Trees that are built in Python need not be well typed.

Looks at one node only; how nodes go together is for `printable` to say.
"""

from __future__ import annotations

from relax_lang.base.node import Node
from relax_lang.format import diagnostics as diag
from relax_lang.format import lexemes
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic

CLASSES: frozenset[type[Node]] = frozenset(tree.NODES)
LONGEST = 10**lexemes.MOST_DIGITS


class Unprintable(Exception):  # noqa: N818  # not an error of the program that prints
    """A node without text form, and why it has none. [G.43]"""

    def __init__(self, node: Node, reason: str) -> None:
        super().__init__(f"{type(node).__name__} has no text form: {reason}")
        self.node = node
        self.reason = reason

    def diagnostic(self) -> Diagnostic:
        """Return the refusal as a diagnostic."""
        return diag.unprintable_node(self.node, self.reason)


_NOT_NODES: dict[str, tuple[Any, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float,),
    "bool": (bool,),
    # The unions that tree.asdl names are there for type checkers only.
    "Binder": (tree.Var, tree.DataflowVar),
    "ExternArg": (tree.PrimExpr, tree.StrLit),
    "RegionIndex": (tree.PrimExpr, tree.Range),
}
_FIELDS: dict[type[Node], list[tuple[str, tuple[Any, ...], bool, bool]]] = {}


def _fields(cls: type[Node]) -> list[tuple[str, tuple[Any, ...], bool, bool]]:
    """Return the compared fields of a class: name, types, whether it is a tuple, whether it may be None."""
    if cls not in _FIELDS:
        found = _FIELDS[cls] = []
        for name in cls.FIELDS:
            text: str = cls.__annotations__[name]
            word = text.removesuffix(" | None")
            many = word.startswith("tuple[")
            base = word[len("tuple[") : -len(", ...]")] if many else word
            types = _NOT_NODES.get(base) or (vars(tree)[base],)
            found.append((name, types, many, word != text))
    return _FIELDS[cls]


def check_fields(node: Node) -> None:
    """Raise `Unprintable` if a field does not hold what tree.asdl says. [G.43]"""
    if type(node) not in CLASSES:
        raise Unprintable(node, "it is not a node of the language")
    for name, types, many, optional in _fields(type(node)):
        value: Any = getattr(node, name)
        if optional and value is None:
            continue
        if not many:
            _check_value(node, name, types, value)
            continue
        if type(value) is not tuple:
            raise Unprintable(node, f"`{name}` must be a tuple")
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            _check_value(node, name, types, item)  # pyright: ignore[reportUnknownArgumentType]


def _check_value(node: Node, name: str, types: tuple[Any, ...], value: object) -> None:
    # Exactly these types where it is not a node: for Python a bool is an int, and other libraries have their floats.
    fits = isinstance(value, types) if isinstance(value, Node) else type(value) in types
    if not fits:
        expected = " or ".join(
            [cls.__name__.removeprefix("_") for cls in types]
        )  # a group is `_Expr` at run time
        raise Unprintable(node, f"`{name}` holds {_shown(value)}, not {expected}")
    if isinstance(value, str) and lexemes.SPLIT_CHARACTER.search(value):
        raise Unprintable(node, f"`{name}` has the two halves of a character side by side")
    if isinstance(value, int) and abs(value) >= LONGEST:
        raise Unprintable(node, "the number is too long")


def _shown(value: object) -> str:
    return type(value).__name__ if isinstance(value, Node) else repr(value)[:40]
