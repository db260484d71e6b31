"""The way in: a Relay program as Relax text, with its constants. [R.38]"""

from __future__ import annotations

from relax_lang.format.printer import print_tree
from relax_lang.relay.checking import analyse
from relax_lang.relay.translation import matches
from relax_lang.relay.translation.translate import TABLE, Translation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.relay.syntax.metadata import Array

assert matches.__name__
assert TABLE


class Translated:
    """What became of a program: its text and constants, or what is wrong."""

    __slots__ = ("arrays", "diagnostics", "text")

    def __init__(
        self, text: str, arrays: dict[tuple[str, str | None], Array], diagnostics: list[Diagnostic]
    ) -> None:
        self.text = text
        self.arrays = arrays
        self.diagnostics = diagnostics


def translate(source: SourceFile, archive: str) -> Translated:
    """Translate a program; constants of more than one element are said to be in a file `archive`."""
    found = analyse(source)
    if found.has_errors:
        return Translated("", {}, found.diagnostics)
    translation = Translation(found, archive)
    module = translation.module()
    if translation.diagnostics:
        return Translated("", {}, translation.diagnostics)
    return Translated(print_tree(module), translation.arrays, [])
