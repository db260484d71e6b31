"""Struct infos, shapes and dimension expressions under the names of the normal form.

Nodes in which nothing changes are returned as they are.
"""

from __future__ import annotations

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.normalize.unique_names import Names


def rename(names: Names, node: Any) -> Any:
    """Return a struct info, a shape, a scalar operand or a dimension expression under its new names.

    If it was rejected it is missing.
    """
    new = _renamed(names, node) if names.renamed_shapes or names.renamed else node
    if names.rejected and node in names.rejected:
        if isinstance(node, tree.StructInfo):
            return tree.MissingStructInfo(new, node.pos, node.end)
        return tree.Missing(node.pos, node.end)
    return new


def _renamed(names: Names, node: Node) -> Any:
    if type(node) is tree.PrimVar:
        return names.shape_variable(node)
    if type(node) is tree.Var:
        return names.variable(node)
    if not node.CHILDREN:
        return node
    kind: Any = type(node)
    changed = False
    fields: list[Any] = []
    for field in node.FIELDS:
        value: Any = getattr(node, field)
        if field in node.CHILDREN and value is not None:
            new: Any = _renamed_all(names, value) if type(value) is tuple else _renamed(names, value)
            changed = changed or new is not value
            value = new
        fields.append(value)
    return kind(*fields, node.pos, node.end) if changed else node


def _renamed_all(names: Names, nodes: Any) -> Any:
    new = tuple([_renamed(names, node) for node in nodes])
    return nodes if new == nodes else new  # nodes are equal by identity only
