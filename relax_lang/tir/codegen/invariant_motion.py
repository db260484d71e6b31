"""What is the same in all steps of a loop: it is computed before the loop.

That are numbers as arrays of their type, views, functions that are called, and expressions that read nothing that
the loop stores. Temporary arrays are made there, too.
"""

from __future__ import annotations

import re
from contextlib import contextmanager

from relax_lang.arith.polynomial import Polynomial
from relax_lang.tir.analysis.dependence import accesses
from relax_lang.tir.analysis.vector_ir import Apply, Extern, Index, Load, Named, New, all_loads
from relax_lang.tir.codegen.workspace import Workspace
from relax_lang.tir.codegen.writer import Preheader
from relax_lang.tir.lower.values import may_divide_by_zero
from relax_lang.tir.schedule import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from relax_lang.tir.analysis.vector_ir import Loop, Storage, Vector
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Node, Sequential

_FUNCTION = re.compile(
    r"\bnp\.(add|subtract|multiply|divide|maximum|minimum|negative|tanh|exp|matmul)\b(?=\()"
)


class InvariantMotion(Workspace, Preheader):
    """What is made before a loop: lines that compute what is the same in all of its steps."""

    def __init__(self, writer: Writer, node: Sequential) -> None:
        nothing = Polynomial.constant(0)
        super().__init__(nothing, nothing)
        self.outer = writer.steps if isinstance(writer.steps, InvariantMotion) else None
        self.fixed = frozenset(writer.fixed)
        self.computes = False
        """Whether the lines do more than name numbers and make arrays: then the loop must have a step."""
        self._stored: set[Storage] = set()
        self._remade: set[Storage] = set()
        self._calls = False
        self._names: dict[object, str] = {}
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

    def take(self, writer: Writer, loops: Sequence[Loop], dtype: str) -> str | None:
        """Return the text of an array over some loops whose contents nobody needs; None where there is none."""
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

    def number(self, writer: Writer, text: str) -> str:
        """Return the name of a number, made before the outermost loop."""
        if self.outer is not None:
            return self.outer.number(writer, text)
        return self._named(writer, text, text, "number")

    def view(self, writer: Writer, storage: Storage, text: str, parts: Sequence[Polynomial]) -> str:
        """Return the name of a view, made before the loop if it is the same in all steps."""
        if storage in self._remade or not all(self.is_known(writer, part) for part in parts):
            return text
        return self._named(writer, text, text, storage.name.lower())

    def _named(self, writer: Writer, key: object, text: str, wanted: str) -> str:
        if key not in self._names:
            self._names[key] = writer.fresh(wanted)
            self.lines.append(f"{self._names[key]} = {text}")
        return self._names[key]

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

    def with_short_names(self, writer: Writer, line: str) -> str:
        """Return a line with names for the functions of NumPy that it calls: looking them up takes time."""
        if self.outer is not None or line.lstrip().startswith("#"):
            return line

        def short(match: re.Match[str]) -> str:
            return self._named(writer, match[0], match[0], match[1])

        return _FUNCTION.sub(short, line)

    def computed(self, writer: Writer, key: object, text_of: Callable[[], str], *, sure: bool = False) -> str:
        """Return the name of an array that is computed before the loop; `sure` if that can never fail."""
        if key not in self._names:
            with self._before(writer):
                text = text_of()
            self.computes = self.computes or not sure
            return self._named(writer, key, text, "same")
        return self._names[key]

    @contextmanager
    def _before(self, writer: Writer) -> Generator[None]:
        """Write lines before the loop."""
        lines, depth, steps, scratch = writer.lines, writer.depth, writer.steps, writer.scratch
        rows, fixed = writer.rows, writer.fixed
        writer.lines, writer.depth, writer.steps, writer.scratch = self.lines, 0, None, None
        writer.rows, writer.fixed = {}, set(self.fixed)
        yield
        writer.lines, writer.depth, writer.steps, writer.scratch = lines, depth, steps, scratch
        writer.rows, writer.fixed = rows, fixed
