"""Error productions: syntax of Python, Rust, Relay and TVMScript, and what to write instead. [Y.7]

Each is a function that looks at the token which does not fit. If it recognizes the form it reports it with the right
form, mends the stacks and returns where to read on; otherwise it returns None. Forms that the grammar itself can read
have productions marked "error" in grammar/*.lark.
"""

from __future__ import annotations

from relax_lang.syntax.recovery.error_productions import (
    annotations,
    expressions,
    functions,
    items,
    operands,
    programs,
    statements,
)
from relax_lang.syntax.recovery.error_productions.prim_funcs import blocks, kernels

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
    expressions.word_twice,
    annotations.union,
    annotations.open_tuple,
    annotations.unclosed_info,
    annotations.foreign_info,
    *items.BEFORE_OTHERS,
    programs.foreign_program,
    operands.named_operand,
    operands.dtype_of_constant,
    operands.semicolon_between_arguments,
    *expressions.BEFORE_STATEMENTS,
    *kernels.BEFORE_OTHERS,
    *blocks.ERROR_PRODUCTIONS,
    *kernels.ERROR_PRODUCTIONS,
    *functions.ERROR_PRODUCTIONS,
    *statements.ERROR_PRODUCTIONS,
    expressions.elif_chain,
    *items.ERROR_PRODUCTIONS,
    *expressions.ERROR_PRODUCTIONS,
    functions.call_without_parentheses,
)
"""Every error production, in the order in which they are tried."""
