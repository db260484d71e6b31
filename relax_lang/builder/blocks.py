"""The bodies that a builder has open: of a function, of a local function, of a branch."""

from __future__ import annotations

from relax_lang.normalize.blocks import Blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax import tree


class Scope:
    """A body in the making: of a function, of a local function, or of a branch."""

    __slots__ = ("blocks", "closed", "dataflow", "outer")

    def __init__(self, outer: Scope | None) -> None:
        self.outer = outer
        self.blocks = Blocks()
        self.dataflow: Dataflow | None = None
        self.closed = False

    def is_within(self, other: object) -> bool:
        """Return whether this scope is another one, or inside of it."""
        scope: Scope | None = self
        while scope is not None:
            if scope is other or scope.dataflow is other:
                return True
            scope = scope.outer
        return False


class Dataflow:
    """A dataflow block in the making."""

    __slots__ = ("outputs",)

    def __init__(self) -> None:
        self.outputs: list[tree.Var] = []
