"""What a decomposition is: a function of a call that returns a term, or a tuple of them for a tuple.

It computes what the kernel computes, in float32 for shorter floats. It may refuse with a reason (`Refused`): then the
call stays.
"""

from __future__ import annotations

from relax_lang.ops.core.call_terms import CallTerms
from relax_lang.ops.core.companions import companion
from relax_lang.ops.core.terms import Term, apply
from relax_lang.syntax.dtypes import HALVES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.ops.core.operator import Operator

    Rule = Callable[[CallTerms], Term | tuple[Term, ...]]


def decomposition_of(operator: Operator) -> Rule | None:
    """Return the decomposition of an operator, or None."""
    module = companion("relax_lang.ops.decompose", operator)
    return None if module is None else getattr(module, "DECOMPOSITIONS", {}).get(operator.name)


def wide(term: Term) -> Term:
    """Return a tensor in the dtype that it is computed in."""
    if term.dtype not in HALVES:
        return term
    made = apply("astype", term, dtype_="float32")
    made.info = None
    return made


def narrowed(term: Term, like: Term) -> Term:
    """Return what was computed in the dtype of an operand."""
    return term if term.dtype == like.dtype else apply("astype", term, dtype_=like.dtype)
