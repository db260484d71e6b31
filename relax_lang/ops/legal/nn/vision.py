"""Why these operators have no legal forms."""

from __future__ import annotations

WITHOUT = {"": "which elements it reads is data"}
