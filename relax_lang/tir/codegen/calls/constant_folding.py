"""Statements for certain sizes: numbers in the place of names, and what follows from that. [TIR.21]

Conditions that are decided are gone, with the statements that they rule out; a loop with few short iterations is these
iterations one after the other; a view of a whole array is the array. What would fail in the evaluation, such as a
division by zero, stays as it is, to fail when it is reached.
"""

from __future__ import annotations

from itertools import pairwise
from typing import assert_never

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.analysis.lowered.vector_ir import replace_name
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, with_fields, with_parts
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.codegen.passes.effects import all_statements, bodies_of
from relax_lang.tir.codegen.passes.rewriting import rebound_names
from relax_lang.tir.runtime_library.arithmetic import integer_quotient, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from relax_lang.tir.array_ir.nodes import Axis, Expr, Scalar, Statement

    Part = Node | Polynomial
    Shape = tuple[int, ...]

_ZERO = Polynomial.constant(0)
_MOST_ITERATIONS, _MOST_STATEMENTS = 4, 24
"""Loops of so many iterations are unrolled, if that makes no more statements."""


def number_of(value: Part) -> int | None:
    """Return the integer that an expression is; None if it is not written as one."""
    match value:
        case Polynomial():
            return value.value
        case Literal(bool()):
            return None
        case Literal(int() as number):
            return number
        case _:
            return None


def truth_of(value: Part) -> bool | None:
    """Return the truth value that a condition is; None if it is not decided."""
    match value:
        case Literal(bool() as known):
            return known
        case _:
            number = number_of(value)
            return None if number is None else bool(number)


def named_sizes(statement: Statement) -> tuple[str, list[tuple[str, int]]] | None:
    """Return the array of which a statement of an entry names sizes, and the names with their dimensions."""
    match statement:
        case ir.Unpack(names, ir.Property(Ref(array), "shape")):
            return array, [(name, at) for at, name in enumerate(names)]
        case ir.Define(name, ir.View(ir.Property(Ref(array), "shape"), (ir.At(Literal(int() as at)),))):
            return array, [(name, at)]
        case _:
            return None


def known_sizes(
    entry: Sequence[Statement], shapes: Mapping[str, Shape], numbers: Mapping[str, int]
) -> dict[str, int] | None:
    """Return the values of what the entry of a function defines, where its arrays have some shapes and its scalars are
    some numbers; None if one of them is not an integer that is decided by these.
    """
    folding = ConstantFolding(numbers)
    for statement in entry:
        named = named_sizes(statement)
        if named is not None and named[0] in shapes:
            for name, at in named[1]:
                folding.set(name, shapes[named[0]][at])
            continue
        match statement:
            case ir.Define(name, ir.Call("int" | "bool", (Ref(scalar),))) if name == scalar:
                pass  # it is one already
            case ir.Define(name, value):
                number = number_of(folding.part(value))
                if number is None:
                    return None
                folding.set(name, number)
            case ir.Require() | ir.Remark():
                pass
            case _:
                return None
    return folding.numbers


def decided_numbers(definitions: Sequence[Statement]) -> dict[str, int]:
    """Return the numbers among what some definitions give names, in order."""
    folding = ConstantFolding({})
    for statement in definitions:
        if isinstance(statement, ir.Define) and not statement.rebinds:
            number = number_of(folding.part(statement.value))
            if number is not None:
                folding.set(statement.name, number)
    return folding.numbers


class ConstantFolding:
    """Puts numbers in the place of names. `fresh` gives out names for what an iteration defines."""

    def __init__(
        self, numbers: Mapping[str, int | Polynomial], fresh: Callable[[str], str] | None = None
    ) -> None:
        self._values = {name: _as_polynomial(value) for name, value in numbers.items()}
        self._names: dict[str, str] = {}
        self._fresh = fresh
        self._rebound: set[str] = set()

    @property
    def numbers(self) -> dict[str, int]:
        """The names that are numbers."""
        return {name: one.value for name, one in self._values.items() if one.value is not None}

    def set(self, name: str, number: int) -> None:
        """Let a name be a number from now on."""
        self._values[name] = Polynomial.constant(number)

    def folded(self, body: Sequence[Statement]) -> list[Statement]:
        """Return the statements of a whole function."""
        self._rebound = rebound_names(body)
        return self._statements(body)

    def _statements(self, body: Sequence[Statement]) -> list[Statement]:
        return [made for statement in body for made in self._statement(statement)]

    def _statement(self, statement: Statement) -> list[Statement]:
        match statement:
            case ir.If(condition, inner):
                decided = truth_of(found := self.part(condition))
                if decided is None:
                    return [ir.If(found, self._statements(inner), statement.rare)]
                return self._statements(inner) if decided else []
            case ir.For():
                return self._for(statement)
            case ir.Forever(inner):
                return [ir.Forever(self._statements(inner))]
            case ir.Restoring(arrays, inner):
                return [ir.Restoring(arrays, self._statements(inner))]
            case ir.Define(name, value, rebinds):
                made = self.part(value)
                number = None if rebinds or name in self._rebound else number_of(made)
                if number is not None:
                    self.set(name, number)
                    return []
                return [ir.Define(self._named(name), made, rebinds)]
            case ir.Unpack(names, value):
                return [ir.Unpack(tuple(map(self._named, names)), self.part(value))]
            case ir.Allocate(name, shape, dtype, workspace):
                return [ir.Allocate(self._named(name), tuple(map(self._scalar, shape)), dtype, workspace)]
            case ir.Require(conditions):
                left = [one for one in map(self.part, conditions) if truth_of(one) is not True]
                return [ir.Require(tuple(left))] if left else []
            case ir.Store() | ir.Into() | ir.StoreWhere() | ir.Evaluate() | ir.Break() | ir.Remark():
                return [with_parts(statement, self._part)]
            case _:
                assert_never(statement)

    def _for(self, loop: ir.For) -> list[Statement]:
        head = with_parts(with_fields(loop, {"body": []}), self._part)
        bounds = [number_of(bound) for bound in (head.start, head.stop, head.step)]
        start, stop, step = bounds
        if start is None or stop is None or not step:
            return [with_fields(head, {"body": [*self._statements(loop.body)]})]
        steps = range(start, stop, step)
        if not steps:
            return []
        if not self._is_short(loop, len(steps)):
            return [with_fields(head, {"body": [*self._statements(loop.body)]})]
        made: list[Statement] = []
        own = _own_names(loop.body) - self._rebound
        names_outside = self._names  # a loop around this one may have given its names fresh ones
        for at in steps:
            self.set(loop.variable, at)
            if at != steps[-1] and self._fresh is not None:  # the last ones keep their names
                self._names = {**names_outside, **{name: self._fresh(name) for name in own}}
            made += self._statements(loop.body)
            self._names = names_outside
        for name in (loop.variable, *own):  # another loop may have the same variable
            self._values.pop(name, None)
        return made

    def _is_short(self, loop: ir.For, steps: int) -> bool:
        """Return whether iterations are written one after the other."""
        if loop.rows or loop.exact or loop.variable in self._rebound or _breaks(loop.body):
            return False
        many = len([*all_statements(loop.body)])
        few = steps <= _MOST_ITERATIONS and steps * many <= _MOST_STATEMENTS and self._fresh is not None
        return steps == 1 or few

    def _named(self, name: str) -> str:
        return self._names.get(name, name)

    def part(self, value: Expr) -> Expr:
        """Return an expression with numbers in place of names, and what is decided by that."""
        made = self._part(value)
        assert isinstance(made, ir.Expr)
        return made

    def _scalar(self, value: Scalar) -> Scalar:
        made = self._part(value)
        assert isinstance(made, ir.Scalar)
        return made

    def _part(self, part: Part) -> Part:
        match part:
            case Polynomial():
                return self._polynomial(part)
            case Ref(name, dtype, shape):
                if name in self._values:
                    return self._values[name]
                sizes = None if shape is None else tuple(map(self._polynomial, shape))
                same = name not in self._names and sizes == shape
                return part if same else Ref(self._named(name), dtype, sizes)
            case ScalarOp(op, args):
                return _decided(op, tuple(map(self.part, args)))
            case ir.Choice(condition, yes, no):
                decided = truth_of(found := self.part(condition))
                if decided is None:
                    return ir.Choice(found, self.part(yes), self.part(no))
                return self.part(yes if decided else no)
            case ir.Elementwise() | ir.Clip() | ir.Cast() | ir.Take():
                made = with_parts(part, self._part)
                if made.domain is None:
                    return made
                return with_fields(made, {"domain": tuple(map(self._polynomial, made.domain))})
            case ir.View():
                return _without_slices(with_parts(part, self._part))
            case _:
                return with_parts(part, self._part)

    def _polynomial(self, value: Polynomial) -> Polynomial:
        for name in value.names() & self._values.keys():
            value = replace_name(value, name, self._values[name])
        return value.renamed(self._names) if self._names else value


def _as_polynomial(value: int | Polynomial) -> Polynomial:
    return value if isinstance(value, Polynomial) else Polynomial.constant(value)


def _own_names(body: Sequence[Statement]) -> set[str]:
    """Return the names that statements define, also those in them, but for the variables of loops."""
    found: set[str] = set()
    for statement in all_statements(body):
        match statement:
            case ir.Define(name) | ir.Allocate(name):
                found.add(name)
            case ir.Unpack(names):
                found.update(names)
            case ir.Store() | ir.Into() | ir.StoreWhere() | ir.Evaluate() | ir.Require() | ir.Remark():
                pass
            case ir.Break() | ir.For() | ir.Forever() | ir.If() | ir.Restoring():
                pass
            case _:
                assert_never(statement)
    return found


def _breaks(body: Sequence[Statement]) -> bool:
    """Return whether statements may leave the loop around them."""
    return any(
        isinstance(one, ir.Break) or (not isinstance(one, ir.For | ir.Forever) and _breaks(bodies_of(one)))
        for one in body
    )


_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
}


def _decided(op: str, args: tuple[Expr, ...]) -> Expr:
    """Return an operation on numbers, or what it is."""
    if op in ("and", "or"):
        return _connected(op, args)
    if op == "not":
        known = truth_of(args[0])
        return ScalarOp(op, args) if known is None else Literal(not known)
    if op == "select":
        known = truth_of(args[0])
        return ScalarOp(op, args) if known is None else args[1 if known else 2]
    numbers = [number for arg in args if (number := number_of(arg)) is not None]
    if len(numbers) < len(args):
        return ScalarOp(op, args)
    if op in _COMPARED:
        return Literal(all(_COMPARED[op](one, other) for one, other in pairwise(numbers)))
    result = _computed(op, numbers)
    return ScalarOp(op, args) if result is None else Polynomial.constant(result)


def _connected(op: str, args: tuple[Expr, ...]) -> Expr:
    """Return whether all or any of some conditions hold, without those that are decided."""
    neutral = op == "and"
    left: list[Expr] = []
    for arg in args:
        known = truth_of(arg)
        if known is None:
            left.append(arg)
        elif known != neutral:  # those after it are not evaluated
            return Literal(known) if not left else ScalarOp(op, (*left, Literal(known)))
    return Literal(neutral) if not left else left[0] if len(left) == 1 else ScalarOp(op, tuple(left))


def _computed(op: str, numbers: list[int]) -> int | None:
    match op, numbers:
        case "+", [a, b]:
            return a + b
        case "-", [a, b]:
            return a - b
        case "*", [a, b]:
            return a * b
        case "neg", [a]:
            return -a
        case "//", [a, b] if b:
            return a // b
        case "%", [a, b] if b:
            return a % b
        case "/", [a, b] if b:
            return integer_quotient(a, b)
        case "wrap", [a]:
            return wrapped(a)
        case "min", _:
            return min(numbers)
        case "max", _:
            return max(numbers)
        case _:
            return None


def _without_slices(view: ir.View) -> Expr:
    """Return a view with slices of all indices as what they are; the array if the view is of all of it."""
    array = view.array
    if isinstance(array, ir.View) and puts_back(view.axes, array):
        return array.array
    if not isinstance(array, Ref) or array.shape is None:
        return view
    axes: list[Axis] = []
    sizes = iter(array.shape)
    for axis in view.axes:
        size = None if isinstance(axis, ir.NewAxis) else next(sizes)
        match axis:
            case ir.Slice(start, extent, 1) if start == _ZERO and extent == size:
                axes.append(ir.Slice(_ZERO, extent, whole=True))
            case _:
                axes.append(axis)
    if view.axes and all(isinstance(axis, ir.Slice) and axis.whole and axis.step == 1 for axis in axes):
        return array
    return ir.View(array, tuple(axes))


def puts_back(axes: Sequence[Axis], view: ir.View) -> bool:
    """Return whether axes add the dimensions of size 1 that a view of a whole array leaves out."""
    array = view.array
    if not isinstance(array, Ref) or array.shape is None:
        return False
    if not len(array.shape) == len(view.axes) == len(axes):
        return False
    for around, axis, size in zip(axes, view.axes, array.shape, strict=True):
        match around, axis:
            case ir.NewAxis(), ir.At(index) if number_of(index) == 0 and size.value == 1:
                pass
            case ir.Whole(), ir.Slice() if axis.whole and axis.step == 1:
                pass
            case _:
                return False
    return True
