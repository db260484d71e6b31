"""The way in: a Relay program as Relax text, with its constants. [R.38]"""

from __future__ import annotations

from relax_lang.base.diagnostic import in_order
from relax_lang.relay.checking import analyse
from relax_lang.relay.translation import expressions
from relax_lang.relay.translation.comments import with_comments
from relax_lang.relay.translation.translate import Translation
from relax_lang.syntax.tree import IRModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.relay.syntax.metadata import Array
    from relax_lang.relay.syntax.parser import Parsed

assert expressions, "importing it installs the rules of `translate`"


class Translated:
    """What became of a program: a module of Relax and its constants, or what is wrong."""

    __slots__ = ("arrays", "diagnostics", "module", "parsed", "used")

    def __init__(
        self,
        parsed: Parsed,
        module: IRModule,
        arrays: dict[tuple[str, str | None], Array],
        diagnostics: list[Diagnostic],
        used: dict[str, list[str]] | None = None,
    ) -> None:
        self.parsed = parsed
        self.module = module
        self.arrays = arrays
        self.diagnostics = diagnostics
        """Empty if there is a module."""
        self.used = used or {}
        """For each call of an operator, by its name, the calls that it became."""

    @property
    def text(self) -> str:
        """The module as text, with the comments of the program."""
        return with_comments(self.module, self.parsed)


def translate(source: SourceFile, archive: str) -> Translated:
    """Translate a program; constants out of the metadata are said to be in a file `archive`."""
    found = analyse(source)
    if found.has_errors:
        return Translated(found.parsed, IRModule((), ()), {}, found.diagnostics)
    translation = Translation(found, archive)
    module = translation.module()
    return Translated(
        found.parsed, module, translation.arrays, in_order(translation.diagnostics), translation.used
    )
