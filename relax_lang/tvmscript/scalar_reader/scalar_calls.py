"""Calls in scalar expressions: `T.exp(x)`, `T.Cast("float32", i)`, `T.int64(3)`, `T.Select(c, a, b)`.

One table by the name in TVM's dialect. What is a function of the language's PrimFuncs under the same name needs no row.
"""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES, FLOATS, INTEGERS
from relax_lang.tvmscript.scalar_reader.scalar_literals import fraction, integer, number_of, with_dtype
from relax_lang.tvmscript.scalar_reader.scalars import INDEX_DTYPES, INT32, Scalar, ScalarReader, common

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Row = Callable[[ScalarReader, ast.Call], Scalar]


class CallReader(ScalarReader):
    """Reads scalar expressions with calls in them."""

    def call(self, node: ast.Call) -> Scalar:
        """Read a call."""
        return read_call(self, node)


def read_call(reader: ScalarReader, node: ast.Call) -> Scalar:
    """Read a call in a scalar expression. Raises Refused."""
    reading = reader.reading
    dialect, name = reading.called(node)
    if dialect == "R" and name in ("prim_value", "const") and node.args:
        return reader.scalar(node.args[0])
    if dialect in ("T", "I"):
        row = _ROWS.get(name)
        if row is not None:
            return row(reader, node)
        if name in DTYPES:
            return typed(reader, node, name)
        return _intrinsic(reader, node, name)
    if not dialect and name in ("min", "max") and len(node.args) == 2 and not node.keywords:
        return _ROWS[name](reader, node)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "astype" and node.args:
        dtype = reading.dtype(node.args[0])
        assert dtype is not None
        return convert(reader.scalar(node.func.value), dtype.name, reading.span(node))
    return reader.constant_value(node, reading.value(node))


def typed(reader: ScalarReader, node: ast.Call, dtype: str) -> Scalar:
    """Read `T.int64(3)`, `T.float32(x)`: a literal with a dtype, or a conversion."""
    reading = reader.reading
    span = reading.span(node)
    argument = reader.arguments(node, 1, ("is_size_var", "span"))[0]
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        try:
            value = float(argument.value)
        except ValueError:
            raise reading.wrong(argument, f"`{argument.value}` is not a number") from None
        return Scalar(fraction(value, dtype, span), dtype, False)
    read = reader.scalar(argument)
    number = number_of(read.node)
    if read.is_literal and number is not None:
        if dtype in INDEX_DTYPES and isinstance(number, int):
            return Scalar(integer(number, None, span), dtype, True)
        if dtype in INTEGERS:
            return Scalar(integer(int(number), dtype, span), dtype, False)
        if dtype in FLOATS:
            return Scalar(fraction(float(number), dtype, span), dtype, False)
    if isinstance(read.node, tree.BoolImm) and dtype == "bool":
        return read
    if dtype == "bool" and number is not None:
        return Scalar(tree.BoolImm(bool(number), *span), "bool", False)
    return convert(read, dtype, span)


def convert(read: Scalar, dtype: str, span: tuple[int, int]) -> Scalar:
    """Return a conversion; that of an index to another integer an index can be keeps it one."""
    if read.index and dtype in INDEX_DTYPES:
        return Scalar(read.node, dtype, True)
    if read.dtype == dtype and not read.index:
        return read
    number = number_of(read.node)
    if read.is_literal and number is not None and dtype in FLOATS:
        return Scalar(fraction(float(number), dtype, span), dtype, False)
    node = with_dtype(read.node, read.dtype) if read.dtype in INTEGERS else read.node
    return Scalar(tree.Cast(node, tree.DType(dtype, *span), *span), dtype, False)


def _cast(reader: ScalarReader, node: ast.Call) -> Scalar:
    """Read `T.Cast("float32", x)`, `T.cast(x, "float32")`; older files have either order of either."""
    reading = reader.reading
    given = [*node.args, *[one.value for one in node.keywords if one.arg in ("value", "dtype")]]
    if len(given) != 2:
        raise reading.wrong(node, "a cast takes a value and a dtype")
    first, second = given
    if _is_dtype(reader, first):
        first, second = second, first
    dtype = reading.dtype(second)
    if dtype is None:
        raise reading.wrong(second, "a cast needs a dtype")
    return convert(reader.scalar(first), dtype.name, reading.span(node))


def _is_dtype(reader: ScalarReader, node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.Name) and reader.variable(node) is None:
        definitions = reader.reading.env.definitions(node.id)
        return bool(definitions) or node.id in reader.reading.env.defines
    return False


def _operation(made: Any) -> Row:
    def read(reader: ScalarReader, node: ast.Call) -> Scalar:
        a, b = [reader.scalar(one) for one in reader.arguments(node, 2)]
        return reader.combine(made, a, b, reader.reading.span(node))

    return read


def _bits(made: Any) -> Row:
    def read(reader: ScalarReader, node: ast.Call) -> Scalar:
        a, b = [reader.scalar(one) for one in reader.arguments(node, 2)]
        return reader.bits(made, a, b, reader.reading.span(node))

    return read


def _comparison(made: Any) -> Row:
    def read(reader: ScalarReader, node: ast.Call) -> Scalar:
        a, b = [reader.scalar(one) for one in reader.arguments(node, 2)]
        return reader.compared(made, a, b, reader.reading.span(node))

    return read


def _joined(made: Any) -> Row:
    def read(reader: ScalarReader, node: ast.Call) -> Scalar:
        parts = [reader.condition(one) for one in node.args]
        if not parts:
            raise reader.reading.wrong(node, "conditions are missing")
        return reader.joined(made, parts, reader.reading.span(node))

    return read


def _not(reader: ScalarReader, node: ast.Call) -> Scalar:
    return Scalar(
        tree.Not(reader.condition(reader.arguments(node, 1)[0]), *reader.reading.span(node)), "bool", False
    )


def _bit_not(reader: ScalarReader, node: ast.Call) -> Scalar:
    read = reader.scalar(reader.arguments(node, 1)[0])
    return Scalar(tree.BitNot(read.as_value(read.dtype), *reader.reading.span(node)), read.dtype, False)


def _ceil_div(reader: ScalarReader, node: ast.Call) -> Scalar:
    """`T.ceildiv(a, b)` is `(a + b - 1) // b`."""
    a, b = [reader.scalar(one) for one in reader.arguments(node, 2)]
    span = reader.reading.span(node)
    one = Scalar(tree.IntImm(1, None, "1", *span), None, True)
    above = reader.combine(tree.Sub, reader.combine(tree.Add, a, b, span), one, span)
    return reader.combine(tree.FloorDiv, above, b, span)


def _truncated_remainder(reader: ScalarReader, node: ast.Call) -> Scalar:
    """`T.truncmod(a, b)` is `a - a / b * b`, rounded towards zero."""
    a, b = [reader.scalar(one) for one in reader.arguments(node, 2)]
    span = reader.reading.span(node)
    product = reader.combine(tree.Mul, reader.combine(tree.Div, a, b, span), b, span)
    return reader.combine(tree.Sub, a, product, span)


def _fixed_point(reader: ScalarReader, node: ast.Call) -> Scalar:
    from relax_lang.tvmscript.scalar_reader import fixed_point  # rare

    return fixed_point.read(reader, node)


def _select(reader: ScalarReader, node: ast.Call) -> Scalar:
    condition, yes, no = reader.arguments(node, 3)
    span = reader.reading.span(node)
    left, right = reader.scalar(yes), reader.scalar(no)
    chosen = reader.condition(condition)
    if left.index and right.index:
        dtype = left.dtype or right.dtype
        return Scalar(tree.Select(chosen, left.node, right.node, *span), dtype, True)
    dtype = None if left.is_literal and right.is_literal else common(left, right)
    return Scalar(tree.Select(chosen, left.as_value(dtype), right.as_value(dtype), *span), dtype, False)


def _lazy(reader: ScalarReader, node: ast.Call) -> Scalar:
    condition, yes, no = reader.arguments(node, 3)
    return reader.lazy(condition, yes, no, reader.reading.span(node))


def _same(reader: ScalarReader, node: ast.Call) -> Scalar:
    """`T.likely(c)` is a hint, and has the value of `c`."""
    return reader.scalar(reader.arguments(node, 1)[0])


def _limit(name: str) -> Row:
    def read(reader: ScalarReader, node: ast.Call) -> Scalar:
        dtype = reader.reading.dtype(reader.arguments(node, 1, ("span",))[0])
        if dtype is None:
            raise reader.reading.wrong(node, "a dtype is missing")
        return Scalar(tree.TypeLimit(name, dtype, *reader.reading.span(node)), dtype.name, False)

    return read


def _infinity(reader: ScalarReader, node: ast.Call) -> Scalar:
    dtype = reader.reading.dtype(reader.arguments(node, 1, ("span",))[0])
    if dtype is None:
        raise reader.reading.wrong(node, "a dtype is missing")
    return Scalar(fraction(float("inf"), dtype.name, reader.reading.span(node)), dtype.name, False)


def _power(reader: ScalarReader, node: ast.Call) -> Scalar:
    a, b = [reader.scalar(one) for one in reader.arguments(node, 2)]
    dtype = "float32" if a.is_literal and b.is_literal else common(a, b)
    made = tree.PrimCall("pow", (a.as_value(dtype), b.as_value(dtype)), *reader.reading.span(node))
    return Scalar(made, dtype, False)


def _immediate(reader: ScalarReader, node: ast.Call) -> Scalar:
    """`T.IntImm("int32", 3)`, `T.FloatImm("float32", 0.5)`."""
    kind, value = reader.arguments(node, 2)
    dtype = reader.reading.dtype(kind)
    if dtype is None:
        raise reader.reading.wrong(kind, "a dtype is missing")
    literal = ast.copy_location(ast.Call(node.func, [value], []), node)
    return typed(reader, literal, dtype.name)


def _reinterpret(reader: ScalarReader, node: ast.Call) -> Scalar:
    """`T.reinterpret("float32", x)`, older `T.reinterpret(x, dtype="float32")`."""
    from relax_lang.tir.ir.intrinsics import INTRINSICS, REINTERPRET, accepts

    reading = reader.reading
    given = [*node.args, *[one.value for one in node.keywords if one.arg in ("value", "dtype")]]
    if len(given) != 2:
        raise reading.wrong(node, "`reinterpret` takes a dtype and a number")
    first, second = given
    if _is_dtype(reader, second):
        first, second = second, first
    dtype = reading.dtype(first)
    if dtype is None:
        raise reading.wrong(first, "`reinterpret` needs a dtype")
    read = reader.scalar(second)
    source = read.dtype or (INT32 if read.index else "float32")
    row = INTRINSICS.get(REINTERPRET + dtype.name)
    if row is None or not accepts(row.takes[0], source):
        why = f"the bits of a {source} are none of a {dtype.name}"
        raise reading.unsupported(node, f"`{reading.py.shown(node)}`", why)
    if source == dtype.name:
        return read
    value = Scalar(read.node, source, read.index).as_value(source)
    if read.is_literal:
        value = tree.Cast(value, tree.DType(source, *reading.span(second)), *reading.span(second))
    return Scalar(tree.PrimCall(row.name, (value,), *reading.span(node)), dtype.name, False)


_RENAMED = {"fabs": "abs"}
"""Functions that are called something else in TVM."""


def _intrinsic(reader: ScalarReader, node: ast.Call, name: str) -> Scalar:
    """Read a function of the language's own list."""
    from relax_lang.tir.ir.intrinsics import INTRINSICS  # the table of all functions

    reading = reader.reading
    row = INTRINSICS.get(_RENAMED.get(name, name))
    if row is None:
        raise reading.unsupported(node, f"`{reading.py.shown(node.func)}(…)`", purpose_of(name))
    arguments = reader.arguments(node, row.arity)
    reads = [reader.scalar(one) for one in arguments]
    if row.name == "abs" and reads[0].dtype is None and reads[0].index:  # of integers without a dtype
        return Scalar(tree.PrimCall(row.name, (reads[0].as_index(),), *reading.span(node)), INT32, True)
    dtype = _argument_dtype(reads, node, reader, "float" in row.takes[0])
    nodes = tuple(
        [one.as_value(dtype if row.takes[at] == row.takes[0] else one.dtype) for at, one in enumerate(reads)]
    )
    result = "bool" if row.gives == "bool" else dtype
    made = tree.PrimCall(row.name, nodes, *reading.span(node))
    declared = [one.value for one in node.keywords if one.arg == "dtype"]
    if declared and result is not None:
        wanted = reading.dtype(declared[0])
        if wanted is not None and wanted.name != result:
            return convert(Scalar(made, result, False), wanted.name, reading.span(node))
    return Scalar(made, result, False)


def _argument_dtype(
    reads: list[Scalar], node: ast.Call, reader: ScalarReader, takes_float: bool
) -> str | None:
    dtypes = [one.dtype for one in reads if one.dtype is not None]
    declared = [one.value for one in node.keywords if one.arg == "dtype"]
    if not dtypes and declared:
        found = reader.reading.dtype(declared[0])
        return None if found is None else found.name
    if takes_float and dtypes and dtypes[0] not in FLOATS:
        return "float32"
    return dtypes[0] if dtypes else ("float32" if takes_float else None)


def purpose_of(name: str) -> str:
    """Return what a construct of TVM's low level dialect is for, as far as its name shows."""
    for start, purpose in _PURPOSES:
        if name.startswith(start):
            return purpose
    return ""


_PURPOSES = (
    ("ptx", "it is an instruction of a GPU"),
    ("cuda.", "it is an instruction of a GPU"),
    ("tvm_", "it belongs to lowered programs and their run time"),
    ("call_llvm", "it is an instruction of a CPU"),
    ("address_of", "there are no pointers on tensors"),
    ("tvm_access_ptr", "there are no pointers on tensors"),
    ("launch_thread", "it describes how a GPU runs the program"),
    ("env_thread", "it describes how a GPU runs the program"),
    ("thread_id", "it describes how a GPU runs the program"),
    ("cta_id", "it describes how a GPU runs the program"),
    ("warp", "it describes how a GPU runs the program"),
    ("lane_id", "it describes how a GPU runs the program"),
    ("device_entry", "it describes how a GPU runs the program"),
    ("ramp", "there are no vectors of scalars; a vectorized loop says the same"),
    ("Ramp", "there are no vectors of scalars; a vectorized loop says the same"),
    ("broadcast", "there are no vectors of scalars; a vectorized loop says the same"),
    ("Broadcast", "there are no vectors of scalars; a vectorized loop says the same"),
    ("vscale", "there are no vectors of scalars; a vectorized loop says the same"),
    ("call_extern", "a packed function returns no number to a PrimFunc"),
    ("call_packed", "a packed function returns no number to a PrimFunc"),
)

_ROWS: dict[str, Row] = {
    "Cast": _cast,
    "cast": _cast,
    "IntImm": _immediate,
    "FloatImm": _immediate,
    "min": _operation(tree.Min),
    "max": _operation(tree.Max),
    "Min": _operation(tree.Min),
    "Max": _operation(tree.Max),
    "Add": _operation(tree.Add),
    "Sub": _operation(tree.Sub),
    "Mul": _operation(tree.Mul),
    "Div": _operation(tree.Div),
    "Mod": _truncated_remainder,
    "FloorDiv": _operation(tree.FloorDiv),
    "FloorMod": _operation(tree.FloorMod),
    "floordiv": _operation(tree.FloorDiv),
    "floormod": _operation(tree.FloorMod),
    "indexdiv": _operation(tree.FloorDiv),
    "indexmod": _operation(tree.FloorMod),
    "truncdiv": _operation(tree.Div),
    "div": _operation(tree.Div),
    "truncmod": _truncated_remainder,
    "ceildiv": _ceil_div,
    "bitwise_and": _bits(tree.BitAnd),
    "bitwise_or": _bits(tree.BitOr),
    "bitwise_xor": _bits(tree.BitXor),
    "shift_left": _bits(tree.ShiftLeft),
    "shift_right": _bits(tree.ShiftRight),
    "bitwise_not": _bit_not,
    "EQ": _comparison(tree.EQ),
    "NE": _comparison(tree.NE),
    "LT": _comparison(tree.LT),
    "LE": _comparison(tree.LE),
    "GT": _comparison(tree.GT),
    "GE": _comparison(tree.GE),
    "And": _joined(tree.And),
    "Or": _joined(tree.Or),
    "all": _joined(tree.And),
    "any": _joined(tree.Or),
    "logical_and": _joined(tree.And),
    "logical_or": _joined(tree.Or),
    "Not": _not,
    "logical_not": _not,
    "Select": _select,
    "q_multiply_shift": _fixed_point,
    "q_multiply_shift_per_axis": _fixed_point,
    "if_then_else": _lazy,
    "likely": _same,
    "min_value": _limit("min_value"),
    "max_value": _limit("max_value"),
    "infinity": _infinity,
    "reinterpret": _reinterpret,
    "pow": _power,
    "power": _power,
}
