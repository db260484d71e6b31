"""Vector expressions as NumPy text: operations one by one, results in arrays that are free again where possible.

Every text stands for an array whose dimensions are the last ones of a given order of loops, with size 1 where the
value does not vary; the dimensions come from the data of the expression, never from its text.
"""

from __future__ import annotations

from relax_lang.base.wording import tuple_text
from relax_lang.syntax import dtypes
from relax_lang.tir import intrinsics
from relax_lang.tir.vectorize.plan import COMBINES
from relax_lang.tir.vectorize.vector import Apply, Const, Index, Load, Named, Size
from relax_lang.tir.vectorize.views import align, gather, index_text, is_view, view
from relax_lang.tir.vectorize.writer import dtype_text, literal, typed_literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.arith.polynomial import Polynomial
    from relax_lang.tir.vectorize.vector import Vector
    from relax_lang.tir.vectorize.writer import Writer

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


_SMALL = ("int8", "uint8", "int16", "uint16")


class Place:
    """An array that holds a value: its text, and whether it may be overwritten when the value is used up."""

    __slots__ = ("own", "text")

    def __init__(self, text: str, *, own: bool = False) -> None:
        self.text = text
        self.own = own


class Arrays:
    """Writes the evaluation of expressions over an order of loops.

    `target` is the text of an array of the full shape that may hold what is computed, in the dtype `target_dtype`:
    the result, and on the way to it other values if it is not read itself (`spare`).
    """

    def __init__(
        self,
        writer: Writer,
        order: Sequence[str],
        target: str = "",
        target_dtype: str = "",
        *,
        spare: bool = False,
    ) -> None:
        self._writer = writer
        self._order = tuple(order)
        self._target = target
        self._target_dtype = target_dtype
        self._spare = spare
        self._uses: dict[object, int] = {}
        self._places: dict[object, Place] = {}
        self._full = frozenset(order)
        self._resident: object = None

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

    def _value(self, vector: Vector, *, root: bool = False) -> Place:
        place = self._places.get(vector.key)
        if place is None:
            place = self._computed(vector, root=root)
            if self._uses[vector.key] > 1 and not isinstance(vector, Const | Size):
                if not place.text.isidentifier() and place.text != self._target:
                    place = Place(self._writer.name(place.text), own=place.own)
                self._places[vector.key] = place
        return place

    def _used(self, *vectors: Vector) -> None:
        """Note that operands are about to be used: what nobody else needs may be overwritten."""
        for vector in vectors:
            self._uses[vector.key] -= 1

    def _computed(self, vector: Vector, *, root: bool) -> Place:
        if isinstance(vector, Apply):
            return self._apply(vector, root=root)
        if isinstance(vector, Const):
            return Place(typed_literal(vector))
        if isinstance(vector, Size):
            text = f"{self._writer.dtype(vector.dtype)}({vector.text})"
            return Place(f"{text}.astype(np.float32)" if vector.dtype in dtypes.HALVES else text)
        if isinstance(vector, Index):
            return Place(self._index(vector.polynomial, root=root))
        if isinstance(vector, Named):
            return Place(align(vector.text, vector.axes, self._order))
        assert isinstance(vector, Load)
        return self._load(vector)

    def _index(self, polynomial: Polynomial, *, root: bool = False) -> str:
        """Return the values of a polynomial over loops."""
        if self._writer.is_fixed(polynomial):
            text = self._writer.number(polynomial)
            return f"np.int64({text})"
        return index_text(self._writer, polynomial, self._order)

    def _load(self, load: Load) -> Place:
        self._writer.cover(load, self._order)
        if is_view(self._writer, load.index):
            text, axes = view(self._writer, load.storage, load.index, self._order)
            own = False
        else:
            text, axes = gather(self._writer, load.storage, load.index, self._order)
            own = True
        text = align(text, axes, self._order)
        if load.dtype in dtypes.HALVES:
            return Place(f"{text}.astype(np.float32)", own=True)
        return Place(text, own=own and self._is_full(load))

    def _apply(self, vector: Apply, *, root: bool) -> Place:
        if vector.op == "cast":
            return self._cast(vector)
        if vector.op in ("select", "if_then_else"):
            return self._select(vector, root=root)
        if vector.op in ("max", "min") and dtypes.is_float(vector.dtype):
            clipped = self._clip(vector, root=root)
            if clipped is not None:
                return clipped
        args = [self._operand(arg, vector) for arg in vector.args]
        self._used(*vector.args)
        texts = [arg.text for arg in args]
        if vector.op in ("/", "//", "%") and not dtypes.is_float(vector.dtype):
            texts[1] = self._divisor(vector.args[1], texts[1])
        if not self._is_full(vector):
            return Place(self._nested(vector, texts))
        function, takes_out = self._function(vector)
        return self._call(vector, function, texts, args, root=root, takes_out=takes_out)

    def _is_full(self, vector: Vector) -> bool:
        return bool(self._order) and vector.dims - self._writer.fixed == self._full - self._writer.fixed

    def _operand(self, arg: Vector, parent: Apply) -> Place:
        """Return the value of an argument; a literal beside an array needs no type."""
        if isinstance(arg, Const) and any(other.dims for other in parent.args) and _is_mixed(parent):
            return Place(literal(arg))
        place = self._value(arg)
        if len(place.text) > 72 and not place.text.startswith("np.int64("):
            name = self._writer.name(place.text)
            if arg.key in self._places:
                self._places[arg.key] = Place(name, own=place.own)
            return Place(name, own=place.own)
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
        return (name, True) if name.startswith("np.") else (self._writer.helper(name), False)

    def _call(
        self,
        vector: Apply,
        function: str,
        texts: list[str],
        args: list[Place],
        *,
        root: bool,
        takes_out: bool,
    ) -> Place:
        """Write one operation on whole arrays; its result goes where something is free."""
        call = f"{function}({', '.join(texts)}"
        out = self._free_place(vector, args, root=root) if takes_out else None
        if out is not None:
            self._writer.line(f"{call}, out={out.text})")
            if out.text == self._target:
                self._resident = vector.key
            return out
        if root and takes_out:
            return Place(call + ")")
        return Place(self._writer.name(call + ")"), own=True)

    def _free_place(self, vector: Apply, args: list[Place], *, root: bool) -> Place | None:
        """Return an array that may take the result: the target, or an argument that nobody needs any more."""
        dtype = dtypes.computed_in(vector.dtype)
        fits = self._target != "" and self._target_dtype == dtype
        if root and fits:
            return Place(self._target, own=True)
        for arg, place in zip(vector.args, args, strict=True):
            if not place.own or dtypes.computed_in(arg.dtype) != dtype or self._uses.get(arg.key):
                continue
            if (self._is_full(arg) and place.text.isidentifier()) or place.text == self._target:
                return place
        if fits and self._spare and not self._holds_target():
            return Place(self._target, own=True)
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

    def _select(self, vector: Apply, *, root: bool) -> Place:
        condition, yes, no = [self._operand(arg, vector) for arg in vector.args]
        self._used(*vector.args)
        texts = [place.text for place in (yes, no)]
        for at, arg in enumerate(vector.args[1:]):
            if isinstance(arg, Const):
                texts[at] = typed_literal(arg)
        if not vector.dims - self._writer.fixed:
            return Place(f"({texts[0]} if {condition.text} else {texts[1]})")
        call = f"np.where({condition.text}, {texts[0]}, {texts[1]})"
        if self._is_full(vector) and dtypes.is_number(vector.dtype) and vector.dtype not in _SMALL:
            shape = tuple_text([self._writer.extent(self._writer.space.loops[name]) for name in self._order])
            call = f"{self._writer.helper('blend')}({condition.text}, {texts[0]}, {texts[1]}, {shape})"
        if root or not self._is_full(vector):
            return Place(call)
        return Place(self._writer.name(call), own=True)

    def _clip(self, vector: Apply, *, root: bool) -> Place | None:
        """Return `max(x, c)`, `min(x, c)` or both as a clip, which NumPy does much faster on large arrays."""
        if not self._is_full(vector):
            return None
        limits = {"max": "-np.inf", "min": "np.inf"}
        inner: Vector = vector
        known = True
        while (
            isinstance(inner, Apply)
            and inner.op in ("max", "min")
            and isinstance(inner.args[1], Const | Size)
        ):
            if (inner is not vector and self._uses[inner.key] > 1) or "inf" not in limits[inner.op]:
                break
            bound = inner.args[1]
            if not (known and isinstance(bound, Const)) and inner is not vector and inner.op == "min":
                break  # a clip ends with its upper bound, whatever the lower one is
            known = known and isinstance(bound, Const)
            limits[inner.op] = literal(bound) if isinstance(bound, Const) else self._value(bound).text
            inner = inner.args[0]
        if inner is vector or "nan" in "".join(limits.values()):
            return None
        if known and float(limits["max"].replace("np.", "")) > float(limits["min"].replace("np.", "")):
            return None
        arg = self._operand(inner, vector)
        self._used(inner)
        texts = [arg.text, limits["max"], limits["min"]]
        clip = Apply("clip", (inner,), vector.dtype)
        self._uses[clip.key] = self._uses[vector.key]
        return self._call(clip, "np.clip", texts, [arg], root=root, takes_out=True)

    def _cast(self, vector: Apply) -> Place:
        source, target = vector.args[0].dtype, vector.dtype
        place = self._operand(vector.args[0], vector)
        self._used(vector.args[0])
        text = place.text
        if isinstance(vector.args[0], Const):
            text = typed_literal(vector.args[0])
        if source == target and source not in dtypes.HALVES:
            return place
        if dtypes.is_float(source) and dtypes.is_integer(target):
            return self._named_if_full(
                vector, f"{self._writer.helper('to_integer')}({text}, {dtype_text(target)})"
            )
        if target == dtypes.FLOAT32 and source in dtypes.HALVES:
            return place  # it is computed in float32 already
        text = f"{text}.astype({self._writer.dtype(target)})"
        if target in dtypes.HALVES:
            text = f"{text}.astype(np.float32)"
        return self._named_if_full(vector, text)

    def _named_if_full(self, vector: Vector, text: str) -> Place:
        return Place(self._writer.name(text), own=True) if self._is_full(vector) else Place(text)


def _is_mixed(parent: Apply) -> bool:
    """Tell whether an operation takes Python numbers beside arrays and computes in the dtype of the arrays."""
    return parent.op in UFUNCS or parent.op == "/"


def assignable(target: str) -> str:
    """Return a target so that an assignment fills it."""
    return target if target.endswith("]") else f"{target}[...]"


def text_of(writer: Writer, vector: Vector, order: Sequence[str]) -> str:
    """Write what is needed to compute an expression; return the text of its value."""
    return Arrays(writer, order).text(vector)
