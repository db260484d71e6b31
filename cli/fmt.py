"""`relax fmt`: lays programs out, in place or as a report of what would change."""

from __future__ import annotations

import sys

from relax_lang.base.python.gc_pause import start_is_over
from relax_lang.base.python.output import put
from relax_lang.base.source import PythonFile, RelayFile
from relax_lang.base.wording import counted
from relax_lang.files.programs import STDIN, discover, read, write
from relax_lang.files.settings.data import LINE_LENGTHS
from relax_lang.files.settings.search import Configs

from .render.report import CLEAN, INTERNAL, PROBLEMS, USAGE
from .show import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.source import SourceFile

    from .options import FmtOptions


_OF_RELAY = ("anf", "graph", "strip_types")
"""Options that only programs in Relay have."""


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
    try:
        asked = _line_length(options)
    except ValueError:
        return _refuse(options)
    if options.anf and options.graph:
        from relax_lang.check.diagnostics.toolchain import usage

        complain([usage("`--anf` and `--graph` are two forms: choose one of them")], options)
        return USAGE
    outcome = Outcome()
    configs = Configs()
    files, problems = discover(paths, configs.excludes, force=options.force_exclude)
    for _, problem in problems:  # of folders, so no file was left alone
        complain([problem], options)
        outcome.status = USAGE
    for path in files:
        source, problem = read(path, options.stdin_filename)
        if problem is not None:
            complain([problem], options, source)
            outcome.fail(USAGE)
            continue
        if isinstance(source, PythonFile):
            from relax_lang.check.diagnostics.toolchain import usage

            complain([usage(f"`{path}` is a Python file", "a formatter of Python formats it")], options)
            outcome.fail(USAGE)
            continue
        of_relay = next((one for one in _OF_RELAY if getattr(options, one)), None)
        if of_relay is not None and not isinstance(source, RelayFile):
            from relax_lang.check.diagnostics.toolchain import usage

            option = f"--{of_relay.replace('_', '-')}"
            complain(
                [usage(f"`{option}` is for programs in Relay, and `{_named(source)}` is not one")], options
            )
            outcome.fail(USAGE)
            continue
        config = configs.of(path, options.stdin_filename)
        if config.diagnostics:  # settings that are not understood may ask for other lines
            outcome.fail(USAGE)
        else:
            _format_one(path, source, options, outcome, asked or config.line_length)
        start_is_over()
    for config in configs.found:
        if config.diagnostics:
            complain(config.diagnostics, options, config.source)
    if STDIN not in files and not options.quiet:
        _say_what_was_done(outcome, options)
    return outcome.status


def _line_length(options: FmtOptions) -> int | None:
    """Return the line length that was asked for. Raises ValueError if it is none."""
    if not options.line_length:
        return None
    length = int(options.line_length)
    if length not in LINE_LENGTHS:
        raise ValueError(length)
    return length


def _refuse(options: FmtOptions) -> int:
    from relax_lang.check.diagnostics.toolchain import usage

    limits = f"{LINE_LENGTHS[0]} to {LINE_LENGTHS[-1]}"
    complain([usage(f"`--line-length` takes a number from {limits}, not `{options.line_length}`")], options)
    return USAGE


def _format_one(
    path: str, source: SourceFile, options: FmtOptions, outcome: Outcome, line_length: int | None
) -> None:
    text = _formatted(source, options, outcome, line_length)
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
            put(f"Would reformat: {_named(source)}\n", sys.stdout)
    elif path == STDIN:
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()
    elif changed:
        problem = write(path, text)
        if problem is not None:
            complain([problem], options)
            outcome.n_changed -= 1
            outcome.fail(USAGE)


def _formatted(
    source: SourceFile, options: FmtOptions, outcome: Outcome, line_length: int | None
) -> str | None:
    """Return the new text, or None after saying why there is none."""
    from relax_lang import api

    try:
        if isinstance(source, RelayFile) and (options.anf or options.graph or options.strip_types):
            return _relay_form(source, options, line_length)
        return api.format_text(source, line_length)
    except api.RelaxError as error:
        complain(error.diagnostics, options, source)
        put(f"{_named(source)}: left as it is\n", sys.stderr)
        is_bug = any(one.code.startswith("RLX9") for one in error.diagnostics)
        outcome.fail(INTERNAL if is_bug else PROBLEMS)
    except Exception as error:  # one file's bad luck must not hide the others
        from .crash import found_bug

        complain([found_bug(error, verbose=options.verbose)], options, source)
        outcome.fail(INTERNAL)
    return None


def _relay_form(source: RelayFile, options: FmtOptions, line_length: int | None) -> str:
    """Return a program in Relay in the form that is asked for. Raises RelaxError."""
    from relax_lang.api.forms import format_relay, relay_form  # only for these options

    if options.anf or options.graph:
        return relay_form(source, "anf" if options.anf else "graph", line_length)
    return format_relay(source, line_length, strip_types=True)


def _named(source: SourceFile) -> str:
    from .render.width import visible

    return visible(source.path)


def _print_diff(source: SourceFile, text: str, options: FmtOptions) -> None:
    from .render.style import style_for
    from .render.unified import render

    style = style_for(sys.stdout, color=options.color, ascii_only=options.ascii)
    put(render(source, text, style, sys.stdout), sys.stdout)


def _say_what_was_done(outcome: Outcome, options: FmtOptions) -> None:
    would = "would be " if options.check or options.diff else ""
    parts = [
        f"{counted(n, 'file')} {what}"
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
