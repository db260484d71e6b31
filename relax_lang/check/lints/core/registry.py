"""The registry of lints: every module of `relax_lang.check.lints` is one, and is found by listing the package.

A lint declares its diagnostic with `rule` and its check with `lint`; file name and slug are the same word:

    # unused_binding.py
    @rule("RLX0801", "unused-binding", OFF, "X.O1")
    def report(rule: Rule, name: Location, …) -> Diagnostic:
        \"\"\"A variable is bound and never used. …explanation with a wrong and a right program\"\"\"

    @lint("unused-binding")
    def check(index: NodeIndex) -> list[Diagnostic]:
        ...

From then on `relax explain`, `--select`, the settings and the pages of the documentation know it.
"""

from __future__ import annotations

from importlib import import_module

from relax_lang.check.explain import LINTS as LINTS_PACKAGE
from relax_lang.check.explain import lint_modules
from relax_lang.check.selection import is_slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.check.lints.core.node_index import NodeIndex

    Check = Callable[[NodeIndex], list[Diagnostic]]

LINTS: dict[str, Check] = {}
"""Lints that are off by default and whose modules are loaded: the slug to the check."""


def lint(slug: str) -> Callable[[Check], Check]:
    """Register the check of a lint that is off by default; it reports diagnostics of that slug."""

    def register(check: Check) -> Check:
        if slug in LINTS:
            raise ValueError(f"lint {slug} is registered twice")
        LINTS[slug] = check
        return check

    return register


def load(words: Sequence[str] = ("lints",)) -> dict[str, Check]:
    """Load the lints that some words may mean, all of them unless every word is a slug; return what is registered."""
    modules = lint_modules()
    if all(is_slug(word) for word in words):
        named = {f"{LINTS_PACKAGE}.{word.replace('-', '_')}" for word in words}
        modules = [module for module in modules if module in named]
    for module in modules:
        import_module(module)
    return LINTS
