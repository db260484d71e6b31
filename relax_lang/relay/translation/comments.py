"""The comments of a Relay text in its translation: before the first binding, or function, of what they stood before.

Nodes of the translation have their places in the Relay text. Comments belong to places of the Relax text, so the
module is printed and read once: its bindings come in the same order. [R.38]
"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.format.printer import print_tree
from relax_lang.relay.syntax import tree as relay
from relax_lang.relay.syntax.comments import is_note
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.relay.syntax.parser import Parsed
    from relax_lang.syntax.parsed import Comment


def with_comments(module: tree.IRModule, source: Parsed) -> str:
    """Return a module as text, with the comments of the program that it was translated from."""
    text = print_tree(module)
    comments = [one for one in source.comments if not is_note(one) and not one.is_directive]
    if not comments:
        return text
    head = _of_the_file(source, comments)
    above, last = _places(module, source, comments[len(head) :])
    parts = [f"{written}\n" for comment in head for written in _written(comment)]
    parts += ["\n"] if parts else []
    at = 0
    for own, read in zip(_places_of(module), _places_of(parse(text).tree), strict=True):
        if own in above:
            line = text.rfind("\n", 0, read.pos) + 1
            parts.append(text[at:line])
            indent = text[line : read.pos] if not text[line : read.pos].strip() else ""
            parts += [f"{indent}{written}\n" for comment in above[own] for written in _written(comment)]
            at = line
    end = [f"{written}\n" for comment in last for written in _written(comment)]
    return "".join([*parts, text[at:], *(["\n", *end] if end else [])])


def _of_the_file(source: Parsed, comments: list[Comment]) -> list[Comment]:
    """Return the comments at the beginning that an empty line separates from the first item."""
    first = source.tree.items[0].pos if source.tree.items else 0
    leading = [one for one in comments if one.end <= first]
    while (
        leading and source.text.count("\n", leading[-1].end, _next(source, comments, len(leading), first)) < 2
    ):
        leading.pop()
    return leading


def _next(source: Parsed, comments: list[Comment], index: int, first: int) -> int:
    return min(comments[index].pos, first) if index < len(comments) else first


def _places(
    module: tree.IRModule, source: Parsed, comments: list[Comment]
) -> tuple[dict[Node, list[Comment]], list[Comment]]:
    """Return what each comment goes before, and the comments that nothing follows."""
    functions = [item for item in module.items if isinstance(item, tree.Function)]
    bindings = {function: [one for one in walk(function) if _is_binding(one)] for function in functions}
    defs = [item for item in source.tree.items if isinstance(item, relay.Def)]
    found: dict[Node, list[Comment]] = {}
    last: list[Comment] = []
    for comment in comments:
        around = next((item for item in defs if item.pos <= comment.pos < item.end), None)
        if around is not None:
            own = [one for one in functions if around.pos <= one.pos < around.end]
            at = _line_start(source.text, comment.pos)
            after = (binding for one in own for binding in bindings[one] if binding.pos >= at)
            place = next(after, own[0] if own else None)
        else:
            following = (one for one in functions if one.pos >= comment.pos)
            place = min(following, key=lambda one: one.pos, default=None)
        if place is None:
            last.append(comment)
        else:
            found.setdefault(place, []).append(comment)
    return found, last


def _line_start(text: str, pos: int) -> int:
    """Return where a comment counts from: the beginning of its line, if it is behind something."""
    start = text.rfind("\n", 0, pos) + 1
    return start if text[start:pos].strip() else pos


def _is_binding(node: Node) -> bool:
    return isinstance(node, tree.VarBinding | tree.MatchCast)


def _places_of(module: tree.IRModule) -> list[Node]:
    """Return the functions and bindings of a module, in the order of its text."""
    return [one for one in walk(module) if isinstance(one, tree.Function) or _is_binding(one)]


def _written(comment: Comment) -> list[str]:
    """Return a comment as Relax writes it, line by line."""
    text = comment.text
    if text.startswith("/*"):
        lines = text.removeprefix("/*").removesuffix("*/").strip().splitlines()
        return [f"# {line.strip().removeprefix('*').strip()}".rstrip() for line in lines]
    body = text.removeprefix("//").removeprefix("#").strip("/ \t")
    return [f"# {body}".rstrip()]
