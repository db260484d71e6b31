"""A program that was built, as text with comments before some of its bindings.

Comments belong to places of a text, so the program is printed and read once: its bindings come in the same order.
"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.format.printer import print_tree
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def with_comments(module: tree.IRModule, comments: Mapping[tree.Binding, Sequence[str]]) -> str:
    """Return a module as text, with comments on the lines before bindings. Raises Unprintable."""
    text = print_tree(module)
    if not comments:
        return text
    parts: list[str] = []
    at = 0
    for own, read in zip(_bindings(module), _bindings(parse(text).tree), strict=True):
        if own in comments:
            line = text.rindex("\n", 0, read.pos) + 1
            parts.append(text[at:line])
            indent = text[line : read.pos]
            parts += [f"{indent}{comment}\n" for comment in comments[own]]
            at = line
    return "".join([*parts, text[at:]])


def _bindings(module: tree.IRModule) -> list[tree.Binding]:
    return [node for node in walk(module) if isinstance(node, tree.VarBinding | tree.MatchCast)]
