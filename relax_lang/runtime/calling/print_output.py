"""The operator `print`, which writes to where the caller of the program asks. [O.10]"""

from __future__ import annotations

import sys

from relax_lang.base.output import put
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


def to_stdout(text: str) -> None:
    """Write to the standard output, whatever that can encode."""
    put(text, sys.stdout)
