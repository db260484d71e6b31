"""What was found wrong before inference begins, by place: consequences of it are not reported. [Z.5]"""

from __future__ import annotations

from bisect import bisect_left

from relax_lang.base.diagnostic import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.diagnostic import Diagnostic, HasSpan
    from relax_lang.base.source import Span


_HARMLESS = frozenset(("primfunc-writes-input",))
"""Errors that leave no trust about what the marked text means."""


class Errors:
    """The places of errors."""

    __slots__ = ("_starts", "spans")

    def __init__(self, found: Iterable[Diagnostic]) -> None:
        self.spans: set[Span] = {
            (one.pos, one.end) for one in found if one.severity == ERROR and one.slug not in _HARMLESS
        }
        """The text that each error marks."""
        self._starts = sorted([pos for pos, _ in self.spans])

    def within(self, node: HasSpan) -> bool:
        """Return whether an error begins in the text of a node."""
        if not self._starts:
            return False
        following = bisect_left(self._starts, node.pos)
        return following < len(self._starts) and self._starts[following] < node.end
