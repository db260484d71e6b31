"""The operator `print`, which writes to where the caller of the program says. [O.10]

A format is filled with texts, never with objects: `{}`, `{1}` and `{:>8}` work, `{0.attribute}` and
`{0[key]}` do not, so that a format cannot look into the host. Widths are bounded, so that it cannot fill
the memory either.
"""

from __future__ import annotations

import string

from relax_lang.ops.special import render
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_WIDEST = 10_000


def printed(values: Sequence[object], pattern: str) -> str:
    """Return the line that `print(values…, format="…")` writes; without a format, separated by blanks."""
    texts = [render(value) for value in values]
    if not pattern:
        return " ".join(texts) + "\n"
    try:
        return _Texts().vformat(pattern, texts, {}) + "\n"
    except (IndexError, KeyError, ValueError) as error:
        words = f"print: the format does not go with {len(texts)} values: {error}"
        raise RunFailure("op-runtime-value", words) from None


class _Texts(string.Formatter):
    """Python's format language, for texts only."""

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Refuse attributes and keys."""
        if "." in field_name or "[" in field_name:
            raise ValueError(f"`{{{field_name}}}` is no placeholder; write `{{}}` or `{{0}}`")
        return super().get_field(field_name, args, kwargs)

    def format_field(self, value: Any, format_spec: str) -> str:
        """Refuse widths that no line has."""
        for width in format_spec.replace(".", " ").split():
            digits = "".join([letter for letter in width if letter.isdigit()])
            if len(digits) > 6 or int(digits or "0") > _WIDEST:
                raise ValueError(f"a width is at most {_WIDEST}")
        return super().format_field(value, format_spec)
