"""Whether a function of an executable does more than return its value."""

from __future__ import annotations

from relax_lang.analysis.effects import KILLING, OVERWRITING, PACKED_CALLS, calls_out
from relax_lang.ops.registry import is_built_in, lookup
from relax_lang.vm.executable import BUILTIN, OPERATOR, PRIM
from relax_lang.vm.instructions import FUNCTION, Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.vm.executable import Executable, Function

_CHECKS = ("vm.match_shape", "vm.check_tensor_info", "vm.check_shape_info", "vm.check_tuple_info")
"""Operators that fail or do nothing that anybody sees."""


def has_effects(executable: Executable, entry: str) -> bool:
    """Return whether a call of a function may print, call packed functions, or write into its arguments."""
    rows = executable.functions
    waiting = [at for at, row in enumerate(rows) if row.code is not None and row.name == entry]
    seen = set(waiting)
    while waiting:
        row = rows[waiting.pop()]
        if _does_something(row):
            return True
        for one in row.code.instructions if row.code is not None else ():
            if isinstance(one, Call):
                called = {one.function, *[arg.value for arg in one.args if arg.kind == FUNCTION]}
                waiting += called - seen
                seen |= called
    return False


def _does_something(row: Function) -> bool:
    if row.code is not None:
        return row.code.signature.purity == "impure"  # its direct calls may write into parameters
    if row.kind == PRIM:
        return row.prim_func is None or calls_out(row.prim_func)
    if row.kind == BUILTIN:
        return row.name == "vm.extern"
    assert row.kind == OPERATOR
    if row.name in (*_CHECKS, *KILLING):
        return False
    operator = lookup(row.name)
    known = operator is not None and operator.pure and is_built_in(operator)
    return not known or row.name in (*OVERWRITING, *PACKED_CALLS)
