"""Finding operators by name, with all families loaded."""

from __future__ import annotations

from relax_lang.relay.operators.core import OPERATORS
from relax_lang.relay.operators.definitions import create, elementwise, nn, reduce, shapes
from relax_lang.relay.operators.names import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.relay.operators.core import Operator

FAMILIES = (elementwise, shapes, reduce, create, nn)
KNOWN = NAMES | OPERATORS.keys()
"""Every name that is an operator's, whether it is declared here or not yet."""


def lookup(name: str) -> Operator | None:
    """Return a declared operator, or None."""
    return OPERATORS.get(name)
