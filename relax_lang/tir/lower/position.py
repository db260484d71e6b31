"""Where a statement is while a PrimFunc is lowered."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.vector_ir import Vector


class Position:
    """The loops around a statement from the outermost inward, the conditions on it, its label.

    `repeats` counts the loops outside of the innermost `while`.
    """

    __slots__ = ("guards", "label", "loops", "repeats")

    def __init__(
        self, loops: tuple[Loop, ...] = (), guards: tuple[Vector, ...] = (), label: str = "", repeats: int = 0
    ) -> None:
        self.loops = loops
        self.guards = guards
        self.label = label
        self.repeats = repeats

    def guarded(self, *guards: Vector) -> Position:
        """Return the same place under more conditions."""
        return Position(self.loops, (*self.guards, *guards), self.label, self.repeats)
