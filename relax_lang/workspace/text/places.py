"""Diagnostics with other places: what was found in a tree, where it is in the document."""

from __future__ import annotations

from relax_lang.base.diagnostic import Diagnostic, Edit, Fix, Label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Map = Callable[[int], int]


def relocated(one: Diagnostic, to: Map) -> Diagnostic:
    """Return a diagnostic with other places."""
    pos = to(one.pos)
    made = Diagnostic(one.rule, pos, to(one.end), one.message, one.primary)
    made.severity = one.severity
    made.labels = [Label(to(label.pos), to(label.end), label.message) for label in one.labels]
    made.notes = one.notes
    made.help = one.help
    made.fixes = [
        Fix(
            fix.title,
            [Edit(to(edit.pos), to(edit.end), edit.text) for edit in fix.edits],
            fix.applicability,
        )
        for fix in one.fixes
    ]
    made.data = one.data
    block = one.data.get("block")
    if isinstance(block, tuple) and block:
        begin, end = block  # pyright: ignore[reportUnknownVariableType]
        made.data = {**one.data, "block": (to(begin), to(end))}  # pyright: ignore[reportUnknownArgumentType]
    return made
