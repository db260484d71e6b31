"""Dead code: names that nothing uses, arrays that nothing reads or stores to, and loops that do nothing."""

from __future__ import annotations

from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import names_in
from relax_lang.tir.codegen.passes.effects import bodies_of, may_fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.array_ir.nodes import Statement


def does_something(statement: Statement) -> bool:
    """Return whether a statement is more than a comment."""
    return not isinstance(statement, ir.Remark)


def remove_unused(body: list[Statement]) -> None:
    """Remove definitions of what nothing in a function uses; what may fail stays. Of several names that are defined
    together, one that is not used is the one that Python programs have for such.
    """
    while _remove(body, names_in(ir.Restoring((), body))):
        pass


def _remove(body: list[Statement], used: frozenset[str]) -> bool:
    """Remove definitions of names that are not used; return whether there were any."""
    kept: list[Statement] = []
    changed = False
    for statement in body:
        changed |= _remove(bodies_of(statement), used)
        match statement:
            case ir.Define(name) if name not in used and not may_fail(statement):
                continue
            case ir.Allocate(name) if name not in used and statement.workspace:
                continue
            case ir.Allocate(name, shape, dtype) if name not in used:
                kept.append(ir.Allocate(_UNUSED, shape, dtype))  # there may be too little memory for it
            case ir.Unpack(names) if used.isdisjoint(names) and not may_fail(statement):
                continue
            case ir.Unpack(names, value):
                kept.append(ir.Unpack(tuple([name if name in used else _UNUSED for name in names]), value))
            case _:
                kept.append(statement)
    changed |= len(kept) < len(body)
    body[:] = kept
    return changed


_UNUSED = "_"
