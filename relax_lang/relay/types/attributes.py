"""The attributes of a call of an operator: against its fields, as Python values, defaults filled in. [R.6]"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.relay.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.relay.operators.core import Operator

    Report = Callable[[Diagnostic], None]


def value_of(node: tree.AttrValue) -> Any:
    """Return the value of an attribute as Python has it; objects out of the metadata as their node."""
    match node:
        case tree.NumberValue() | tree.StringValue():
            return node.value
        case tree.ListValue():
            return [value_of(one) for one in node.items]
        case tree.NoneValue():
            return None
        case tree.MetaValue() | tree.BadValue():
            return node
        case _:
            return assert_never(node)


def attributes(operator: Operator, call: tree.Call, report: Report) -> dict[str, Any] | None:
    """Return all attributes of a call; None if something is wrong with one, which is reported."""
    given = {attr.key: attr for attr in call.attrs}
    known = {field.name: field for field in operator.fields}
    # What was reported as an argument may be meant as an attribute.
    sound = is_complete = not any(isinstance(arg, tree.Missing) for arg in call.args)
    for key, attr in given.items():
        if key not in known and key != "attrs_type_key":
            if not isinstance(attr.value, tree.BadValue):
                from relax_lang.relay.diagnostics.names import (
                    unknown_attribute,
                )  # only where something is wrong

                report(unknown_attribute(attr, operator.name, key, list(known)))
            sound = is_complete = False  # it may be the one that is missing
    found: dict[str, Any] = {}
    missing: list[str] = []
    needed: list[str] = []
    for name, field in known.items():
        attr = given.get(name)
        if attr is None:
            if field.written and field.optional:
                missing.append(name)
            elif field.written:
                needed.append(f"`{name}`, {field.words}")
            found[name] = field.default
            continue
        value = value_of(attr.value)
        found[name] = value
        if isinstance(attr.value, tree.BadValue):
            sound = False
        elif not field.accepts(value):
            from relax_lang.relay.diagnostics.names import attribute_value
            from relax_lang.relay.syntax.printer import show

            message = f"`{name}` of `{operator.name}` is {field.words}, not `{show(attr.value, 40)}`"
            report(attribute_value(attr, message))
            sound = False
    if needed and is_complete:
        from relax_lang.relay.diagnostics.names import attribute_value

        report(attribute_value(call.op, f"`{operator.name}` needs {', and '.join(needed)}"))
    sound = sound and not needed
    if missing and sound:
        from relax_lang.relay.diagnostics.names import attribute_missing

        is_first = not call.args and not call.attrs
        report(attribute_missing(call.end, operator.name, missing, first=is_first))
    return found if sound else None
