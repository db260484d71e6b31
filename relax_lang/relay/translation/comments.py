"""The comments of a Relay text in its translation: before the first binding, or function, of what they stood before.

Nodes of the translation have their places in the Relay text. Comments belong to places of the Relax text, so the
module is printed and read once: its bindings come in the same order. [R.38]
"""

from __future__ import annotations

from relax_lang.format.printer import print_tree
from relax_lang.relay.forms.comments import Pairs, insert, items_of
from relax_lang.relay.syntax.comments import is_note
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.relay.syntax.parser import Parsed
    from relax_lang.syntax.parsed import Comment


def with_comments(module: tree.IRModule, source: Parsed) -> str:
    """Return a module as text, with the comments of the program that it was translated from."""
    text = print_tree(module)
    comments = [one for one in source.comments if not is_note(one) and not one.is_directive]
    if not comments:
        return text
    made = items_of(module, tree.Function, (tree.VarBinding, tree.MatchCast))
    read = items_of(parse(text).tree, tree.Function, (tree.VarBinding, tree.MatchCast))
    return insert(text, Pairs(made, read), source, comments, _written)


def _written(comment: Comment) -> list[str]:
    """Return a comment as Relax writes it, line by line."""
    text = comment.text
    if text.startswith("/*"):
        lines = text.removeprefix("/*").removesuffix("*/").strip().splitlines()
        return [f"# {line.strip().removeprefix('*').strip()}".rstrip() for line in lines]
    body = text.removeprefix("//").removeprefix("#").strip("/ \t")
    return [f"# {body}".rstrip()]
