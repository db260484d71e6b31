"""Loop-invariant code motion: what is the same in all iterations of a loop is computed before it.

Names for views, and numbers as arrays without dimensions, which are faster beside an array than plain numbers, are
harmless: they are made before any loop. What reads elements moves only from where every iteration passes, before
anything that may fail, if the loop stores to nothing that it reads; the loop is under a condition then, as it may have
no iteration. Indices are compared with their dimension before the loop even where something may fail before: the
scalar interpreter takes over in either case.
"""

from __future__ import annotations

from typing import assert_never

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, names_in, parts_of, with_parts
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.array_ir.operations import takes_plain_numbers
from relax_lang.tir.codegen.passes.effects import (
    Aliases,
    bodies_of,
    changed_by,
    definitions,
    has_extern,
    may_fail,
    root_of,
)
from relax_lang.tir.codegen.passes.rewriting import always_evaluated
from relax_lang.tir.codegen.passes.types import is_whole, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.array_ir.nodes import Expr, Statement
    from relax_lang.tir.codegen.passes.context import Context

    Part = Node | Polynomial
    Numbers = dict[Node, Ref]

_VIEWS = ir.View | ir.AffineView | ir.Transposed | ir.Broadcast


def hoist_invariants(body: list[Statement], context: Context) -> None:
    """Move what is the same in all iterations before the loops."""
    _hoist(body, context, Aliases(body))


def _hoist(body: list[Statement], context: Context, aliases: Aliases) -> None:
    numbers: Numbers = {}
    made: list[Statement] = []
    for statement in body:
        inner = bodies_of(statement)
        if inner:
            _hoist(inner, context, aliases)
        if isinstance(statement, ir.For) and not _is_peeled(statement):
            made += _Invariants(statement, context, aliases, numbers).before()
        else:
            made.append(statement)
    body[:] = made


def _is_peeled(loop: ir.For) -> bool:
    """Return whether a loop only has the first iterations of one, for which it is not worth while."""
    stop = loop.stop.args[0] if isinstance(loop.stop, ScalarOp) and loop.stop.op == "min" else loop.stop
    return isinstance(stop, Literal)


class _Invariants:
    """What is the same in all iterations of one loop."""

    def __init__(self, loop: ir.For, context: Context, aliases: Aliases, numbers: Numbers) -> None:
        self._loop = loop
        self._context = context
        self._aliases = aliases
        self._numbers = numbers
        self._bound = {loop.variable, *[row.name for row in loop.rows], *definitions(loop.body)}
        self._changed = changed_by(loop, aliases)
        self._calls = has_extern(loop)
        self._known: dict[Node, Ref] = {}
        self._harmless: list[Statement] = []
        self._computed: list[Statement] = []
        self._computed_names: set[str] = set()
        self._scalars: set[str] = set()
        """Names of numbers that were taken out."""
        self._is_sure = self._is_passed = True

    def before(self) -> list[Statement]:
        """Return the loop after what was in it."""
        loop = self._loop
        self._statements(loop.body, is_sure=not self._calls, is_passed=not self._calls)
        if not self._computed:
            return [*self._harmless, loop]
        after: list[Statement] = [*self._computed, loop]
        runs = isinstance(loop.stop, Polynomial) and loop.start == Literal(0) and (loop.stop.value or 0) > 0
        return [*self._harmless, *(after if runs else [ir.If(ScalarOp(">", (loop.stop, loop.start)), after)])]

    def _statements(self, body: list[Statement], *, is_sure: bool, is_passed: bool) -> None:
        """Take what is the same out of statements. They are `is_passed` if every iteration comes to them that does not
        fail before, and `is_sure` if none does.
        """
        made: list[Statement] = []
        for statement in body:
            self._is_passed = is_passed
            is_sure = is_sure and not may_fail(statement)
            self._is_sure = is_sure
            match statement:
                case ir.If() | ir.Forever() | ir.Restoring():
                    self._statements(statement.body, is_sure=False, is_passed=False)
                    made.append(statement)
                case ir.For() | ir.Require() | ir.Allocate():
                    made.append(statement)
                case ir.Define(name, value, rebinds) if not rebinds and self._moves(value, self._context):
                    self._bound.discard(name)
                    self._add(statement)
                case (
                    ir.Define() | ir.Unpack() | ir.Store() | ir.Into() | ir.StoreWhere() | ir.Evaluate()
                    | ir.Break() | ir.Remark()
                ):  # fmt: skip
                    made.append(with_parts(statement, self._part))
                case _:
                    assert_never(statement)
        body[:] = made

    def _add(self, definition: ir.Define) -> None:
        name, value = definition.name, definition.value
        is_scalar = _is_number(value) or self._is_scalar(value)
        if is_scalar:
            self._scalars.add(name)
        harmless = isinstance(value, _VIEWS) or is_scalar or self._is_reshaped(value)
        if harmless and self._computed_names.isdisjoint(names_in(value)):
            self._harmless.append(definition)
        else:
            self._computed.append(definition)
            self._computed_names.add(name)

    def _part(self, part: Part) -> Part:
        """Return a part of a statement with names in the place of what is the same in all iterations."""
        if isinstance(part, Polynomial | Ref | Literal):
            return part
        if isinstance(part, ir.Expr) and self._moves(part, self._context):
            return self._named(part)
        if (
            self._loop.hot
            and is_whole(part)
            and isinstance(part, ir.Elementwise)
            and takes_plain_numbers(part.op)
        ):
            part = with_parts(part, _array)
        return with_parts(part, self._part) if always_evaluated(part) else part

    def _named(self, value: Expr) -> Ref:
        known = self._numbers if _is_number(value) else self._known
        assert isinstance(value, Node)
        if value not in known:
            array = root_of(value)
            wanted = "number" if _is_number(value) else "same"
            if array is not None:
                wanted = array.removesuffix("_turned").lower()
            known[value] = Ref(self._context.fresh(wanted), *type_of(value))
            definition = ir.Define(known[value].name, value)
            self._aliases.note((definition,))
            self._add(definition)
        return known[value]

    def _moves(self, value: Expr, context: Context) -> bool:
        """Return whether a value is the same in all iterations, and better computed before the loop."""
        match value:
            case Polynomial() | Ref() | Literal():
                return False
            case ir.Typed() | ir.Call("array"):
                return self._loop.hot and _is_number(value) and self._bound.isdisjoint(names_in(value))
            case ir.Call(
                "inside", (Ref() as index, _)
            ):  # if it fails, so does the first iteration, or one before it
                return self._is_passed and self._is_unchanged(value) and index.shape is not None
            case ir.View() | ir.AffineView() | ir.Transposed() | ir.Broadcast():
                if not self._bound.isdisjoint(names_in(value)) or self._aliases.root(value) is None:
                    return False
                if isinstance(value, ir.Broadcast) and not _is_complete(value.array, context):
                    return False
                return _is_inside(value, context)
            case ir.Reshaped(array):
                is_view = self._aliases.root(array) is not None
                return is_view and self._is_same(value) and (self._is_sure or self._is_reshaped(value))
            case ir.Elementwise() | ir.Clip() | ir.Cast() | ir.Select() | ir.Take() | ir.Gather():
                if self._loop.hot and self._is_sure and self._is_scalar(value):
                    return self._bound.isdisjoint(names_in(value)) and not may_fail(value)
                return self._is_sure and self._is_same(value) and _reads(value)
            case ScalarOp() | ir.Call() | ir.Iota() | ir.Choice() | ir.Reduce() | ir.Contract() | ir.MatMul():
                return False
            case ir.Property() | ir.Tuple() | ir.Operation() | ir.DtypeOf() | ir.HasDtype():
                return False
            case _:
                assert_never(value)

    def _is_scalar(self, value: Part) -> bool:
        """Return whether an expression is computed from numbers alone, the same ones in all iterations."""
        match value:
            case Ref(name):
                return name in self._scalars
            case ir.Typed() | Literal():
                return True
            case ir.Cast(array):
                return self._is_scalar(array)
            case ir.Elementwise(_, args):
                return all(map(self._is_scalar, args))
            case _:
                return False

    def _is_reshaped(self, value: Expr) -> bool:
        """Return whether an expression is a whole array, not a view, in another shape."""
        if (
            not isinstance(value, ir.Reshaped)
            or not isinstance(value.array, Ref)
            or value.array.shape is None
        ):
            return False
        return self._aliases.array(value.array.name) == value.array.name

    def _is_same(self, value: Expr) -> bool:
        return not may_fail(value) and self._is_unchanged(value)

    def _is_unchanged(self, value: Expr) -> bool:
        names = names_in(value)
        if not self._bound.isdisjoint(names):
            return False
        return self._changed.isdisjoint([self._aliases.array(name) for name in names])


def _is_inside(value: Expr, context: Context) -> bool:
    """Return whether a view, which is not an element, surely is one: the indices in it are inside of the array."""
    if not isinstance(value, ir.View):
        return not isinstance(value, Ref | Polynomial) and all(
            _is_inside(part, context) for part in parts_of(value) if isinstance(part, _VIEWS)
        )
    if value.is_element:
        return False
    shape = type_of(value.array)[1]
    places = [axis for axis in value.axes if not isinstance(axis, ir.NewAxis)]
    for at, axis in enumerate(places):
        if isinstance(axis, ir.At):
            if shape is None or not isinstance(axis.index, Polynomial):
                return False
            if not all(map(context.is_nonnegative, (axis.index, shape[at] - 1 - axis.index))):
                return False
    return isinstance(value.array, Ref) or _is_inside(value.array, context)


def _is_complete(value: Part, context: Context) -> bool:
    """Return whether the slices in an expression surely are as long as they say: NumPy cuts those that reach outside,
    and what is too short cannot be repeated.
    """
    if not isinstance(value, ir.View):
        return not isinstance(value, Node) or all(_is_complete(part, context) for part in parts_of(value))
    shape = type_of(value.array)[1]
    places = [axis for axis in value.axes if not isinstance(axis, ir.NewAxis)]
    for at, axis in enumerate(places):
        if isinstance(axis, ir.Slice) and not axis.whole:
            if shape is None or axis.step != 1:
                return False
            if not all(map(context.is_nonnegative, (axis.start, shape[at] - axis.start - axis.extent))):
                return False
    return _is_complete(value.array, context)


def _reads(value: Part) -> bool:
    """Return whether an expression reads elements of arrays."""
    if isinstance(value, Ref):
        return value.shape is not None
    return isinstance(value, _VIEWS) or (isinstance(value, Node) and any(map(_reads, parts_of(value))))


def _array(part: Part) -> Part:
    """Return a number beside an array as an array without dimensions."""
    if isinstance(part, Literal) and part.dtype:
        return ir.Call("array", (ir.Typed(part, part.dtype),))
    return ir.Call("array", (part,)) if isinstance(part, ir.Expr) and _is_typed(part) else part


def _is_typed(value: Expr) -> bool:
    """Return whether an expression is a number of a dtype, made from such."""
    match value:
        case ir.Typed(number):
            return isinstance(number, Literal | Ref)
        case ir.Cast(array):
            return _is_typed(array)
        case ir.Elementwise(_, args):
            return any(_is_typed(arg) for arg in args) and all(
                isinstance(arg, Literal) or _is_typed(arg) for arg in args
            )
        case _:
            return False


def _is_number(value: Expr) -> bool:
    return isinstance(value, ir.Typed) or (isinstance(value, ir.Call) and value.function == "array")
