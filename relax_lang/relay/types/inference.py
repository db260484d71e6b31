"""The way in: the types of a module. [R.31]"""

from __future__ import annotations

from relax_lang.relay.types import calls, constraints, expressions, matches
from relax_lang.relay.types.infer import VISIT, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.relay.scope.resolved import Resolved
    from relax_lang.relay.syntax.metadata import Objects
    from relax_lang.relay.types.typed import Typed
    from relax_lang.relay.unification.solver import Solver

assert all(module.__name__ for module in (calls, constraints, expressions, matches))
assert VISIT


def infer(resolved: Resolved, metadata: Objects | None, solver: Solver | None = None) -> Typed:
    """Infer the types of a module whose names are resolved."""
    return State(resolved, metadata, solver).module()


def infer_state(resolved: Resolved, metadata: Objects | None) -> State:
    """Infer the types of a module, and return all that is known, to infer instances with."""
    state = State(resolved, metadata)
    state.module()
    return state
