"""What a step combines; sums of products as matrix products: which factors, and the types to multiply them in."""

from __future__ import annotations

from math import isfinite

from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.value_ranges import range_of
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Index, Load, chain, same_access
from relax_lang.tir.schedule import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Dims, Vector
    from relax_lang.tir.schedule.footprint import Footprints
    from relax_lang.tir.schedule.plan import Kernel

_BOTH = ("&&", "&")
_EITHER = {"||": 1, "|": 1, "!=": 2, "^": 2}
"""How often the count of both conditions is taken from those of each."""


def contraction(operand: Vector, reduced: list[Loop]) -> list[Vector]:
    """Return the two factors of a sum of products that one matrix product computes, or nothing.

    Factors may be regrouped: integers wrap alike in any order, and sums of floats may be reassociated. Two
    factors that vary over the same loops are left alone: their matrices would be single rows and columns.
    """
    if not dtypes.is_number(operand.dtype):
        return []
    names = frozenset([loop.name for loop in reduced])
    factors = factors_of(operand)
    groups = [factor for factor in factors if factor.dims]
    if len(groups) > 2:
        groups = _grouped(groups, operand.dtype)
    if len(groups) != 2 or groups[0].dims == groups[1].dims or not names <= operand.dims:
        return []
    if not groups[0].dims & groups[1].dims & names:
        return []
    for factor in factors:
        if not factor.dims:
            groups[0] = Apply("*", (groups[0], factor), operand.dtype)
    return groups


def counted(stage: Stage) -> Vector | None:
    """Return a number that is added under conditions as its product with the conditions, each 1 where it holds and 0
    elsewhere; None if what is added is not a finite number.
    """
    value = stage.value
    number: float | None = None
    if isinstance(value, Const):
        number = value.value
    elif isinstance(value, Index):
        number = value.polynomial.value
    if number is None or not stage.guards or not dtypes.is_number(value.dtype) or not isfinite(number):
        return None
    product, *others = [Apply("cast", (guard,), value.dtype) for guard in stage.guards]
    for other in others:
        product = Apply("*", (product, other), value.dtype)
    return product if number == 1 else Apply("*", (product, value), value.dtype)


def terms_of(value: Vector, reduced: list[Loop]) -> list[tuple[Vector, bool]]:
    """Return the terms of a sum, and whether each is subtracted, where each of them is a product of matrices, or where
    they count one of two conditions and the count of both is such a product; nothing for other sums.
    """
    terms = _either(value)
    if terms and contraction(terms[-1][0], reduced):
        return terms
    if (
        isinstance(value, Apply)
        and value.op in ("+", "-")
        and all(contraction(term, reduced) for term in value.args)
    ):
        return [(value.args[0], False), (value.args[1], value.op == "-")]
    return []


def _either(operand: Vector) -> list[tuple[Vector, bool]]:
    """Return the terms that count where one of two conditions holds, or just one of them, as counts of each and of
    both, and whether each is subtracted; nothing for other sums.

    Only for integers: a float may be too large for the counts to make a difference.
    """
    inner = operand.args[0] if isinstance(operand, Apply) and operand.op == "cast" else None
    if not isinstance(inner, Apply) or inner.dtype != dtypes.BOOL or not dtypes.is_integer(operand.dtype):
        return []
    times = _EITHER.get(inner.op)
    if times is None or any(arg.dtype != dtypes.BOOL for arg in inner.args):
        return []
    first, second = [Apply("cast", (arg,), operand.dtype) for arg in inner.args]
    both: Vector = Apply("*", (first, second), operand.dtype)
    if times > 1:
        both = Apply("*", (both, Const(times, operand.dtype)), operand.dtype)
    return [(first, False), (second, False), (both, True)]


def is_masked_product(kernel: Kernel) -> bool:
    """Return whether a sum of products under conditions is a product of matrices, elements of one of which are 0 where
    the conditions do not hold.
    """
    if len(kernel.factors) != 2 or kernel.stage.target.dtype in dtypes.HALVES:
        return False
    first, second = [factor.dims for factor in kernel.factors]
    free = {loop.name for loop in (*kernel.kept, *kernel.reduced)}
    named = frozenset[str]().union(*[guard.dims for guard in kernel.stage.guards]) & free
    reduced = {loop.name for loop in kernel.reduced}
    return bool(named) and reduced <= first & second and (named <= first or named <= second)


def factors_of(product: Vector) -> list[Vector]:
    """Return the factors of a product, one for the loops that each varies over."""
    return _factors(product, {})


def _factors(product: Vector, known: dict[int, list[Vector]]) -> list[Vector]:
    """Return the factors of a product, one for the loops that each varies over; one that is cast is a product of casts
    if it does not wrap around or round. `known` has those of parts by their keys, as a product may share them.
    """
    if product.key not in known:
        parts = _parts(product)
        factors = [factor for part in parts for factor in _factors(part, known)]
        together: dict[Dims, Vector] = {}
        for factor in factors:
            before = together.get(factor.dims)
            together[factor.dims] = factor if before is None else Apply("*", (before, factor), product.dtype)
        known[product.key] = list(together.values()) if parts else [product]
    return known[product.key]


def _parts(product: Vector) -> tuple[Vector, ...]:
    """Return what is multiplied by the last operation of an expression, in its type; nothing of other operations.

    Conditions that must hold together are 0 or 1, so that their product says the same.
    """
    if not isinstance(product, Apply):
        return ()
    if product.op == "*":
        return product.args
    inner = product.args[0]
    if product.op != "cast" or not isinstance(inner, Apply) or inner.op not in ("*", *_BOTH):
        return ()
    parts = tuple([Apply("cast", (factor,), product.dtype) for factor in inner.args])
    if inner.op in _BOTH:
        return parts if inner.dtype == dtypes.BOOL else ()
    found = range_of(inner, wrapping=False)
    (least, greatest), (low, high) = dtypes.integers_of(inner.dtype), dtypes.integers_of(product.dtype)
    if found is None or found[0] < max(least, low) or found[1] > min(greatest, high):
        return ()
    return parts


def _grouped(factors: list[Vector], dtype: str) -> list[Vector]:
    """Multiply factors into those that vary over all of their loops."""
    groups: list[Vector] = []
    for factor in sorted(factors, key=_n_dims, reverse=True):
        home = next((at for at, group in enumerate(groups) if factor.dims <= group.dims), None)
        if home is None:
            groups.append(factor)
        else:
            groups[home] = Apply("*", (groups[home], factor), dtype)
    return groups


def _n_dims(vector: Vector) -> int:
    return len(vector.dims)


class Factor:
    """A factor as it is multiplied: `vector`, perhaps of a smaller type, less `zero`."""

    __slots__ = ("vector", "zero")

    def __init__(self, vector: Vector, zero: Vector | None = None) -> None:
        self.vector = vector
        self.zero = zero


def taken(factor: Vector, dtype: str, groups: Sequence[Sequence[str]], alone: Sequence[str]) -> Factor:
    """Return a factor of a product in `dtype` without the casts that keep its values, and without a subtraction of
    what varies over less: the product does both a block at a time, where it needs little memory.

    Integers wrap around and floats round, so the difference must be one in the type of the product.
    """
    factor = _narrow(factor)
    if not isinstance(factor, Apply) or factor.op not in ("+", "-") or factor.dtype != dtype:
        return Factor(factor)
    if factor.dims & set(alone):
        return Factor(factor)
    pairs = [factor.args] if factor.op == "-" else [factor.args, (factor.args[1], factor.args[0])]
    for value, zero in pairs:
        small = _narrow(value)
        whole = all(not zero.dims & set(group) or set(group) <= zero.dims for group in groups)
        is_small = small.dtype in _SMALL or (isinstance(small, Load) and dtypes.is_float(dtype))
        if small.dims == factor.dims and zero.dims < factor.dims and is_small and whole:
            return Factor(small, zero if factor.op == "-" else Apply("neg", (zero,), dtype))
    return Factor(factor)


_SMALL = ("bool", "int8", "uint8", "int16", "uint16")


def _narrow(factor: Vector) -> Vector:
    """Return what a factor is cast from, if that has the same values."""
    while isinstance(factor, Apply) and factor.op == "cast" and factor.dtype not in dtypes.HALVES:
        source = factor.args[0]
        found, (low, high) = range_of(source), dtypes.integers_of(factor.dtype)
        if not dtypes.keeps_values(source.dtype, factor.dtype) and not (
            found is not None and low <= found[0] and found[1] <= high
        ):
            break
        factor = source
    return factor


def combination(regions: Footprints, stage: Stage) -> tuple[str, bool, Vector] | None:
    """Return operation, sign and operand of a step that combines an element with something."""
    if stage.op != "=":
        return ("*" if stage.op == "*=" else "+"), stage.op == "-=", stage.value
    value = stage.value
    if not isinstance(value, Apply):
        return None
    if value.op == "-" and _is_target(value.args[0], stage):
        return "+", True, value.args[1]
    if value.op not in plan.COMBINES:
        return None
    parts = chain(value, value.op)
    others = [part for part in parts if not _is_target(part, stage)]
    if len(others) != len(parts) - 1:
        return None
    if value.op in ("&&", "||") and not all(regions.is_safe(part, stage.loops) for part in others):
        return None  # what is not needed is not evaluated
    operand = others[0]
    for other in others[1:]:
        operand = Apply(value.op, (operand, other), value.dtype)
    return value.op, False, operand


def _is_target(part: Vector, stage: Stage) -> bool:
    return isinstance(part, Load) and same_access(part, stage.target, stage.index)
