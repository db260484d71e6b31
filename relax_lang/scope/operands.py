"""What scopes need to know of an operator, once for all of its calls."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.registry import Operator

CALLS_INTO_TIR = frozenset(
    ("call_tir", "call_tir_inplace", "call_tir_with_grad", "vm.call_tir_dyn", "dist.call_tir_local_view")
)
"""Operators whose first operand names a prim_func. [O.1]"""

_WITH_RULES = frozenset(("cast", *CALLS_INTO_TIR))
"""Operators whose calls have rules of their own."""


class Operands:
    """What the operands of an operator are, as far as scopes need to know."""

    __slots__ = ("are_plain", "infers", "most", "scalars", "shape")

    def __init__(self, operator: Operator) -> None:
        params = operator.params
        self.most = 1 << 30 if params and params[-1].variadic else len(params)
        """How many there are at most."""
        kinds = [param.kind for param in params]
        self.shape = kinds.index("shape") if "shape" in kinds else 1 << 30
        """The first one that is a shape; if none is, more than there are."""
        flags = tuple([kind in ("prim", "prims") for kind in kinds])
        self.scalars = flags if True in flags else None
        """Which of them are scalars; None if none is."""
        self.infers = operator.name == "reshape"
        """Whether `-1` in the shape stands for an extent that follows. [V.9]"""
        self.are_plain = self.scalars is None and operator.name not in _WITH_RULES
        """Whether all of them are values or shapes, and scopes have no more rules for its calls."""
