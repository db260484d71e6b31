"""What one round of a loop gives, and the sequences that rounds make longer."""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.errors import Refused
from relax_lang.onnx.values import GrowingList, StackedList, TensorList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.onnx.building.builder import Builder
    from relax_lang.onnx.values import Value

    MakeStep = Callable[[Builder, Value, Value, list[Value]], "Step"]


class Step:
    """What one round gives: whether it goes on (None: it does), the states, and what is stacked.

    `declared` are the shapes that the model declares for the states and what is stacked.
    """

    __slots__ = ("declared", "flag", "outputs", "states")

    def __init__(
        self,
        flag: Value | None,
        states: list[Value],
        outputs: list[Value],
        declared: Sequence[Sequence[int | str | None] | None],
    ) -> None:
        self.declared = declared
        self.flag = flag
        self.states = states
        self.outputs = outputs


class Lists:
    """The sequences among the states of a loop: what a round puts at the end of one is stacked."""

    def __init__(self, states: list[Value], step: MakeStep) -> None:
        self._states = states
        self._step = step
        self._lists = {at: one for at, one in enumerate(states) if isinstance(one, TensorList)}
        self._counts: dict[int, int] = {}
        """How many tensors a round puts at the end of each."""

    def without(self, values: Sequence[Any]) -> list[Any]:
        """Return what belongs to the states that are not sequences."""
        return [one for at, one in enumerate(values) if at not in self._lists]

    def _together(self, states: list[Value], lists: Callable[[int], Value]) -> list[Value]:
        rest = iter(states)
        return [lists(at) if at in self._lists else next(rest) for at in range(len(self._states))]

    def step(self, builder: Builder, index: Value, flag: Value, states: list[Value]) -> Step:
        """Return one round, of which what it puts into sequences is what is stacked last. Raises Refused."""
        made = self._step(builder, index, flag, self._together(states, lambda _: GrowingList(())))
        rows: list[Value] = []
        for at in self._lists:
            found = made.states[at]
            if not isinstance(found, GrowingList):
                raise Refused("a round of the loop replaces a sequence; it may put tensors at its end only")
            self._counts[at] = len(found.members)
            if len(found.members) == 1:
                rows.append(found.members[0])
            elif found.members:
                rows.append(
                    builder.op("stack", tuple([builder.tensor(one) for one in found.members]), axis=0)
                )
        return Step(
            made.flag,
            self.without(made.states),
            [*made.outputs, *rows],
            [*self.without(made.declared), *[None] * len(rows)],
        )

    def results(
        self, b: Builder, states: list[Value], outputs: list[Value]
    ) -> tuple[list[Value], list[Value]]:
        """Return the last states and what was stacked, with the sequences in their places."""
        first = len(outputs) - len([None for count in self._counts.values() if count])
        stacks = iter(outputs[first:])

        def made(at: int) -> Value:
            own, count = self._lists[at], self._counts[at]
            if not count:
                return own
            rows = next(stacks)
            if count > 1:
                rows = b.reshape(rows, [dims.mul(rows.dims[0], count), *rows.dims[2:]])
            if isinstance(own, StackedList):
                rows = b.op("concat", (own.rows, rows), axis=0)
            return StackedList(own.members, b.tensor(rows))

        return self._together(states, made), outputs[:first]
