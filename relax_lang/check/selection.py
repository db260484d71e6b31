"""Which diagnostics are meant: the words that name them, and what is wanted of those that were found.

A word is a code, the start of one, a slug, or a group: `RLX0201`, `RLX02`, `undefined-variable`, `lints`.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, HINT, OFF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Protocol

    from relax_lang.base.diagnostic import Diagnostic, Rule

    class Config(Protocol):
        """The settings of a project, as far as they matter here."""

        select: list[str]
        ignore: list[str]
        extend_select: list[str]
        severity: Mapping[str, str]
        strict_shapes: bool


GROUPS: dict[str, tuple[str, ...]] = {"all": ("RLX0", "RLX1", "RLX9"), "lints": ("RLX08", "shadowing")}
"""Words for several rules, each with the words that it means."""


SHAPES = ("possibly-incompatible", "operands-may-differ", "operands-fit-empty-only")
"""What is found where shapes are not proved to match: errors under `strict_shapes`. [B.22]"""

EDITIONS: dict[str, tuple[str, ...]] = {"2022": ("extern-as-value", "extern-without-result")}
"""Earlier editions of the language, each with the lints for what it did not allow. [B.13]"""


def means(word: str, rule: Rule) -> bool:
    """Return whether a word means a rule."""
    if word in (rule.slug, rule.code) or _starts_code(word, rule.code):
        return True
    group = GROUPS.get(word)
    return group is not None and is_among_rules(rule, group)


def is_among_rules(rule: Rule, words: Iterable[str]) -> bool:
    """Return whether one of the words means a rule."""
    return any(means(word, rule) for word in words)


def is_slug(word: str) -> bool:
    """Return whether a word can only mean the rule with that slug: it is neither a code nor a group."""
    return word not in GROUPS and not word.startswith("RLX")


def _starts_code(word: str, code: str) -> bool:
    return word.startswith("RLX") and len(word) > 3 and code.startswith(word)


def is_among(one: Diagnostic, words: Iterable[str]) -> bool:
    """Return whether one of the words means a diagnostic."""
    return is_among_rules(one.rule, words)


def words_for(rule: Rule) -> list[str]:
    """Return every word that means a rule: its slug, its code and the starts of it, and groups."""
    starts = [rule.code[:n] for n in range(4, len(rule.code) + 1)]
    return [rule.slug, *starts, *[group for group in GROUPS if is_among_rules(rule, GROUPS[group])]]


def unknown(words: Iterable[str]) -> list[str]:
    """Return the words that mean no rule at all. Loads every rule if there are words beside groups and lints."""
    words = [word for word in words if word not in GROUPS]
    if not words:
        return []
    from relax_lang.check.explain import all_rules, lint_slugs

    lints = lint_slugs()
    words = [word for word in words if word not in lints]
    if not words:
        return []
    known = {word for rule in all_rules() for word in words_for(rule)}
    return [word for word in words if word not in known]


def known_words() -> list[str]:
    """Return every group, slug and code, to find the nearest among."""
    from relax_lang.check.explain import all_rules

    rules = all_rules()
    return [*GROUPS, *[rule.slug for rule in rules], *[rule.code for rule in rules]]


class Selection:
    """What is wanted: the words of the command line, and the settings of the project.

    `select` means only these, `extend` these as well, though they may be off. The command line wins over the
    settings: what it names is reported in any case, and its `select` replaces theirs. Under `strict` some hints are
    warnings, unless the settings say what they are; under `strict_shapes` shapes without a proof are errors.
    """

    __slots__ = (
        "_extend",
        "_ignore",
        "_project_extend",
        "_project_ignore",
        "_select",
        "_severity",
        "_strict",
        "_strict_shapes",
    )

    def __init__(
        self,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        extend: Sequence[str] = (),
        config: Config | None = None,
        *,
        strict: bool = False,
        strict_shapes: bool = False,
    ) -> None:
        self._strict = strict
        self._strict_shapes = strict_shapes
        self._select = select
        self._ignore = ignore
        self._extend = extend
        self._project_extend: Sequence[str] = ()
        self._project_ignore: Sequence[str] = ()
        self._severity: Mapping[str, str] = {}
        if config is None:
            return
        self._severity = config.severity
        self._strict_shapes = strict_shapes or config.strict_shapes
        if not select:
            self._select = config.select
            self._project_extend = config.extend_select
            self._project_ignore = config.ignore

    @property
    def lints(self) -> list[str]:
        """The words that may mean rules that are off, so that they must be looked for."""
        severe = [word for word, severity in self._severity.items() if severity != OFF]
        return [*self._select, *self._extend, *self._project_extend, *severe]

    @property
    def words(self) -> tuple[object, ...]:
        """Everything that decides what is wanted, to compare selections by."""
        lists = (self._select, self._ignore, self._extend, self._project_extend, self._project_ignore)
        return (
            *[tuple(words) for words in lists],
            tuple(sorted(self._severity.items())),
            self._strict,
            self._strict_shapes,
        )

    def apply(self, found: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Return the diagnostics that are wanted, with the severities that the project gives them."""
        return [one for one in found if self._take(one)]

    def _take(self, one: Diagnostic) -> bool:
        if one.slug == "internal-error":
            return True
        if self._strict and one.severity == one.rule.severity:
            one.severity = one.rule.strict
        if self._strict_shapes and one.slug in SHAPES:
            one.severity = ERROR
        if self._severity:
            one.severity = self._severity_of(one)
        is_extra = is_among(one, self._extend)
        is_named = is_extra or is_among(one, self._select) or is_among(one, self._project_extend)
        if one.severity == OFF:
            if not is_named:
                return False
            one.severity = HINT
        if is_among(one, self._ignore) or (not is_extra and is_among(one, self._project_ignore)):
            return False
        return is_named or not self._select

    def _severity_of(self, one: Diagnostic) -> str:
        """Return the severity by the longest word of the settings that means the rule; a group comes last."""
        words = [word for word in self._severity if means(word, one.rule)]
        if not words:
            return one.severity
        return self._severity[max(words, key=lambda word: (word not in GROUPS, len(word)))]
