"""Why these operators have no legal forms."""

from __future__ import annotations

WITHOUT = {"": "it marks a value"}
