"""Programs changed by Python: visitors and mutators, patterns, rules.

The public names are here, and are loaded when they are asked for: `from relax_lang.rewrite import Mutator, rewrite`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ROOMS = {
    "contexts": ("PatternContext", "rewrite_bindings"),
    "dpl": (
        "Pattern",
        "is_call_packed",
        "is_call_tir",
        "is_const",
        "is_expr",
        "is_op",
        "is_shape",
        "is_tuple",
        "is_tuple_get_item",
        "is_var",
        "wildcard",
    ),
    "matching": ("rewrite",),
    "mutator": ("Mutator",),
    "visitor": ("Visitor",),
}


def __getattr__(name: str) -> Any:
    """Fetch a public name from the module that defines it."""
    import importlib

    for room, names in _ROOMS.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{room}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, for completion."""
    return sorted(name for names in _ROOMS.values() for name in names)
