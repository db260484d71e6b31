"""Names of a long function of which most is known: the walk goes over stretches in which names mean what they meant.

The caller decides which stretches these are (see `syntax.stretches`); what the walk wrote into its
tables for such a stretch is written again, and its variables come into scope as always.
"""

from __future__ import annotations

from relax_lang.base.cancellation import checkpoint
from relax_lang.scope.uses import bind_variable, use_global
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from relax_lang.base.node import Node
    from relax_lang.scope.context import Context
    from relax_lang.syntax.stretches import Stretch, Stretches

TABLES = ("bindings", "shape_bindings", "scalars", "sizes", "unresolved")
"""The tables of `Resolved` in which whatever is read comes from the same statement."""


class Outcome:
    """What resolving a stretch has written: entries of tables, operators, uses of items."""

    __slots__ = ("operators", "tables", "type_variables", "uses")

    def __init__(
        self,
        tables: list[tuple[str, dict[Node, object] | set[Node]]],
        operators: set[str],
        type_variables: set[str],
        uses: list[tree.GlobalVar],
    ) -> None:
        self.tables = tables
        self.operators = operators
        self.type_variables = type_variables
        self.uses = uses


class Memory:
    """The stretches of a function, those that mean what they meant, and what is known of each afterwards.

    What is `known` of a stretch must be the outcome of a walk in which its words meant the same.
    """

    __slots__ = ("kept", "known", "made", "stretches")

    def __init__(self, stretches: Stretches, known: Mapping[Stretch, Outcome]) -> None:
        self.stretches = stretches
        self.known = known
        self.made: dict[Stretch, Outcome] = {}
        self.kept: set[Stretch] = set()
        """The stretches that were gone over."""

    def resolve(
        self,
        ctx: Context,
        bindings: Sequence[tree.Binding],
        go_on: Callable[[Sequence[tree.Binding]], None],
    ) -> None:
        """Resolve the bindings of a block of the function itself; `go_on` resolves the next ones."""
        for stretch, part in self.stretches.parts(bindings):
            checkpoint()
            known = None if stretch is None else self.known.get(stretch)
            if stretch is None:
                go_on(part)
            elif known is None:
                self._walk(ctx, stretch, part, go_on)
            else:
                self._go_over(ctx, known, part)
                self.made[stretch] = known
                self.kept.add(stretch)

    def _go_over(self, ctx: Context, known: Outcome, part: Sequence[tree.Binding]) -> None:
        resolved = ctx.resolved
        for name, table in known.tables:
            getattr(resolved, name).update(table)
        ctx.operators |= known.operators
        ctx.type_variables |= known.type_variables
        for use in known.uses:
            use_global(ctx, use)
        dataflow, outputs = ctx.dataflow, resolved.outputs
        for binding in part:
            var = binding.var
            if var is not None:
                bind_variable(ctx, var, None if dataflow is None or var in outputs else dataflow)

    def _walk(
        self,
        ctx: Context,
        stretch: Stretch,
        part: Sequence[tree.Binding],
        go_on: Callable[[Sequence[tree.Binding]], None],
    ) -> None:
        resolved = ctx.resolved
        outer = [getattr(resolved, name) for name in TABLES]
        for name in TABLES:
            setattr(resolved, name, type(getattr(resolved, name))())
        operators, ctx.operators = ctx.operators, set()
        type_variables, ctx.type_variables = ctx.type_variables, set()
        n_found, n_rejected, n_uses = len(resolved.diagnostics), len(resolved.rejected), len(ctx.references)
        shapes, n_computed = ctx.shape_mark(), len(resolved.computed)
        go_on(part)
        tables = [(name, getattr(resolved, name)) for name in TABLES]
        for (name, own), table in zip(tables, outer, strict=True):
            table.update(own)
            setattr(resolved, name, table)
        operators |= ctx.operators
        type_variables |= ctx.type_variables
        if (
            len(resolved.diagnostics) == n_found
            and len(resolved.rejected) == n_rejected
            and ctx.shape_mark() == shapes
            and len(resolved.computed) == n_computed
            and (not ctx.reported or stretch.words.isdisjoint([name for _, name in ctx.reported]))
        ):
            uses = [use for use, _, _ in ctx.references[n_uses:]]
            self.made[stretch] = Outcome(
                [(name, own) for name, own in tables if own], ctx.operators, ctx.type_variables, uses
            )
        ctx.operators, ctx.type_variables = operators, type_variables
