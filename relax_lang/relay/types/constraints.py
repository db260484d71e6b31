"""Relations that a function names behind `where`: they hold where it is defined, and at every call. [R.5] [R.31]"""

from __future__ import annotations

from relax_lang.relay.operators.call_site import CallSite
from relax_lang.relay.operators.core import Operator, itself
from relax_lang.relay.operators.relations import (
    broadcast,
    compare,
    identity,
    like_second_dtype,
    like_second_shape,
    to_bool,
)
from relax_lang.relay.syntax import tree
from relax_lang.relay.types.calls import OperatorRelation
from relax_lang.relay.types.infer import CONSTRAIN
from relax_lang.relay.unification.model import Func

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.relay.types.infer import State

RELATIONS = {
    "Broadcast": (broadcast, 2),
    "BroadcastComp": (compare, 2),
    "Identity": (identity, 1),
    "IdentityComp": (to_bool, 1),
    "CastLike": (like_second_dtype, 2),
    "BroadCastToLike": (like_second_shape, 2),
}
"""The relations that need no attributes, each with the number of parameters that it is about."""


def constrain(state: State, node: tree.Function, type_: Func, call: tree.Call | None) -> None:
    """Ask the relations of a function, of its parameters where it is defined, or of the arguments of a call.

    A function with type parameters is asked at calls only: nothing is known of them where it is defined.
    """
    from relax_lang.relay.diagnostics import types as diag  # hardly any program has such functions

    header = (node.pos, node.body.pos)
    for name in node.relations:
        found = RELATIONS.get(name.removesuffix("Rel"))
        if found is None or len(type_.params) != found[1]:
            if call is None:
                known = ", ".join(RELATIONS)
                what = f"`{name}` is not a relation: {known}"
                if found is not None:
                    counted = "1 parameter" if found[1] == 1 else f"{found[1]} parameters"
                    what = f"`{name}` is about {counted}, and the function has {len(type_.params)}"
                state.report(diag.kind(header, what))
            continue
        if call is None and node.type_params:
            continue
        names = tuple([param.var.name for param in node.params])
        relation = Operator(f"where {name}", names, (), found[0], itself)
        place = call
        if place is None:
            own = tuple([param.var for param in node.params])
            place = tree.Call(tree.OpRef(name, *header), own, (), (), None, *header)
        result = state.fresh()
        site = CallSite(
            relation,
            list(type_.params),
            result,
            {},
            state.solver,
            [None] * len(names),
            (place.pos, place.end),
        )
        waiting = OperatorRelation(state, place, site)
        state.solver.add(waiting.solve, waiting)
        state.unify(type_.result, result, place, f"the result of the relation `{name}`")


CONSTRAIN.append(constrain)
