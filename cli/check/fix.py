"""`relax check --fix`: one file with its fixes applied, in place, to standard output, or as a diff."""

from __future__ import annotations

import sys

from relax_lang.files.programs import STDIN, write

from .findings import check_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.check.selection import Selection

    from ..options import CheckOptions


class Fixed:
    """What became of a file: its text now, what was fixed, what is left, and why it could not be written."""

    __slots__ = ("fixed", "left", "problem", "source")

    def __init__(self, source: SourceFile, left: list[Diagnostic]) -> None:
        self.source = source
        self.left = left
        self.fixed: list[Diagnostic] = []
        self.problem: Diagnostic | None = None


def fix_file(
    path: str,
    source: SourceFile,
    selection: Selection,
    options: CheckOptions,
    stream: TextIO,
    *,
    only_check: bool,
) -> Fixed:
    """Fix one file as the options ask; with `only_check` it is not changed."""
    fixed = (
        Fixed(source, check_source(source, selection, options).found)
        if only_check
        else _fix(source, selection, options)
    )
    if options.diff:
        if fixed.fixed:
            _put_diff(source, fixed.source.text, options, stream)
    elif path == STDIN:
        # A filter passes on what it got, whether or not it could change it.
        sys.stdout.buffer.write(fixed.source.text.encode("utf-8"))
        sys.stdout.buffer.flush()
    elif fixed.fixed:
        problem = write(path, fixed.source.text)
        if problem is not None:
            fixed = Fixed(source, check_source(source, selection, options).found)
            fixed.problem = problem
    return fixed


def _fix(source: SourceFile, selection: Selection, options: CheckOptions) -> Fixed:
    from relax_lang import api

    try:
        result = api.fix_text(
            source, unsafe=options.unsafe_fixes, lints=selection.lints, want=selection.apply
        )
    except Exception as error:  # one file's bad luck must not hide the others
        from ..crash import found_bug

        return Fixed(source, [found_bug(error, verbose=options.verbose)])
    fixed = Fixed(source.with_text(result.text), result.left)
    fixed.fixed = result.fixed
    return fixed


def _put_diff(source: SourceFile, text: str, options: CheckOptions, stream: TextIO) -> None:
    from relax_lang.base.python.output import put

    from ..render.style import style_for
    from ..render.unified import render

    style = style_for(stream, color=options.color, ascii_only=options.ascii)
    put(render(source, text, style, stream), stream)
