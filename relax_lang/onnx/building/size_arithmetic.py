"""Arithmetic on sizes while a model is imported: extents as expressions, and quotients of them in floats.

A model that pads to a multiple, or resizes, computes extents in floats: `cast(floor(cast(n, float32) / 2), int64)`.
Such tensors remember which quotients of extents they hold, as long as the floats are certain to be those.
"""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.values import Constant, Ratio, Sizes, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.onnx.dims import Dim
    from relax_lang.onnx.values import Value


def _quotient(a: Dim, b: Dim) -> Dim | None:
    return (
        None
        if dims.equal(b, 0) or not (dims.not_below(a, 0) and dims.not_below(b, 0))
        else dims.floor_div(a, b)
    )


def _remainder(a: Dim, b: Dim) -> Dim | None:
    return (
        None
        if dims.equal(b, 0) or not (dims.not_below(a, 0) and dims.not_below(b, 0))
        else dims.floor_mod(a, b)
    )


_ON_SIZES: dict[str, Callable[[Dim, Dim], Dim | None]] = {
    "Add": dims.add, "Sub": dims.sub, "Mul": dims.mul, "Div": _quotient, "Mod": _remainder,
    "Min": dims.minimum, "Max": dims.maximum,
}  # fmt: skip


def on_sizes(op: str, values: Sequence[Value]) -> Value | None:
    """Return the result of an operator on sizes as sizes, or None if it has no such form."""
    function = _ON_SIZES.get(op)
    if function is None or not any(isinstance(one, Sizes) for one in values):
        return None
    pairs = pairs_of(values)
    if pairs is None:
        return None
    made: list[Dim] = []
    for items in pairs:
        found: Dim | None = items[0]
        for other in items[1:]:
            found = None if found is None else function(found, other)
        if found is None:
            return None
        made.append(found)
    scalar = all(not one.dims for one in values)
    return Sizes(tuple(made), scalar=scalar, dtype=values[0].dtype)


def pairs_of(values: Sequence[Value]) -> list[tuple[Dim, ...]] | None:
    """Return the elements of short integer values side by side, broadcast, or None if some are not known."""
    from relax_lang.onnx.building.builder import Builder

    if any(value.dtype not in ("int32", "int64") for value in values):
        return None
    lists = [Builder.known_sizes(value) for value in values]
    found = [one for one in lists if one is not None]
    if len(found) < len(lists):
        return None
    length = max([len(one) for one in found]) if all(len(one) for one in found) else 0
    if any(len(one) not in (1, length) for one in found) or length > 64:
        return None
    stretched = [one * length if len(one) == 1 else one for one in found]
    return list(zip(*stretched, strict=True))


_MOST = 1 << 20
"""Numerators and denominators of numbers by which extents are multiplied: products with them are exact in float32."""


def ratio_of(op: str, x: Value, y: Value) -> Ratio | None:
    """Return the quotients of extents that `x * y` or `x / y` holds in floats, or None if they are not known."""
    if op == "Mul" and isinstance(x, Constant):
        x, y = y, x
    own = x.ratio if isinstance(x, Tensor) else None
    if (
        own is None
        or not own.exact
        or not isinstance(y, Constant)
        or y.array.size != 1
        or op not in ("Mul", "Div")
    ):
        return None
    number = float(y.array.reshape(()))
    if not 0 < number < _MOST:
        return None
    over, under = number.as_integer_ratio()
    if op == "Div":
        over, under = under, over
    if over > _MOST or under * own.denominator > _MOST:
        return None
    numerators = tuple([dims.mul(one, over) for one in own.numerators])
    exact = under & (under - 1) == 0
    scalar = own.scalar and not y.dims
    return Ratio(numerators, under * own.denominator, scalar=scalar, exact=exact)


def rounded(op: str, own: Ratio) -> Ratio:
    """Return the quotients rounded up (`Ceil`) or down (`Floor`)."""
    divide = dims.ceil_div if op == "Ceil" else dims.floor_div
    return Ratio(tuple([divide(one, own.denominator) for one in own.numerators]), 1, scalar=own.scalar)
