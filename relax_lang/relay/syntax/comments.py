"""The comments of a Relay text: `// …`, `/* … */` and, as in the language's description, `# …`. [R.30]"""

from __future__ import annotations

from relax_lang.format.comments import BYTE_ORDER_MARK, Comments
from relax_lang.syntax.parsed import Comment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_NOTES = ("/* ty=", "/* span=", "/* from_string", "/* CallSite")
"""What printers write behind expressions: types and places."""


class RelayComments(Comments):
    """The cursor over the comments of a Relay text."""

    __slots__ = ()

    def skip(self, at: int) -> int:
        """Return the offset of the first character from `at` on that is neither blank nor in a comment."""
        text = self.text
        at = max(at, 0)
        while at < len(text):
            if text[at].isspace() or text[at] == BYTE_ORDER_MARK:
                at += 1
            elif text.startswith("//", at) or (text[at] == "#" and not text.startswith("#[", at)):
                line_end = text.find("\n", at)
                at = line_end if line_end >= 0 else len(text)
            elif text.startswith("/*", at):
                at = _comment_end(text, at)
            else:
                break
        return at


def _comment_end(text: str, at: int) -> int:
    depth = 0
    while at < len(text):
        if text.startswith("/*", at):
            depth += 1
            at += 2
        elif text.startswith("*/", at):
            depth -= 1
            at += 2
            if depth == 0:
                return at
        else:
            at += 1
    return at


def spelled(comment: Comment) -> Comment:
    """Return a comment as the text format spells it: `# …` is `// …`."""
    if comment.text.startswith("#"):
        return Comment(comment.pos, comment.end, "//" + comment.text[1:])
    return comment


def is_note(comment: Comment) -> bool:
    """Return whether a printer wrote a comment, such as `/* ty=float32 */`."""
    return comment.text.startswith(_NOTES)


def without_notes(comments: Iterable[Comment]) -> list[Comment]:
    """Leave out what printers wrote."""
    return [comment for comment in comments if not is_note(comment)]
