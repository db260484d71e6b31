"""The array IR as text, to look at what passes make of it. It is not a back end, and nothing in it is Python."""

from __future__ import annotations

from typing import assert_never

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relax_lang.tir.array_ir.nodes import Axis, Expr, Statement

_INDENT = "  "


def lines_of(body: Sequence[Statement], depth: int = 0) -> list[str]:
    """Return statements as lines."""
    found: list[str] = []
    for statement in body:
        found.append(_INDENT * depth + _line(statement))
        if isinstance(statement, ir.Nested):
            found += lines_of(statement.body, depth + 1)
    return found


def _line(statement: Statement) -> str:
    match statement:
        case ir.Define(name, value, rebinds):
            return f"{name}{_type(value)} {':=' if rebinds else '='} {text_of(value)}"
        case ir.Unpack(names, value):
            return f"{', '.join(names)} = {text_of(value)}"
        case ir.Store(target, value):
            return f"store {text_of(target)} = {text_of(value)}"
        case ir.Into(target, value):
            return f"into {text_of(target)} = {text_of(value)}"
        case ir.StoreWhere(target, value, mask):
            where = "" if mask is None else f" where {text_of(mask)}"
            return f"convert into {text_of(target)} = {text_of(value)}{where}"
        case ir.For() | ir.Forever() | ir.If() | ir.Restoring():
            return _head(statement)
        case ir.Evaluate() | ir.Require() | ir.Allocate() | ir.Break() | ir.Remark():
            return _other_line(statement)
        case _:
            assert_never(statement)


def _other_line(statement: ir.Evaluate | ir.Require | ir.Allocate | ir.Break | ir.Remark) -> str:
    match statement:
        case ir.Evaluate(value):
            return f"evaluate {text_of(value)}"
        case ir.Require(conditions):
            return f"require {_joined(conditions)}"
        case ir.Allocate(name, shape, dtype, workspace):
            return f"{'workspace' if workspace else 'allocate'} {name}: {dtype}[{_joined(shape)}]"
        case ir.Break():
            return "break"
        case ir.Remark(text):
            return f"# {text}"
        case _:
            assert_never(statement)


def _head(statement: ir.Nested) -> str:
    """Return the line before the statements in a statement."""
    match statement:
        case ir.For():
            rows = "".join([f", {row.name} in rows of {text_of(row.array)}" for row in statement.rows])
            step = "" if statement.step == ir.Literal(1) else f" by {text_of(statement.step)}"
            bounds = f"{text_of(statement.start)}..{text_of(statement.stop)}"
            return f"for {statement.variable} in {bounds}{step}{rows}"
        case ir.Forever():
            return "forever"
        case ir.If(condition, _, rare):
            return f"if {text_of(condition)}{' (rare)' if rare else ''}"
        case ir.Restoring(arrays):
            return f"restoring {_joined(arrays)}"
        case _:
            assert_never(statement)


def _type(value: Expr) -> str:
    """Return dtype and sizes of an operation over whole loops."""
    match value:
        case ir.Elementwise() | ir.Clip() | ir.Cast() | ir.Select() | ir.Take() if value.domain is not None:
            return f": {value.dtype}[{_joined(value.domain)}]"
        case _:
            return ""


def text_of(value: Expr, *, is_part: bool = False) -> str:
    """Return an expression; one with an operator has brackets if it `is_part` of another one."""
    match value:
        case Polynomial():
            return f"({value})" if is_part and len(value.terms) > 1 else str(value)
        case ir.Literal(number):
            return repr(number)
        case Ref(name):
            return name
        case ir.ScalarOp(op, args) | ir.Elementwise(op, args):
            return _operation(op, args, is_part=is_part)
        case ir.Typed(number, dtype):
            return f"{dtype}({text_of(number)})"
        case ir.View(array, axes):
            return f"{text_of(array, is_part=True)}[{', '.join([_axis(axis) for axis in axes])}]"
        case ir.Gather(array, index):
            return f"{text_of(array, is_part=True)}[{_joined(index)}]"
        case _:
            return _function(value)


def _function(value: Expr) -> str:
    match value:
        case ir.Call(function, args, keywords):
            words = [f"{name}={text_of(word)}" for name, word in keywords]
            return f"{function}({', '.join([*[text_of(arg) for arg in args], *words])})"
        case ir.Tuple(items):
            return f"({_joined(items)})"
        case ir.Operation(op):
            return op
        case ir.DtypeOf(dtype):
            return dtype
        case ir.Property(array, name):
            return f"{name}({text_of(array)})"
        case ir.Cast(array, dtype):
            return f"cast({text_of(array)}, {dtype})"
        case ir.Contract(factors, result):
            letters = ",".join([one for one, _ in factors])
            return f"contract({letters}->{result}: {_joined([factor for _, factor in factors])})"
        case ir.Reduce(op, array, axes):
            return f"reduce({op}, {text_of(array)}, axes={', '.join(map(str, axes))})"
        case _:
            parts = parts_of(value) if isinstance(value, Node) else []
            return f"{type(value).__name__.lower()}({_joined([one for one in parts if isinstance(one, ir.Expr)])})"


def _operation(op: str, args: tuple[Expr, ...], *, is_part: bool) -> str:
    if op[0].isalpha() and op not in ("and", "or"):
        return f"{op}({_joined(args)})"
    texts = [text_of(arg, is_part=True) for arg in args]
    text = f"{op}{texts[0]}" if len(texts) == 1 else f" {op} ".join(texts)
    return f"({text})" if is_part else text


def _axis(axis: Axis) -> str:
    match axis:
        case ir.At(index):
            return text_of(index)
        case ir.Slice(start, extent, step, whole):
            by = "" if step == 1 else f" by {step}"
            return f":{by}" if whole else f"{start} +: {extent}{by}"
        case ir.Whole():
            return ":"
        case ir.NewAxis():
            return "new"
        case _:
            assert_never(axis)


def _joined(values: Iterable[Expr]) -> str:
    return ", ".join([text_of(value) for value in values])
