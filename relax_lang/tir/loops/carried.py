"""Elements that a loop has stored or read in the iterations just before, carried in variables.

`Y[i] = X[i] + Y[i - 1] * a` needs no index and no list to find `Y[i - 1]`: it is what the last iteration stored. The
element is stored all the same, for whoever else reads it.
"""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.tir.ir.symbols import Symbol
    from relax_lang.tir.loops.elements import HeldElements
    from relax_lang.tir.loops.streams import Streams
    from relax_lang.tir.loops.writer import Writer

_MOST = 4
"""So many iterations back elements are carried."""


class Carried(NamedTuple):
    """The variables of one buffer: `names[d]` is what was stored d iterations before, the first one what is stored now.

    `store` is the only statement that stores to the buffer in the loop; it is `offset` away from the loop variable.
    """

    buffer: Symbol
    store: tree.BufferStore
    offset: int
    names: list[str]

    def before(self, writer: Writer, elements: HeldElements, start: str) -> list[str]:
        """Return the lines that read the elements before the first iteration, if there is one."""
        name = writer.name_of(self.buffer)
        places = [f"{start} + {self.offset - back}" for back in range(1, len(self.names))]
        return [
            f"{one} = {elements.place(name, self.buffer, [place])}"
            for one, place in zip(self.names[1:], places, strict=True)
        ]

    def after(self) -> list[str]:
        """Return the lines at the end of an iteration."""
        pairs = list(zip(self.names[1:], self.names, strict=False))
        return [f"{older} = {newer}" for older, newer in reversed(pairs)]


def find_carried(
    writer: Writer, elements: HeldElements, loop: tree.For, streams: Streams
) -> tuple[list[Carried], dict[Node, str]]:
    """Return what a loop carries, with the loads that need not look it up."""
    if any(isinstance(one, tree.Continue) for one in walk(loop)):
        return [], {}
    stores: dict[Symbol, list[tree.BufferStore]] = {}
    for one in walk(loop):
        if isinstance(one, tree.BufferStore):
            stores.setdefault(writer.symbol(one.buffer), []).append(one)
    found: list[Carried] = []
    loads: dict[Node, str] = {}
    for buffer, (store, *others) in stores.items():
        offset = streams.offset_of(store)
        in_every = any(one is store for one in loop.body) and store in streams.events
        if others or offset is None or not in_every or not elements.in_line(buffer):
            continue
        back = _loads_behind(writer, streams, store, offset)
        furthest = max(back.values(), default=0)
        if furthest:
            names = [writer.fresh() for _ in range(furthest + 1)]
            found.append(Carried(buffer, store, offset, names))
            loads |= {load: names[distance] for load, distance in back.items()}
    return found, loads


def _loads_behind(
    writer: Writer, streams: Streams, store: tree.BufferStore, offset: int
) -> dict[tree.BufferLoad, int]:
    """Return the loads, evaluated in every iteration, of what was stored not long before, and how long."""
    buffer = writer.symbol(store.buffer)
    found: dict[tree.BufferLoad, int] = {}
    is_stored = False
    for event in streams.events:
        is_stored |= event is store
        if isinstance(event, tree.BufferLoad) and writer.symbol(event.buffer) is buffer:
            own = streams.offset_of(event)
            distance = -1 if own is None else offset - own
            if (0 if is_stored else 1) <= distance <= _MOST:
                found[event] = distance
    return found
