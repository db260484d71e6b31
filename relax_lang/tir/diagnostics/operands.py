"""Operands of two types: one message, and one change for all of the expression that must have one type. [TIR.5]"""

from __future__ import annotations

from functools import reduce

from relax_lang.base.diagnostic import Fix
from relax_lang.syntax import dtypes
from relax_lang.tir.diagnostics import type_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.syntax import tree


class Differing:
    """Operands that were found to differ, and those around them that must have the same type."""

    __slots__ = ("_expected", "_floats", "_fractions", "_operands", "diagnostic")

    def __init__(self, diagnostic: Diagnostic, expected: str | None, *, floats: bool) -> None:
        self.diagnostic = diagnostic
        self._expected = expected
        """The type that the context takes, None if it takes any."""
        self._floats = floats
        """Whether the operation takes floats, too."""
        self._operands: list[tuple[tree.PrimExpr, str]] = []
        self._fractions = False

    def add(self, operand: tree.PrimExpr, dtype: str) -> None:
        """Add an operand with the type that it has."""
        self._operands.append((operand, dtype))

    def add_fraction(self) -> None:
        """Note that a fraction without a type is among the operands: it has no integer type."""
        self._fractions = True

    def offer(self, whole: tree.PrimExpr | None = None) -> None:
        """Offer to cast the operands that have another type than they should, instead of what was offered.

        `whole` is what has to be of the expected type, once that is known.
        """
        target = self._target()
        cast = [one for one, dtype in self._operands if dtype != target]
        fixes = self.diagnostic.fixes
        fixes.clear()
        self.diagnostic.help = ""
        if target is None or not cast:
            return
        edits = [edit for one in cast for edit in type_errors.cast_edits(one, target)]
        if whole is not None and self._expected not in (None, target):
            edits += type_errors.cast_edits(whole, str(self._expected))
        title = type_errors.cast_title(cast[0], target)
        fixes.append(Fix(title, edits))
        self.diagnostic.help = title

    def _target(self) -> str | None:
        """Return the type that the operands are best cast to: what is expected, else the widest of the numbers."""
        found = [dtype for _, dtype in self._operands]
        expected = self._expected
        if expected is not None and dtypes.is_float(expected) and not self._floats:
            expected = None
        if expected is not None and not dtypes.is_number(expected):
            return expected if expected in found else None
        numbers = [dtype for dtype in found if dtypes.is_number(dtype)]
        if self._fractions:
            numbers.append(dtypes.FLOAT32)
        if not numbers:
            return None
        widest = reduce(dtypes.wider, numbers)
        keeps_fractions = expected is not None and (dtypes.is_float(expected) or not dtypes.is_float(widest))
        return expected if keeps_fractions else widest
