"""The blocks of one scope while they are filled: neighbours of a kind merge, empty ones vanish. [N.6-N.8]"""

from __future__ import annotations

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Blocks:
    """Bindings in order, divided into ordinary and dataflow blocks."""

    __slots__ = ("_bindings", "_blocks", "_dataflow", "_outputs", "_span")

    def __init__(self) -> None:
        self._blocks: list[tree.BlockOfBindings] = []
        self._bindings: list[tree.Binding] = []
        self._dataflow = False
        self._outputs: dict[str, tree.Var] = {}
        self._span = (-1, -1)

    def add(self, binding: tree.Binding, *, dataflow: bool) -> None:
        """Append a binding; a binding of the other kind begins a new block."""
        if dataflow is not self._dataflow:
            self.turn(dataflow=dataflow)
        self._bindings.append(binding)

    def extend(self, bindings: Iterable[tree.Binding], *, dataflow: bool) -> None:
        """Append several bindings of one kind."""
        self.turn(dataflow=dataflow)
        self._bindings += bindings

    def turn(self, *, dataflow: bool) -> int:
        """See to it that bindings of a kind can follow; return how many the current block has."""
        if dataflow is not self._dataflow:
            self._finish()
            self._dataflow = dataflow
        return len(self._bindings)

    def since(self, start: int) -> tuple[tree.Binding, ...]:
        """Return the bindings of the current block from a number on."""
        return tuple(self._bindings[start:])

    def open_dataflow(self, pos: int, end: int) -> None:
        """Begin a dataflow block, or go on with the one before it; its span is given."""
        if not self._dataflow or not self._bindings:
            self._finish()
            self._dataflow = True
            self._span = (pos, end)
        else:
            self._span = (self._span[0], end)

    def leave(self, outputs: Iterable[tree.Var]) -> None:
        """Say what leaves the current dataflow block."""
        for output in outputs:
            self._outputs.setdefault(output.name_hint, output)

    def last(self) -> tree.Binding | None:
        """Return the last binding of the current block."""
        return self._bindings[-1] if self._bindings else None

    def remove_last(self) -> None:
        """Take the last binding of the current block away."""
        self._bindings.pop()

    def peek(self) -> tuple[tree.BlockOfBindings, ...]:
        """Return the blocks so far, which go on."""
        if not self._bindings:
            return tuple(self._blocks)
        bindings, outputs = tuple(self._bindings), tuple(self._outputs.values())
        last = tree.DataflowBlock(bindings, outputs) if self._dataflow else tree.BindingBlock(bindings, False)
        return (*self._blocks, last)

    def close(self) -> tuple[tree.BlockOfBindings, ...]:
        """Return the blocks."""
        self._finish()
        return tuple(self._blocks)

    def _finish(self) -> None:
        bindings = self._bindings
        if not bindings:
            return
        if self._dataflow:
            outputs = tuple(self._outputs.values())
            self._blocks.append(tree.DataflowBlock(tuple(bindings), outputs, *self._span))
            self._outputs = {}
        else:
            pos, end = bindings[0].pos, bindings[-1].end
            self._blocks.append(tree.BindingBlock(tuple(bindings), False, pos, end))
        self._bindings = []
