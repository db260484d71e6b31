"""What is the same in all steps of a loop: it is computed before the loop.

That are numbers as arrays of their type, views, functions that are called, and expressions that read nothing that
the loop stores. Temporary arrays are made there, too.
"""

from __future__ import annotations

from contextlib import contextmanager

from relax_lang.tir.analysis.statement_accesses import accesses
from relax_lang.tir.analysis.statements import Extern, New
from relax_lang.tir.analysis.vector_ir import Apply, Index, Load, Named, all_loads
from relax_lang.tir.codegen.workspace import Workspace
from relax_lang.tir.codegen.writer import Preheader
from relax_lang.tir.ir import array_ir as ir
from relax_lang.tir.ir.ir_node import Ref
from relax_lang.tir.lower.values import may_divide_by_zero
from relax_lang.tir.schedule import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from relax_lang.arith.polynomial import Polynomial
    from relax_lang.tir.analysis.accesses import Loop, Storage
    from relax_lang.tir.analysis.vector_ir import Vector
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.ir.array_ir import Expr
    from relax_lang.tir.schedule.plan import Node, Sequential


class InvariantMotion(Workspace, Preheader):
    """What is made before a loop: lines that compute what is the same in all of its steps."""

    def __init__(self, writer: Writer, node: Sequential) -> None:
        super().__init__(None, None)
        self.outer = writer.steps if isinstance(writer.steps, InvariantMotion) else None
        self.fixed = frozenset(writer.fixed)
        self.computes = False
        """Whether the statements do more than name numbers and make arrays: then the loop must have a step."""
        self._stored: set[Storage] = set()
        self._remade: set[Storage] = set()
        self._calls = False
        self._known: dict[object, Ref] = {}
        self._same: dict[int, bool] = {}
        """For expressions of the current kernel, by their keys, whether they are the same in all steps."""
        self._note(writer, node.body)

    def _note(self, writer: Writer, nodes: Sequence[Node]) -> None:
        for statement in plan.statements_in(nodes):
            self._calls = self._calls or isinstance(statement, Extern)
            if isinstance(statement, New):
                self._remade.add(statement.storage)
            for access in accesses(writer.space, statement):
                if access.is_store:
                    self._stored.add(access.storage)

    def release(self) -> None:
        """Note that a kernel is done: nothing that it computed on the way is needed any more."""
        super().release()
        self._same.clear()
        if self.outer is not None:
            self.outer.release()

    def take(self, writer: Writer, loops: Sequence[Loop], dtype: str) -> Expr | None:
        """Return an array over some loops whose contents are not needed; None where there is none."""
        if self.outer is not None:
            found = self.outer.take(writer, loops, dtype)
            if found is not None:
                return found
        if not all(self.is_known(writer, loop.extent) for loop in loops):
            return None
        return super().take(writer, loops, dtype)

    def is_known(self, writer: Writer, polynomial: Polynomial, order: Sequence[str] = ()) -> bool:
        """Tell whether a polynomial has its value before the loop, but for the variables of an order of loops."""
        for name in polynomial.names():
            if name in writer.space.loops:
                known = name in self.fixed
                if name in order and not known:
                    known = self.is_known(writer, writer.space.loops[name].extent)
            else:
                known = name in writer.known or writer.entry.is_known(name)
            if not known:
                return False
        return True

    def number(self, writer: Writer, value: Expr) -> Expr:
        """Return the name of a number, made before the outermost loop."""
        if self.outer is not None:
            return self.outer.number(writer, value)
        return self._named(writer, value, value, "number")

    def view(self, writer: Writer, storage: Storage, value: Expr, parts: Sequence[Polynomial]) -> Expr:
        """Return the name of a view, made before the loop if it is the same in all steps."""
        if storage in self._remade or not all(self.is_known(writer, part) for part in parts):
            return value
        return self._named(writer, value, value, storage.name.lower())

    def _named(self, writer: Writer, key: object, value: Expr, wanted: str) -> Ref:
        if key not in self._known:
            self._known[key] = Ref(writer.fresh(wanted))
            self.made.append(ir.Define(self._known[key].name, value))
        return self._known[key]

    def is_same(self, writer: Writer, vector: Vector, order: Sequence[str]) -> bool:
        """Tell whether an expression on arrays has the same value in all steps, and cannot fail before them."""
        if self._calls or not writer.unconditional or not self._is_same(writer, vector, order):
            return False
        return bool(all_loads(writer.space, vector))

    def _is_same(self, writer: Writer, vector: Vector, order: Sequence[str]) -> bool:
        found = self._same.get(vector.key)
        if found is None:
            args = vector.args if isinstance(vector, Apply) else ()
            found = self._is_same_alone(writer, vector, order)
            for arg in args:
                found = found and self._is_same(writer, arg, order)
            self._same[vector.key] = found
        return found

    def _is_same_alone(self, writer: Writer, vector: Vector, order: Sequence[str]) -> bool:
        if isinstance(vector, Named) or may_divide_by_zero(vector):
            return False
        if isinstance(vector, Index):
            return self.is_known(writer, vector.polynomial, order)
        if not isinstance(vector, Load):
            return True
        if vector.storage in self._stored or (id(vector.storage), vector.index) not in writer.covered:
            return False
        return all(self.is_known(writer, part, order) for part in vector.index)

    def computed(
        self, writer: Writer, key: object, value_of: Callable[[], Expr], *, sure: bool = False
    ) -> Expr:
        """Return the name of an array that is computed before the loop; `sure` if that can never fail."""
        if key not in self._known:
            with self._before(writer):
                value = value_of()
            self.computes = self.computes or not sure
            return self._named(writer, key, value, "same")
        return self._known[key]

    @contextmanager
    def _before(self, writer: Writer) -> Generator[None]:
        """Write statements before the loop."""
        steps, scratch = writer.steps, writer.scratch
        rows, fixed = writer.rows, writer.fixed
        writer.steps, writer.scratch = None, None
        writer.rows = {}
        with writer.inside(self.made):
            writer.fixed = set(self.fixed)
            yield
        writer.steps, writer.scratch = steps, scratch
        writer.rows, writer.fixed = rows, fixed
