"""The sequence of the phases: what finds what in which order, what hides what, what is said once. [Z.5]

It is the same over a program as a whole (`check/driver.py`) and over pieces of which most is known already
(`workspace/incremental/analysis.py`): these say how a phase gets at its findings, here is when it is asked.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, OFF, WARNING, has_errors, in_order
from relax_lang.base.python.plain_functions import bisect_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    from relax_lang.base.diagnostic import Diagnostic, HasSpan
    from relax_lang.base.source import SourceFile, Span
    from relax_lang.scope.resolve import Resolved
    from relax_lang.syntax.parsed import Comment, Features, Losses
    from relax_lang.syntax.tree import Item, PrimFunc

    class Phases(Protocol):
        """One program as the phases see it. Each of them is run at most once, in the order in which they are here."""

        @property
        def losses(self) -> Losses:
            """What could not be read."""
            ...

        @property
        def features(self) -> Features:
            """Which constructs the program uses."""
            ...

        @property
        def module(self) -> Resolved:
            """The items by name, and what functions mention of them."""
            ...

        def names(self) -> list[Diagnostic]:
            """Return what is wrong with names."""
            ...

        def calls(self) -> list[Diagnostic]:
            """Return what is wrong with calls of operators, as far as no types are needed to see it."""
            ...

        def prim_func(self, func: PrimFunc) -> list[Diagnostic]:
            """Return what is wrong with a PrimFunc."""
            ...

        def constants(self) -> list[Diagnostic]:
            """Return what is wrong with constants in files; note what is known of the others."""
            ...

        def inference(self) -> list[Diagnostic]:
            """Return what is wrong with the values of functions."""
            ...

        def names_operators(self, prefixes: tuple[str, ...]) -> bool:
            """Return whether an operator is called whose name begins so."""
            ...

        def explicit_memory(self) -> list[Diagnostic]:
            """Return what is wrong with memory that is explicit."""
            ...

    class Lints(Protocol):
        """One program as its lints see it, after the phases. Findings have the places of the report."""

        @property
        def losses(self) -> Losses:
            """What could not be read."""
            ...

        @property
        def features(self) -> Features:
            """Which constructs the program uses."""
            ...

        @property
        def items(self) -> Sequence[Item]:
            """The items that could be read, at least their heads."""
            ...

        def unreached(self) -> list[Diagnostic]:
            """Return the private items that nothing leads to."""
            ...

        def lint(self, items: list[Item], words: tuple[str, ...]) -> list[Diagnostic]:
            """Return what lints find in items."""
            ...


EXPLICIT_MEMORY = ("memory.", "vm.")
"""How names of operators begin that make memory and sizes explicit."""
_LAYOUT = ("text-layout", "confusable-text")
"""What the parser reports of texts that it has read all the same."""

_REPAIRING = ("not-a-tuple", "reassigned-variable", "unknown-operator")
"""Findings whose fix rewrites what the parser may have reported, too."""

_SUBSCRIPTS = ("index-not-constant", "negative-index")
"""What the parser reports of an index, as it does not know what is indexed."""


def run_phases(
    program: Phases, prim_funcs: Iterable[PrimFunc], syntax: Iterable[Diagnostic]
) -> list[Diagnostic]:
    """Return what is found beside `syntax`, which is what the parser has found; lints come afterwards.

    `prim_funcs` are those that could be read. They come after the calls, which know more about the results of a
    PrimFunc than it does.
    """
    module, losses = program.module, program.losses
    found = [*program.names(), *program.calls()]
    for func in prim_funcs:
        own = program.prim_func(func)
        if has_errors(own):
            module.rejected.add(func)
        found += own
    if module.recursive or any(module.references.values()):
        from relax_lang.check.recursion import check_recursion  # only where functions mention functions

        found += [one for one in check_recursion(module) if not _is_within(one, losses.understood)]
    if program.features.files:
        found += program.constants()
    found += program.inference()
    if not has_errors(found) and not has_errors(syntax) and program.names_operators(EXPLICIT_MEMORY):
        found += program.explicit_memory()
    return found


def lint(
    program: Lints, found: Iterable[Diagnostic], syntax: Iterable[Diagnostic], words: Sequence[str]
) -> list[Diagnostic]:
    """Return what lints find. Errors and what was left out have hidden uses of names: lints would be wrong there.

    `found` and `syntax` have the places of the tree; `words` (see `select`) are rules that are off and wanted.
    """
    errors = sorted([*_errors(found), *_errors(syntax)])
    if program.losses.some:  # in TVMScript, what cannot be read is a warning
        left = [one.pos for one in syntax if one.severity == WARNING and one.slug not in _LAYOUT]
        errors = sorted([*errors, *left])
    hints: list[Diagnostic] = []
    if program.features.private and not errors:
        hints += program.unreached()
    # A comment that silences a lint is of use, though nothing asks for that lint: so all of them are run.
    has_directives = program.features.directives
    if words or has_directives:
        from relax_lang.check.lints.core.driver import ALL  # only if asked for

        chosen = (*ALL, *words) if has_directives else tuple(words)
        whole = [item for item in program.items if not _any_within(errors, item)]
        hints += program.lint(whole, chosen)
    return hints


def together(found: Iterable[Diagnostic], *, has_syntax: bool, lists: set[Span]) -> list[Diagnostic]:
    """Return findings in the order of the text, nothing twice; `has_syntax` if some are the parser's.

    `lists` are the places of tuples that were written as lists.
    """
    unique = {(one.code, one.pos, one.end, one.message): one for one in found}
    joined = in_order(unique.values())
    if has_syntax and any(one.slug in _REPAIRING for one in joined):
        from relax_lang.check.consequences import without_repaired

        joined = without_repaired(joined, _REPAIRING)
    if has_syntax and any(one.slug in _SUBSCRIPTS for one in joined):
        from relax_lang.check.consequences import without_settled

        joined = without_settled(joined, _SUBSCRIPTS)
    if any("arguments" in one.data or "rewritten" in one.data for one in joined):
        from relax_lang.check.consequences import (
            with_arguments,
        )  # only calls of unknown operators have such data

        joined = with_arguments(joined)
    if has_syntax and (lists or any(one.slug in ("op-attribute", "op-argument") for one in joined)):
        from relax_lang.check.consequences import merged  # hardly any text has mistakes of both kinds

        joined = merged(joined, lists)
    if has_syntax and any(one.slug != "syntax" and one.fixes for one in joined):
        from relax_lang.check.consequences import without_unsure_fixes

        joined = without_unsure_fixes(joined)
    return joined


def silenced(
    found: list[Diagnostic],
    words: Sequence[str],
    directives: tuple[SourceFile, Sequence[Comment], Sequence[HasSpan]] | None,
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Return what is reported of everything that was found, and what comments of the program silence.

    `directives` are the text, its comments and its items if there are such comments.
    """
    ignored: list[Diagnostic] = []
    if directives is not None:
        from relax_lang.check.suppressions import apply_ignores  # hardly any text has such comments

        stay, ignored = apply_ignores(*directives, found)
        found = in_order(stay)
    return _asked_for(found, words), _asked_for(ignored, words)


def _errors(found: Iterable[Diagnostic]) -> list[int]:
    return [one.pos for one in found if one.severity == ERROR]


def _any_within(places: list[int], item: Item) -> bool:
    following = bisect_left(places, item.pos)
    return following < len(places) and places[following] <= item.end


def _is_within(one: Diagnostic, items: Iterable[Item]) -> bool:
    return any(item.pos <= one.pos < item.end for item in items)


def _asked_for(found: list[Diagnostic], words: Sequence[str]) -> list[Diagnostic]:
    """Leave out what rules have found that are off, unless one of the words means them."""
    if all(one.severity != OFF for one in found):
        return found
    from relax_lang.check.selection import is_among  # only if something is off

    return [one for one in found if one.severity != OFF or is_among(one, words)]
