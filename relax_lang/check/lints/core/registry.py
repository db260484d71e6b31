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

from relax_lang.check.explain import lint_modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

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


def load() -> dict[str, Check]:
    """Load every lint; return the registered ones."""
    for module in lint_modules():
        import_module(module)
    return LINTS
