"""Why these operators have no legal forms."""

from __future__ import annotations

WITHOUT = {"": "it is about the memory of a tensor"}
