"""The operator `print`, which writes to where the caller of the program asks. [O.10]"""

from __future__ import annotations

import sys

from relax_lang.base.python.output import put
from relax_lang.ops.core.errors import OpError
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def printed(values: Sequence[object], pattern: str) -> str:
    """Return the line that `print(values…, format="…")` writes; without a format, separated by blanks."""
    from relax_lang.ops.attribute_syntax.format_string import written  # most programs print nothing

    try:
        return written(values, pattern) + "\n"
    except OpError as refusal:
        raise RunFailure(refusal.slug, f"print: {refusal.message}") from None


_PICTURES = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
}
"""Characters that a terminal would obey, and what is shown for them."""


def to_stdout(text: str) -> None:
    """Write to the standard output, whatever that can encode; a terminal gets pictures of control characters."""
    if not text.isprintable() and sys.stdout.isatty():
        text = text.translate(_PICTURES)
    put(text, sys.stdout)
