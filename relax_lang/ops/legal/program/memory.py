"""Why these operators have no legal forms."""

from __future__ import annotations

WITHOUT = {"": "it is memory, not numbers"}
