"""Vector expressions as array IR: operations one by one, results in arrays that are free again where possible.

Every value is an array whose dimensions are the last ones of a given order of loops, with size 1 where the value does
not vary.
"""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.vector_ir import Apply, Const, Index, Load, Named, Size, parts_of
from relax_lang.tir.codegen.peephole import clip_of, is_within_int32, shifted_byte
from relax_lang.tir.codegen.printer.numpy_names import can_write, takes_python_numbers
from relax_lang.tir.codegen.views import align, gather, index_values, is_view, view
from relax_lang.tir.codegen.writer import literal, typed_literal
from relax_lang.tir.ir import array_ir as ir
from relax_lang.tir.ir.array_ir import Literal
from relax_lang.tir.ir.ir_node import Ref
from relax_lang.tir.lower.values import may_divide_by_zero

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.vector_ir import Vector
    from relax_lang.tir.codegen.writer import Preheader, Writer
    from relax_lang.tir.ir.array_ir import Expr


class Place:
    """Where a value is: an expression, and whether it is an array that may be overwritten when the value is used up."""

    __slots__ = ("own", "value")

    def __init__(self, value: Expr, *, own: bool = False) -> None:
        self.value = value
        self.own = own


class Arrays:
    """Writes the evaluation of expressions over an order of loops.

    `target` is a view of the full shape that may hold what is computed, in the dtype `target_dtype`: the result, and on
    the way to it other values if it is not read itself (`spare`); or only by the load `own`, of the elements that are
    stored, and that has happened.
    """

    def __init__(
        self,
        writer: Writer,
        order: Sequence[str],
        target: Expr | None = None,
        target_dtype: str = "",
        *,
        spare: bool = False,
        own: Load | None = None,
    ) -> None:
        self._writer = writer
        self._order = tuple(order)
        self._target = target
        self._target_dtype = target_dtype
        self._spare = spare
        self._uses: dict[object, int] = {}
        self._places: dict[object, Place] = {}
        self._full = frozenset(order)
        self._own = None if own is None else own.key
        self._resident: object = self._own
        """What the target holds."""

    def value(self, vector: Vector) -> Expr:
        """Write what is needed to compute an expression; return its value."""
        self._count(vector)
        return self._value(vector).value

    def values(self, vectors: Sequence[Vector]) -> list[Expr]:
        """Write what is needed to compute some expressions; return their values."""
        for vector in vectors:
            self._count(vector)
        return [self._value(vector).value for vector in vectors]

    def into_target(self, vector: Vector) -> None:
        """Write the computation of an expression into the target."""
        assert self._target is not None, "there is something to store to"
        half = _widened(vector)
        if half is not None and self._target_dtype == vector.dtype and is_view(self._writer, half.index):
            self._writer.cover(half, self._order)
            value, axes = view(self._writer, half.storage, half.index, self._order)
            self._writer.add(ir.Store(self._target, align(value, axes, self._order)))
            return
        self._count(vector)
        place = self._value(vector, root=True)
        if isinstance(vector, Load) and place.own and isinstance(place.value, ir.Take):
            self._writer.add(ir.Into(self._target, place.value))
        elif place.value != self._target:
            self._writer.add(ir.Store(self._target, place.value))

    def _count(self, vector: Vector) -> None:
        pending = [vector]
        while pending:
            part = pending.pop()
            self._uses[part.key] = self._uses.get(part.key, 0) + 1
            if self._uses[part.key] == 1 and isinstance(part, Apply):
                pending.extend(part.args)

    def _value(self, vector: Vector, *, root: bool = False) -> Place:
        place = self._places.get(vector.key)
        steps = self._writer.steps
        if steps is not None and isinstance(vector, Apply) and place is None:
            place = self._same_in_all_steps(vector, steps)
        if place is None:
            place = self._computed(vector, root=root)
            if self._uses[vector.key] > 1 and not isinstance(vector, Const | Size):
                if not isinstance(place.value, Ref) and place.value != self._target:
                    place = Place(self._writer.name(place.value), own=place.own)
                self._places[vector.key] = place
        return place

    def _used(self, *vectors: Vector) -> None:
        """Note that operands are about to be used: what nothing else needs may be overwritten."""
        for vector in vectors:
            self._uses[vector.key] -= 1

    def _computed(self, vector: Vector, *, root: bool) -> Place:
        if isinstance(vector, Apply):
            return self._apply(vector, root=root)
        if isinstance(vector, Const | Size):
            steps, value = self._writer.steps, _number(vector)
            return Place(value if steps is None else steps.number(self._writer, value))
        if isinstance(vector, Index):
            return self._sum_of_indices(vector, root=root) or Place(self._index(vector.polynomial))
        if isinstance(vector, Named):
            return Place(align(Ref(vector.text, vector.dtype), vector.axes, self._order))
        assert isinstance(vector, Load)
        return self._load(vector)

    def _index(self, polynomial: Polynomial) -> Expr:
        """Return the values of a polynomial over loops."""
        if self._writer.is_fixed(polynomial):
            return ir.Typed(self._writer.number(polynomial), dtypes.INT64)
        return index_values(self._writer, polynomial, self._order)

    def _sum_of_indices(self, vector: Index, *, root: bool) -> Place | None:
        """Write an index over several loops as the sum of one over the outermost loop and one over the others."""
        space, terms = self._writer.space, vector.polynomial.terms
        if not self._is_full(vector) or len(self._order) < 2:
            return None
        parts: list[dict[tuple[str, ...], int]] = [{}, {}]
        for monomial, factor in terms.items():
            parts[self._order[0] not in space.dims(Polynomial({monomial: factor}))][monomial] = factor
        halves = [Polynomial(part) for part in parts]
        if any(space.dims(half) - self._writer.fixed in (frozenset(), self._full) for half in halves):
            return None
        whole = Apply("+", tuple([Index(half, space.dims(half)) for half in halves]), dtypes.INT64)
        self._uses[whole.key] = self._uses[vector.key]
        args = [Place(index_values(self._writer, half, self._order)) for half in halves]
        return self._whole(whole, _operation(whole, [arg.value for arg in args]), args, root=root)

    def _load(self, load: Load) -> Place:
        self._writer.cover(load, self._order)
        if load.key == self._own:
            assert self._target is not None, "its elements are stored to"
            return Place(self._target, own=True)
        if is_view(self._writer, load.index):
            value, axes = view(self._writer, load.storage, load.index, self._order)
            own = False
        else:
            value, axes = gather(self._writer, load.storage, load.index, self._order)
            own = True
        value = align(value, axes, self._order)
        if load.dtype in dtypes.HALVES:
            wide = self._writer.temporary(self._order, dtypes.FLOAT32) if self._is_full(load) else None
            if wide is None:
                return Place(ir.Cast(value, dtypes.FLOAT32), own=True)
            self._writer.add(ir.StoreWhere(wide, value))
            return Place(wide, own=True)
        return Place(value, own=own and self._is_full(load))

    def _apply(self, vector: Apply, *, root: bool) -> Place:
        if vector.op == "cast":
            return self._cast(vector, root=root)
        if vector.op in ("select", "if_then_else"):
            return self._select(vector, root=root)
        if vector.op in ("max", "min"):
            clipped = self._clip(vector, root=root)
            if clipped is not None:
                return clipped
        shifted = shifted_byte(vector)
        if shifted is not None:
            self._uses[shifted.key] = self._uses[vector.key]
            self._uses[shifted.args[1].key] = self._uses.get(shifted.args[1].key, 0) + 1
            vector = shifted
        args = [self._operand(arg, vector) for arg in vector.args]
        self._used(*vector.args)
        value = _operation(vector, [arg.value for arg in args])
        return self._whole(vector, value, args, root=root) if self._is_full(vector) else Place(value)

    def _whole(self, vector: Apply, value: Expr, args: list[Place], *, root: bool) -> Place:
        """Write an operation on whole arrays."""
        return self._placed(vector, value, args, root=root, takes_out=can_write(vector.op, vector.dtype))

    def _same_in_all_steps(self, vector: Apply, steps: Preheader) -> Place | None:
        """Return an expression that is computed before the loop around, if it need not be computed in each step."""
        if not steps.is_same(self._writer, vector, self._order):
            return None
        key = (vector.key, self._order)
        value = steps.computed(self._writer, key, lambda: Arrays(self._writer, self._order).value(vector))
        place = self._places[vector.key] = Place(value)
        return place

    def _same_number(self, vector: Vector) -> Expr:
        """Return the name of a number that is computed before the loop around."""
        steps = self._writer.steps
        assert steps is not None, "there is a loop"

        def number() -> Expr:
            return ir.Call("array", (Arrays(self._writer, ()).value(vector),))

        return steps.computed(self._writer, ("number", vector.key), number, sure=True)

    def _is_full(self, vector: Vector) -> bool:
        return bool(self._order) and vector.dims - self._writer.fixed == self._full - self._writer.fixed

    def _operand(self, arg: Vector, parent: Apply) -> Place:
        """Return the value of an argument; a literal beside an array needs no type."""
        steps, is_mixed = self._writer.steps, takes_python_numbers(parent.op)
        if steps is not None and is_mixed and self._is_full(parent) and _is_number(arg):
            if isinstance(arg, Const | Size):
                return Place(steps.number(self._writer, ir.Call("array", (_number(arg),))))
            if not may_divide_by_zero(arg):
                return Place(self._same_number(arg))
        if isinstance(arg, Const) and any(other.dims for other in parent.args) and is_mixed:
            return Place(literal(arg))
        return self._value(arg)

    def _placed(self, vector: Apply, value: Expr, args: list[Place], *, root: bool, takes_out: bool) -> Place:
        """Write one operation on whole arrays; its result goes where something is free."""
        operands = list(zip(vector.args, args, strict=True))
        out = self._free_place(vector, operands, root=root) if takes_out else None
        if out is not None:
            self._writer.add(ir.Into(out.value, value))
            if out.value == self._target:
                self._resident = vector.key
            return out
        if root and takes_out:
            return Place(value)
        scratch = self._writer.temporary(self._order, dtypes.computed_in(vector.dtype)) if takes_out else None
        if scratch is not None:
            self._writer.add(ir.Into(scratch, value))
            return Place(scratch, own=True)
        return Place(self._writer.name(value), own=True)

    def _free_place(self, vector: Apply, operands: list[tuple[Vector, Place]], *, root: bool) -> Place | None:
        """Return an array that may take the result: the target, or an argument that nothing needs any more."""
        dtype = dtypes.computed_in(vector.dtype)
        fits = self._target is not None and self._target_dtype == dtype
        if root and fits and self._target is not None:
            return Place(self._target, own=True)
        for arg, place in operands:
            if not place.own or dtypes.computed_in(arg.dtype) != dtype or self._uses.get(arg.key):
                continue
            if (self._is_full(arg) and isinstance(place.value, Ref)) or place.value == self._target:
                return place
        if fits and self._target is not None and self._spare and not self._holds_target():
            return Place(self._target, own=True)
        return None

    def _holds_target(self) -> bool:
        """Tell whether the target holds a value that is still needed."""
        return self._resident is not None and self._uses.get(self._resident, 0) > 0

    def _select(self, vector: Apply, *, root: bool) -> Place:
        condition, *choices = [self._operand(arg, vector) for arg in vector.args]
        self._used(*vector.args)
        values = [
            typed_literal(arg) if isinstance(arg, Const) else place.value
            for arg, place in zip(vector.args[1:], choices, strict=True)
        ]
        if not vector.dims - self._writer.fixed:
            return Place(ir.Choice(condition.value, values[0], values[1]))
        if not self._is_full(vector):
            return Place(ir.Select(condition.value, values[0], values[1]))
        operands = list(zip(vector.args[1:], choices, strict=True))
        return self._blend(vector, condition.value, values, operands, root=root)

    def _blend(
        self,
        vector: Apply,
        condition: Expr,
        values: list[Expr],
        operands: list[tuple[Vector, Place]],
        *,
        root: bool,
    ) -> Place:
        """Write a choice on whole arrays; unlike an operation of NumPy, it may not overwrite what it reads shifted."""
        (yes, place), _ = operands
        if values[0] == values[1] and self._is_full(yes):
            return Place(place.value, own=place.own and not self._uses.get(yes.key))
        shape = ir.Tuple(self._writer.extents(self._order))
        call = ir.Call("blend", (condition, values[0], values[1], shape))
        out = self._free_place(vector, operands, root=root and self._spare)
        if out is not None and (out.value == condition or (out.value == self._target and not self._spare)):
            out = None
        if out is None and not root:
            scratch = self._writer.temporary(self._order, dtypes.computed_in(vector.dtype))
            out = None if scratch is None else Place(scratch, own=True)
        if out is not None:
            self._writer.add(ir.Into(out.value, call))
            if out.value == self._target:
                self._resident = vector.key
            return out
        return Place(call) if root else Place(self._writer.name(call), own=True)

    def _clip(self, vector: Apply, *, root: bool) -> Place | None:
        """Return `max(x, c)`, `min(x, c)` or both as a clip, which NumPy does much faster on large arrays."""
        if not self._is_full(vector):
            return None
        found = clip_of(vector, self._uses)
        if found is None:
            return None
        arg = self._operand(found.inner, vector)
        self._used(found.inner)
        least, most = dtypes.INT_RANGES.get(vector.dtype, (float("-inf"), float("inf")))
        lower = self._bound(found.lower) or Literal(least, vector.dtype)
        upper = self._bound(found.upper) or Literal(most, vector.dtype)
        if found.lower_wins:
            assert found.upper is not None, "a bound that comes last has another one before"
            upper = ir.Elementwise("max", (self._value(found.upper).value, lower), vector.dtype)
        clip = Apply("clip", (found.inner,), vector.dtype)
        self._uses[clip.key] = self._uses[vector.key]
        value = ir.Clip(arg.value, lower, upper, dtypes.computed_in(vector.dtype))
        return self._placed(clip, value, [arg], root=root, takes_out=True)

    def _bound(self, bound: Vector | None) -> Expr | None:
        if bound is None:
            return None
        return literal(bound) if isinstance(bound, Const) else self._value(bound).value

    def _cast(self, vector: Apply, *, root: bool) -> Place:
        source, target = vector.args[0].dtype, vector.dtype
        place = self._operand(vector.args[0], vector)
        self._used(vector.args[0])
        value = place.value
        if isinstance(vector.args[0], Const):
            value = typed_literal(vector.args[0])
        if source == target and source not in dtypes.HALVES:
            return place
        if dtypes.is_float(source) and dtypes.is_integer(target):
            return self._to_integer(vector, value, root=root)
        if target == dtypes.FLOAT32 and source in dtypes.HALVES:
            return place  # it is computed in float32 already
        value = ir.Cast(value, target)
        if target in dtypes.HALVES:
            value = ir.Cast(value, dtypes.FLOAT32)
        return Place(self._writer.name(value), own=True) if self._is_full(vector) else Place(value)

    def _to_integer(self, vector: Apply, value: Expr, *, root: bool) -> Place:
        """Return floats as integers: without their fraction, then wrapped into the type, which storing does, too."""
        target = vector.dtype
        if not self._is_full(vector):
            return Place(ir.Call("to_integer", (value, ir.DtypeOf(target))))
        narrow = dtypes.INT_RANGES[target][1] < 1 << 16 and is_within_int32(vector.args[0])
        wide = "int32" if narrow else dtypes.INT64  # a nan gives the least number of either, which wraps to 0
        place: Expr | None = self._writer.temporary(self._order, wide)
        if root and self._spare and wide == self._target_dtype:
            place = self._target
        if place is not None:
            self._writer.add(ir.StoreWhere(place, value))
        else:
            place = self._writer.name(ir.Cast(value, wide))
        if wide == target or (root and self._target_dtype == target):
            return Place(place, own=wide == target)
        return Place(self._writer.name(ir.Cast(place, target)), own=True)


def _number(vector: Const | Size) -> Expr:
    """Return a number of its type; halves are computed as float32."""
    if isinstance(vector, Const):
        return typed_literal(vector)
    value = ir.Typed(Ref(vector.text), vector.dtype)
    return ir.Cast(value, dtypes.FLOAT32) if vector.dtype in dtypes.HALVES else value


def _operation(vector: Apply, args: list[Expr]) -> ir.Elementwise:
    if vector.op in ("/", "//", "%") and not dtypes.is_float(vector.dtype):
        args[1] = _divisor(vector.args[1], args[1])
    return ir.Elementwise(vector.op, tuple(args), dtypes.computed_in(vector.dtype))


def _divisor(divisor: Vector, value: Expr) -> Expr:
    """Return a divisor of integers; where it may be 0 it is checked first."""
    if isinstance(divisor, Const) and divisor.value:
        return value
    if isinstance(divisor, Index) and divisor.polynomial.value:
        return value
    return ir.Call("nonzero", (value,))


def _is_number(vector: Vector) -> bool:
    """Tell whether an expression is made of numbers that are known when the function is called."""
    return all(isinstance(part, Const | Size | Apply) for part in parts_of(vector))


def _widened(vector: Vector) -> Load | None:
    """Return the elements that an expression only converts from a half to float32, as storing them does."""
    if isinstance(vector, Apply) and vector.op == "cast" and vector.dtype == dtypes.FLOAT32:
        load = vector.args[0]
        return load if isinstance(load, Load) and load.dtype in dtypes.HALVES else None
    return None


def value_of(writer: Writer, vector: Vector, order: Sequence[str]) -> Expr:
    """Write what is needed to compute an expression; return its value."""
    return Arrays(writer, order).value(vector)
