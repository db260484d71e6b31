"""The arguments of a call that a finding is about: their nodes and their infos. [OP.3]"""

from __future__ import annotations

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.node import Node
    from relax_lang.ops.core.findings import Where


def argument_at(call: tree.Call, where: Where) -> Node | None:
    """Return an argument, or a field of it; the tuple itself, if it is not written out."""
    index = where if isinstance(where, int) else where[0]
    if index >= len(call.args):
        return None
    arg = call.args[index]
    if not isinstance(where, int) and isinstance(arg, tree.Tuple) and where[1] < len(arg.fields):
        return arg.fields[where[1]]
    return arg


def info_at(infos: Sequence[tree.StructInfo | None], where: Where) -> tree.StructInfo | None:
    """Return the info of an argument, or of a field of it."""
    index = where if isinstance(where, int) else where[0]
    info = infos[index] if index < len(infos) else None
    if isinstance(where, int) or not isinstance(info, tree.TupleStructInfo):
        return info
    return info.fields[where[1]]
