"""Index maps: `lambda i, j: (i // 4, j, i % 4)` becomes the text `(i, j) -> (i // 4, j, i % 4)`.

The lambda is syntax: its parameters and its body are read, nothing is called.
"""

from __future__ import annotations

import ast

from relax_lang.format.printer import show
from relax_lang.syntax import tree
from relax_lang.tvmscript.scalar_reader.scalar_calls import CallReader
from relax_lang.tvmscript.scalar_reader.scalars import Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tvmscript.scalar_reader.reading import Reading

SEPARATOR = "IndexMap.AXIS_SEPARATOR"


def read_index_map(reading: Reading, node: ast.expr) -> tree.StrLit:
    """Read an index map. Raises Refused."""
    span = reading.span(node)
    if isinstance(node, ast.Call):
        given = [one for one in node.args if isinstance(one, ast.Lambda)]
        if len(given) != 1:
            raise reading.unsupported(node, f"the index map `{reading.py.shown(node)}`")
        for one in node.keywords:
            if one.arg in ("index_dtype", "inverse_index_map"):
                reading.drop(one, "options of index maps")
        node = given[0]
    if not isinstance(node, ast.Lambda):
        raise reading.unsupported(node, f"the index map `{reading.py.shown(node)}`", "it needs Python to run")
    if node.args.vararg or node.args.kwonlyargs or node.args.defaults:
        raise reading.unsupported(node, "an index map with `*` parameters")
    names = [one.arg for one in node.args.args]
    reader = _MapReader(reading, names)
    body = node.body.elts if isinstance(node.body, ast.Tuple | ast.List) else [node.body]
    parts = [one for one in body if not reading.py.shown(one).endswith(SEPARATOR)]
    if len(parts) < len(body):
        reading.drop(node, "separators of axes")
    results = [show(reader.index(one)) for one in parts]
    return tree.StrLit(f"({', '.join(names)}) -> ({', '.join(results)})", *span)


class _MapReader(CallReader):
    def __init__(self, reading: Reading, names: list[str]) -> None:
        super().__init__(reading)
        self.names = names

    def variable(self, node: ast.Name) -> Scalar | None:
        """Return a parameter of the map."""
        if node.id in self.names:
            return Scalar(tree.PrimVar(node.id, *self.reading.span(node)), "int64", True)
        return None
