"""What is found in one program: the check, with what is wanted of it, and no exception that could hide other files."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.check.select import Selection

    from .options import CheckOptions


def check_source(source: SourceFile, selection: Selection, options: CheckOptions) -> list[Diagnostic]:
    """Return what is found in one program and wanted."""
    from relax_lang import api

    try:
        return selection.apply(api.check(source).diagnostics)
    except Exception as error:  # one file's bad luck must not hide the others
        from .crash import found_bug

        return [found_bug(error, verbose=options.verbose)]
