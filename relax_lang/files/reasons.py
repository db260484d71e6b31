"""Why the operating system refused something."""

from __future__ import annotations


def reason(error: OSError) -> str:
    """Return the operating system's words for an error, in lower case as messages are."""
    words = error.strerror or str(error)
    return words[:1].lower() + words[1:]
