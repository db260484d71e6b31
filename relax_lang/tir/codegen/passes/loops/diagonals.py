"""Diagonals: lines across an array with several dimensions are slices of its elements in row-major order.

A wavefront goes along such lines, four or five of them in every step. Each step makes one slice as an index, which all
lines of the step share that differ in where they begin: these begin in views of the elements that are made before the
loop. An array that is not in row-major order is copied before the loop, and put back after it.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, names_in, parts_of, with_parts
from relax_lang.tir.array_ir.nodes import ScalarOp
from relax_lang.tir.codegen.passes.effects import Aliases, all_statements, bodies_of, changed_by, definitions
from relax_lang.tir.codegen.passes.rewriting import mapped, substituted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.tir.array_ir.nodes import Expr, Statement
    from relax_lang.tir.codegen.passes.context import Context

    Part = Node | Polynomial

_ZERO = Polynomial.constant(0)
_ONE = Polynomial.constant(1)


def slice_diagonals(body: list[Statement], context: Context) -> None:
    """Make slices of the lines across arrays along which loops go."""
    _slice(body, context, Aliases(body))


def _slice(body: list[Statement], context: Context, aliases: Aliases) -> None:
    made: list[Statement] = []
    for statement in body:
        if isinstance(statement, ir.For):
            made += _Loop(statement, context, aliases).rewritten()
        else:
            _slice(bodies_of(statement), context, aliases)
            made.append(statement)
    body[:] = made


class _Line:
    """A line across an array: where it begins among the elements in row-major order, or, if it is `backward`, in the
    reverse order, how long it is, and its step.
    """

    __slots__ = ("array", "backward", "extent", "fixed", "moving", "size", "step", "view")

    def __init__(self, view: ir.AffineView, array: Ref, context: Context, *, backward: bool) -> None:
        self.view = view
        self.array = array
        self.backward = backward
        assert array.shape is not None, "of an array whose shape is known"
        strides = [_ONE]
        for size in reversed(array.shape[1:]):
            strides.insert(0, strides[0] * size)
        self.size = strides[0] * array.shape[0]
        start, step = _sum(view.starts, strides), _sum(view.steps[0].items, strides)
        if backward:
            start, step = self.size - 1 - start, -step
        moving = {name for name in start.names() if not context.is_size(Polynomial.name(name))}
        self.moving = Polynomial({key: one for key, one in start.terms.items() if not moving.isdisjoint(key)})
        self.fixed = start - self.moving
        """The part of the start that is the same in all steps."""
        self.step = step
        self.extent = _number(view.extents[0])

    @property
    def key(self) -> tuple[Polynomial, ...]:
        """What lines have in common that one index serves, if they begin in other elements."""
        return self.moving, self.step, self.extent

    @property
    def names(self) -> frozenset[str]:
        """The names that decide where the line is."""
        return self.moving.names() | self.extent.names()


def _line_of(part: Part, context: Context) -> _Line | None:
    """Return a view of one dimension as a line; None if it is something else. As the first index that changes grows, or
    falls in the reverse order, the step is above 0 if there are two elements.
    """
    if not isinstance(part, ir.AffineView) or len(part.steps) != 1 or part.line is not None:
        return None
    array = part.array
    if not isinstance(array, Ref) or array.shape is None or len(array.shape) < 2:
        return None
    steps = [_value(step) for step in part.steps[0].items]
    numbers = (*part.starts, *part.extents)
    if None in steps or not all(isinstance(one, Polynomial | Ref) for one in numbers):
        return None
    first = next((step for step in steps if step), None)
    return None if first is None else _Line(part, array, context, backward=first < 0)


class _Loop:
    """A loop that is in no other one, and the lines along which what is in it goes."""

    def __init__(self, loop: ir.For, context: Context, aliases: Aliases) -> None:
        self._loop = loop
        self._context = context
        self._before: list[Statement] = []
        self._after: list[Statement] = []
        self._rows: dict[str, Ref] = {}
        self._flat: dict[tuple[str, bool, Polynomial], Ref] = {}
        """The elements of arrays in row-major order, or in the reverse one, from some on."""
        self._steps: dict[Polynomial, Expr] = {}
        lines = [line for part in _views((loop,)) if (line := _line_of(part, context)) is not None]
        inner = set(definitions((loop,)))
        outer = names_in(loop) - inner
        self._arrays = {
            line.array.name: line.array
            for line in lines
            if line.array.name not in inner
            and all(name == line.array.name or aliases.array(name) != line.array.name for name in outer)
        }
        self._changed = changed_by(loop, aliases)

    def rewritten(self) -> list[Statement]:
        """Return the loop with what is before and after it."""
        if not self._arrays:
            return [self._loop]
        self._rows = {name: self._in_rows(array) for name, array in self._arrays.items()}
        self._body(self._loop.body)
        loop = substituted(self._loop, self._rows)
        return [*self._before, loop, *self._after]

    def _in_rows(self, array: Ref) -> Ref:
        """Name an array that has the elements in row-major order."""
        rows = Ref(self._context.fresh(f"{array.name.lower()}_rows"), array.dtype, array.shape)
        self._before.append(ir.Define(rows.name, ir.Call("row_major", (array,))))
        if array.name in self._changed:
            self._after.append(ir.Evaluate(ir.Call("put_rows_back", (array, rows))))
        return rows

    def _elements(self, line: _Line, shift: Polynomial) -> Ref:
        """Name the elements of an array from some on, in the order of a line."""
        key = line.array.name, line.backward, shift
        if key not in self._flat:
            rows = self._rows[line.array.name]
            value: Expr = ir.Reshaped(rows, (Polynomial.constant(-1),))
            word = f"{line.array.name.lower()}_{'reversed' if line.backward else 'flat'}"
            if shift.terms:
                value = ir.View(self._elements(line, _ZERO), (ir.Slice(shift, line.size - shift),))
            elif line.backward:
                value = ir.View(value, (ir.Slice(line.size - 1, line.size, -1, whole=True),))
            self._flat[key] = Ref(self._context.fresh(word), rows.dtype)
            self._before.append(ir.Define(self._flat[key].name, value))
        return self._flat[key]

    def _body(self, body: list[Statement]) -> None:
        """Rewrite statements; lines share an index as long as the names that decide where they are stay the same."""
        made: list[Statement] = []
        waiting: list[tuple[Statement, list[_Line]]] = []

        def write() -> None:
            made.extend(self._with_indices(waiting))
            waiting.clear()

        for statement in body:
            inner = bodies_of(statement)
            defined = set(definitions((statement,)))
            if inner or any(not line.names.isdisjoint(defined) for _, lines in waiting for line in lines):
                write()
            if inner:
                self._body(inner)
                made.append(statement)
                continue
            lines = [
                line
                for part in _views((statement,))
                if (line := _line_of(part, self._context)) is not None and line.array.name in self._arrays
            ]
            waiting.append((statement, lines))
        write()
        body[:] = made

    def _with_indices(self, statements: list[tuple[Statement, list[_Line]]]) -> Iterator[Statement]:
        """Yield statements, before each the indices that it needs first."""
        groups: dict[tuple[Polynomial, ...], list[_Line]] = {}
        for _, lines in statements:
            for line in lines:
                groups.setdefault(line.key, []).append(line)
        indices: dict[tuple[Polynomial, ...], Ref] = {}
        for statement, lines in statements:
            found: dict[Part, Part] = {}
            for line in lines:
                least = self._least(line, groups[line.key])
                key = *line.key, least
                if key not in indices:
                    yield from self._index(line, least, indices, key)
                found[line.view] = self._view(line, least, indices[key])
            yield mapped(statement, lambda part, found=found: _replaced(part, found)) if found else statement

    def _least(self, line: _Line, group: list[_Line]) -> Polynomial:
        """Return the least fixed start of lines, if one is known to be that; else that of the line."""
        for other in group:
            if all(self._context.is_nonnegative(one.fixed - other.fixed) for one in group):
                return other.fixed
        return line.fixed

    def _index(
        self,
        line: _Line,
        least: Polynomial,
        indices: dict[tuple[Polynomial, ...], Ref],
        key: tuple[Polynomial, ...],
    ) -> Iterator[Statement]:
        first = Ref(self._context.fresh("first"))
        yield ir.Define(first.name, line.moving + least)
        step = self._step(line.step)
        length = ScalarOp("*", (line.extent, step))
        stop = ScalarOp("+", (first, length))
        indices[key] = Ref(self._context.fresh("diagonal"))
        yield ir.Define(indices[key].name, ir.Call("slice", (first, stop, step)))

    def _step(self, step: Polynomial) -> Expr:
        """Return a step that is above 0, as it is where a line has two elements."""
        if self._context.is_nonnegative(step - 1):
            return step
        if step not in self._steps:
            name = self._context.fresh("step")
            self._before.append(ir.Define(name, ScalarOp("max", (_ONE, step))))
            self._steps[step] = Polynomial.name(name)
        return self._steps[step]

    def _view(self, line: _Line, least: Polynomial, index: Ref) -> ir.AffineView:
        view = line.view
        elements = self._elements(line, line.fixed - least)
        return ir.AffineView(view.array, view.starts, view.extents, view.steps, (elements, index))


def _views(body: tuple[Statement, ...]) -> Iterator[Part]:
    """Yield all affine views in statements."""
    for statement in all_statements(body):
        pending: list[Part] = [] if bodies_of(statement) else [*parts_of(statement)]
        while pending:
            part = pending.pop()
            if isinstance(part, ir.AffineView):
                yield part
            if isinstance(part, Node):
                pending += parts_of(part)


def _replaced(part: Part, found: dict[Part, Part]) -> Part:
    if isinstance(part, Polynomial | Ref | ir.Literal):
        return part
    return found[part] if part in found else with_parts(part, lambda one: _replaced(one, found))


def _sum(factors: tuple[Expr, ...], strides: list[Polynomial]) -> Polynomial:
    total = Polynomial.constant(0)
    for factor, stride in zip(factors, strides, strict=True):
        total += _number(factor) * stride
    return total


def _number(value: Expr) -> Polynomial:
    if isinstance(value, Polynomial):
        return value
    assert isinstance(value, Ref), "a number that is known as one"
    return Polynomial.name(value.name)


def _value(value: Expr) -> int | None:
    return value.value if isinstance(value, Polynomial) else None
