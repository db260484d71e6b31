"""Text to tree: `parse`. Never raises on what a user wrote."""

from __future__ import annotations

from relax_lang.base.python.gc_pause import no_collection
from relax_lang.syntax.driver import Run
from relax_lang.syntax.parsed import Comment, Features, Parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Recovery

__all__ = ["Comment", "Features", "Parsed", "parse"]


def recovery() -> Recovery:
    """Return the module that deals with errors."""
    from relax_lang.syntax.recovery import recover  # only loaded when there is an error

    return recover


def parse(text: str, start: str = "module", at: int = 0) -> Parsed:
    """Parse a text. [Y.1-Y.11]

    `start` is what the text is: "module" (a file), "expr", "struct_info", "prim" (a dimension expression),
    "statements" or "tir_statements" (a tuple of statements). Reading begins at the offset `at`, before an item; what is
    said of a text as a whole, its line ends and tabs, is said only of one that is read from its beginning.
    """
    with no_collection():
        run = Run(text, start, recovery, at)
        if not run.by_rows:
            run.drive(at)
            return run.finish()
        from relax_lang.syntax.long_lists import Interrupted  # hardly any program is as long

        try:
            run.drive(at)
        except Interrupted:
            run = Run(text, start, recovery, at, by_rows=False)
            run.drive(at)
        return run.finish()
