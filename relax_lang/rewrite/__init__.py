"""Programs changed by Python: visitors and mutators, patterns, rules.

The public names are here, and are loaded when they are asked for: `from relax_lang.rewrite import Mutator, rewrite`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.rewrite.contexts import PatternContext, rewrite_bindings
    from relax_lang.rewrite.dpl import (
        Pattern,
        is_call_packed,
        is_call_tir,
        is_const,
        is_expr,
        is_op,
        is_shape,
        is_tuple,
        is_tuple_get_item,
        is_var,
        wildcard,
    )
    from relax_lang.rewrite.matching import rewrite
    from relax_lang.rewrite.mutator import Mutator
    from relax_lang.rewrite.visitor import Visitor

__all__ = [
    "Mutator",
    "Pattern",
    "PatternContext",
    "Visitor",
    "is_call_packed",
    "is_call_tir",
    "is_const",
    "is_expr",
    "is_op",
    "is_shape",
    "is_tuple",
    "is_tuple_get_item",
    "is_var",
    "rewrite",
    "rewrite_bindings",
    "wildcard",
]

_ROOMS = {
    "Mutator": "mutator",
    "PatternContext": "contexts",
    "Visitor": "visitor",
    "rewrite": "matching",
    "rewrite_bindings": "contexts",
}
"""The modules of names; all others are of `dpl`."""


def __getattr__(name: str) -> Any:
    """Fetch a public name from the module that defines it."""
    import importlib

    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_ROOMS.get(name, 'dpl')}"), name)


def __dir__() -> list[str]:
    """List the public names, for completion."""
    return sorted(__all__)
