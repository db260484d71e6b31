"""The closing line of a report; all that a clean run shows, so it stands apart from the rest."""

from __future__ import annotations


def summary(n_errors: int, n_warnings: int, n_hints: int, n_files: int) -> str:
    """Return the last line of a report: `Found 2 errors and 1 warning in 1 file.`"""
    counts = [
        _count(n, what)
        for n, what in ((n_errors, "error"), (n_warnings, "warning"), (n_hints, "hint"))
        if n > 0
    ]
    files = _count(n_files, "file")
    if not counts:
        return f"No problems found in {files}."
    listed = counts[0] if len(counts) == 1 else ", ".join(counts[:-1]) + " and " + counts[-1]
    return f"Found {listed} in {files}."


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
