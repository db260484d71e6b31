"""What is found in one program: the check, with what is wanted of it, and no exception that could hide other files."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.check.selection import Selection

    from ..options import CheckOptions


class Findings:
    """What is found in one program and wanted, and what of it comments of the program silence."""

    __slots__ = ("found", "ignored")

    def __init__(self, found: list[Diagnostic], ignored: list[Diagnostic]) -> None:
        self.found = found
        self.ignored = ignored


def check_source(source: SourceFile, selection: Selection, options: CheckOptions) -> Findings:
    """Check one program, and return what is wanted of it."""
    from relax_lang import api

    try:
        checked = api.check(source, lints=selection.lints)
        return Findings(selection.apply(checked.diagnostics), selection.apply(checked.ignored))
    except Exception as error:  # one file's bad luck must not hide the others
        from ..crash import found_bug

        return Findings([found_bug(error, verbose=options.verbose)], [])
