"""Which diagnostics are meant: the words that name them, and what is wanted of those that were found.

A word is a code, the start of one, or a slug: `RLX0201`, `RLX02`, `undefined-variable`.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import HINT, OFF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from relax_lang.base.diagnostic import Diagnostic, Rule


def means(word: str, rule: Rule) -> bool:
    """Tell whether a word means a rule."""
    return word in (rule.slug, rule.code) or _starts_code(word, rule.code)


def _starts_code(word: str, code: str) -> bool:
    return word.startswith("RLX") and len(word) > 3 and code.startswith(word)


def is_among(one: Diagnostic, words: Iterable[str]) -> bool:
    """Tell whether one of the words means a diagnostic."""
    return any(means(word, one.rule) for word in words)


def unknown(words: Iterable[str]) -> list[str]:
    """Return the words that mean no rule at all. Loads every rule, unless there is nothing to look for."""
    words = list(words)
    if not words:
        return []
    from relax_lang.check.explain import all_rules

    rules = all_rules()
    return [word for word in words if not any(means(word, rule) for rule in rules)]


def known_words() -> list[str]:
    """Return every slug and every code, to find the nearest among."""
    from relax_lang.check.explain import all_rules

    rules = all_rules()
    return [rule.slug for rule in rules] + [rule.code for rule in rules]


class Selection:
    """What is wanted: the command line's words, and what the settings of the project say.

    `--select` and `--ignore` win over the settings: what is selected there is reported, whatever these say.
    """

    __slots__ = ("_ignore", "_project_ignore", "_project_select", "_select", "_severity")

    def __init__(
        self,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        project_select: Sequence[str] = (),
        project_ignore: Sequence[str] = (),
        severity: Mapping[str, str] | None = None,
    ) -> None:
        self._select = select
        self._ignore = ignore
        self._project_select = project_select
        self._project_ignore = project_ignore
        self._severity = severity or {}

    def apply(self, found: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Return the diagnostics that are wanted, with the severities that the project gives them."""
        return [one for one in found if self._take(one)]

    def _take(self, one: Diagnostic) -> bool:
        if one.slug == "internal-error":
            return True
        if self._severity:
            one.severity = self._severity_of(one)
        selected = is_among(one, self._select or self._project_select)
        if one.severity == OFF:
            if not selected:
                return False
            one.severity = HINT
        if is_among(one, self._ignore):
            return False
        if self._select:
            return selected
        return (selected or not self._project_select) and not is_among(one, self._project_ignore)

    def _severity_of(self, one: Diagnostic) -> str:
        """Return the severity by the longest word of the settings that means the rule."""
        words = [word for word in self._severity if means(word, one.rule)]
        return self._severity[max(words, key=len)] if words else one.severity
