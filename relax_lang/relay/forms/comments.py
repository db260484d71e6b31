"""The comments of a Relay text in a text that was made of its tree: before the first binding, or item, that comes of
what they were written before.

Nodes of the made tree have their places in the first text, those of the tree that is read again theirs in the second.
Both have the same items and bindings in the same order. [R.36] [R.38]
"""

from __future__ import annotations

from relax_lang.base.node import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.base.node import Node
    from relax_lang.relay.syntax.parser import Parsed
    from relax_lang.syntax.parsed import Comment

    Items = list[tuple[Node, list[Node]]]
    """Items of a module, each with its bindings."""
    Written = Callable[[Comment], list[str]]
    """Writes a comment in the language of the made text, line by line."""


def items_of(module: Node, items: type[Node], bindings: tuple[type[Node], ...]) -> Items:
    """Return the items of some kinds of a module with their bindings, in the order of the text."""
    return [
        (item, [one for one in walk(item) if isinstance(one, bindings)])
        for item in getattr(module, "items", ())
        if isinstance(item, items)
    ]


class Pairs:
    """Items and bindings as they were made, with their places in the first text, and as they were read again."""

    __slots__ = ("made", "nodes")

    def __init__(self, made: Items, read: Items) -> None:
        self.made = made
        self.nodes = list(zip(_in_order(made), _in_order(read), strict=True))


def _in_order(items: Items) -> list[Node]:
    return [one for item, bindings in items for one in (item, *bindings)]


def insert(text: str, pairs: Pairs, source: Parsed, comments: list[Comment], written: Written) -> str:
    """Return a text with the comments of the program that it was made of."""
    head = _of_the_file(source, comments)
    above, last = _places(pairs.made, source, comments[len(head) :])
    parts = [f"{line}\n" for comment in head for line in written(comment)]
    parts += ["\n"] if parts else []
    at = 0
    for own, read in pairs.nodes:
        if own in above:
            start = text.rfind("\n", 0, read.pos) + 1
            parts.append(text[at:start])
            indent = text[start : read.pos] if not text[start : read.pos].strip() else ""
            parts += [f"{indent}{line}\n" for comment in above[own] for line in written(comment)]
            at = start
    end = [f"{line}\n" for comment in last for line in written(comment)]
    return "".join([*parts, text[at:], *(["\n", *end] if end else [])])


def _of_the_file(source: Parsed, comments: list[Comment]) -> list[Comment]:
    """Return the comments at the beginning that an empty line separates from the first item."""
    first = source.tree.items[0].pos if source.tree.items else 0
    leading = [one for one in comments if one.end <= first]
    while leading and source.text.count("\n", leading[-1].end, _next(comments, len(leading), first)) < 2:
        leading.pop()
    return leading


def _next(comments: list[Comment], index: int, first: int) -> int:
    return min(comments[index].pos, first) if index < len(comments) else first


def _places(
    made: Items, source: Parsed, comments: list[Comment]
) -> tuple[dict[Node, list[Comment]], list[Comment]]:
    """Return what each comment goes before, and the comments that nothing follows."""
    found: dict[Node, list[Comment]] = {}
    last: list[Comment] = []
    for comment in comments:
        around = next((item for item in source.tree.items if item.pos <= comment.pos < item.end), None)
        own = [] if around is None else [one for one in made if around.pos <= one[0].pos < around.end]
        if own:
            at = _line_start(source.text, comment.pos)
            after = (one for _, bindings in own for one in bindings if one.pos >= at)
            place = next(after, own[0][0])
        else:
            following = (item for item, _ in made if item.pos >= comment.pos)
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
