"""Why a node cannot be imported: exceptions that end the rule of one node and become diagnostics."""

from __future__ import annotations


class Refused(Exception):  # noqa: N818 - it is not an error of the importer
    """A node that has no counterpart; the text is the reason, empty if there is no rule at all."""


class Invalid(Exception):  # noqa: N818 - the model is wrong
    """A node that is wrong by the standard itself; the text explains how."""


class NeedsValue(Exception):  # noqa: N818 - the user can give it
    """An input of a node must be known when the model is imported; `name` is the value's in the model."""

    def __init__(self, name: str, role: str) -> None:
        super().__init__(name)
        self.name = name
        self.role = role
