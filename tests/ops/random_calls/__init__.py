"""Random calls of operators, one module per family: `CALLS` maps the name of an operator to a function.

The function gets a `Draw` and returns the arguments (values, None for what is left out) and the attributes of one
call. Most calls should be right, with extents 0 and 1 among them; `tests.ops.strategies.spoil` makes wrong ones of
them. An operator that has several functions stands with a tuple of them.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any


def all_calls() -> dict[str, Any]:
    """Return what all families have, by the name of the operator."""
    found: dict[str, Any] = {}
    for module in pkgutil.walk_packages(__path__, f"{__name__}."):
        if not module.ispkg:
            found.update(importlib.import_module(module.name).CALLS)
    return found
