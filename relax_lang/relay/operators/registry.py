"""Finding operators by name, with all families loaded."""

from __future__ import annotations

from relax_lang.relay.operators.core import OPERATORS
from relax_lang.relay.operators.definitions import (
    create,
    dynamic,
    elementwise,
    images,
    indexing,
    layouts,
    nn,
    quantized,
    random,
    reduce,
    regions,
    shapes,
    vision,
    windows,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.relay.operators.core import Operator

FAMILIES = (
    elementwise,
    shapes,
    reduce,
    create,
    nn,
    indexing,
    dynamic,
    layouts,
    images,
    windows,
    quantized,
    regions,
    vision,
    random,
)
KNOWN = frozenset(OPERATORS)
"""The names of all operators."""


def lookup(name: str) -> Operator | None:
    """Return a declared operator, or None."""
    return OPERATORS.get(name)
