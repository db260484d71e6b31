"""Documents in TVMScript and Relay: their findings, and the type at a place. They are checked as a whole."""

from __future__ import annotations

from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import PythonFile, RelayFile
from relax_lang.files.programs import PYTHON_SUFFIX, RELAY_SUFFIXES, may_hold_tvmscript
from relax_lang.workspace.incremental.snapshot import DocumentSnapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.check.driver import Checked
    from relax_lang.check.infer.context.inferred import Inferred
    from relax_lang.format.safe import FormatResult
    from relax_lang.lsp.outlines import Definition
    from relax_lang.lsp.relay_names import Name
    from relax_lang.relay.checking import Analysed
    from relax_lang.workspace.text.document import Document
    from relax_lang.workspace.workspace import Settings

# What reads a language is imported by the functions that need it: most sessions meet Relax alone.


class WholeSnapshot(DocumentSnapshot):
    """A document in another language than Relax, with what is found in it."""

    __slots__ = ()

    def __init__(self, document: Document, checked: Checked, settings: Settings) -> None:
        super().__init__(document, settings.select(checked.diagnostics), settings.select(checked.ignored))

    def type_at(self, offset: int) -> str | None:
        """Return the type of the smallest place around an offset, as its language writes it."""
        raise NotImplementedError

    def outline(self) -> list[Definition]:
        """Return what the document defines."""
        raise NotImplementedError


class PythonSnapshot(WholeSnapshot):
    """A Python file with units of TVMScript; their infos are shown as Relax writes them."""

    __slots__ = ("_units",)

    def __init__(
        self, document: Document, checked: Checked, settings: Settings, units: list[Inferred]
    ) -> None:
        super().__init__(document, checked, settings)
        self._units = units

    def type_at(self, offset: int) -> str | None:
        """Return the struct info of the smallest place around an offset."""
        from relax_lang.format.printer import show

        for unit in self._units:
            info = unit.at(offset)
            if info is not None:
                return show(info)
        return None

    def outline(self) -> list[Definition]:
        """Return the functions of all units."""
        from relax_lang.lsp.outlines import of_units

        return list(of_units(self._units, self.text))


class RelaySnapshot(WholeSnapshot):
    """A program in Relay."""

    __slots__ = ("_names", "found")

    def __init__(self, document: Document, checked: Checked, settings: Settings, found: Analysed) -> None:
        super().__init__(document, checked, settings)
        self.found = found
        self._names: list[Name] | None = None

    def names(self) -> list[Name]:
        """Return the names of the program with what they mean; made when they are first asked for."""
        if self._names is None:
            from relax_lang.lsp.relay_names import names_of

            self._names = names_of(self.found)
        return self._names

    def type_at(self, offset: int) -> str | None:
        """Return the type of the smallest place around an offset."""
        from relax_lang.relay.syntax.tree import Import
        from relax_lang.relay.unification.printing import show

        items = self.found.parsed.tree.items
        if any(isinstance(one, Import) and one.pos <= offset <= one.end for one in items):
            return None  # what is imported has the place of the import
        smallest = None
        known = self.found.typed.types
        for node in known:
            if node.pos <= offset <= node.end and (
                smallest is None or node.end - node.pos <= smallest.end - smallest.pos
            ):
                smallest = node
        return None if smallest is None else show(known[smallest])

    def outline(self) -> list[Definition]:
        """Return the functions and types."""
        from relax_lang.lsp.outlines import of_relay

        return list(of_relay(self.found))


def is_whole(path: str) -> bool:
    """Return whether a document is in another language than Relax."""
    return path.endswith((PYTHON_SUFFIX, *RELAY_SUFFIXES))


def formatted(path: str, text: str, width: int) -> FormatResult | None:
    """Return a program formatted; None for Python, which has formatters of its own."""
    if path.endswith(PYTHON_SUFFIX):
        return None
    if path.endswith(RELAY_SUFFIXES):
        from relax_lang.relay.syntax.formatting import format_text
    else:
        from relax_lang.format.safe import format_text
    with deep_recursion():
        return format_text(text, width)


def checker_of(path: str, settings: Settings) -> Callable[[Document], DocumentSnapshot] | None:
    """Return what checks a document as a whole; None for Relax, which is analysed in pieces."""
    if path.endswith(PYTHON_SUFFIX):
        return lambda document: _check_python(document, path, settings)
    if path.endswith(RELAY_SUFFIXES):
        return lambda document: _check_relay(document, path, settings)
    return None


def _check_python(document: Document, path: str, settings: Settings) -> WholeSnapshot:
    from relax_lang.tvmscript.check_script import check_units

    # Other Python is of no interest, mistakes in it neither.
    text = document.text if may_hold_tvmscript(document.text.encode()) else ""
    source = PythonFile(text, path)
    source.named = False
    checked, units = check_units(source, settings.check_constant, settings.lints)
    return PythonSnapshot(document, checked, settings, units)


def _check_relay(document: Document, path: str, settings: Settings) -> WholeSnapshot:
    from relax_lang.relay.checking import analyse, as_checked

    found = analyse(RelayFile(document.text, path))
    return RelaySnapshot(document, as_checked(found), settings, found)
