"""Why sorting has no legal form."""

from __future__ import annotations

WITHOUT = {"": "NumPy sorts faster than any loop nest"}
