"""Vector expressions as NumPy text: operations one by one, results in arrays that are free again where possible.

Every text stands for an array whose dimensions are the last ones of a given order of loops, with size 1 where the
value does not vary; the dimensions come from the data of the expression, never from its text.
"""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.base.wording import tuple_text
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.vector_ir import Apply, Const, Index, Load, Named, Size, parts_of
from relax_lang.tir.codegen.peephole import clip_of, is_within_int32
from relax_lang.tir.codegen.views import align, gather, index_text, is_view, view
from relax_lang.tir.codegen.writer import dtype_text, literal, typed_literal
from relax_lang.tir.ir import intrinsics
from relax_lang.tir.lower.values import may_divide_by_zero
from relax_lang.tir.schedule.plan import COMBINES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.vector_ir import Vector
    from relax_lang.tir.codegen.writer import Preheader, Writer

INFIX = {
    "+": "+", "-": "-", "*": "*", "==": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
    "&&": "&", "||": "|", "&": "&", "|": "|", "^": "^", "<<": "<<", ">>": ">>",
}  # fmt: skip
UFUNCS = {
    **COMBINES, "-": "np.subtract", "neg": "np.negative", "~": "np.invert", "!": "np.logical_not",
    "==": "np.equal", "!=": "np.not_equal", "<": "np.less", "<=": "np.less_equal", ">": "np.greater",
    ">=": "np.greater_equal", "<<": "np.left_shift", ">>": "np.right_shift", "//": "np.floor_divide",
    "%": "np.remainder",
}  # fmt: skip
"""Operations that NumPy has one function for, which can write to an array."""


_TAKES_OUT = ("erf",)
"""The functions of the prelude that can write to an array, as NumPy's own do."""


class Target:
    """An array that holds a value: its text, and whether it may be overwritten when the value is used up."""

    __slots__ = ("own", "text")

    def __init__(self, text: str, *, own: bool = False) -> None:
        self.text = text
        self.own = own


class Arrays:
    """Writes the evaluation of expressions over an order of loops.

    `target` is the text of an array of the full shape that may hold what is computed, in the dtype `target_dtype`:
    the result, and on the way to it other values if it is not read itself (`spare`); or only by the load `own`, of
    the elements that are stored, and that has happened.
    """

    def __init__(
        self,
        writer: Writer,
        order: Sequence[str],
        target: str = "",
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
        self._places: dict[object, Target] = {}
        self._full = frozenset(order)
        self._own = None if own is None else own.key
        self._resident: object = self._own
        """What the target holds."""

    def text(self, vector: Vector) -> str:
        """Write what is needed to compute an expression; return the text of its value."""
        self._count(vector)
        return self._value(vector).text

    def texts(self, vectors: Sequence[Vector]) -> list[str]:
        """Write what is needed to compute some expressions; return the texts of their values."""
        for vector in vectors:
            self._count(vector)
        return [self._value(vector).text for vector in vectors]

    def into_target(self, vector: Vector) -> None:
        """Write the computation of an expression into the target."""
        half = _widened(vector)
        if half is not None and self._target_dtype == vector.dtype and is_view(self._writer, half.index):
            self._writer.cover(half, self._order)
            text, axes = view(self._writer, half.storage, half.index, self._order)
            self._writer.line(f"{assignable(self._target)} = {align(text, axes, self._order)}")
            return
        self._count(vector)
        place = self._value(vector, root=True)
        if isinstance(vector, Load) and place.own and place.text.endswith(', mode="clip")'):
            self._writer.line(f"{place.text[:-1]}, out={self._target})")
        elif place.text != self._target:
            self._writer.line(f"{assignable(self._target)} = {place.text}")

    def _count(self, vector: Vector) -> None:
        pending = [vector]
        while pending:
            part = pending.pop()
            self._uses[part.key] = self._uses.get(part.key, 0) + 1
            if self._uses[part.key] == 1 and isinstance(part, Apply):
                pending.extend(part.args)

    def _value(self, vector: Vector, *, root: bool = False) -> Target:
        place = self._places.get(vector.key)
        steps = self._writer.steps
        if steps is not None and isinstance(vector, Apply) and place is None:
            place = self._same_in_all_steps(vector, steps)
        if place is None:
            place = self._computed(vector, root=root)
            if self._uses[vector.key] > 1 and not isinstance(vector, Const | Size):
                if not place.text.isidentifier() and place.text != self._target:
                    place = Target(self._writer.name(place.text), own=place.own)
                self._places[vector.key] = place
        return place

    def _used(self, *vectors: Vector) -> None:
        """Note that operands are about to be used: what nobody else needs may be overwritten."""
        for vector in vectors:
            self._uses[vector.key] -= 1

    def _computed(self, vector: Vector, *, root: bool) -> Target:
        if isinstance(vector, Apply):
            return self._apply(vector, root=root)
        if isinstance(vector, Const | Size):
            steps, text = self._writer.steps, self._number(vector)
            return Target(text if steps is None else steps.number(self._writer, text))
        if isinstance(vector, Index):
            return self._sum_of_indices(vector, root=root) or Target(
                self._index(vector.polynomial, root=root)
            )
        if isinstance(vector, Named):
            return Target(align(vector.text, vector.axes, self._order))
        assert isinstance(vector, Load)
        return self._load(vector)

    def _number(self, vector: Const | Size) -> str:
        """Return a number as a NumPy scalar of its type."""
        if isinstance(vector, Const):
            return typed_literal(vector)
        text = f"{self._writer.dtype(vector.dtype)}({vector.text})"
        return f"{text}.astype(np.float32)" if vector.dtype in dtypes.HALVES else text

    def _index(self, polynomial: Polynomial, *, root: bool = False) -> str:
        """Return the values of a polynomial over loops."""
        if self._writer.is_fixed(polynomial):
            text = self._writer.number(polynomial)
            return f"np.int64({text})"
        return index_text(self._writer, polynomial, self._order)

    def _sum_of_indices(self, vector: Index, *, root: bool) -> Target | None:
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
        texts = [index_text(self._writer, half, self._order) for half in halves]
        return self._call(whole, "np.add", texts, [Target(text) for text in texts], root=root, takes_out=True)

    def _load(self, load: Load) -> Target:
        self._writer.cover(load, self._order)
        if load.key == self._own:
            return Target(self._target, own=True)
        if is_view(self._writer, load.index):
            text, axes = view(self._writer, load.storage, load.index, self._order)
            own = False
        else:
            text, axes = gather(self._writer, load.storage, load.index, self._order)
            own = True
        text = align(text, axes, self._order)
        if load.dtype in dtypes.HALVES:
            wide = self._writer.temporary(self._order, dtypes.FLOAT32) if self._is_full(load) else None
            if wide is None:
                return Target(f"{text}.astype(np.float32)", own=True)
            self._writer.line(f"np.copyto({wide}, {text})")
            return Target(wide, own=True)
        return Target(text, own=own and self._is_full(load))

    def _apply(self, vector: Apply, *, root: bool) -> Target:
        if vector.op == "cast":
            return self._cast(vector, root=root)
        if vector.op in ("select", "if_then_else"):
            return self._select(vector, root=root)
        if vector.op in ("max", "min"):
            clipped = self._clip(vector, root=root)
            if clipped is not None:
                return clipped
        shifted = _shifted_byte(vector)
        if shifted is not None:
            self._uses[shifted.key] = self._uses[vector.key]
            self._uses[shifted.args[1].key] = self._uses.get(shifted.args[1].key, 0) + 1
            vector = shifted
        args = [self._operand(arg, vector) for arg in vector.args]
        self._used(*vector.args)
        texts = [arg.text for arg in args]
        if vector.op in ("/", "//", "%") and not dtypes.is_float(vector.dtype):
            texts[1] = self._divisor(vector.args[1], texts[1])
        if not self._is_full(vector):
            return Target(self._nested(vector, texts))
        function, takes_out = self._function(vector)
        return self._call(vector, function, texts, args, root=root, takes_out=takes_out)

    def _same_in_all_steps(self, vector: Apply, steps: Preheader) -> Target | None:
        """Return an expression that is computed before the loop around, if there is no need to do it in each step."""
        if not steps.is_same(self._writer, vector, self._order):
            return None
        key = (vector.key, self._order)
        text = steps.computed(self._writer, key, lambda: Arrays(self._writer, self._order).text(vector))
        place = self._places[vector.key] = Target(text)
        return place

    def _same_number(self, vector: Vector) -> str:
        """Return the name of a number that is computed before the loop around."""
        steps = self._writer.steps
        assert steps is not None, "there is a loop"
        key = ("number", vector.key)
        return steps.computed(
            self._writer, key, lambda: f"np.array({Arrays(self._writer, ()).text(vector)})", sure=True
        )

    def _is_full(self, vector: Vector) -> bool:
        return bool(self._order) and vector.dims - self._writer.fixed == self._full - self._writer.fixed

    def _operand(self, arg: Vector, parent: Apply) -> Target:
        """Return the value of an argument; a literal beside an array needs no type."""
        steps = self._writer.steps
        if steps is not None and _is_mixed(parent) and self._is_full(parent) and _is_number(arg):
            if isinstance(arg, Const | Size):
                return Target(steps.number(self._writer, f"np.array({self._number(arg)})"))
            if not may_divide_by_zero(arg):
                return Target(self._same_number(arg))
        if isinstance(arg, Const) and any(other.dims for other in parent.args) and _is_mixed(parent):
            return Target(literal(arg))
        place = self._value(arg)
        if len(place.text) > 72 and not place.text.startswith("np.int64("):
            name = self._writer.name(place.text)
            if arg.key in self._places:
                self._places[arg.key] = Target(name, own=place.own)
            return Target(name, own=place.own)
        return place

    def _nested(self, vector: Apply, texts: list[str]) -> str:
        """Return an operation on small arrays or numbers as an expression."""
        if vector.op in INFIX:
            return f"({texts[0]} {INFIX[vector.op]} {texts[1]})"
        if vector.op in ("//", "%") or (vector.op == "/" and dtypes.is_float(vector.dtype)):
            return f"({texts[0]} {vector.op} {texts[1]})"
        if vector.op in ("neg", "~"):
            return f"({'-' if vector.op == 'neg' else '~'}{texts[0]})"
        return f"{self._function(vector)[0]}({', '.join(texts)})"

    def _function(self, vector: Apply) -> tuple[str, bool]:
        """Return the function of an operation, and whether it can write to an array."""
        if vector.op == "/":
            if dtypes.is_float(vector.dtype):
                return "np.divide", True
            return self._writer.helper("truncated_quotient"), False
        if vector.op in UFUNCS:
            return UFUNCS[vector.op], True
        name = intrinsics.INTRINSICS[vector.op].function
        return (name, True) if name.startswith("np.") else (self._writer.helper(name), name in _TAKES_OUT)

    def _call(
        self,
        vector: Apply,
        function: str,
        texts: list[str],
        args: list[Target],
        *,
        root: bool,
        takes_out: bool,
    ) -> Target:
        """Write one operation on whole arrays; its result goes where something is free."""
        call = f"{function}({', '.join(texts)}"
        operands = list(zip(vector.args, args, strict=True))
        out = self._free_place(vector, operands, root=root) if takes_out else None
        if out is not None:
            self._writer.line(f"{call}, out={out.text})")
            if out.text == self._target:
                self._resident = vector.key
            return out
        if root and takes_out:
            return Target(call + ")")
        scratch = self._writer.temporary(self._order, dtypes.computed_in(vector.dtype)) if takes_out else None
        if scratch is not None:
            self._writer.line(f"{call}, out={scratch})")
            return Target(scratch, own=True)
        return Target(self._writer.name(call + ")"), own=True)

    def _free_place(
        self, vector: Apply, operands: list[tuple[Vector, Target]], *, root: bool
    ) -> Target | None:
        """Return an array that may take the result: the target, or an argument that nobody needs any more."""
        dtype = dtypes.computed_in(vector.dtype)
        fits = self._target != "" and self._target_dtype == dtype
        if root and fits:
            return Target(self._target, own=True)
        for arg, place in operands:
            if not place.own or dtypes.computed_in(arg.dtype) != dtype or self._uses.get(arg.key):
                continue
            if (self._is_full(arg) and place.text.isidentifier()) or place.text == self._target:
                return place
        if fits and self._spare and not self._holds_target():
            return Target(self._target, own=True)
        return None

    def _holds_target(self) -> bool:
        """Tell whether the target holds a value that is still needed."""
        return self._resident is not None and self._uses.get(self._resident, 0) > 0

    def _divisor(self, divisor: Vector, text: str) -> str:
        """Return a divisor of integers; where it may be 0 it is looked at first."""
        if isinstance(divisor, Const) and divisor.value:
            return text
        if isinstance(divisor, Index) and divisor.polynomial.value:
            return text
        return f"{self._writer.check('nonzero')}({text})"

    def _select(self, vector: Apply, *, root: bool) -> Target:
        condition, yes, no = [self._operand(arg, vector) for arg in vector.args]
        self._used(*vector.args)
        texts = [place.text for place in (yes, no)]
        for at, arg in enumerate(vector.args[1:]):
            if isinstance(arg, Const):
                texts[at] = typed_literal(arg)
        if not vector.dims - self._writer.fixed:
            return Target(f"({texts[0]} if {condition.text} else {texts[1]})")
        call = f"np.where({condition.text}, {texts[0]}, {texts[1]})"
        if self._is_full(vector):
            operands = list(zip(vector.args[1:], (yes, no), strict=True))
            return self._blend(vector, condition.text, texts, operands, root=root)
        return Target(call)

    def _blend(
        self,
        vector: Apply,
        condition: str,
        texts: list[str],
        operands: list[tuple[Vector, Target]],
        *,
        root: bool,
    ) -> Target:
        """Write a choice on whole arrays; unlike an operation of NumPy, it may not overwrite what it reads shifted."""
        if texts[0] == texts[1] and self._is_full(operands[0][0]):
            return operands[0][1]
        shape = tuple_text([self._writer.extent(self._writer.space.loops[name]) for name in self._order])
        call = f"{self._writer.helper('blend')}({condition}, {texts[0]}, {texts[1]}, {shape}"
        out = self._free_place(vector, operands, root=root and self._spare)
        if out is not None and (out.text == condition or (out.text == self._target and not self._spare)):
            out = None
        if out is None and not root:
            scratch = self._writer.temporary(self._order, dtypes.computed_in(vector.dtype))
            out = None if scratch is None else Target(scratch, own=True)
        if out is not None:
            self._writer.line(f"{call}, out={out.text})")
            if out.text == self._target:
                self._resident = vector.key
            return out
        return Target(call + ")") if root else Target(self._writer.name(call + ")"), own=True)

    def _clip(self, vector: Apply, *, root: bool) -> Target | None:
        """Return `max(x, c)`, `min(x, c)` or both as a clip, which NumPy does much faster on large arrays."""
        if not self._is_full(vector):
            return None
        found = clip_of(vector, self._uses)
        if found is None:
            return None
        arg = self._operand(found.inner, vector)
        self._used(found.inner)
        lower, upper = [self._bound(bound) for bound in (found.lower, found.upper)]
        if found.lower_wins:
            assert found.upper is not None, "a bound that comes last has another one before"
            upper = f"np.maximum({self._value(found.upper).text}, {lower})"
        limits = dtypes.INT_RANGES.get(vector.dtype, ("-np.inf", "np.inf"))
        texts = [arg.text, lower or str(limits[0]), upper or str(limits[1])]
        clip = Apply("clip", (found.inner,), vector.dtype)
        self._uses[clip.key] = self._uses[vector.key]
        return self._call(clip, "np.clip", texts, [arg], root=root, takes_out=True)

    def _bound(self, bound: Vector | None) -> str:
        if bound is None:
            return ""
        return literal(bound) if isinstance(bound, Const) else self._value(bound).text

    def _cast(self, vector: Apply, *, root: bool) -> Target:
        source, target = vector.args[0].dtype, vector.dtype
        place = self._operand(vector.args[0], vector)
        self._used(vector.args[0])
        text = place.text
        if isinstance(vector.args[0], Const):
            text = typed_literal(vector.args[0])
        if source == target and source not in dtypes.HALVES:
            return place
        if dtypes.is_float(source) and dtypes.is_integer(target):
            return self._to_integer(vector, text, root=root)
        if target == dtypes.FLOAT32 and source in dtypes.HALVES:
            return place  # it is computed in float32 already
        text = f"{text}.astype({self._writer.dtype(target)})"
        if target in dtypes.HALVES:
            text = f"{text}.astype(np.float32)"
        return self._named_if_full(vector, text)

    def _to_integer(self, vector: Apply, text: str, *, root: bool) -> Target:
        """Return floats as integers: without their fraction, then wrapped into the type, which storing does, too."""
        target = vector.dtype
        if not self._is_full(vector):
            return Target(f"{self._writer.helper('to_integer')}({text}, {dtype_text(target)})")
        narrow = dtypes.INT_RANGES[target][1] < 1 << 16 and is_within_int32(vector.args[0])
        wide = "int32" if narrow else dtypes.INT64  # a nan gives the least number of either, which wraps to 0
        place = self._writer.temporary(self._order, wide)
        if root and self._spare and wide == self._target_dtype:
            place = self._target
        if place is not None:
            self._writer.line(f'np.copyto({place}, {text}, casting="unsafe")')
        else:
            place = self._writer.name(f"{text}.astype({dtype_text(wide)})")
        if wide == target or (root and self._target_dtype == target):
            return Target(place, own=wide == target)
        return Target(self._writer.name(f"{place}.astype({dtype_text(target)})"), own=True)

    def _named_if_full(self, vector: Vector, text: str) -> Target:
        return Target(self._writer.name(text), own=True) if self._is_full(vector) else Target(text)


def _is_mixed(parent: Apply) -> bool:
    """Tell whether an operation takes Python numbers beside arrays and computes in the dtype of the arrays."""
    return parent.op in UFUNCS or parent.op == "/"


def _is_number(vector: Vector) -> bool:
    """Tell whether an expression is made of numbers that are known when the function is called."""
    return all(isinstance(part, Const | Size | Apply) for part in parts_of(vector))


def _widened(vector: Vector) -> Load | None:
    """Return the elements that an expression only converts from a half to float32, as storing them does."""
    if isinstance(vector, Apply) and vector.op == "cast" and vector.dtype == dtypes.FLOAT32:
        load = vector.args[0]
        return load if isinstance(load, Load) and load.dtype in dtypes.HALVES else None
    return None


def _shifted_byte(vector: Apply) -> Apply | None:
    """Return the shift of bytes by a number as a product, which NumPy computes more than ten times as fast."""
    shift = vector.args[1] if vector.op == "<<" else None
    if vector.dtype not in ("int8", "uint8") or not isinstance(shift, Const) or not 0 <= shift.value < 8:
        return None
    factor = 1 << int(shift.value)
    factor = factor if factor <= dtypes.INT_RANGES[vector.dtype][1] else -factor
    return Apply("*", (vector.args[0], Const(factor, vector.dtype)), vector.dtype)


def assignable(target: str) -> str:
    """Return a target so that an assignment fills it."""
    return target if target.endswith("]") else f"{target}[...]"


def text_of(writer: Writer, vector: Vector, order: Sequence[str]) -> str:
    """Write what is needed to compute an expression; return the text of its value."""
    return Arrays(writer, order).text(vector)
