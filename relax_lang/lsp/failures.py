"""Our own mistakes: each is written into a file that can be sent to us, and the server goes on."""

from __future__ import annotations

import os
import tempfile
import traceback

from relax_lang._version import VERSION


def report(error: BaseException) -> str:
    """Write a report on an exception; return one line with its place."""
    lines = [f"relax-lang {VERSION}\n", *traceback.format_exception(error)]
    summary = f"internal error: {type(error).__name__}: {error}"
    try:
        handle, path = tempfile.mkstemp(prefix="relax-lsp-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.writelines(lines)
    except OSError:
        return summary
    return f"{summary}; a report is in {path}"
