"""Why these operators have no legal forms."""

from __future__ import annotations

WITHOUT = {"": "it is about memory of shapes, not numbers"}
