"""What a name in a PrimFunc stands for, and which names are visible where. [TIR.1] [TIR.2]

Two uses of one spelling may mean different things (a loop variable hides an outer one), so later passes go by
`Symbol`, never by name.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.syntax import tree

BUFFER = "buffer"  # a parameter
ALLOC = "alloc"
VIEW = "view"
SCALAR = "scalar"  # a parameter
DIM = "dim"
LOOP = "loop"
AXIS = "axis"
LET = "let"


class Symbol:
    """One declaration: its kind (a constant above), name, type (None: unknown after an error) and node.

    A buffer also has `shape`, and a view the `source` that its elements are elements of; a dimension, `binder`: the
    buffer parameter and index that give it a value.
    """

    __slots__ = ("binder", "dtype", "kind", "name", "node", "shape", "source")

    def __init__(
        self,
        kind: str,
        name: str,
        dtype: str | None,
        node: Node,
        shape: tuple[tree.PrimExpr, ...] | None = None,
        binder: tuple[str, int] | None = None,
        source: Symbol | None = None,
    ) -> None:
        self.kind = kind
        self.name = name
        self.dtype = dtype
        self.node = node
        self.shape = shape
        self.binder = binder
        self.source = source

    def __repr__(self) -> str:
        return f"{self.kind} {self.name}: {self.dtype}"


class Scopes:
    """The names visible at one place; inner scopes hide outer ones."""

    __slots__ = ("_frames",)

    def __init__(self) -> None:
        self._frames: list[dict[str, Symbol]] = [{}]

    def enter(self) -> None:
        """Open a scope, at a `{`."""
        self._frames.append({})

    def leave(self) -> None:
        """Close the innermost scope."""
        self._frames.pop()

    def declare(self, symbol: Symbol) -> None:
        """Make a name visible to the end of the innermost scope."""
        self._frames[-1][symbol.name] = symbol

    def find(self, name: str) -> Symbol | None:
        """Return what a name stands for here."""
        for frame in reversed(self._frames):
            if name in frame:
                return frame[name]
        return None

    def names(self) -> list[str]:
        """Return all visible names."""
        return list(dict.fromkeys([name for frame in self._frames for name in frame]))
