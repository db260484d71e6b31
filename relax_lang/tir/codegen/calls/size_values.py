"""What only sizes decide, taken out of a function: indices, masks of triangles, weights, constants. [TIR.21]

Calls with the same sizes compute the same arrays of this kind, so one call can compute them for all later ones. What is
under a condition, or in a loop that may have no step, is only computed where a call would: it might fail. Floats beside
arrays are arrays without dimensions, since NumPy makes one of each number in each operation.
"""

from __future__ import annotations

from typing import assert_never

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, names_in, parts_of, with_fields, with_parts
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.codegen.passes.effects import Aliases, all_statements, bodies_of, targets_of
from relax_lang.tir.codegen.passes.rewriting import always_evaluated, rebound_names
from relax_lang.tir.codegen.passes.types import type_of
from relax_lang.tir.codegen.passes.values.dead_code import does_something

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import TypeVar

    from relax_lang.tir.array_ir.ir_node import AnyNode
    from relax_lang.tir.array_ir.nodes import Expr, Scalar, Statement

    Part = Node | Polynomial
    AnyPart = TypeVar("AnyPart", bound=Part)

_ARRAYS = (
    ir.View | ir.Transposed | ir.Broadcast | ir.Reshaped | ir.Iota | ir.Elementwise | ir.Clip | ir.Cast | ir.Select
)  # fmt: skip
_NUMBERS = ir.Typed | ir.Call
_WITH_CONSTANTS = frozenset(("+", "-", "*", "/", "min", "max", "==", "!=", "<", "<=", ">", ">="))
_CONSTANTS = frozenset((dtypes.FLOAT32, "float64"))
_FUNCTIONS = frozenset(("inside", "nonzero", "array"))
_NONE = Literal(None)


class SizeValues:
    """Takes what the names `sizes` decide out of the statements of a function: `definitions` are of that. Each call
    makes the arrays in `own` itself.
    """

    def __init__(
        self, sizes: Collection[str], fresh: Callable[[str], str], own: Collection[str] = ()
    ) -> None:
        self.definitions: list[ir.Define] = []
        self._decided = set(sizes)
        self._fresh = fresh
        self._names: dict[tuple[Expr, tuple[Scalar, ...]], Ref] = {}
        self._own = own
        self._changing: set[str] = set()

    def taken_from(self, body: list[Statement]) -> list[Statement]:
        """Return statements with names in the place of what sizes decide."""
        aliases = Aliases(body)
        self._changing = rebound_names(body) | {*self._own}
        for statement in all_statements(body):
            for target in targets_of(statement):
                root = aliases.root(target)
                if root is not None:
                    self._changing.add(root)
        return self._statements(body, ())

    def _statements(self, body: list[Statement], conditions: tuple[Scalar, ...]) -> list[Statement]:
        """Return statements that run where some conditions hold."""
        made: list[Statement] = []
        for statement in body:
            match statement:
                case ir.Define(name, value) if name in self._changing:
                    made.append(ir.Define(name, self._with_parts(value, conditions), statement.rebinds))
                case ir.Define(name, value) if self._is_decided(value):
                    self._define(name, value, conditions)
                case ir.Remark() | ir.Allocate():
                    made.append(statement)
                case ir.For() | ir.Forever() | ir.If() | ir.Restoring():
                    nested = self._nested(statement, conditions)
                    made += [nested] if any(map(does_something, bodies_of(nested))) else []
                case ir.Into(target, value) if isinstance(value, Node):  # an operation that stores stays one
                    made.append(ir.Into(target, self._with_parts(value, conditions)))
                case (
                    ir.Define() | ir.Unpack() | ir.Store() | ir.Into() | ir.StoreWhere() | ir.Evaluate()
                    | ir.Require() | ir.Break()
                ):  # fmt: skip
                    made.append(with_parts(statement, lambda part: self._part(part, conditions)))
                case _:
                    assert_never(statement)
        return made

    def _nested(self, statement: ir.Nested, conditions: tuple[Scalar, ...]) -> Statement:
        """Return a statement with others in it: those that sizes decide to run are looked at."""
        match statement:
            case ir.Restoring():
                inner = conditions
            case ir.If(condition) if isinstance(condition, ir.Scalar) and self._is_number(condition):
                inner = (*conditions, condition)
            case ir.For(_, start, stop) if self._is_number(start) and self._is_number(stop):
                inner = (*conditions, ScalarOp(">", (stop, start)))
            case ir.If() | ir.For() | ir.Forever():
                return statement
            case _:
                assert_never(statement)
        return with_fields(statement, {"body": [*self._statements(bodies_of(statement), inner)]})

    def _part(self, part: Part, conditions: tuple[Scalar, ...]) -> Part:
        if isinstance(part, Polynomial | Ref | Literal):
            return part
        if isinstance(part, ir.Expr) and self._is_array(part):
            key = part, conditions
            if key not in self._names:
                name = self._names[key] = Ref(self._fresh("table"), *type_of(part))
                self._define(name.name, part, conditions)
            return self._names[key]
        return self._with_parts(part, conditions)

    def _with_parts(self, value: AnyPart, conditions: tuple[Scalar, ...]) -> AnyPart:
        """Return an expression with names in the place of what in it sizes decide."""
        if isinstance(value, Polynomial | Ref) or not always_evaluated(value):
            return value
        return self._with_constants(with_parts(value, lambda one: self._part(one, conditions)))

    def _with_constants(self, value: AnyNode) -> AnyNode:
        """Return an operation on arrays with names in the place of floats; anything else as it is."""
        if not isinstance(value, ir.Elementwise) or not value.domain or value.op not in _WITH_CONSTANTS:
            return value
        args = tuple(
            [self._constant(arg) if isinstance(arg, Literal) else _unread(arg) for arg in value.args]
        )
        return value if args == value.args else with_fields(value, {"args": args})

    def _constant(self, literal: Literal) -> Expr:
        if literal.dtype not in _CONSTANTS:
            return literal
        key = literal, ()
        if key not in self._names:
            name = self._names[key] = Ref(self._fresh("constant"), literal.dtype, ())
            typed = ir.Typed(Literal(literal.value), literal.dtype)
            self.definitions.append(ir.Define(name.name, ir.Call("array", (typed,))))
            self._decided.add(name.name)
        return self._names[key]

    def _define(self, name: str, value: Expr, conditions: tuple[Scalar, ...]) -> None:
        if conditions:
            value = ir.Choice(ir.conjunction([*conditions]), value, _NONE)
        self.definitions.append(ir.Define(name, value))
        self._decided.add(name)

    def _is_decided(self, value: Expr) -> bool:
        return self._is_array(value) or (isinstance(value, ir.Scalar) and self._is_number(value))

    def _is_number(self, value: ir.Scalar) -> bool:
        return names_in(value) <= self._decided and not _is_about_arrays(value)

    def _is_array(self, value: Expr) -> bool:
        """Return whether sizes decide an array, or a number of a dtype, that takes time to make."""
        return isinstance(value, _ARRAYS | _NUMBERS) and names_in(value) <= self._decided and _is_made(value)


def _unread(value: Expr) -> Expr:
    """Return the array without dimensions that a value is the element of; else the value."""
    match value:
        case ir.View(array, ()) if type_of(array)[1] == ():
            return array
        case _:
            return value


def _is_made(value: Part) -> bool:
    """Return whether an expression makes arrays from numbers alone, by operations that store nothing."""
    match value:
        case Polynomial() | Ref() | Literal() | ScalarOp():
            return isinstance(value, Ref) or not _is_about_arrays(value)
        case ir.Typed(number):
            return _is_made(number)
        case ir.Call(function, args, ()):
            return function in _FUNCTIONS and all(map(_is_made, args))
        case ir.At() | ir.Slice() | ir.Whole() | ir.NewAxis():
            return all(map(_is_made, parts_of(value)))
        case _:
            return isinstance(value, _ARRAYS) and all(map(_is_made, parts_of(value)))


def _is_about_arrays(value: Part) -> bool:
    """Return whether a number is found in an array."""
    match value:
        case Polynomial() | Literal():
            return False
        case Ref(_, _, shape):
            return shape is not None
        case ScalarOp():
            return any(map(_is_about_arrays, parts_of(value)))
        case _:
            return True
