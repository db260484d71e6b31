"""Which inputs a value is computed from: those whose values a user can give, so that it is known."""

from __future__ import annotations

from relax_lang.onnx.reading.model import Graph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from relax_lang.onnx.reading.model import NodeDef, Port

ONLY_SHAPES = ("Shape", "Size")
"""Operators whose results do not depend on elements."""
INTEGERS = (2, 3, 4, 5, 6, 7, 9, 12, 13)
"""The dtypes of ONNX that hold integers or truth values, by their numbers."""


class Origins:
    """The inputs that values of a model's graph are computed from."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._parameters = {port.name: port for port in graph.inputs if port.name not in graph.initializers}

    def inputs(self, names: Sequence[str]) -> list[str]:
        """Return the inputs that values are computed from; see `origins`."""
        return origins(self._graph.nodes, names, self._parameters)

    def givable(self, names: Sequence[str]) -> list[str]:
        """Return those that people write down, numbers or lists of numbers; integers only if some are."""
        lists = [one for one in self.inputs(names) if _is_list(self._parameters[one])]
        return [one for one in lists if self._parameters[one].dtype in INTEGERS] or lists


def _is_list(port: Port) -> bool:
    return port.kind == "tensor" and port.dims is not None and len(port.dims) <= 1


def origins(nodes: Sequence[NodeDef], names: Sequence[str], inputs: Collection[str]) -> list[str]:
    """Return the inputs that values of a graph are computed from, the nearest ones first.

    Where only the shape of an input matters, it is none of them.
    """
    sources = _sources(nodes)
    found: list[str] = []
    pending, seen = list(names), set(names)
    for name in pending:  # which grows
        if name in inputs:
            found.append(name)
            continue
        for one in sources.get(name, ()):
            if one not in seen:
                seen.add(one)
                pending.append(one)
    return found


def _sources(nodes: Sequence[NodeDef]) -> dict[str, list[str]]:
    """Return, for each name that nodes compute, the names that it is computed from; in graphs inside as well."""
    found: dict[str, list[str]] = {}
    pending = list(nodes)
    for node in pending:  # which grows
        own = [] if node.op in ONLY_SHAPES and not node.domain else [one for one in node.inputs if one]
        graphs = [value for value in node.attrs.values() if isinstance(value, Graph)]
        for graph in graphs:
            pending += graph.nodes
            for port in graph.inputs:  # the states of a loop, the slices of a scan
                found.setdefault(port.name, []).extend(own)
        results = [port.name for graph in graphs for port in graph.outputs]
        for name in node.outputs:
            found.setdefault(name, []).extend([*own, *results])
    return found
