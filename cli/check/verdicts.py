"""What was found in programs before: an unchanged program need not be checked again. See docs/security.md.

What is found follows from the text, the place of the file, the selection, the versions of the toolchain and of Python,
and the headers of the arrays that the program mentions. Programs are checked anew where plugins are loaded.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import Diagnostic, Edit, Fix, Label, Rule
from relax_lang.base.source import PythonFile, RelayFile
from relax_lang.files.cache.dependencies import are_as_before, of_source, states
from relax_lang.files.cache.fingerprint import fingerprint
from relax_lang.files.cache.results import Results

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.base.source import SourceFile
    from relax_lang.check.selection import Selection

    Found = tuple[list[Diagnostic], list[Diagnostic]]
    """What is wanted of the findings, and what comments of the program silence."""


class Verdicts:
    """The findings of earlier runs."""

    __slots__ = ("_fingerprint", "_store")

    def __init__(self) -> None:
        self._store = Results()
        self._fingerprint = fingerprint()

    def key(self, source: SourceFile, selection: Selection) -> str | None:
        """Return what the findings in a program follow from; None if that is more than can be said."""
        own = of_source(source)
        if own is None or (isinstance(source, RelayFile) and source.metadata is not None):
            return None
        named = source.named if isinstance(source, PythonFile) else None
        return repr(("verdict", self._fingerprint, named, selection.words, *own))

    def get(self, key: str) -> Found | None:
        """Return what was found, if the arrays that the program mentions are what they were."""
        entry = self._store.get(key)
        if entry is None:
            return None
        try:
            found, ignored, arrays = entry
            if not are_as_before(arrays):
                return None
            return [_read(one) for one in found], [_read(one) for one in ignored]
        except (TypeError, ValueError):  # written by a version that had another form under the same key
            return None

    def put(self, key: str, found: Found, arrays: Sequence[str]) -> None:
        """Keep what was found; `arrays` are the files whose headers were read."""
        findings, ignored = found
        if [one for one in findings if one.slug == "internal-error"]:
            return
        plain = [_plain(one) for one in findings], [_plain(one) for one in ignored]
        self._store.put(key, (*plain, states(arrays)))


def _plain(one: Diagnostic) -> tuple[object, ...]:
    rule = one.rule
    return (
        (rule.code, rule.slug, rule.severity, rule.cites, rule.explanation, rule.strict),
        (one.pos, one.end, one.message, one.primary, one.severity, one.help, one.notes, one.data),
        [(label.pos, label.end, label.message) for label in one.labels],
        [(fix.title, fix.applicability, [(e.pos, e.end, e.text) for e in fix.edits]) for fix in one.fixes],
    )


def _read(plain: Any) -> Diagnostic:
    rule, (pos, end, message, primary, severity, help_, notes, data), labels, fixes = plain
    one = Diagnostic(Rule(*rule), pos, end, message, primary)
    one.severity = severity
    one.help = help_
    one.notes = notes
    one.data = data
    one.labels = [Label(*label) for label in labels]
    one.fixes = [
        Fix(title, [Edit(*edit) for edit in edits], applicability) for title, applicability, edits in fixes
    ]
    return one
