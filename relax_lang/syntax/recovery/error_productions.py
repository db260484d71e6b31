"""Error productions: habits from Python, Rust, Relay and TVMScript, and what to write instead. [Y.7]

Each is a function that looks at the token which does not fit. If it recognizes the habit it reports it with the right
form, mends the stacks and returns where to read on; otherwise it returns None. Habits that the grammar itself can read
have productions marked "error" in grammar/*.lark.
"""

from __future__ import annotations

from relax_lang.syntax.recovery import (
    error_productions_expressions,
    error_productions_functions,
    error_productions_items,
    error_productions_operands,
    error_productions_prim_funcs,
    error_productions_statements,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.syntax.driver import Run

    Production = Callable[["Run", int, int, int, list[int]], "int | None"]


def deal_with(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """Try every error production; return where to read on, or None if none applies."""
    for production in ERROR_PRODUCTIONS:
        at = production(run, pos, end, kind, upcoming)
        if at is not None:
            return at
    return None


ERROR_PRODUCTIONS: tuple[Production, ...] = (
    *error_productions_items.BEFORE_OTHERS,
    error_productions_operands.named_operand,
    *error_productions_expressions.BEFORE_STATEMENTS,
    *error_productions_prim_funcs.ERROR_PRODUCTIONS,
    *error_productions_functions.ERROR_PRODUCTIONS,
    *error_productions_statements.ERROR_PRODUCTIONS,
    error_productions_expressions.elif_chain,
    *error_productions_items.ERROR_PRODUCTIONS,
    *error_productions_expressions.ERROR_PRODUCTIONS,
)
"""Every error production, in the order in which they are tried."""
