"""What a text becomes by the edits of fixes."""

from __future__ import annotations

from collections.abc import Iterable

from relax_lang.base.diagnostic import Edit, Fix
from relax_lang.check.fixes import can_be_applied


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return a text after edits, which are such as `--fix` applies."""
    edits = list(edits)
    assert can_be_applied(edits, len(text)), edits
    for edit in sorted(edits, key=lambda edit: (-edit.pos, -edit.end)):
        text = text[: edit.pos] + edit.text + text[edit.end :]
    return text


def applied(text: str, fix: Fix) -> str:
    """Return a text after a fix."""
    return edited(text, fix.edits)
