"""Text to tree: `parse`. Never raises on what a user wrote."""

from __future__ import annotations

import gc

from relax_lang.syntax.run import Comment, Parsed, Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.run import Recovery

__all__ = ["Comment", "Parsed", "parse"]


def _recovery() -> Recovery:
    from relax_lang.syntax import recover  # only loaded when there is an error

    return recover


def parse(text: str, start: str = "module") -> Parsed:
    """Parse a text. [Y.1-Y.11]

    `start` is what the text is: "module" (a file), "expr", "struct_info", "prim" (a dimension expression),
    "statements" or "tir_statements" (a tuple of statements).
    """
    collecting = gc.isenabled()
    gc.disable()  # nodes are no garbage; looking for some costs a fifth of the time
    try:
        run = Run(text, start, _recovery)
        run.drive(0)
        return run.finish()
    finally:
        if collecting:
            gc.enable()
