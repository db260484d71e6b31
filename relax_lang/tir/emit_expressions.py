"""Vector expressions as NumPy text.

Every text stands for an array whose dimensions are the last ones of a given order of loops, with size 1 where
the value does not vary; the dimensions come from the data of the expression, never from its text.
"""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.syntax import dtypes
from relax_lang.tir import intrinsics
from relax_lang.tir.vector import Apply, Const, Iota, Load, Loop, Size, Vector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.arith.polynomial import Polynomial
    from relax_lang.tir.vector import Storage

    Index = tuple[Polynomial, ...]

LONG = 72
"""A longer expression is broken up by naming its parts."""

INFIX = {
    "+": "+", "-": "-", "*": "*", "==": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
    "&&": "&", "||": "|", "&": "&", "|": "|", "^": "^", "<<": "<<", ">>": ">>",
}  # fmt: skip
UFUNCS = {
    "+": "np.add", "-": "np.subtract", "*": "np.multiply", "min": "np.minimum", "max": "np.maximum",
    "&": "np.bitwise_and", "|": "np.bitwise_or", "^": "np.bitwise_xor", "neg": "np.negative",
}  # fmt: skip
"""Operations that can write to an array of their own dtype directly."""


class Writer:
    """Collects the lines of a generated function, the names in it and the helpers that it needs."""

    def __init__(self, names: FreshNames, loops: dict[str, Loop]) -> None:
        self.lines: list[str] = []
        self.helpers: set[str] = set()
        self.names = names
        self.loops = loops
        self.depth = 1
        self.fixed: set[str] = set()
        """The loops that a Python `for` around the current lines runs: their variables are numbers there."""
        self.may_fail_late = False
        """Whether a line can hand the call over to the interpreter after the entry."""

    def line(self, text: str) -> None:
        """Add a line at the current depth."""
        self.lines.append("    " * self.depth + text if text else "")

    def named(self, text: str) -> str:
        """Give a long expression a name of its own."""
        if len(text) <= LONG:
            return text
        name = self.names.fresh("t")
        self.line(f"{name} = {text}")
        return name

    def helper(self, name: str) -> str:
        """Note the use of a function of the prelude."""
        self.helpers.add(name)
        return name

    def expression(self, vector: Vector, order: Sequence[str]) -> str:
        """Return the text of an expression, aligned to an order of loops."""
        if isinstance(vector, Const):
            return constant(vector)
        if isinstance(vector, Size):
            return self._size(vector)
        if isinstance(vector, Iota):
            extent = vector.loop.extent
            if vector.loop.name in self.fixed:
                return f"np.int64({vector.loop.name})"
            return align(f"np.arange({extent}, dtype=np.int64)", [vector.loop.name], order)
        if isinstance(vector, Load):
            return self._load(vector, order)
        assert isinstance(vector, Apply)
        return self._apply(vector, order)

    def _size(self, size: Size) -> str:
        self.needs(size.dtype)
        text = f"{dtype_text(size.dtype)}({size.text})"
        return f"{text}.astype(np.float32)" if size.dtype in dtypes.HALVES else text

    def _load(self, load: Load, order: Sequence[str]) -> str:
        text, axes = view(self, load.storage, load.index, order)
        text = align(text, axes, order)
        return f"{text}.astype(np.float32)" if load.dtype in dtypes.HALVES else text

    def _apply(self, vector: Apply, order: Sequence[str]) -> str:
        if vector.op == "cast":
            return self._cast(vector, order)
        args = [self.named(self.expression(arg, order)) for arg in vector.args]
        if vector.op in INFIX:
            return f"({args[0]} {INFIX[vector.op]} {args[1]})"
        if vector.op in ("/", "//", "%"):
            return self._division(vector, args)
        if vector.op in ("neg", "~", "!"):
            return f"({'-' if vector.op == 'neg' else '~'}{args[0]})"
        return f"{self.function(vector.op)}({', '.join(args)})"

    def function(self, op: str) -> str:
        """Return the function of an operation or intrinsic."""
        if op == "select":
            return "np.where"
        if op in UFUNCS:
            return UFUNCS[op]
        name = intrinsics.INTRINSICS[op].function
        return name if name.startswith("np.") else self.helper(name)

    def _division(self, vector: Apply, args: list[str]) -> str:
        if dtypes.is_float(vector.dtype):
            return f"({args[0]} {vector.op} {args[1]})"
        divisor = vector.args[1]
        if not (isinstance(divisor, Const) and divisor.value):
            self.may_fail_late = True
            args[1] = f"{self.helper('nonzero')}({args[1]})"
        if vector.op == "/":
            return f"{self.helper('truncated_quotient')}({args[0]}, {args[1]})"
        return f"({args[0]} {vector.op} {args[1]})"

    def _cast(self, vector: Apply, order: Sequence[str]) -> str:
        source, target = vector.args[0].dtype, vector.dtype
        text = self.expression(vector.args[0], order)
        if source == target and source not in dtypes.HALVES:
            return text
        text = self.named(text)
        if dtypes.is_float(source) and dtypes.is_integer(target):
            return f"{self.helper('to_integer')}({text}, {dtype_text(target)})"
        if target == dtypes.FLOAT32 and source in dtypes.HALVES:
            return text  # it is computed in float32 already
        text = f"{text}.astype({dtype_text(target)})"
        if target in dtypes.HALVES:
            self.needs(target)
            text = f"{text}.astype(np.float32)"
        return text

    def needs(self, dtype: str) -> None:
        """Note the use of a dtype; bfloat16 has a package of its own."""
        if dtype == "bfloat16":
            self.helpers.add("ml_dtypes")


def dtype_text(dtype: str) -> str:
    """Return a dtype as Python text."""
    if dtype == "bfloat16":
        return "ml_dtypes.bfloat16"
    return "np.bool_" if dtype == dtypes.BOOL else f"np.{dtype}"


def constant(vector: Const) -> str:
    """Return a literal as a NumPy scalar of its type."""
    if vector.dtype == dtypes.BOOL:
        return f"np.bool_({bool(vector.value)})"
    value = repr(vector.value)
    if value in ("inf", "-inf", "nan"):
        value = value.replace("inf", "np.inf").replace("nan", "np.nan")
    return f"np.{dtypes.computed_in(vector.dtype)}({value})"


def view(writer: Writer, storage: Storage, index: Index, order: Sequence[str]) -> tuple[str, list[str]]:
    """Return the text of the elements that an index names, and the loops along its dimensions."""
    parts = [_affine(writer, part) for part in index]
    along = [name for names, _, _ in parts for name in names]
    simple = len(set(along)) == len(along)
    for names, factors, _ in parts:
        simple = simple and len(names) <= 1 and (not names or factors[0].value is not None)
    if not simple:
        return _strided(writer, storage, parts, order)
    slices: list[str] = []
    flips: list[str] = []
    full = True
    for (names, factors, start), size in zip(parts, sizes_of(storage), strict=True):
        if not names:
            slices.append(str(start))
            full = False
            continue
        step = factors[0].value or 1
        text, whole = _slice(start, writer.loops[names[0]].extent, step, size)
        slices.append(text)
        flips.append("::-1" if step < 0 else ":")
        full = full and whole
    text = storage.name
    if not full or not slices:
        text += f"[{', '.join(slices) or '()'}]"
    if "::-1" in flips:
        text += f"[{', '.join(flips)}]"
    return text, along


def sizes_of(storage: Storage) -> tuple[Polynomial, ...]:
    """Return the sizes of the array behind a storage: those of its outer loops come first."""
    return (*[loop.extent for loop in storage.outer], *storage.shape)


def _affine(writer: Writer, part: Polynomial) -> tuple[list[str], list[Polynomial], Polynomial]:
    """Split an index into its loop variables, their factors, and the rest."""
    names = sorted((part.names() & writer.loops.keys()) - writer.fixed, key=list(writer.loops).index)
    factors: list[Polynomial] = []
    for name in names:
        factor = part.coefficient(name)
        assert factor is not None, "a power of a loop variable is refused before"
        factors.append(factor)
    return names, factors, part.without(set(names))


def _slice(start: Polynomial, extent: Polynomial, step: int, size: Polynomial) -> tuple[str, bool]:
    """Return `a:b:c` for `extent` elements from `start` by `step`, and whether that is the whole dimension.

    With a negative step the slice names the same elements from below; the caller turns it around. An empty range
    gives an empty slice, whatever its start.
    """
    if step < 0:
        start = start + (extent - 1) * step
    width = abs(step)
    if width == 1 and start.value == 0 and extent == size:
        return ":", True
    stop = start + extent * width
    first = "" if start.value == 0 else str(start)
    return f"{first}:{stop}" + (f":{width}" if width != 1 else ""), False


def _strided(
    writer: Writer,
    storage: Storage,
    parts: list[tuple[list[str], list[Polynomial], Polynomial]],
    order: Sequence[str],
) -> tuple[str, list[str]]:
    used = {name for names, _, _ in parts for name in names}
    along = [name for name in order if name in used]
    starts = ", ".join([f"{start}" for _, _, start in parts])
    extents = ", ".join([f"{writer.loops[name].extent}" for name in along])
    steps: list[str] = []
    for name in along:
        row = [str(dict(zip(names, factors, strict=True)).get(name, 0)) for names, factors, _ in parts]
        steps.append(f"({', '.join(row)},)")
    helper = writer.helper("affine_view")
    return f"{helper}({storage.name}, ({starts},), ({extents},), ({', '.join(steps)},))", along


def align(text: str, axes: Sequence[str], order: Sequence[str]) -> str:
    """Return the text of an array with dimensions `axes` as one with the last dimensions of `order`."""
    if not axes:
        return text
    wanted = [name for name in order if name in axes]
    if list(axes) != wanted:
        text += f".transpose({', '.join([str(list(axes).index(name)) for name in wanted])})"
    tail = list(order)[list(order).index(wanted[0]) :]
    if len(tail) > len(wanted):
        text += f"[{', '.join([':' if name in axes else 'None' for name in tail])}]"
    return text
