"""Why questions about shapes have no legal form."""

from __future__ import annotations

WITHOUT = {"": "it is about shapes, not about elements"}
