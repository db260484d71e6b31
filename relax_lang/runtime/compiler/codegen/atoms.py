"""Leaves of the normal form as Python expressions. [N.2] [X.1-X.5]"""

from __future__ import annotations

import math

from relax_lang.arith.evaluate import names_in
from relax_lang.base.node import unreachable
from relax_lang.runtime.compiler import call_stubs
from relax_lang.runtime.compiler.refinements import number_of
from relax_lang.runtime.interpreter.atoms import NOT_NORMAL
from relax_lang.runtime.values.dimensions import is_minus_one
from relax_lang.runtime.values.mismatch import shown
from relax_lang.runtime.values.tensors import constant_tensor
from relax_lang.syntax import tree
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.runtime.compiler.codegen.function_writer import FunctionWriter
    from relax_lang.runtime.values.tensors import Tensor

_DEEPEST_TUPLE = 30
"""Python reads no more than two hundred nested parentheses."""
MOST_SHARED_BYTES = 1 << 12
"""Constants up to this size are made before anything runs."""


def atom(writer: FunctionWriter, expr: tree.Expr, depth: int = 0) -> str:
    """Return an atom as a Python expression; whoever gets its value may keep it."""
    return writer.interpreted(expr) if depth > _DEEPEST_TUPLE else _ATOMS[type(expr)](writer, expr, depth)


def operand(writer: FunctionWriter, expr: tree.Expr) -> str:
    """Return an atom that is only read: it is neither changed nor kept."""
    if isinstance(expr, tree.Constant):
        return shared_constant(writer, expr)
    if isinstance(expr, tree.Var):
        return writer.variable(expr.name_hint)
    return atom(writer, expr)


def shared_constant(writer: FunctionWriter, expr: tree.Constant) -> str:
    """Return an expression for the array of a constant, which must not be changed or kept."""
    array = _small_array(expr)
    if array is not None:
        return _known_array(writer, array)
    return f"{writer.module.stub('constant', call_stubs.shared_constant(expr), None, _source(expr))}()"


def _known_array(writer: FunctionWriter, array: Tensor) -> str:
    key = ("constant", array.dtype.name, array.shape, array.tobytes())
    remark = (
        f"{array.tolist()} of {array.dtype.name}" if array.ndim == 0 else f"a constant of {array.dtype.name}"
    )
    return writer.module.stub("constant", call_stubs.known(array), key, remark)


def _source(expr: tree.Constant) -> str:
    return f"{shown(expr)[:60]}" if isinstance(expr.data, tree.FileLit) else "a constant"


def _small_array(expr: tree.Constant) -> Tensor | None:
    if isinstance(expr.data, tree.FileLit):
        return None
    try:
        array = constant_tensor(expr, _no_files)
    except RunFailure:  # the program reports it when it gets there
        return None
    return array if array.nbytes <= MOST_SHARED_BYTES else None


def _no_files(path: str, key: str | None) -> Tensor:
    raise AssertionError(f"not a literal: {path} {key}")


def _constant(writer: FunctionWriter, expr: tree.Constant, _depth: int) -> str:
    """X.1: a new tensor at each evaluation."""
    array = _small_array(expr)
    if array is not None:
        return f"{_known_array(writer, array)}.copy()"
    return f"{writer.module.stub('constant', call_stubs.atom_of(expr, ()), None, _source(expr))}()"


def _variable(writer: FunctionWriter, expr: tree.Var, _depth: int) -> str:
    writer.facts.escapes(expr.name_hint)
    return writer.variable(expr.name_hint)


def _global(writer: FunctionWriter, expr: tree.GlobalVar, _depth: int) -> str:
    name = expr.name_hint
    return writer.module.stub(f"at_{name}", call_stubs.global_value(name), ("global", name))


def _tuple(writer: FunctionWriter, expr: tree.Tuple, depth: int) -> str:
    fields = [atom(writer, field, depth + 1) for field in expr.fields]
    return f"({fields[0]},)" if len(fields) == 1 else f"({', '.join(fields)})"


def _shape(writer: FunctionWriter, expr: tree.ShapeExpr, _depth: int) -> str:
    sizes = plain_sizes(writer, expr)
    return f"ShapeValue({sizes})" if sizes is not None else dims_stub(writer, expr, "shape")


def plain_sizes(writer: FunctionWriter, expr: tree.ShapeExpr, inferred: bool = False) -> str | None:
    """Return dimensions as a Python tuple, if they are numbers and names, which cannot fail. [X.5]

    With `inferred`, for the target of a `reshape`, a literal `-1` is one of the numbers.
    """
    texts: list[str] = []
    for dim in expr.values:
        number = number_of(dim)
        if number is not None:
            texts.append(str(number))
        elif inferred and is_minus_one(dim):
            texts.append("-1")
        elif isinstance(dim, tree.PrimVar):
            texts.append(writer.dim(dim.name))
        else:
            return None
    return _tuple_of(texts)


def summed_sizes(writer: FunctionWriter, expr: tree.ShapeExpr) -> str | None:
    """Return dimensions as a Python tuple, if they are sums and products of numbers and names.

    They are exact. Where those of the language wrap around, one of them is more than an array can have.
    """
    texts = [_summed(writer, dim) for dim in expr.values]
    found = [text for text in texts if text is not None]
    return _tuple_of(found) if len(found) == len(texts) else None


def _summed(writer: FunctionWriter, dim: tree.PrimExpr) -> str | None:
    number = number_of(dim)
    if number is not None:
        return str(number)
    if isinstance(dim, tree.PrimVar):
        return writer.dim(dim.name)
    if not isinstance(dim, tree.Add | tree.Mul):
        return None
    a, b = _summed(writer, dim.a), _summed(writer, dim.b)
    if a is None or b is None:
        return None
    return f"({a} {'+' if isinstance(dim, tree.Add) else '*'} {b})"


def _tuple_of(texts: list[str]) -> str:
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def dims_stub(writer: FunctionWriter, expr: tree.Expr, wanted: str) -> str:
    """Return the call of a stub that evaluates an atom over shape variables."""
    names = tuple(dict.fromkeys([use.name for use in names_in(expr)]))
    stub = writer.module.stub(wanted, call_stubs.atom_of(expr, names))
    return f"{stub}({', '.join([writer.dim(name) for name in names])})"


def _extern(writer: FunctionWriter, expr: tree.ExternFunc, _depth: int) -> str:
    """X.8: looked up when it is evaluated."""
    return f"{writer.module.stub('extern', call_stubs.atom_of(expr, ()), None, expr.global_symbol)}()"


def _scalar(writer: FunctionWriter, expr: tree.PrimValue, _depth: int) -> str:
    value = expr.value
    sign = ""
    if isinstance(value, tree.Neg) and isinstance(value.a, tree.FloatImm | tree.IntImm):
        sign, value = "-", value.a
    if isinstance(value, tree.FloatImm) and math.isfinite(value.value):
        return f"{sign}{value.value!r}"
    if isinstance(value, tree.IntImm) and abs(value.value) < 1 << 62:
        return f"{sign}{value.value}"
    if isinstance(value, tree.PrimVar):
        return writer.dim(value.name)
    return dims_stub(writer, expr, "number")


_ATOMS: Table[tree.Expr, Callable[[FunctionWriter, Any, int], str]] = {
    tree.Constant: _constant,
    tree.Var: _variable,
    tree.GlobalVar: _global,
    tree.Tuple: _tuple,
    tree.ShapeExpr: _shape,
    tree.ExternFunc: _extern,
    tree.PrimValue: _scalar,
    **dict.fromkeys((tree.TupleGetItem, tree.Function, tree.If, tree.Call, *NOT_NORMAL), unreachable),
}
