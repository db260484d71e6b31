"""Text on streams that may not be able to encode it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def put(text: str, stream: TextIO) -> None:
    """Write text to a stream; what it cannot encode is written with backslashes."""
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
