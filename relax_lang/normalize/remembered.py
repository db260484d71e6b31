"""The normal form of a long function of which most is known: stretches with the same names are reused as they are.

Values without a name get names of their own in each stretch, so that one more of them does not rename all that follow.
Such names are never shown: nothing prints this normal form.
"""

from __future__ import annotations

from relax_lang.base.cancellation import checkpoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from relax_lang.normalize.blocks import Blocks
    from relax_lang.normalize.origins import Origins
    from relax_lang.normalize.unique_names import Names
    from relax_lang.syntax import tree
    from relax_lang.syntax.stretches import Stretch, Stretches


class Outcome:
    """The normal form of a stretch."""

    __slots__ = ("bindings", "calls")

    def __init__(self, bindings: tuple[tree.Binding, ...], calls: dict[tree.Call, tree.Call]) -> None:
        self.bindings = bindings
        self.calls = calls
        """Calls that were made anew, with those as written."""


class Memory:
    """The stretches of a function, what is known of those with the same names as before, and of each afterwards."""

    __slots__ = ("known", "made", "stretches")

    def __init__(self, stretches: Stretches, known: Mapping[Stretch, Outcome]) -> None:
        self.stretches = stretches
        self.known = known
        self.made: dict[Stretch, Outcome] = {}

    def normalize(
        self,
        parts: tuple[Names, Blocks, Origins],
        bindings: Sequence[tree.Binding],
        go_on: Callable[[Sequence[tree.Binding]], None],
        *,
        dataflow: bool,
    ) -> None:
        """Normalize the bindings of a block of the function itself; `go_on` adds the next ones to the blocks."""
        names, out, origins = parts
        for stretch, part in self.stretches.parts(bindings):
            checkpoint()
            if stretch is None:
                go_on(part)
                continue
            plain = names.keeps(stretch.names, stretch.words)
            known = self.known.get(stretch)
            if plain and known is not None:
                names.take(stretch.names)
                out.extend(known.bindings, dataflow=dataflow)
                origins.calls |= known.calls
            else:
                start = out.turn(dataflow=dataflow)
                all_calls, origins.calls = origins.calls, {}
                names.number_apart(part[0].pos)
                go_on(part)
                names.number_apart(-1)
                known = Outcome(out.since(start), origins.calls)
                origins.calls = all_calls
                all_calls |= known.calls
            if plain:
                self.made[stretch] = known
