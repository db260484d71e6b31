"""Constants: `R.const(…)`, small arrays that NumPy would make, `np.load("w.npz")["c0"]`."""

from __future__ import annotations

import ast
import struct

from relax_lang.syntax import tree
from relax_lang.tvmscript.python.values import items_of
from relax_lang.tvmscript.scalar_reader.attributes import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tvmscript.scalar_reader.reading import Reading

_NARROWED = {"int64": "int32", "float64": "float32"}
"""What `R.const` makes of arrays and scalars of NumPy without a dtype of its own: TVM halves those of 64 bits."""
MAX_FLOAT32 = 3.4e38
EXACT = 1 << 53
"""Integers below are the same as floats."""
MAX_ELEMENTS = 65_536
"""Of arrays that are written out because NumPy would make them."""


def read_const(reading: Reading, node: ast.Call) -> tree.Constant:
    """Read `R.const(value, dtype)`. Raises Refused."""
    named = {one.arg: one.value for one in node.keywords}
    given = node.args[0] if node.args else named.get("value")
    kind = node.args[1] if len(node.args) > 1 else named.get("dtype")
    if given is None:
        raise reading.wrong(node, "the value of the constant is missing")
    dtype = None if kind is None else reading.dtype(kind)
    pos, end = reading.span(node)
    data, own = _data(reading, given)
    if dtype is None and own is not None:
        dtype = tree.DType(_NARROWED.get(own.name, own.name), own.pos, own.end)
    if isinstance(data, tree.FileLit):
        return tree.Constant(data, None, pos, end)
    return tree.Constant(_fitting(data, dtype), dtype or _inferred(data, pos, end), pos, end)


def shortest(value: float) -> float:
    """Return the number with the fewest digits that is the same float32: TVM prints `0.1` as 0.10000000149011612."""
    try:
        packed = struct.pack("f", value)
    except OverflowError:
        return value
    for digits in range(1, 10):
        short = float(f"{value:.{digits}g}")
        if abs(short) < MAX_FLOAT32 and struct.pack("f", short) == packed:
            return short
    return value


def _inferred(data: tree.Literal, pos: int, end: int) -> tree.DType | None:
    """Return the dtype of data without one; the literals of the language have the same."""
    return tree.DType("float32", pos, end) if isinstance(data, tree.ListLit) and not data.items else None


def _fitting(data: tree.Literal, dtype: tree.DType | None) -> tree.Literal:
    """Return data as the language writes it for a dtype: bools are words, fractions have a point."""
    if isinstance(data, tree.FloatLit) and (dtype is None or dtype.name == "float32"):
        return tree.FloatLit(shortest(data.value), None, data.pos, data.end)
    if dtype is None:
        return data
    if isinstance(data, tree.ListLit):
        return tree.ListLit(tuple([_fitting(one, dtype) for one in data.items]), data.pos, data.end)
    if (
        isinstance(data, tree.IntLit)
        and dtype.name.startswith(("float", "bfloat"))
        and abs(data.value) < EXACT
    ):
        return tree.FloatLit(float(data.value), None, data.pos, data.end)
    if dtype.name == "bool" and isinstance(data, tree.IntLit):
        return tree.BoolLit(bool(data.value), data.pos, data.end)
    if dtype.name != "bool" and isinstance(data, tree.BoolLit):
        return tree.IntLit(int(data.value), None, data.pos, data.end)
    if (
        not dtype.name.startswith(("float", "bfloat", "bool"))
        and isinstance(data, tree.FloatLit)
        and data.value.is_integer()
    ):
        return tree.IntLit(int(data.value), None, data.pos, data.end)
    return data


def _data(reading: Reading, node: ast.expr) -> tuple[tree.Literal, tree.DType | None]:
    """Return the data of a constant, and a dtype that comes with it."""
    span = reading.span(node)
    if isinstance(node, ast.Subscript) and _numpy(node.value) == "load":
        return _file(reading, node), None
    name = _numpy(node)
    if name and isinstance(node, ast.Call):
        return _array(reading, node, name)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "float"
        and len(node.args) == 1
    ):
        return tree.FloatLit(_float(reading, node.args[0]), None, *span), None
    value = reading.value(node)
    if isinstance(value, str):
        return tree.FloatLit(_float(reading, node), None, *span), None
    made = literal(value, span)
    if made is None or isinstance(made, tree.NullLit | tree.StrLit):
        raise reading.wrong(node, f"`{reading.py.shown(node)}` is not a constant")
    return made, None


def _float(reading: Reading, node: ast.expr) -> float:
    value = reading.value(node)
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise reading.wrong(node, f"`{reading.py.shown(node)}` is not a number") from None


def _numpy(node: ast.expr) -> str:
    """Return the name of the NumPy function that an expression calls, or an empty text."""
    func = node.func if isinstance(node, ast.Call) else node
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name) or func is node:
        return ""
    return func.attr if func.value.id in ("np", "numpy", "_np", "onp") else ""


def _file(reading: Reading, node: ast.Subscript) -> tree.FileLit:
    assert isinstance(node.value, ast.Call)
    if len(node.value.args) != 1 or node.value.keywords:
        raise reading.unsupported(
            node, f"`{reading.py.shown(node)}`", 'only `np.load("FILE.npz")["KEY"]` is read'
        )
    path = reading.string(node.value.args[0], "the path of a constant")
    reading.features.files = True
    return tree.FileLit(path, reading.string(node.slice, "the key of an array"), *reading.span(node))


def _array(reading: Reading, node: ast.Call, name: str) -> tuple[tree.Literal, tree.DType | None]:
    """Return the array that a call of NumPy makes of literals."""
    span = reading.span(node)
    named = {one.arg: one.value for one in node.keywords}
    kind = named.pop("dtype", None)
    args = list(node.args)
    if kind is None and len(args) == 2 and name in ("array", "asarray", "zeros", "ones"):
        kind = args.pop()
    if kind is None and len(args) == 3 and name == "full":
        kind = args.pop()
    dtype = None if kind is None else _numpy_dtype(reading, kind)
    if name in ("array", "asarray") and len(args) == 1 and not named:
        data, own = _data(reading, args[0])
        return data, dtype or own or _default(data, span)
    if name in ("zeros", "ones", "full") and args and not named:
        filler: object = {"zeros": 0, "ones": 1}.get(name)
        if name == "full" and len(args) == 2:
            filler = reading.value(args[1])
        shape = reading.value(args[0])
        sizes = items_of(shape) or [shape]
        return _filled(reading, node, sizes, filler), dtype or tree.DType("float64", *span)
    if name in _SCALARS and len(args) == 1 and not named:
        data, _ = _data(reading, args[0])
        return data, tree.DType(_SCALARS[name], *span)
    if name == "arange" and args and not named:
        bounds = [reading.value(one) for one in args]
        if all(isinstance(one, int) and abs(one) <= MAX_ELEMENTS for one in bounds):
            items = [tree.IntLit(one, None, *span) for one in range(*bounds)]  # type: ignore[arg-type]
            return tree.ListLit(tuple(items), *span), dtype or tree.DType("int64", *span)
    raise reading.unsupported(node, f"the constant `{reading.py.shown(node)}`", "it needs Python to run")


def _default(data: tree.Literal, span: tuple[int, int]) -> tree.DType:
    """Return the dtype that NumPy gives data: int64, float64 or bool."""
    found = {type(data)}
    todo = [data]
    while todo:
        one = todo.pop()
        found.add(type(one))
        if isinstance(one, tree.ListLit):
            todo += one.items
    if tree.FloatLit in found or found == {tree.ListLit}:
        return tree.DType("float64", *span)
    return tree.DType("int64" if tree.IntLit in found else "bool", *span)


_SCALARS = {
    "float16": "float16", "float32": "float32", "float64": "float64", "int8": "int8", "int16": "int16",
    "int32": "int32", "int64": "int64", "uint8": "uint8", "uint16": "uint16", "uint32": "uint32",
    "uint64": "uint64", "bool_": "bool",
}  # fmt: skip


def _numpy_dtype(reading: Reading, node: ast.expr) -> tree.DType:
    span = reading.span(node)
    if isinstance(node, ast.Attribute) and node.attr in _SCALARS:
        return tree.DType(_SCALARS[node.attr], *span)
    if isinstance(node, ast.Name) and node.id in ("bool", "int", "float"):
        return tree.DType({"bool": "bool", "int": "int64", "float": "float64"}[node.id], *span)
    found = reading.dtype(node)
    if found is None:
        raise reading.wrong(node, "expected a dtype")
    return found


def _filled(reading: Reading, node: ast.Call, sizes: list[object], filler: object) -> tree.Literal:
    count = 1
    for size in sizes:
        if not isinstance(size, int) or size < 0:
            raise reading.wrong(node, f"`{reading.py.shown(node)}` has no shape")
        count *= size
    made = literal(filler, reading.span(node))
    if made is None or count > MAX_ELEMENTS:
        raise reading.unsupported(
            node, f"the constant `{reading.py.shown(node)}`", "it has too many elements"
        )
    for size in reversed(sizes):
        made = tree.ListLit((made,) * int(size), *reading.span(node))  # type: ignore[call-overload]
    return made
