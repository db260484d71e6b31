"""The way in: the types of a module. [R.31]"""

from __future__ import annotations

from relax_lang.relay.types import constraints, expressions
from relax_lang.relay.types.infer import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.relay.scope.resolved import Resolved
    from relax_lang.relay.syntax.metadata import Objects
    from relax_lang.relay.types.typed import Typed
    from relax_lang.relay.unification.solver import Solver

assert constraints, "importing it installs what asks the relations behind `where`"
assert expressions, "importing it installs the rules of `infer`"


def infer(resolved: Resolved, metadata: Objects | None, solver: Solver | None = None) -> Typed:
    """Infer the types of a module whose names are resolved."""
    return State(resolved, metadata, solver).module()


def infer_state(resolved: Resolved, metadata: Objects | None) -> State:
    """Infer the types of a module, and return all that is known, to infer instances with."""
    state = State(resolved, metadata)
    state.module()
    return state
