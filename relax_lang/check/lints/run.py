"""Lints that are off by default: what a tidy program would not have, in functions without errors.

Only loaded when one of them is asked for. Every lint reads the same lists, which one walk over a function
collects, and the tables of name resolution; nothing here knows types, and nothing decides what is reported.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import RULES
from relax_lang.base.node import walk
from relax_lang.check.lints import bindings as binding_lints
from relax_lang.check.lints import values as value_lints
from relax_lang.check.lints.node_index import NodeIndex
from relax_lang.check.selection import means

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.check.infer.inferred import Inferred
    from relax_lang.scope.resolve import Resolved
    from relax_lang.syntax import tree

ALL = ("lints",)
"""The words that ask for every lint."""

LINTS: dict[str, Callable[[NodeIndex], list[Diagnostic]]] = {
    "unused-binding": binding_lints.unused_bindings,
    "unused-value": binding_lints.unused_values,
    "unused-output": binding_lints.unused_outputs,
    "unused-parameter": binding_lints.unused_parameters,
    "unused-shape-var": binding_lints.unused_shape_variables,
    "empty-dataflow": value_lints.empty_dataflow,
    "large-constant": value_lints.large_constants,
    "unchecked-extern-result": value_lints.unchecked_extern_results,
}
"""The name of a lint to what looks for it."""


def lint(
    items: Iterable[tree.Item], resolved: Resolved, inferred: Inferred, text: str, words: Sequence[str]
) -> list[Diagnostic]:
    """Return what the lints that the words mean find, in no particular order. `items` are those without errors."""
    wanted = [look for slug, look in LINTS.items() if any(means(word, RULES[slug]) for word in words)]
    if not wanted:
        return []
    facts = NodeIndex(resolved, text, inferred.effects())
    for item in items:
        facts.add(item, walk(item))
    found: list[Diagnostic] = []
    for look in wanted:
        found += look(facts)
    return found
