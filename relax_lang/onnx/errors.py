"""Why a node cannot be imported: exceptions that end the rule of one node and become diagnostics."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Refused(Exception):  # noqa: N818 - it is not an error of the importer
    """A node that has no counterpart; the text is the reason, empty if there is no rule at all."""


class Invalid(Exception):  # noqa: N818 - the model is wrong
    """A node that is wrong by the standard itself; the text explains how."""


class NeedsValue(Exception):  # noqa: N818 - the user can give it
    """A value must be known when the model is imported, which is what `role` calls it.

    `names` are the values in the model that it follows from; of an operand, its own.
    """

    def __init__(self, names: str | Sequence[str], role: str) -> None:
        self.names = (names,) if isinstance(names, str) else tuple(names)
        super().__init__(*self.names)
        self.role = role
