"""Types as the text format writes them, for messages and for those who ask. [R.23]"""

from __future__ import annotations

from relax_lang.relay.unification.model import (
    Adt,
    Func,
    Param,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    find,
    find_shape,
    find_type,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.relay.unification.model import Shape, Type


def show(value: Type) -> str:
    """Print a type; what is unknown is `_`."""
    value = find_type(value)
    if isinstance(value, Tensor):
        shape = find_shape(value.shape)
        dtype = show_part(value.dtype)
        if isinstance(shape, tuple):
            return f"Tensor[({', '.join([show_part(one) for one in shape])}), {dtype}]" if shape else dtype
        return f"Tensor[{show_part(shape)}, {dtype}]"
    if isinstance(value, Tuple):
        comma = "," if len(value.fields) == 1 else ""
        return f"({', '.join([show(one) for one in value.fields])}{comma})"
    if isinstance(value, Func):
        head = f"fn[{', '.join([one.name for one in value.quantified])}]" if value.quantified else "fn"
        return f"{head} ({', '.join([show(one) for one in value.params])}) -> {show(value.result)}"
    if isinstance(value, Adt):
        return f"{value.name}[{', '.join([show(one) for one in value.args])}]"
    if isinstance(value, Ref):
        return f"ref({show(value.value)})"
    return value.name if isinstance(value, Param) else "_"


def show_part(part: object) -> str:
    """Print an extent or a dtype."""
    part = find(part)
    if isinstance(part, Param):
        return part.name
    return "_" if isinstance(part, Unknown) else str(part)


def show_shape(shape: Shape) -> str:
    """Print the extents of a tensor: `(2, 3)`."""
    found = find_shape(shape)
    if not isinstance(found, tuple):
        return show_part(found)
    comma = "," if len(found) == 1 else ""
    return f"({', '.join([show_part(one) for one in found])}{comma})"
