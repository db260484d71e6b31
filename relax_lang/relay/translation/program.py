"""The way in: a Relay program as Relax text, with its constants. [R.38]"""

from __future__ import annotations

from relax_lang.base.diagnostic import in_order
from relax_lang.format.printer import print_tree
from relax_lang.relay.checking import analyse
from relax_lang.relay.translation import expressions, matches
from relax_lang.relay.translation.translate import TABLE, Translation
from relax_lang.syntax.tree import IRModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.relay.syntax.metadata import Array

assert expressions.__name__
assert matches.__name__
assert TABLE


class Translated:
    """What became of a program: a module of Relax and its constants, or what is wrong."""

    __slots__ = ("arrays", "diagnostics", "module")

    def __init__(
        self, module: IRModule, arrays: dict[tuple[str, str | None], Array], diagnostics: list[Diagnostic]
    ) -> None:
        self.module = module
        self.arrays = arrays
        self.diagnostics = diagnostics
        """Empty if there is a module."""

    @property
    def text(self) -> str:
        """The module as text."""
        return print_tree(self.module)


def translate(source: SourceFile, archive: str) -> Translated:
    """Translate a program; constants out of the metadata are said to be in a file `archive`."""
    found = analyse(source)
    if found.has_errors:
        return Translated(IRModule((), ()), {}, found.diagnostics)
    translation = Translation(found, archive)
    module = translation.module()
    return Translated(module, translation.arrays, in_order(translation.diagnostics))
