"""What commands found out before, in the user's cache folder."""

from __future__ import annotations

import os

VARIABLE = "RELAX_NO_CACHE"
"""`1` turns the cache off."""
_FORMAT = "1"
"""The layout of the folder; another one has another folder."""


def folder() -> str:
    """Return the folder of the cache, which need not exist."""
    base = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    base = base if os.path.isabs(base) else os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "relax", f"results-{_FORMAT}")


def is_off() -> bool:
    """Return whether the environment turns the cache off."""
    return os.environ.get(VARIABLE, "") not in ("", "0")
