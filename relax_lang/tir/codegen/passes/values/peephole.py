"""Peephole rewrites: small patterns of operations as ones that are faster.

`min` and `max` with a number are clips, which NumPy does several times faster on large arrays. A clip is
`min(max(x, lower), upper)`, also where the bounds are the wrong way round, and gives nan if x or a bound is one, as
both operations do; so `max(min(x, upper), lower)` is one with `max(upper, lower)` for the upper bound. Bytes that are
shifted by a number are products. Floats that fit into int32 are converted to that on the way to smaller integers. A
store converts, so what it stores need not be converted before.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, with_parts
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.passes.effects import bodies_of, may_fail
from relax_lang.tir.codegen.passes.types import type_of
from relax_lang.tir.schedule.plan import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.tir.array_ir.nodes import Expr, Statement
    from relax_lang.tir.codegen.passes.context import Context

    Part = Node | Polynomial

_ROUNDED = ("round", "nearbyint", "trunc", "floor", "ceil")
_INT32 = "int32"


def rewrite_patterns(body: list[Statement], context: Context) -> None:
    """Rewrite all patterns in some statements."""
    _rewrite(body, _rewritten)


def _rewrite(body: list[Statement], rewritten: Callable[[Part], Part]) -> None:
    for at, statement in enumerate(body):
        inner = bodies_of(statement)
        if inner:
            # calling the function of a clip takes as long as some thousand elements: too long for small steps
            small = isinstance(statement, ir.For) and statement.hot
            _rewrite(inner, _rewritten_in_steps if small else rewritten)
        made = with_parts(statement, rewritten)
        body[at] = _store(made) if isinstance(made, ir.Store) else made


def _rewritten_in_steps(part: Part) -> Part:
    return _with_patterns(part, _rewritten_in_steps)


def _rewritten(part: Part) -> Part:
    if isinstance(part, ir.Elementwise) and part.op in ("min", "max") and part.domain is not None:
        part = _clip(part)
    return _with_patterns(part, _rewritten)


def _with_patterns(part: Part, rewritten: Callable[[Part], Part]) -> Part:
    match part:
        case Polynomial() | Ref() | Literal():
            return part
        case ir.Elementwise("<<"):
            made = _product(part)
        case ir.Cast(ir.Cast(inner, dtypes.INT64, domain), dtype) if _narrows(inner, dtype):
            made = ir.Cast(ir.Cast(inner, _INT32, domain), dtype, part.domain)
        case ir.Select(condition, yes, no) if yes == no and not may_fail(condition):
            made = yes if part.shape is not None and type_of(yes)[1] == part.shape else part
        case _:
            made = part
    return with_parts(made, rewritten) if isinstance(made, Node) else made


def _clip(value: ir.Elementwise) -> Expr:
    """Return a `min` or `max`, or one around the other, as a clip if bounds are numbers."""
    found = _bounded(value)
    if found is None or value.dtype == dtypes.BOOL:
        return value
    inner, bound = found
    bounds = {value.op: bound}
    second = _bounded(inner) if isinstance(inner, ir.Elementwise) and inner.op != value.op else None
    if second is not None and isinstance(inner, ir.Elementwise):
        bounds[inner.op] = second[1]
        inner = second[0]
    lower, upper = [bounds.get(op, Literal(identity(op, value.dtype), value.dtype)) for op in ("max", "min")]
    if value.op == "max" and second is not None and not _is_ordered(lower, upper):
        typed = ir.Typed(upper, value.dtype) if isinstance(upper, Literal) else upper
        upper = ir.Elementwise("max", (typed, lower), value.dtype)
    return ir.Clip(inner, lower, upper, value.dtype, value.domain)


def _bounded(value: ir.Elementwise) -> tuple[Expr, Expr] | None:
    """Return the operands of a `min` or `max`: a value, and a number that is its bound."""
    if value.op not in ("min", "max"):
        return None
    for bound, other in (value.args[::-1], value.args):
        if _is_number(bound) and not _is_number(other):
            return other, bound
    return None


def _is_number(value: Expr) -> bool:
    match value:
        case ir.Typed(Literal() | Ref()) | Literal():
            return True
        case ir.Cast(ir.Typed(Ref())):
            return True
        case _:
            return False


def _is_ordered(lower: Expr, upper: Expr) -> bool:
    """Return whether bounds are literals, the lower one first: then it makes no difference which is applied last."""
    first, second = _literal(lower), _literal(upper)
    return first is not None and second is not None and first <= second


def _literal(value: Expr) -> float | None:
    if isinstance(value, ir.Typed) and isinstance(value.value, Literal):
        value = value.value
    return value.value if isinstance(value, Literal) and isinstance(value.value, int | float) else None


def _narrows(value: Expr, dtype: str) -> bool:
    """Return whether floats on the way to a small integer type fit into int32, or are nan: clipped, perhaps rounded."""
    if dtype not in dtypes.INT_RANGES or dtypes.INT_RANGES[dtype][1] >= 1 << 16:
        return False
    while isinstance(value, ir.Elementwise) and value.op in _ROUNDED:
        value = value.args[0]
    clip = _clip(value) if isinstance(value, ir.Elementwise) else value
    if not isinstance(clip, ir.Clip):
        return False
    bounds = [_literal(bound) for bound in (clip.lower, clip.upper)]
    return all(bound is not None and abs(bound) < 1 << 31 for bound in bounds)


def _product(value: ir.Elementwise) -> Expr:
    """Return the shift of bytes by a number as a product, which NumPy computes more than ten times as fast."""
    shift = _literal(value.args[1])
    if value.dtype not in ("int8", "uint8") or shift is None or not 0 <= shift < 8:
        return value
    factor = 1 << int(shift)
    factor = factor if factor <= dtypes.INT_RANGES[value.dtype][1] else -factor
    args = (value.args[0], Literal(factor, value.dtype))
    return ir.Elementwise("*", args, value.dtype, value.domain)


def _store(store: ir.Store) -> ir.Statement:
    """Return a store without a conversion that storing does itself."""
    target, value = store.target, store.value
    if isinstance(value, ir.Cast) and value.domain is not None and value.dtype == type_of(target)[0]:
        return ir.Store(target, value.array)  # a number would have to be in range
    return store
