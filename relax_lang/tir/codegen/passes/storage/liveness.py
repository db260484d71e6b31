"""Liveness: up to which statement of a row the contents of each array are needed."""

from __future__ import annotations

from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import names_in
from relax_lang.tir.codegen.passes.types import is_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.array_ir.nodes import Statement


def last_uses(body: Sequence[Statement]) -> dict[str, int]:
    """Return the position of the last statement of a row that uses a name, or a name for something made from it that
    may share its memory.
    """
    last: dict[str, int] = {}
    for at in range(len(body) - 1, -1, -1):
        statement = body[at]
        until = at
        if isinstance(statement, ir.Define | ir.Unpack) and not is_whole(getattr(statement, "value", None)):
            made = [statement.name] if isinstance(statement, ir.Define) else statement.names
            until = max([at, *[last.get(name, at) for name in made]])
        for name in names_in(statement):
            last[name] = max(last.get(name, at), until)
    return last
