"""Why scatters have no legal forms."""

from __future__ import annotations

WITHOUT = {"": "several updates may meet in one element, which needs a form with statements"}
