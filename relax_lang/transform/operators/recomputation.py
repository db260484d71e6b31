"""Recomputation: what was computed between checkpoints is computed again where gradients need it, and not kept.

After `let s = grad.start_checkpoint(x)`, everything that is computed of `s` belongs to the region, up to the
`grad.end_checkpoint`s. Of a region only what goes in and what comes out is alive until its gradient is computed.
"""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.transform.core.rebuild import Substitution, copied
from relax_lang.transform.operators.adjoints import operands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.names import FreshNames


def recomputed(
    forward: Sequence[tree.Binding], backward: Sequence[tree.Binding], names: FreshNames
) -> list[tree.Binding]:
    """Return the bindings of a gradient, in which values of regions are computed again before their first use."""
    region = _Region(forward, names)
    return region.used_in(backward) if region.bindings else list(backward)


class _Region:
    """The bindings between checkpoints, by their variables."""

    def __init__(self, forward: Sequence[tree.Binding], names: FreshNames) -> None:
        self.bindings: dict[str, tree.Binding] = {}
        self._names = names
        self._again = Substitution()
        """What is used in the place of variables of the region: what comes out of it, or what is computed again."""
        self._made: list[tree.Binding] = []
        inside: set[str] = set()
        for binding in forward:
            if binding.var is None:
                continue
            name, mark = binding.var.name_hint, _mark(binding.value)
            used = [one.name_hint for one in operands(binding.value) if isinstance(one, tree.Var)]
            if mark == "grad.start_checkpoint":
                inside.add(name)
            elif mark == "grad.end_checkpoint":
                for one in used:
                    self._again.values.setdefault(one, tree.Var(name, None))
            elif not inside.isdisjoint(used):
                inside.add(name)
                self.bindings[name] = binding

    def used_in(self, backward: Sequence[tree.Binding]) -> list[tree.Binding]:
        for binding in backward:
            self._need(binding.value)
            self._made.append(self._again.of(binding))
        return self._made

    def _need(self, value: tree.Expr) -> None:
        """Compute again what an expression uses of the region, operands first; without Python's stack."""
        todo = [one.name_hint for one in operands(value) if isinstance(one, tree.Var)]
        while todo:
            name = todo[-1]
            binding = self.bindings.get(name)
            if binding is None or name in self._again.values:
                todo.pop()
                continue
            missing = [
                one.name_hint
                for one in operands(binding.value)
                if isinstance(one, tree.Var)
                and one.name_hint in self.bindings
                and one.name_hint not in self._again.values
            ]
            if missing:
                todo += missing
                continue
            todo.pop()
            fresh = self._names.fresh(f"{name}_again")
            var = tree.DataflowVar(fresh, None, binding.pos, binding.end)
            made = self._again.of(copied(binding.value))
            self._made.append(tree.VarBinding(var, made, binding.pos, binding.end))
            self._again.values[name] = tree.Var(fresh, None)


def _mark(value: tree.Expr) -> str:
    return value.op.op_name if isinstance(value, tree.Call) and isinstance(value.op, tree.Op) else ""
