"""What else is known of operators, a room for each kind: legal forms, gradients, decompositions.

Such a room has a module for each family of operators, which is imported when one of its operators is asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.operator import Operator

_MISSING: set[str] = set()


def companion(room: str, operator: Operator) -> Any:
    """Return the module of a room, such as `relax_lang.ops.legal`, for the family of an operator, or None."""
    name = f"{room}.{operator.family.name}"
    if name not in _MISSING:
        from importlib import import_module  # a check asks for none

        try:
            return import_module(name)
        except ModuleNotFoundError as error:
            if not f"{name}.".startswith(f"{error.name}."):  # a module that the companion imports
                raise
            _MISSING.add(name)
    return None
