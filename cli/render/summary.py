"""The closing lines of a report; all that a clean run shows, so it is apart from the rest."""

from __future__ import annotations

from relax_lang.base.wording import counted, enumerated


def summary(n_errors: int, n_warnings: int, n_hints: int, n_files: int, done: str = "") -> str:
    """Return a line such as `Found 2 errors and 1 warning in 1 file.`; `done` is what became of them."""
    counts = [
        counted(n, what)
        for n, what in ((n_errors, "error"), (n_warnings, "warning"), (n_hints, "hint"))
        if n > 0
    ]
    files = counted(n_files, "file")
    if not counts:
        return f"No problems found in {files}."
    return f"Found {enumerated(counts, 'and')} in {files}{done and ', '}{done}."


def fixable(n_safe: int, n_unsafe: int) -> str:
    """Return a line about what could be fixed; empty if nothing could."""
    if n_safe and n_unsafe:
        return f"[*] {n_safe} fixable with `--fix`, {n_unsafe} more with `--unsafe-fixes`."
    if n_safe:
        return f"[*] {n_safe} fixable with `--fix`."
    return f"[*] {n_unsafe} fixable with `--unsafe-fixes`." if n_unsafe else ""
