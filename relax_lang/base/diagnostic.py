"""Diagnostics: what is reported to the user, as data. Rendering happens in `cli`.

A diagnostic is declared once, as a function from the facts to a `Diagnostic`, and registered with `rule`:

    @rule("RLX0203", "use-before-bind", ERROR, "S.4 W.3")
    def use_before_bind(rule: Rule, name: str, use: Node, binding: Node) -> Diagnostic:
        \"\"\"A variable is used above the statement that binds it.  …explanation, ```relax wrong / right…\"\"\"
        return rule.at(use, f"`{name}` is bound later", "used here").label(binding, "bound here")

The docstring is what `relax explain` shows; its first line is the summary.
Messages start in lower case, put names and code in backquotes, end without a full stop, and give expected
and found in source syntax.
"""

from __future__ import annotations

from relax_lang.base.python.plain_functions import bisect_left, bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Concatenate, ParamSpec, Protocol

    P = ParamSpec("P")
    Span = tuple[int, int]

    class HasSpan(Protocol):
        """A node, or anything else with a place."""

        @property
        def pos(self) -> int:
            """The offset of its first character."""
            ...

        @property
        def end(self) -> int:
            """The offset after its last character."""
            ...

    Location = HasSpan | Span

ERROR = "error"
WARNING = "warning"
HINT = "hint"  # never changes the exit status
OFF = "off"  # reported only when selected

SAFE = "safe"  # keeps the meaning: `--fix` applies it
UNSAFE = "unsafe"  # may change the meaning


class Edit:
    """Replace the text from `pos` to `end` by `text`."""

    __slots__ = ("end", "pos", "text")

    def __init__(self, pos: int, end: int, text: str) -> None:
        self.pos = pos
        self.end = end
        self.text = text


class Fix:
    """A change of the text that repairs a problem: its title, how safe it is, and its edits."""

    __slots__ = ("applicability", "edits", "title")

    def __init__(self, title: str, edits: Iterable[Edit], applicability: str = UNSAFE) -> None:
        self.title = title
        self.edits: tuple[Edit, ...] = ()
        self.applicability = applicability
        self.add(edits)

    def add(self, edits: Iterable[Edit]) -> None:
        """Add edits: one of what is changed already is left out, one that touches another becomes a part of it.

        Two edits that touch would be in no order.
        """
        kept = list(self.edits)  # in order, so that of those before the end of another the last ends last
        for edit in edits:
            before = bisect_left(kept, edit.end, key=lambda other: other.pos)
            if before == 0 or kept[before - 1].end <= edit.pos:
                place = (edit.pos, edit.end)
                kept.insert(bisect_right(kept, place, key=lambda other: (other.pos, other.end)), edit)
        if len(kept) > 1:
            joined = kept[:1]
            for edit in kept[1:]:
                last = joined[-1]
                if edit.pos > last.end:
                    joined.append(edit)
                else:
                    joined[-1] = Edit(last.pos, edit.end, last.text + edit.text)
            kept = joined
        self.edits = tuple(kept)


class Label:
    """A place in the text with a few words about it."""

    __slots__ = ("end", "message", "pos")

    def __init__(self, pos: int, end: int, message: str) -> None:
        self.pos = pos
        self.end = end
        self.message = message


class Rule:
    """What all diagnostics of one slug share.

    `severity` is the default one; `cites` holds rule ids of the specification, separated by blanks;
    `explanation` is Markdown: a summary line, prose, and fenced programs marked `relax wrong` and `relax right`.
    """

    __slots__ = ("cites", "code", "explanation", "severity", "slug", "strict")

    def __init__(
        self, code: str, slug: str, severity: str, cites: str, explanation: str, strict: str = ""
    ) -> None:
        self.strict = strict or severity
        """The severity under `--strict`."""
        self.code = code
        self.slug = slug
        self.severity = severity
        self.cites = cites
        self.explanation = explanation

    def at(self, place: Location | None, message: str, label: str = "") -> Diagnostic:
        """Make a diagnostic whose primary span is `place` (None: no place, as for command line arguments)."""
        pos, end = span_of(place) if place is not None else (-1, -1)
        return Diagnostic(self, pos, end, message, label)


RULES: dict[str, Rule] = {}
"""Every registered rule by slug, in the order of registration."""


def span_of(place: Location) -> Span:
    """Return the span of a node, a label, or a pair of offsets."""
    return place if isinstance(place, tuple) else (place.pos, place.end)


class Diagnostic:
    """One finding. Build it with `Rule.at`, then add to it; every method returns the diagnostic."""

    __slots__ = (
        "data",
        "end",
        "fixes",
        "help",
        "labels",
        "message",
        "notes",
        "pos",
        "primary",
        "rule",
        "severity",
    )

    def __init__(self, rule: Rule, pos: int, end: int, message: str, primary: str = "") -> None:
        self.rule = rule
        self.severity = rule.severity
        self.pos = pos
        self.end = end
        self.message = message
        self.primary = primary
        """The label under the primary span."""
        self.labels: list[Label] = []
        """Secondary places."""
        self.notes: list[str] = []
        self.help: str = ""
        self.fixes: list[Fix] = []
        self.data: dict[str, object] = {}
        """Facts for tools, so that none of them parses prose."""

    @property
    def code(self) -> str:
        """`RLX0203`."""
        return self.rule.code

    @property
    def slug(self) -> str:
        """`use-before-bind`."""
        return self.rule.slug

    def label(self, place: Location, message: str) -> Diagnostic:
        """Point at a second place."""
        self.labels.append(Label(*span_of(place), message))
        return self

    def note(self, text: str) -> Diagnostic:
        """Add a fact."""
        self.notes.append(text)
        return self

    def helped(self, text: str) -> Diagnostic:
        """Say what to do."""
        self.help = text
        return self

    def fix(self, title: str, *edits: Edit, applicability: str = UNSAFE) -> Diagnostic:
        """Offer a change; `title` serves as the help if there is none yet."""
        self.fixes.append(Fix(title, edits, applicability))
        self.help = self.help or title
        return self

    def extend(self, edit: Edit) -> Diagnostic:
        """Add an edit to the first change that is offered: the same mistake at another place."""
        self.fixes[0].add([edit])
        return self

    def replace(self, place: Location, text: str, title: str, applicability: str = UNSAFE) -> Diagnostic:
        """Offer to replace one place by another text."""
        pos, end = span_of(place)
        return self.fix(title, Edit(pos, end, text), applicability=applicability)

    def __repr__(self) -> str:
        """Show code, slug, place and message."""
        return f"{self.severity}[{self.code} {self.slug}] {self.pos}:{self.end} {self.message}"


def rule(
    code: str, slug: str, severity: str, cites: str = "", strict: str = ""
) -> Callable[[Callable[Concatenate[Rule, P], Diagnostic]], Callable[P, Diagnostic]]:
    """Register a diagnostic; see the head of this module. Codes and slugs are unique and never used again."""

    def register(make: Callable[Concatenate[Rule, P], Diagnostic]) -> Callable[P, Diagnostic]:
        made = Rule(code, slug, severity, cites, make.__doc__ or "", strict)
        if slug in RULES or any(other.code == code for other in RULES.values()):
            raise ValueError(f"diagnostic {code} {slug} is registered twice")
        RULES[slug] = made

        def diagnose(*args: P.args, **kwargs: P.kwargs) -> Diagnostic:
            return make(made, *args, **kwargs)

        diagnose.__doc__ = make.__doc__
        diagnose.__name__ = make.__name__
        return diagnose

    return register


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sort by place; what has no place comes first."""
    return sorted(diagnostics, key=lambda d: (d.pos, d.end, d.code))


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Return whether any of them is an error."""
    return any(diagnostic.severity == ERROR for diagnostic in diagnostics)
