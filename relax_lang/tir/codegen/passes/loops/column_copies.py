"""Column copies: columns of an array on which every step of a loop works are copied before it, and put back after it.

Elements of a column lie apart, which makes an operation on a large one two or three times as slow. Where all that a
loop does with an array is in columns that numbers name (`V[:, 0]` and `V[:, 1]`), each gets a copy that lies together.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, names_in, parts_of, with_parts
from relax_lang.tir.codegen.passes.effects import (
    Aliases,
    all_statements,
    are_apart,
    bodies_of,
    changed_by,
    definitions,
    has_extern,
    own_parts,
)
from relax_lang.tir.codegen.passes.rewriting import mapped
from relax_lang.tir.codegen.passes.types import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.array_ir.nodes import Statement
    from relax_lang.tir.codegen.passes.context import Context

    Part = Node | Polynomial

_MOST_COLUMNS = 8
_LEAST_STEPS = 4
"""With fewer steps copies cost as much as they save."""


def copy_columns(body: list[Statement], context: Context) -> None:
    """Copy columns around loops whose steps work on them."""
    _copy(body, context, Aliases(body))


def _copy(body: list[Statement], context: Context, aliases: Aliases) -> None:
    made: list[Statement] = []
    for statement in body:
        if isinstance(statement, ir.For) and not has_extern(statement) and not _is_short(statement):
            made += _Loop(statement, context, aliases).rewritten()
        else:
            made.append(statement)
        _copy(bodies_of(statement), context, aliases)
    body[:] = made


def _is_short(loop: ir.For) -> bool:
    """Return whether a loop surely has few steps."""
    stop = loop.stop.value if isinstance(loop.stop, Polynomial | ir.Literal) else None
    return isinstance(stop, int) and loop.start == ir.Literal(0) and stop < _LEAST_STEPS


class _Loop:
    """A loop, and the columns that its steps work on."""

    def __init__(self, loop: ir.For, context: Context, aliases: Aliases) -> None:
        self._loop = loop
        self._context = context
        self._inner = set(definitions((loop,)))
        self._columns: dict[str, dict[ir.View, int]] = {}
        """The columns of each array, with the number of their uses."""
        self._others: set[str] = set()
        """Arrays that are used in other ways."""
        outer = names_in(loop) - self._inner
        for statement in all_statements((loop,)):
            for part in own_parts(statement):
                self._look(part)
        for name in outer:
            if aliases.array(name) != name:
                self._others |= {name, aliases.array(name)}
        changed = changed_by(loop, aliases)
        self._stored = {name for name in self._columns if name in changed}

    def rewritten(self) -> list[Statement]:
        """Return the loop with copies before it, and with what puts them back after it."""
        copies: dict[Part, Ref] = {}
        before: list[Statement] = []
        after: list[Statement] = []
        for name, columns in self._columns.items():
            if name in self._others or not self._pays(list(columns), columns):
                continue
            for view in columns:
                dtype, shape = type_of(view)
                copies[view] = Ref(self._context.fresh(f"{name.lower()}_column"), dtype, shape)
                before.append(ir.Define(copies[view].name, ir.Call("copied", (view,))))
                if name in self._stored:
                    after.append(ir.Store(view, copies[view]))
        if not copies:
            return [self._loop]

        def replaced(part: Part) -> Part:
            if isinstance(part, Polynomial | Ref | ir.Literal):
                return part
            return copies[part] if part in copies else with_parts(part, replaced)

        self._loop.body[:] = [mapped(statement, replaced) for statement in self._loop.body]
        return [*before, self._loop, *after]

    def _look(self, part: Part) -> None:
        """Note the columns in a part of a statement, and the arrays that are used otherwise."""
        if isinstance(part, ir.View) and self._is_column(part):
            assert isinstance(part.array, Ref)
            columns = self._columns.setdefault(part.array.name, {})
            columns[part] = columns.get(part, 0) + 1
        elif isinstance(part, Ref):
            self._others.add(part.name)
        elif isinstance(part, Node):
            for inner in parts_of(part):
                self._look(inner)

    def _is_column(self, view: ir.View) -> bool:
        """Return whether a view has elements that lie apart and is the same one in all steps, inside of its array."""
        array, axes = view.array, view.axes
        if not isinstance(array, Ref) or array.shape is None or len(array.shape) != len(axes):
            return False
        last = axes[-1] if axes else None
        if not isinstance(last, ir.At) or not isinstance(last.index, Polynomial) or last.index.value is None:
            return False
        if not self._inner.isdisjoint(names_in(view)) or view.is_element:
            return False
        return all(map(self._is_surely_inside, axes, array.shape))

    def _is_surely_inside(self, axis: ir.Axis, size: Polynomial) -> bool:
        match axis:
            case ir.At(Polynomial() as index):
                ends = [index, size - 1 - index]
            case ir.Slice(start, extent, 1):
                ends = [start, extent, size - start - extent]
            case _:
                return False
        return all(map(self._context.is_nonnegative, ends))

    def _pays(self, views: list[ir.View], uses: dict[ir.View, int]) -> bool:
        """Return whether columns share no element, and whether steps use them more often than copying does."""
        pairs = [(one, other) for at, one in enumerate(views) for other in views[:at]]
        if len(views) > _MOST_COLUMNS or not all(are_apart(one, other) for one, other in pairs):
            return False
        return sum(uses.values()) > len(views)
