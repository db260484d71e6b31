"""What is known at a place of the text: an index from offsets and spans to infos, for editors and expectations."""

from __future__ import annotations

from bisect import bisect_right

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from relax_lang.base.node import Node
    from relax_lang.base.source import Span

    Info = tree.StructInfo


class InfoIndex:
    """The infos of definitions, uses and values by their text; made in one walk, asked in logarithmic time.

    It is made of a module in normal form, the infos of the definitions in it, and those of its functions by name.
    """

    __slots__ = ("_infos", "_spans", "_starts")

    def __init__(
        self, normal: tree.IRModule, infos: Mapping[Node, Info], functions: Mapping[str, Info]
    ) -> None:
        self._spans: dict[Span, Info] = {}
        for span, info in _places(normal, infos, functions):
            if span[0] >= 0:
                self._spans.setdefault(span, info)
        # The text in stretches: where each begins, and the info of the smallest place around it.
        self._starts: list[int] = []
        self._infos: list[Info | None] = []
        open_: list[
            tuple[int, Info]
        ] = []  # end and info of the places around the present offset, inner ones last
        for (pos, end), info in sorted(self._spans.items(), key=_outer_first):
            self._close(open_, pos)
            open_.append((end, info))
            self._begin(pos, info)
        self._close(open_, None)

    def _close(self, open_: list[tuple[int, Info]], until: int | None) -> None:
        """End the open places that do not reach an offset; None ends all of them."""
        while open_ and (until is None or open_[-1][0] <= until):
            end, _ = open_.pop()
            self._begin(end, open_[-1][1] if open_ else None)

    def _begin(self, offset: int, info: Info | None) -> None:
        if self._starts and self._starts[-1] >= offset:
            self._infos[-1] = info
        else:
            self._starts.append(offset)
            self._infos.append(info)

    def at(self, offset: int) -> Info | None:
        """Return the info of the smallest place around an offset."""
        found = bisect_right(self._starts, offset) - 1
        return None if found < 0 else self._infos[found]

    def of(self, span: Span) -> Info | None:
        """Return the info of the definition, use or value that is written there."""
        return self._spans.get(span)


def _outer_first(place: tuple[Span, Info]) -> Span:
    pos, end = place[0]
    return pos, -end


def _places(
    normal: tree.IRModule, infos: Mapping[Node, Info], functions: Mapping[str, Info]
) -> Iterator[tuple[Span, Info]]:
    """Yield the text of definitions, uses and values with what is known of them."""
    for node, info in infos.items():
        yield (node.pos, node.end), info
    for item in normal.items:
        nodes = list(walk(item))
        named = {
            node.name_hint: infos[node]
            for node in nodes
            if isinstance(node, tree.Var | tree.DataflowVar) and node in infos
        }
        for node in nodes:
            if isinstance(node, tree.Var) and node.name_hint in named:
                yield (node.pos, node.end), named[node.name_hint]
            elif isinstance(node, tree.VarBinding) and node.var in infos:
                yield (node.value.pos, node.value.end), infos[node.var]
        if isinstance(item, tree.Function) and item.name is not None and item.name.name_hint in functions:
            yield (item.name.pos, item.name.end), functions[item.name.name_hint]
