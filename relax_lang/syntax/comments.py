"""The comments of a text with syntax errors: those in the parts, too, that the parser left out."""

from __future__ import annotations

from relax_lang.syntax import lalr_table
from relax_lang.syntax.driver import Comment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Parsed

COMMENT = -2  # the kind of the group in the tokens' expression


def all_comments(parsed: Parsed) -> list[Comment]:
    """Return every comment of a text, whether its surroundings could be read or not."""
    if not parsed.diagnostics:
        return parsed.comments
    return [
        Comment(match.start(group), match.end(), match[group].rstrip())
        for match in lalr_table.TOKEN.finditer(parsed.text)
        if lalr_table.GROUP_KINDS[group := match.lastindex or 0] == COMMENT
    ]
