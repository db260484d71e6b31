"""What is found in one program: the check, with what is wanted of it, and no exception that could hide other files."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.check.selection import Selection

    from ..options import CheckOptions
    from .verdicts import Verdicts


class Findings:
    """What is found in one program and wanted, and what of it comments of the program silence."""

    __slots__ = ("found", "ignored")

    def __init__(self, found: list[Diagnostic], ignored: list[Diagnostic]) -> None:
        self.found = found
        self.ignored = ignored


def check_source(
    source: SourceFile, selection: Selection, options: CheckOptions, verdicts: Verdicts | None = None
) -> Findings:
    """Check one program, and return what is wanted of it; `verdicts` are what was found in earlier runs."""
    key = None if verdicts is None else verdicts.key(source, selection)
    if verdicts is not None and key is not None:
        known = verdicts.get(key)
        if known is not None:
            return Findings(*known)
    try:
        from relax_lang import api

        checked = api.check(source, lints=selection.lints)
        findings = Findings(selection.apply(checked.diagnostics), selection.apply(checked.ignored))
        if verdicts is not None and key is not None:
            from relax_lang.files.cache.dependencies import arrays_of

            arrays = arrays_of(source, checked.tree) if checked.parsed.features.files else []
            if arrays is not None:
                verdicts.put(key, (findings.found, findings.ignored), arrays)
        return findings
    except Exception as error:  # one file's bad luck must not hide the others
        from ..crash import found_bug

        return Findings([found_bug(error, verbose=options.verbose)], [])


def verdicts_for(options: CheckOptions) -> Verdicts | None:
    """Return the findings of earlier runs, unless they are not wanted."""
    from relax_lang.files.cache import is_off

    if options.no_cache or is_off():
        return None
    from .verdicts import Verdicts

    return Verdicts()
