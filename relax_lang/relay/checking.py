"""One Relay program through all phases: parse, names, types. Reads no files."""

from __future__ import annotations

from relax_lang.base.diagnostic import has_errors, in_order
from relax_lang.base.python.gc_pause import no_collection
from relax_lang.base.source import RelayFile
from relax_lang.check.driver import Checked, check_source
from relax_lang.relay.operators.registry import KNOWN
from relax_lang.relay.scope.resolve import resolve
from relax_lang.relay.syntax.metadata import Invalid, Joined, Metadata
from relax_lang.relay.syntax.parser import parse
from relax_lang.relay.types.inference import infer_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.relay.scope.resolved import Resolved
    from relax_lang.relay.syntax.metadata import Objects
    from relax_lang.relay.syntax.parser import Parsed
    from relax_lang.relay.types.infer import State
    from relax_lang.relay.types.typed import Typed


class Analysed:
    """What is known of a Relay program: its text, names and types, and what is wrong with them."""

    __slots__ = ("diagnostics", "metadata", "parsed", "resolved", "source", "state", "typed")

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.parsed: Parsed = parse(source.text)
        self.resolved: Resolved = resolve(self.parsed, KNOWN)
        self.diagnostics: list[Diagnostic] = [*self.parsed.diagnostics, *self.resolved.diagnostics]
        self.metadata = self._metadata()
        self.state: State | None = None
        self.typed: Typed = self._infer()
        unique = {(one.code, one.pos, one.end, one.message): one for one in self.diagnostics}
        self.diagnostics = in_order(unique.values())

    def _metadata(self) -> Objects | None:
        text: str | None = self.parsed.tree.metadata
        other: Objects | None = self.source.metadata if isinstance(self.source, RelayFile) else None
        if text is None:
            return other
        try:
            own = Metadata(text)
        except Invalid as wrong:
            self._meta_invalid(wrong)
            return None
        return own if other is None else Joined(own, other)

    def _meta_invalid(self, wrong: Invalid) -> None:
        from relax_lang.relay.diagnostics.names import meta_invalid  # only where something is wrong

        text: str = self.parsed.tree.metadata or ""
        at = self.source.text.find(text)
        mark = len(text.partition("\n")[0])
        self.diagnostics.append(meta_invalid((at, at + mark), str(wrong)))

    def _infer(self) -> Typed:
        try:
            self.state = infer_state(self.resolved, self.metadata)
            typed = self.state.typed
        except Invalid as wrong:  # an array in the metadata
            self._meta_invalid(wrong)
            self.metadata = None
            from relax_lang.relay.types.typed import Typed as Nothing

            return Nothing()
        skipped: set[str] = set()
        if self.parsed.gaps:  # what is missing may be what gives the type
            skipped.add("relay-under-constrained")
        if self.parsed.tree.metadata is not None and self.metadata is None:
            skipped.add("relay-meta-missing")
        self.diagnostics += [one for one in typed.diagnostics if one.slug not in skipped]
        return typed

    @property
    def has_errors(self) -> bool:
        """Whether the program must not be run."""
        return has_errors(self.diagnostics)


def analyse(source: SourceFile) -> Analysed:
    """Take a program through all phases. Raises nothing on account of the text."""
    with no_collection():  # what is made stays, and collections would walk all of it
        return Analysed(source)


def check_relay(source: SourceFile) -> Checked:
    """Check a program for those who want what checking a Relax program returns; it has no Relax functions."""
    return as_checked(analyse(source))


def as_checked(found: Analysed) -> Checked:
    """Return what is known of a program in the form of a checked Relax program without functions."""
    source = found.source
    empty = check_source(source.with_text(""))
    stay, ignored = found.diagnostics, []
    if any(one.is_directive for one in found.parsed.comments):
        stay, ignored = _silenced(found)
    return Checked(source, empty.parsed, empty.resolved, empty.inferred, stay, ignored)


def _silenced(found: Analysed) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Return what stays and what comments such as `// relax: ignore[relay-attr-missing]` silence."""
    from relax_lang.check.suppressions import apply_ignores  # hardly any text has such comments

    syntax = found.parsed.diagnostics
    of_text = {id(one) for one in syntax}
    others = [one for one in found.diagnostics if id(one) not in of_text]
    stay, ignored = apply_ignores(found.source, found.parsed.comments, found.parsed.tree.items, others)
    if has_errors(syntax):  # what a comment silences may be in what was not read
        stay = [one for one in stay if one.slug != "unused-ignore"]
    return in_order([*[one for one in found.diagnostics if id(one) in of_text], *stay]), ignored
