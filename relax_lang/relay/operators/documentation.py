"""What `relax ops --relay` shows of the operators of Relay: how each is called, its attributes, its type. [R.33]"""

from __future__ import annotations

import inspect
from difflib import get_close_matches

from relax_lang.relay.operators.registry import OPERATORS, lookup
from relax_lang.relay.operators.relations import by_lowering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.relay.operators.core import Field, Operator


def listing() -> str:
    """Return the signatures of all operators, a line each."""
    lines = [f"  {signature(OPERATORS[name])}" for name in sorted(OPERATORS)]
    return "\n".join([*lines, "", "`relax ops --relay NAME` describes one of them.", ""])


def nearest(name: str) -> str | None:
    """Return the operator that a name may be meant for."""
    found = get_close_matches(name, OPERATORS, 1)
    return found[0] if found else None


def describe(name: str) -> str | None:
    """Return the description of an operator; None if there is none of that name."""
    operator = lookup(name)
    if operator is None:
        return None
    parts = [signature(operator), ""]
    for field in operator.fields:
        needed = "always written" if field.written else f"{_literal(field.default)} if it is left out"
        parts.append(f"  {field.name}: {field.words}, {needed}")
    parts += [""] if operator.fields else []
    notes = [inspect.getdoc(operator.lower) or ""]
    if operator.relation is by_lowering:
        notes.append("Its type follows from the Relax operators that it is translated to.")
    else:
        notes.append(inspect.getdoc(operator.relation) or "")
    # What makes a function has its own words only; those of the makers are of no use here.
    parts += [one.partition("\n")[0] for one in notes if one]
    return "\n".join(parts).rstrip() + "\n"


def signature(operator: Operator) -> str:
    """Return how an operator is called: `nn.dense(data, weight, units, out_dtype="")`."""
    params = [*operator.params, *[_field(one) for one in operator.fields]]
    return f"{operator.name}({', '.join(params)})"


def _field(field: Field) -> str:
    return f"{field.name}=…" if field.written else f"{field.name}={_literal(field.default)}"


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
