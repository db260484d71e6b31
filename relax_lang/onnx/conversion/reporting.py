"""What is wrong with a model, as diagnostics: one for each cause, with all nodes that it concerns."""

from __future__ import annotations

from relax_lang.onnx import diagnostics as diag
from relax_lang.onnx.errors import NeedsValue, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.onnx.conversion.conversion import Problem
    from relax_lang.onnx.reading.model import NodeDef
    from relax_lang.onnx.reading.origins import Origins


class Report:
    """The diagnostics of one import."""

    def __init__(self, origins: Origins) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._origins = origins

    def no_input(self, name: str, inputs: Sequence[str]) -> None:
        """Report the name of an input that the model does not have."""
        self.diagnostics.append(diag.no_such_input(name, inputs))

    def port(self, name: str, error: Exception) -> None:
        """Report an input that cannot be a parameter."""
        make = diag.unsupported_input if isinstance(error, Refused) else diag.invalid
        self.diagnostics.append(make(f"input `{name}`", str(error)))

    def problems(self, problems: Sequence[Problem]) -> None:
        """Report nodes: those of one operator with one reason together."""
        groups: dict[tuple[str, ...], list[Problem]] = {}
        for one in problems:
            error = one.error
            key = (type(error).__name__, one.node.domain, one.node.op, str(error))
            groups.setdefault(key, []).append(one)
        for group in groups.values():
            self.diagnostics.append(self._diagnostic(group))

    def _diagnostic(self, group: list[Problem]) -> Diagnostic:
        first = group[0]
        error = first.error
        place = _place(first)
        if isinstance(error, NeedsValue):
            givable = self._origins.givable(error.names)
            return diag.needs_value(
                place, error.role, error.names, givable, self._origins.inputs(error.names)
            )
        if isinstance(error, Refused):
            op = f"{first.node.domain}.{first.node.op}" if first.node.domain else first.node.op
            others = [_place(one) for one in group[1:]]
            return diag.unsupported(op, first.opset, str(error), place, others)
        return diag.invalid(place, str(error))


def _place(problem: Problem) -> str:
    """Return what people find a node by: its number and name, and those of the nodes that its graph is inside of."""
    return " in a graph of ".join([_called(one) for one in (problem.node, *reversed(problem.around))])


def _called(node: NodeDef) -> str:
    if node.index < 0:
        return f"{node.op} `{node.name}`"
    name = f" `{node.name}`" if node.name else ""
    return f"node {node.index}{name} ({node.op})"
