"""Expressions of the array IR as Python: trees of `ast`, which `lines` writes with brackets by precedence."""

from __future__ import annotations

import ast
from typing import assert_never

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.codegen.passes.effects import EXTERN
from relax_lang.tir.codegen.printer.numpy_names import (
    COMBINED,
    COMPARED,
    FUNCTIONS,
    INFIX,
    SCALAR_INFIX,
    UFUNCS,
    dtype_name,
    function_of,
    takes_target_last,
)
from relax_lang.tir.interp.scalars import to_float32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Expressions:
    """Prints expressions. It decides nothing about arrays; it notes the helpers that are used."""

    def __init__(self, by_position: bool = False) -> None:
        self._by_position = by_position
        self.helpers: set[str] = set()
        """The functions of the runtime library, and the packages, that the expressions use."""
        self.short: dict[str, str] = {}
        """The names that functions of NumPy have in the current loop."""

    def writing(self, value: ir.Expr, target: ir.Expr) -> ast.expr:
        """Return the call of an operation that writes its results to an array."""
        if isinstance(value, ir.Elementwise):
            name, before, after = into_function(value)
            call = self.call(name, [*before, *[self.expression(arg) for arg in value.args], *after])
            if self._by_position and takes_target_last(name):
                call.args.append(self.expression(target))
                return call
        else:
            call = self.expression(value)
        assert isinstance(call, ast.Call), "what writes to an array is one call"
        call.keywords.append(keyword("out", self.expression(target)))
        return call

    def _called(self, value: ir.Elementwise) -> ast.expr:
        return self.call(function_of(value.op, value.dtype), [self.expression(arg) for arg in value.args])

    def call(self, name: str, args: Sequence[ast.expr], words: Sequence[ast.keyword] = ()) -> ast.Call:
        """Return a call of a function of NumPy, or of the runtime library."""
        if name in self.short:
            name = self.short[name]
        elif "." not in name:
            self.helpers.add(name)
        return ast.Call(dotted(name), list(args), list(words))

    def expression(self, value: ir.Expr) -> ast.expr:
        """Return an expression as Python."""
        match value:
            case Polynomial() | Literal() | Ref() | ScalarOp() | ir.Typed() | ir.Choice():
                return self._number(value)
            case ir.View() | ir.AffineView() | ir.Transposed() | ir.Broadcast() | ir.Reshaped():
                return self._view_of(value)
            case ir.Iota() | ir.Take() | ir.Gather() | ir.Cast() | ir.Select():
                return self._copy(value)
            case ir.Elementwise() | ir.Clip() | ir.Reduce() | ir.Contract() | ir.MatMul():
                return self._computed(value)
            case _:
                return self._other(value)

    def _number(self, value: ir.Number) -> ast.expr:
        match value:
            case Polynomial():
                return _polynomial(value)
            case Literal(number, dtype):
                return _literal(number, dtype)
            case Ref(name):
                return ast.Name(name)
            case ScalarOp(op, args):
                return self._scalar(op, [self.expression(arg) for arg in args])
            case ir.Typed(number, dtype):
                return ast.Call(self.dtype(dtype), [self.expression(number)], [])
            case ir.Choice(condition, yes, no):
                return ast.IfExp(self.expression(condition), self.expression(yes), self.expression(no))
            case _:
                assert_never(value)

    def _view_of(self, value: ir.ViewOf) -> ast.expr:
        array = self.expression(value.array)
        match value:
            case ir.View(_, axes):
                return self._view(array, axes)
            case ir.AffineView(line=(elements, index)):
                return _subscript(self.expression(elements), [self.expression(index)])
            case ir.AffineView(_, starts, extents, steps):
                args = [self.tuple_of(starts), self.tuple_of(extents), self.tuple_of(steps)]
                return self.call("affine_view", [array, *args])
            case ir.Transposed(_, axes):
                if axes == (1, 0):
                    return ast.Attribute(array, "T")
                return _method(array, "transpose", [ast.Constant(at) for at in axes])
            case ir.Broadcast(_, shape):
                return self.call("np.broadcast_to", [array, self.tuple_of(shape)])
            case ir.Reshaped(_, shape):
                sizes = [self.expression(size) for size in shape]
                return _method(array, "reshape", sizes or [self.tuple_of(())])
            case _:
                assert_never(value)

    def _copy(self, value: ir.Copy) -> ast.expr:
        match value:
            case ir.Iota(extent):
                return self.call("np.arange", [self.expression(extent)])
            case ir.Take(array, index, axis):
                words = [keyword("axis", ast.Constant(axis)), keyword("mode", ast.Constant("clip"))]
                return _method(self.expression(array), "take", [self.expression(index)], words)
            case ir.Gather(array, index):
                return _subscript(self.expression(array), [self.expression(part) for part in index])
            case ir.Cast(array, dtype):
                return _method(self.expression(array), "astype", [self.dtype(dtype)])
            case ir.Select(condition, yes, no):
                args = [self.expression(part) for part in (condition, yes, no)]
                if value.shape is None:
                    return self.call("np.where", args)
                return self.call("blend", [*args, self.tuple_of(value.shape)])
            case _:
                assert_never(value)

    def _computed(self, value: ir.Computed) -> ast.expr:
        match value:
            case ir.Elementwise():
                return self._elementwise(value)
            case ir.Clip(array, lower, upper):
                return self.call("np.clip", [self.expression(part) for part in (array, lower, upper)])
            case ir.Reduce():
                return self._reduction(value)
            case ir.Contract(factors, result):
                return self._contraction(factors, result)
            case ir.MatMul(a, b, _, True):
                return _method(self.expression(a), "dot", [self.expression(b)])
            case ir.MatMul(a, b, dtype):
                words = [keyword("dtype", self.dtype(dtype))] if dtype else []
                return self.call("np.matmul", [self.expression(a), self.expression(b)], words)
            case _:
                assert_never(value)

    def _other(self, value: ir.Other) -> ast.expr:
        match value:
            case ir.Property(array, name):
                return _property(self.expression(array), name)
            case ir.HasDtype(array, dtype):
                found: ast.expr = ast.Attribute(self.expression(array), "dtype")
                if dtype == "bfloat16":  # whose package need not be there
                    return ast.Compare(ast.Attribute(found, "name"), [ast.Eq()], [ast.Constant(dtype)])
                return ast.Compare(found, [ast.Eq()], [self.dtype(dtype)])
            case ir.DtypeOf(dtype):
                return self.dtype(dtype)
            case ir.Operation(op):
                return dotted(UFUNCS[op])
            case ir.Tuple(items):
                return self.tuple_of(items)
            case ir.Call():
                return self._function(value)
            case _:
                assert_never(value)

    def dtype(self, dtype: str) -> ast.expr:
        """Return a dtype."""
        if dtype == "bfloat16":
            self.helpers.add("ml_dtypes")
        return dotted(dtype_name(dtype))

    def tuple_of(self, items: Sequence[ir.Expr]) -> ast.Tuple:
        """Return some values as a tuple."""
        return ast.Tuple([self.expression(item) for item in items])

    def _scalar(self, op: str, args: list[ast.expr]) -> ast.expr:
        if op in SCALAR_INFIX:
            return ast.BinOp(args[0], SCALAR_INFIX[op](), args[1])
        if op in COMPARED:
            return ast.Compare(args[0], [COMPARED[op]() for _ in args[1:]], args[1:])
        match op:
            case "/":
                return self.call("integer_quotient", args)
            case "wrap":
                return self.call("wrapped", args)
            case "neg":
                return ast.UnaryOp(ast.USub(), args[0])
            case "not":
                return ast.UnaryOp(ast.Not(), args[0])
            case "and":
                return all_of(args)
            case "or":
                return ast.BoolOp(ast.Or(), args)
            case "select":
                return ast.IfExp(*args)
            case _:
                assert op in ("min", "max"), op
                return ast.Call(ast.Name(op), args, [])

    def _elementwise(self, value: ir.Elementwise) -> ast.expr:
        if is_called(value):
            return self._called(value)
        op, args = value.op, [self.expression(arg) for arg in value.args]
        if op in COMPARED:
            return ast.Compare(args[0], [COMPARED[op]()], [args[1]])
        if op in ("neg", "~"):
            return ast.UnaryOp(ast.USub() if op == "neg" else ast.Invert(), args[0])
        return ast.BinOp(args[0], ast.Div() if op == "/" else INFIX[op](), args[1])

    def _view(self, array: ast.expr, axes: tuple[ir.Axis, ...]) -> ast.expr:
        """Return a view. What runs backward is cut forward, then turned around: a stop of -1 would mean the end."""
        parts: list[ast.expr] = []
        flips: list[ast.expr] = []
        for axis in axes:
            match axis:
                case ir.At(index):
                    parts.append(self.expression(index))
                    continue
                case ir.NewAxis():
                    parts.append(ast.Constant(None))
                    flips.append(ast.Slice())
                    continue
                case ir.Whole():
                    parts.append(ast.Slice())
                    flips.append(ast.Slice())
                case ir.Slice():
                    parts.append(_slice(axis))
                    flips.append(ast.Slice(step=_literal(-1)) if axis.step < 0 else ast.Slice())
                case _:
                    assert_never(axis)
        if parts and not any(isinstance(axis, ir.NewAxis) for axis in axes):
            while parts and _is_whole(parts[-1]):
                parts.pop()
            whole = not parts
        else:
            whole = False
        if not whole:
            array = _subscript(array, parts)
        while flips and _is_whole(flips[-1]):
            flips.pop()
        return _subscript(array, flips) if flips else array

    def _reduction(self, value: ir.Reduce) -> ast.expr:
        axes: list[ast.expr] = [ast.Constant(axis) for axis in value.axes]
        words = [keyword("axis", axes[0] if len(axes) == 1 else ast.Tuple(axes))]
        if value.dtype:
            words.append(keyword("dtype", self.dtype(value.dtype)))
        if value.initial is not None:
            words.append(keyword("initial", self.expression(value.initial)))
        return ast.Call(dotted(f"{COMBINED[value.op]}.reduce"), [self.expression(value.array)], words)

    def _contraction(self, factors: tuple[tuple[str, ir.Expr], ...], result: str) -> ast.expr:
        args = [self.expression(factor) for _, factor in factors]
        letters = [one for one, _ in factors]
        if len(letters) == 2 and letters[0] == letters[1] and result == letters[0][:-1]:
            return self.call("np.vecdot", args)
        if len(letters) == 2 and letters[0] == letters[1] and result == letters[0][1:]:
            return self.call("products_of_columns", args)
        return self.call("np.einsum", [ast.Constant(f"{','.join(letters)}->{result}"), *args])

    def _function(self, value: ir.Call) -> ast.expr:
        args = [self.expression(arg) for arg in value.args]
        words = [keyword(name, self.expression(word)) for name, word in value.keywords]
        if value.function == EXTERN:
            return ast.Call(ast.Name(EXTERN), args, words)
        if value.function in FUNCTIONS:
            return ast.Call(dotted(FUNCTIONS[value.function]), args, words)
        return self.call(value.function, args, words)


def _method(array: ast.expr, name: str, args: list[ast.expr], words: Sequence[ast.keyword] = ()) -> ast.Call:
    return ast.Call(ast.Attribute(array, name), args, [*words])


def _property(array: ast.expr, name: str) -> ast.expr:
    match name:
        case "writeable":
            return ast.Attribute(ast.Attribute(array, "flags"), name)
        case "item":
            return _method(array, name, [])
        case _:
            return ast.Attribute(array, "ndim" if name == "rank" else name)


def is_called(value: ir.Elementwise) -> bool:
    """Return whether an operation is a call, not an operator of Python."""
    if value.op == "/":
        return not dtypes.is_float(value.dtype)
    return value.op not in INFIX and value.op not in COMPARED and value.op not in ("neg", "~")


def into_function(value: ir.Elementwise) -> tuple[str, list[ast.expr], list[ast.expr]]:
    """Return the function that writes the results of an operation to an array, and further arguments of it.

    NumPy (2.4) negates the wrong elements where neither those that it reads nor those that it writes lie next to each
    other, so that what is written is a difference from 0 or, as there are zeros with a sign, a multiple.
    """
    if value.op != "neg" or value.dtype in dtypes.HALVES:
        return function_of(value.op, value.dtype), [], []
    if dtypes.is_float(value.dtype):
        return "np.multiply", [], [ast.UnaryOp(ast.USub(), ast.Constant(1))]
    return "np.subtract", [ast.Constant(0)], []


def function_name(value: ir.Expr) -> str:
    """Return the function that an operation may call; none if it is not arithmetic on whole arrays."""
    if isinstance(value, ir.Elementwise):
        return function_of(value.op, value.dtype)
    return "np.matmul" if isinstance(value, ir.MatMul) else ""


def _slice(axis: ir.Slice) -> ast.Slice:
    if axis.whole and abs(axis.step) == 1:
        return ast.Slice()
    width = abs(axis.step)
    start = axis.start if axis.step > 0 else axis.start + (axis.extent - 1) * axis.step
    first = None if start.value == 0 else _polynomial(start)
    stop = None if axis.whole and axis.step > 0 else _polynomial(start + axis.extent * width)
    return ast.Slice(first, stop, None if width == 1 else ast.Constant(width))


def _is_whole(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and part.lower is None and part.upper is None and part.step is None


def _subscript(array: ast.expr, parts: list[ast.expr]) -> ast.expr:
    return ast.Subscript(array, parts[0] if len(parts) == 1 else ast.Tuple(parts))


def _polynomial(value: Polynomial) -> ast.expr:
    """Return a polynomial as a sum of products."""
    result: ast.expr | None = None
    for monomial, factor in value.ordered_terms():
        names: list[ast.expr] = [ast.Name(name) for name in monomial]
        if abs(factor) != 1 or not monomial:
            names.insert(0, ast.Constant(abs(factor)))
        if result is None and factor < 0:
            names[0] = ast.UnaryOp(ast.USub(), names[0])
        product = names[0]
        for name in names[1:]:
            product = ast.BinOp(product, ast.Mult(), name)
        result = (
            product if result is None else ast.BinOp(result, ast.Sub() if factor < 0 else ast.Add(), product)
        )
    return result or ast.Constant(0)


def _literal(value: float | str | None, dtype: str = "") -> ast.expr:
    """Return a literal; one of float32 is as short as it can be."""
    if value is None or isinstance(value, str | bool):
        return ast.Constant(value)
    if dtype and dtypes.computed_in(dtype) == dtypes.FLOAT32:
        value = _shortest(value)
    if value != value:
        return dotted("np.nan")
    if value < 0 or repr(value).startswith("-"):
        return ast.UnaryOp(ast.USub(), _literal(-value))
    return dotted("np.inf") if value == float("inf") else ast.Constant(value)


def _shortest(value: float) -> float:
    """Return the number with the fewest digits that is the same as a float32."""
    for digits in range(1, 18):
        short = float(f"{value:.{digits}g}")
        if to_float32(short) == value:
            return short
    return value


def dotted(name: str) -> ast.expr:
    """Return a name with dots, such as `np.add`."""
    first, *rest = name.split(".")
    result: ast.expr = ast.Name(first)
    for attribute in rest:
        result = ast.Attribute(result, attribute)
    return result


def keyword(name: str, value: ast.expr) -> ast.keyword:
    """Return a keyword argument."""
    return ast.keyword(name, value)


def all_of(conditions: Sequence[ast.expr]) -> ast.expr:
    """Return that all conditions hold."""
    parts: list[ast.expr] = []
    for one in conditions:
        parts += one.values if isinstance(one, ast.BoolOp) and isinstance(one.op, ast.And) else [one]
    return parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)
