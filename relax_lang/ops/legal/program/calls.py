"""Why these operators have no legal forms."""

from __future__ import annotations

WITHOUT = {"": "it calls functions, which only the runtime can"}
