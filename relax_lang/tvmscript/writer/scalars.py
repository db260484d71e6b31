"""Scalar expressions of PrimFuncs in TVM's notation; an index has the dtype that `index_dtypes` finds."""

from __future__ import annotations

from relax_lang.base.node import assert_never, children
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import INT64, INTEGERS
from relax_lang.tir.ir.intrinsics import INTRINSICS, REINTERPRET
from relax_lang.tir.ir.symbols import AXIS, DIM, LOOP
from relax_lang.tir.ir.typing.well_typed import analyse
from relax_lang.tvmscript.index_dtypes import INT32, Occurrences, declared, exceptions, of_axis, of_indices
from relax_lang.tvmscript.writer.struct_infos import INFIX, PREC_ATOM, PREC_UNARY
from relax_lang.tvmscript.writer.text import OLDER, Lines, Names, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard

    from relax_lang.tir.ir.symbols import Symbol

    Infix = (
        tree.Add | tree.Sub | tree.Mul | tree.FloorDiv | tree.FloorMod | tree.AnyComparison | tree.AnyLogical
    )  # fmt: skip
    Called = (
        tree.Div | tree.Min | tree.Max | tree.Select | tree.Not | tree.BitNot | tree.AnyBitwise
        | tree.Cast | tree.TypeLimit | tree.PrimCall
    )  # fmt: skip

BITS = {
    tree.BitAnd: "bitwise_and",
    tree.BitOr: "bitwise_or",
    tree.BitXor: "bitwise_xor",
    tree.ShiftLeft: "shift_left",
    tree.ShiftRight: "shift_right",
}
CALLED = {"abs": "fabs"}
"""Functions that are called something else in TVM, for floats."""


class ScalarWriter:
    """Writes the scalar expressions of one PrimFunc."""

    def __init__(self, func: tree.PrimFunc, version: str) -> None:
        self.func = func
        self.version = version
        analysis = analyse(func)
        self.types = analysis.types
        self.symbols = analysis.symbols
        self.names = Names()
        self.out = Lines()
        self.index_dtype = declared(func)
        self.other_dtypes = exceptions(func)
        self.index_types: dict[str, str] = {}
        """The dtypes that sizes, loop variables and axes have in TVM, where a PrimFunc has both."""
        self.occurrences = Occurrences()
        self.cells: set[str] = set()
        """The allocations that are variables in TVM."""
        self.indices: set[Symbol] = set()
        """The variables of `let` that stand for indices, and the parameters that are sizes of buffers."""

    # -- indices -----------------------------------------------------------------------------------------------

    def shape(self, buffer: tree.Buffer) -> str:
        """Return the shape of a buffer."""
        key = self.occurrences.next(buffer.name)
        whole = self.dtype_of(key)
        parts = [self.extent(dim, of_axis(key, at), whole) for at, dim in enumerate(buffer.shape)]
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"

    def dtype_of(self, key: str, otherwise: str = "") -> str:
        """Return the dtype of the numbers that a key of `index_dtypes` is for."""
        return self.other_dtypes.get(key) or otherwise or self.index_dtype

    def extent(self, node: tree.PrimExpr, key: str = "", otherwise: str = "") -> str:
        """Return an extent, which gives its dtype to what runs over it: a bare number is an int32."""
        if isinstance(node, tree.IntImm):
            return self.integer(node.value, self.dtype_of(key, otherwise))
        if (
            isinstance(node, tree.Cast)
            and node.dtype.name == INT64
            and self.types.get(node.value) == INT32
            and self.dtype_of(key, otherwise) == INT32
        ):
            return self.expr(node.value)  # what runs over it is an int32 too
        return self.expr(node)

    @staticmethod
    def integer(value: int, dtype: str) -> str:
        """Return a number of a dtype of indices."""
        return str(value) if dtype == INT32 else f"T.int64({value})"

    def note(self, name: str, key: str, extent: tree.PrimExpr) -> None:
        """Note the dtype that an extent gives a variable; a number has that of its key."""
        if self.other_dtypes:
            is_number = isinstance(extent, tree.IntImm)
            self.index_types[name] = self.dtype_of(key) if is_number else self.index_type(extent)

    def index_type(self, node: tree.PrimExpr) -> str:
        """Return the dtype of an index in TVM; that of an operation is the wider one."""
        found = self._index_type(node) if self.other_dtypes else ""
        return found or self.index_dtype

    def _index_type(self, node: tree.PrimExpr) -> str:
        if isinstance(node, tree.PrimVar):
            return self.index_types.get(node.name, self.index_dtype)
        parts = (node.true_value, node.false_value) if isinstance(node, tree.Select) else children(node)
        found = {self._index_type(one) for one in parts if isinstance(one, tree.PrimExpr)}
        return INT64 if INT64 in found else max(found, default="")

    def index(self, node: tree.PrimExpr, key: str = "", otherwise: str = "") -> str:
        """Return an index; any integer can be one."""
        if isinstance(node, tree.IntImm):
            return self.integer(node.value, self.dtype_of(key, otherwise))
        if (
            isinstance(node, tree.Cast)
            and node.dtype.name == INT64
            and self.types.get(node.value) in INTEGERS
            and (self.index_dtype == INT32 or isinstance(node.value, tree.BufferLoad))
        ):
            return self.expr(node.value)
        return self.expr(node)

    def element(self, buffer: tree.PrimVar, indices: tuple[tree.PrimExpr, ...]) -> str:
        """Return `A[i, j]`."""
        if buffer.name in self.cells:
            return self.names.of(buffer.name)
        parts = [self.index_of(buffer.name, one) for one in indices]
        return f"{self.names.of(buffer.name)}[{', '.join(parts) or '()'}]"

    def index_of(self, buffer: str, node: tree.PrimExpr) -> str:
        """Return an index of a buffer."""
        return self.index(node, of_indices(buffer))

    def is_index(self, node: tree.PrimExpr) -> bool:
        """Tell whether an expression is made of sizes, loop variables and numbers: in TVM it has their dtype."""
        match node:
            case tree.PrimVar():
                symbol = self.symbols.get(node)
                return symbol is not None and (symbol.kind in INDICES or symbol in self.indices)
            case tree.IntImm():
                return node.dtype is None and self.types.get(node, INT64) == INT64
            case tree.Neg():
                return self.is_index(node.a)
            case tree.Select():
                return self.is_index(node.true_value) and self.is_index(node.false_value)
            case tree.Div():  # a function of TVM's, and no operator
                return False
            case tree.Arithmetic():
                return self.is_index(node.a) and self.is_index(node.b)
            case tree.FloatImm() | tree.BoolImm() | tree.Comparison() | tree.Logical() | tree.Not():
                return False
            case tree.PrimFuncOnly():
                return False
            case _:
                return assert_never(node)

    # -- expressions -------------------------------------------------------------------------------------------

    def expr(self, node: tree.PrimExpr, level: int = 0) -> str:
        """Return an expression; one that binds more loosely than `level` is in parentheses."""
        match node:
            case tree.PrimVar():
                return self.names.of(node.name)
            case tree.IntImm() | tree.FloatImm():
                return self.number(node)
            case tree.BufferLoad():
                return self.element(node.buffer, node.indices)
            case (
                tree.Add() | tree.Sub() | tree.Mul() | tree.FloorDiv() | tree.FloorMod()
                | tree.Comparison() | tree.Logical()
            ):  # fmt: skip
                return self.infix(node, level)
            case tree.Neg():
                return self.negative(node)
            case tree.BoolImm():
                return f"T.bool({node.value})"
            case (
                tree.Div() | tree.Min() | tree.Max() | tree.Select() | tree.Not() | tree.BitNot() | tree.Bitwise()
                | tree.Cast() | tree.TypeLimit() | tree.PrimCall()
            ):  # fmt: skip
                return self.called(node)
            case _:
                return assert_never(node)

    def number(self, node: tree.IntImm | tree.FloatImm, sign: str = "") -> str:
        """Return a literal with its dtype; an int64 is a bare number, which takes that of its context."""
        dtype = self.types.get(node) or (node.dtype.name if node.dtype is not None else INT64)
        if dtype == INT64 and isinstance(node, tree.IntImm):
            return f"T.int64({sign}{node.value})" if node.dtype is not None else f"{sign}{node.value}"
        value = float(node.value) if "float" in dtype else node.value
        if isinstance(value, float) and value - value != 0:
            word = "nan" if value != value else ("inf" if (value > 0) == (sign == "") else "-inf")
            return f'T.{dtype}("{word}")'
        return f"T.{dtype}({sign}{value!r})"

    def negative(self, node: tree.Neg) -> str:
        """Return `-e`; of a literal it is a literal."""
        if isinstance(node.a, tree.IntImm | tree.FloatImm):
            return self.number(node.a, "-")
        return f"-{self.expr(node.a, PREC_UNARY)}"

    def infix(self, node: Infix, level: int) -> str:
        """Return `a + b`."""
        operator, own = INFIX[type(node)]
        left, right = node.a, node.b
        text = f"{self.expr(left, own)} {operator} {self.expr(right, own + 1)}"
        return f"({text})" if own < level else text

    def called(self, node: Called) -> str:
        """Return an expression that is a call."""
        match node:
            case tree.PrimCall():
                return self.function(node)
            case tree.Cast():
                return self.cast(node)
            case tree.Select():
                return self.call("Select", (node.condition, node.true_value, node.false_value))
            case tree.Min() | tree.Max():
                return self.call("min" if isinstance(node, tree.Min) else "max", (node.a, node.b))
            case tree.Div():
                return self.quotient(node)
            case tree.Bitwise():
                return self.call(BITS[type(node)], (node.a, node.b))
            case tree.Not():
                return self.call("Not", (node.a,))
            case tree.BitNot():
                return self.call("bitwise_not", (node.a,))
            case tree.TypeLimit():
                return f"T.{node.name}({quoted(node.dtype.name)})"
            case _:
                return assert_never(node)

    def cast(self, node: tree.Cast) -> str:
        """Return a cast, unless TVM has the value in that dtype anyway."""
        # A number without a dtype is of the dtype that it is cast to.
        is_same = self.types.get(node.value) == node.dtype.name
        if is_same or (self.is_index(node.value) and node.dtype.name == self.index_type(node.value)):
            return self.expr(node.value, PREC_ATOM)
        return f"T.Cast({quoted(node.dtype.name)}, {self.expr(node.value)})"

    def quotient(self, node: tree.Div) -> str:
        """Return `a / b`; of integers it is a function."""
        if "float" in self.types.get(node, ""):
            return f"{self.expr(node.a, 9)} / {self.expr(node.b, 10)}".join("()")
        return self.call("truncdiv", (node.a, node.b))

    def function(self, node: tree.PrimCall) -> str:
        """Return the call of a math function."""
        name = node.name
        if name.startswith(REINTERPRET):
            dtype, value = quoted(INTRINSICS[name].gives), self.expr(node.args[0])
            if self.version == OLDER:
                return f"T.reinterpret({value}, dtype={dtype})"
            return f"T.reinterpret({dtype}, {value})"
        if name in INTRINSICS:
            is_index = all(self.is_index(one) for one in node.args)
            kind = self.types.get(node, INT64 if is_index else "float")
            name = CALLED.get(name, name) if "float" in kind else name
        return self.call(name, node.args)

    def call(self, name: str, args: tuple[tree.PrimExpr, ...]) -> str:
        """Return a call of TVM's dialect."""
        dtype = INT64
        if all(self.is_index(one) for one in args):
            known = [self.index_type(one) for one in args if not isinstance(one, tree.IntImm)]
            dtype = known[0] if known else self.index_dtype
        shown = [self.integer(one.value, dtype) if self.is_bare(one) else self.expr(one) for one in args]
        return f"T.{name}({', '.join(shown)})"

    def is_bare(self, node: tree.PrimExpr) -> TypeGuard[tree.IntImm]:
        """Tell whether an expression is a number of the dtype int64."""
        return isinstance(node, tree.IntImm) and self.types.get(node, INT64) == INT64


INDICES = frozenset((AXIS, DIM, LOOP))
