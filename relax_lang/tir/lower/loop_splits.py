"""Which loops are lowered as two: those whose variable the program takes apart by `v // 4` and `v % 4`.

A loop of a whole number of parts, `for v in 0..n * 4`, becomes one over the parts and one within a part; the quotient
and the rest are then variables, and all accesses stay affine. The divisions are found by one walk over the expressions
of the program, before anything is lowered.
"""

from __future__ import annotations

from contextlib import suppress

from relax_lang.arith.division import exact_quotient
from relax_lang.arith.polynomial import Polynomial
from relax_lang.base.node import walk
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.analysis.accesses import Loop, Storage
from relax_lang.tir.analysis.vector_ir import NotVectorizable
from relax_lang.tir.lower.guards import Guards
from relax_lang.tir.lower.state import declare_buffers
from relax_lang.tir.lower.values import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.tir.check.driver import Analysis
    from relax_lang.tir.ir.symbols import Symbol

    Variable = tuple[tree.For, int]  # one variable of a `for` statement

_MOST_SPLITS = 6
_DIVISIONS = (tree.Div, tree.FloorDiv, tree.FloorMod)


class LoopSplits:
    """The divisors by which loops of one PrimFunc are split, with the definitions of the names in them."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._entry = Guards(analysis)
        self._storages: dict[Symbol, Storage] = {}
        self._values = Values(self._entry, self._storages)
        self._variables: dict[str, Variable] = {}
        self._divisors: dict[Variable, Polynomial] = {}
        if self._has_divisions():
            declare_buffers(self._values, {})
            with suppress(NotVectorizable):  # lowering refuses the same expression
                self._visit(analysis.func.body)
            found = list(self._values.divisors.items())[:_MOST_SPLITS]
            self._divisors = {self._variables[name]: divisor for name, divisor in found}

    def of(
        self, variable: Variable, extent: Polynomial, entry: Guards
    ) -> tuple[Polynomial, Polynomial] | None:
        """Return the extents of the two loops, if a variable is split."""
        divisor = self._divisors.get(variable)
        if divisor is None or not entry.agrees(self._entry, divisor):
            return None
        parts = exact_quotient(extent, divisor)
        return None if parts is None else (parts, divisor)

    def _has_divisions(self) -> bool:
        types = self._analysis.types
        return any(
            isinstance(node, _DIVISIONS) and types[node] == dtypes.INT64
            for statement in self._analysis.func.body
            for node in walk(statement)
        )

    def _visit(self, statements: Iterable[tree.Stmt]) -> None:
        symbols = self._analysis.symbols
        for statement in statements:
            if isinstance(statement, tree.For):
                self._visit_for(statement)
            elif isinstance(statement, tree.Block):
                for axis in statement.axes:
                    self._values.define(symbols[axis.var], self._values.vector(axis.value))
                self._evaluate([] if statement.predicate is None else [statement.predicate])
                self._visit((*(statement.init or ()), *statement.body))
            elif isinstance(statement, tree.Allocate):
                shape = tuple([self._values.polynomial(dim) for dim in statement.buffer.shape])
                name = self._entry.fresh(statement.buffer.name)
                self._storages[symbols[statement.buffer]] = Storage(name, statement.buffer.dtype.name, shape)
            elif isinstance(statement, tree.LetStmt):
                self._values.define(symbols[statement.var], self._values.vector(statement.value))
            elif isinstance(statement, tree.IfThenElse):
                self._evaluate([statement.condition])
                self._visit((*statement.then_case, *statement.else_case))
            elif isinstance(statement, tree.While):
                self._evaluate([statement.condition])
                self._visit(statement.body)
            elif isinstance(statement, tree.BufferStore):
                self._evaluate([*statement.indices, statement.value])
            elif isinstance(statement, tree.AssertStmt):
                self._evaluate([statement.condition])
            else:
                args = [symbols.get(argument) for argument in statement.args]
                pairs = zip(statement.args, args, strict=True)
                self._evaluate([arg for arg, symbol in pairs if symbol is None or symbol.shape is None])

    def _visit_for(self, statement: tree.For) -> None:
        for position, (var, bounds) in enumerate(zip(statement.loop_vars, statement.ranges, strict=True)):
            start, stop = [self._values.polynomial(bound) for bound in (bounds.min, bounds.stop)]
            loop = Loop(self._entry.fresh(var.name), self._values.extent(stop - start, var.name), var)
            self._values.space.loops[loop.name] = loop
            self._variables[loop.name] = (statement, position)
            value = start + Polynomial.name(loop.name)
            self._values.define(self._analysis.symbols[var], self._values.index(value))
        self._visit(statement.body)

    def _evaluate(self, expressions: Iterable[tree.PrimExpr]) -> None:
        for expression in expressions:
            self._values.vector(expression)
