"""Layout algebra: documents that know where lines may end, and the renderer that decides where they do.

A document is a `str` (printed literally, without line ends) or one of the classes below. A `Group` is
printed on one line if it fits, else its own line breaks become real ones; groups inside it are then decided
one by one. Knows nothing of Relax. Nothing here recurses: documents may be nested as deeply as memory
allows. Rendering takes time linear in the document (times the width, at worst).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FORCED = 1 << 40
"""The flat width of what cannot be printed on one line."""


class Doc:
    """A document that is not a string; `width` is what it takes on one line, at least `FORCED` if it cannot."""

    __slots__ = ("width",)
    width: int


class Line(Doc):
    """A possible line break: a newline, or `flat` where the surrounding group stays on one line."""

    __slots__ = ("flat",)

    def __init__(self, flat: str, width: int) -> None:
        self.flat = flat
        self.width = width


class Concat(Doc):
    """Documents one after the other."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[str | Doc], width: int) -> None:
        self.parts = parts
        self.width = width


class Group(Doc):
    """Printed on one line if it fits.

    Whether the text before it on its line fits counts a group up to its first break. A `tight` group does
    not count on that break: what comes before is broken first (a signature's parameters before its result).
    """

    __slots__ = ("content", "tight")

    def __init__(self, content: str | Doc, tight: bool, width: int) -> None:
        self.content = content
        self.tight = tight
        self.width = width


class Nest(Doc):
    """Lines that begin inside are indented `by` columns more."""

    __slots__ = ("by", "content")

    def __init__(self, content: str | Doc, by: int, width: int) -> None:
        self.content = content
        self.by = by
        self.width = width


class IfBreak(Doc):
    """One string where the surrounding group is broken, another where it is on one line."""

    __slots__ = ("broken", "flat")

    def __init__(self, broken: str, flat: str) -> None:
        self.broken = broken
        self.flat = flat
        self.width = len(flat)


class Suffix(Doc):
    """Text that moves to the end of its line, and breaks every group around it."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text
        self.width = FORCED


class Fill(Doc):
    """Words with commas: `a, b, c`, or as many on a line as fit, and a comma after the last one.

    For lists of numbers, which may be a million long: they need no documents of their own.
    """

    __slots__ = ("words",)

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self.width = sum(map(len, words)) + 2 * (len(words) - 1)


LINE = Line(" ", 1)
"""A newline, or a blank."""
SOFTLINE = Line("", 0)
"""A newline, or nothing."""
HARDLINE = Line(" ", FORCED)
"""A newline that breaks every group around it; two of them leave a line empty."""


def width_of(doc: str | Doc) -> int:
    """Return the width on one line."""
    return len(doc) if type(doc) is str else doc.width  # type: ignore[union-attr]


def concat(parts: Sequence[str | Doc]) -> str | Doc:
    """Put documents one after the other; strings alone become one string."""
    width = 0
    plain = True
    for part in parts:
        if isinstance(part, str):
            width += len(part)
        else:
            plain = False
            width += part.width
    return "".join(parts) if plain else Concat(parts, width)  # type: ignore[arg-type]


def join(separator: Sequence[str | Doc], docs: Iterable[str | Doc]) -> list[str | Doc]:
    """Return the documents with the separator between them."""
    parts: list[str | Doc] = []
    for doc in docs:
        if parts:
            parts.extend(separator)
        parts.append(doc)
    return parts


def group(doc: str | Doc, *, tight: bool = False) -> str | Doc:
    """Make a group; a string is its own."""
    return doc if type(doc) is str else Group(doc, tight, doc.width)  # type: ignore[union-attr]


def nest(doc: str | Doc, by: int = 2) -> str | Doc:
    """Indent the lines that begin inside."""
    return doc if type(doc) is str else Nest(doc, by, doc.width)  # type: ignore[union-attr]


def fill(words: Sequence[str]) -> Doc:
    """Print at least one word, commas between them, on as few lines as possible."""
    return Fill(words)


def if_break(broken: str, flat: str = "") -> Doc:
    """Print `broken` where the surrounding group is broken, else `flat`."""
    return IfBreak(broken, flat)


def line_suffix(text: str) -> Doc:
    """Print `text` at the end of the line, whatever else still comes on it."""
    return Suffix(text)


def flat(doc: str | Doc) -> str:
    """Return the document on one line, come what may: forced breaks become blanks, suffixes are left out."""
    if type(doc) is str:
        return doc
    out: list[str] = []
    _flatten(doc, out)
    return "".join(out)


def _flatten(doc: str | Doc, out: list[str]) -> None:
    stack = [doc]
    while stack:
        doc = stack.pop()
        if isinstance(doc, str):
            out.append(doc)
        elif isinstance(doc, Concat):
            stack.extend(reversed(doc.parts))
        elif isinstance(doc, Group | Nest):
            stack.append(doc.content)
        elif isinstance(doc, Line | IfBreak):
            out.append(doc.flat)
        elif isinstance(doc, Fill):
            out.append(", ".join(doc.words))


def _rest_fits(stack: list[tuple[int, str | Doc]], room: int, *, tight: bool) -> bool:
    """Return whether what follows fits into `room` columns up to the first place where the line can end.

    Everything on the stack belongs to groups that are already broken. `tight` is whether tight groups are
    taken as a whole: of two of them the later one is broken first (attributes before the result).
    """
    at = len(stack)
    pending: list[str | Doc] = []
    while room >= 0:
        if pending:
            doc = pending.pop()
        elif at:
            at -= 1
            doc = stack[at][1]
        else:
            return True
        if isinstance(doc, str):
            room -= len(doc)
        elif isinstance(doc, Line):
            return True
        elif isinstance(doc, Concat):
            pending.extend(reversed(doc.parts))
        elif isinstance(doc, Group):
            if tight and doc.tight and doc.width < FORCED:
                room -= doc.width
            else:
                pending.append(doc.content)
        elif isinstance(doc, Nest):
            pending.append(doc.content)
        elif isinstance(doc, IfBreak):
            room -= len(doc.broken)
        elif isinstance(doc, Fill):
            return room > len(doc.words[0])  # with its comma; then the line can end
    return False


def _fill(words: Sequence[str], indent: int, column: int, width: int, out: list[str]) -> int:
    """Lay words out from a column on; return the column after the last one."""
    if not words:
        return column
    from bisect import bisect_right  # only where there are many words
    from itertools import accumulate

    newline = f"\n{' ' * indent}"
    ends = list(accumulate([len(word) + 2 for word in words], initial=0))
    first = 0
    while True:
        limit = width + 1 - column + ends[first]
        last = max(bisect_right(ends, limit, first) - 1, first + 1)
        out.append(", ".join(words[first:last]))
        if last >= len(words):
            out.append(",")
            return column + ends[last] - ends[first] - 1
        out += [",", newline]
        first, column = last, indent


def render(doc: str | Doc, width: int = 100) -> str:
    """Lay a document out in lines of at most `width` columns where that is possible; none ends in a blank."""
    out: list[str] = []
    suffixes: list[str] = []
    stack: list[tuple[int, str | Doc]] = [(0, doc)]
    column = 0
    margin = ""  # the indentation of a line that is still empty
    while stack:
        indent, doc = stack.pop()
        if isinstance(doc, Group):
            end = column + doc.width
            if end > width or not _rest_fits(stack, width - end, tight=not doc.tight):
                stack.append((indent, doc.content))
                continue
            # On one line: no more decisions below.
            out.append(margin)
            margin = ""
            _flatten(doc.content, out)
            column = end
        elif isinstance(doc, str):
            if doc:
                out.append(margin)
                margin = ""
                out.append(doc)
                column += len(doc)
        elif isinstance(doc, Line):
            out.extend(suffixes)
            suffixes.clear()
            out.append("\n")
            margin = " " * indent
            column = indent
        elif isinstance(doc, Concat):
            stack.extend([(indent, part) for part in reversed(doc.parts)])
        elif isinstance(doc, Nest):
            stack.append((indent + doc.by, doc.content))
        elif isinstance(doc, IfBreak):
            out.append(margin if doc.broken else "")
            margin = "" if doc.broken else margin
            out.append(doc.broken)
            column += len(doc.broken)
        elif isinstance(doc, Fill):
            out.append(margin)
            margin = ""
            column = _fill(doc.words, indent, column, width, out)
        elif isinstance(doc, Suffix):
            suffixes.append(doc.text)
    out.extend(suffixes)
    return "".join(out)
