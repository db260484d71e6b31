"""Forms: what holds of programs between passes, and how that is seen."""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from relax_lang.typed import Typed

NORMAL = "normal"
"""In normal form, with names that are unique per function. No pass may lose it."""
LIFTED = "lifted"
"""Without local functions."""
LEGAL = "legal"
"""Calls are of functions, `call_tir` and its like, packed functions, views; operators without a legal form may stay."""
NO_DATAFLOW = "no-dataflow"
"""Without dataflow blocks."""
FORMS = (NORMAL, LIFTED, LEGAL, NO_DATAFLOW)


def missing_forms(typed: Typed, wanted: Iterable[str]) -> list[str]:
    """Return the forms among `wanted` that a program does not have."""
    return [form for form in wanted if form in _HAS and not _HAS[form](typed)]


def _is_lifted(typed: Typed) -> bool:
    return not any(
        isinstance(node, tree.Function) and node is not function
        for function in typed.functions
        for node in walk(function)
    )


def _is_without_dataflow(typed: Typed) -> bool:
    return not any(
        isinstance(node, tree.DataflowBlock) for function in typed.functions for node in walk(function)
    )


def _is_anything(_typed: Typed) -> bool:
    return True  # operators without a legal form may stay


_HAS: dict[str, Callable[[Typed], bool]] = {
    LIFTED: _is_lifted,
    NO_DATAFLOW: _is_without_dataflow,
    LEGAL: _is_anything,
}
