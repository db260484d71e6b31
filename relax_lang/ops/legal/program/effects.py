"""Why these operators have no legal forms."""

from __future__ import annotations

WITHOUT = {"": "it has an effect, or no result"}
