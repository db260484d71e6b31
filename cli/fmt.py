"""`relax fmt`: lays programs out, in place or as a report of what would change."""

from __future__ import annotations

import sys

from relax_lang.files.text import STDIN, discover, read, write

from .render.report import CLEAN, INTERNAL, PROBLEMS, USAGE
from .show import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.source import SourceFile

    from .options import FmtOptions


class Outcome:
    """What became of the files, for the last line and the exit status."""

    __slots__ = ("n_changed", "n_failed", "n_same", "status")

    def __init__(self) -> None:
        self.n_changed = 0
        self.n_same = 0
        self.n_failed = 0
        self.status = CLEAN

    def fail(self, status: int) -> None:
        """Count a file that was left alone."""
        self.n_failed += 1
        self.status = max(self.status, status)


def fmt(paths: Sequence[str], options: FmtOptions) -> int:
    """Format files and folders and return the exit status."""
    outcome = Outcome()
    files, problems = discover(paths)
    for _, problem in problems:
        complain([problem], options)
        outcome.fail(USAGE)
    for path in files:
        source, problem = read(path, options.stdin_filename)
        if problem is not None:
            complain([problem], options, source)
            outcome.fail(USAGE)
        else:
            _format_one(path, source, options, outcome)
    if STDIN not in files and not options.quiet:
        _say_what_was_done(outcome, options)
    return outcome.status


def _format_one(path: str, source: SourceFile, options: FmtOptions, outcome: Outcome) -> None:
    text = _formatted(source, options, outcome)
    if text is None:
        return
    changed = text != source.text
    if changed and (options.check or options.diff):
        outcome.status = max(outcome.status, PROBLEMS)
    outcome.n_changed += changed
    outcome.n_same += not changed
    if options.diff:
        if changed:
            _print_diff(source, text, options)
    elif options.check:
        if changed and not options.quiet:
            print(f"Would reformat: {source.path}")
    elif path == STDIN:
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()
    elif changed:
        problem = write(path, text)
        if problem is not None:
            complain([problem], options)
            outcome.n_changed -= 1
            outcome.fail(USAGE)


def _formatted(source: SourceFile, options: FmtOptions, outcome: Outcome) -> str | None:
    """Return the new text, or None after saying why there is none."""
    from relax_lang import api

    try:
        return api.format_text(source)
    except api.RelaxError as error:
        complain(error.diagnostics, options, source)
        print(f"{source.path}: left as it is", file=sys.stderr)
        is_bug = any(one.code.startswith("RLX9") for one in error.diagnostics)
        outcome.fail(INTERNAL if is_bug else PROBLEMS)
    except Exception as error:  # one file's bad luck must not hide the others
        from .crash import found_bug

        complain([found_bug(error, verbose=options.verbose)], options, source)
        outcome.fail(INTERNAL)
    return None


def _print_diff(source: SourceFile, text: str, options: FmtOptions) -> None:
    from difflib import unified_diff

    from .render.style import put, style_for

    style = style_for(sys.stdout, color=options.color, ascii_only=options.ascii)
    kinds = {"+": "added", "-": "removed", "@": "frame"}
    shown: list[str] = []
    for line in unified_diff(_lines(source.text), _lines(text), source.path, source.path):
        kind = kinds.get(line[0])
        row = line.removesuffix("\n")
        shown.append((style.paint(row, kind) if kind else row) + "\n")
        if not line.endswith("\n"):
            shown.append("\\ No newline at end of file\n")
    put("".join(shown), sys.stdout)


def _lines(text: str) -> list[str]:
    """Return the lines with their ends; unlike `splitlines`, only at line feeds, as `patch` sees them."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


def _say_what_was_done(outcome: Outcome, options: FmtOptions) -> None:
    would = "would be " if options.check or options.diff else ""
    parts = [
        f"{n} {'file' if n == 1 else 'files'} {what}"
        for n, what in (
            (outcome.n_changed, f"{would}reformatted"),
            (outcome.n_same, "already formatted"),
            (outcome.n_failed, "left as they are" if outcome.n_failed > 1 else "left as it is"),
        )
        if n
    ]
    if parts:
        stream = sys.stderr if options.diff else sys.stdout
        print(", ".join(parts) + ".", file=stream)
