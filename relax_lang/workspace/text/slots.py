"""Where the parts of a long piece have their addresses: some statements each, with room to grow.

So that statements which an edit left alone keep their addresses, and need not be read again, a piece with very many
statements is cut at lines that begin with `let` or `output`. What an edit touched is written again where it was; if it
outgrows that, together with its neighbours.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate, groupby, pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BRACE = re.compile(r"[{}]")
_BORDER = re.compile(r"^[ \t]*(?:let|output)\b", re.MULTILINE)


class Sizes:
    """How long a piece has to be for being cut, and how; tests cut short ones."""

    __slots__ = ("each", "least", "spare")

    def __init__(self, least: int, each: int, spare: int) -> None:
        self.least = least
        """Lines that begin with `let` or `output`."""
        self.each = each
        """How many of them are read together."""
        self.spare = spare
        """Addresses to spare behind each part."""


SIZES = Sizes(1_000, 16, 256)
LEAST_TOGETHER = 4
"""How many statements without braces are worth a stretch of their own."""
_SHORTEST_LINE = 8
_LEAST_ROOM = 32


class Slot:
    """A part of a piece: its address and its text."""

    __slots__ = ("address", "text")

    def __init__(self, address: int, text: str) -> None:
        self.address = address
        self.text = text


class Slots:
    """The parts of a piece: what is before the first statement, stretches of statements, and the rest from the last on.

    Offsets are those of the text of the piece.
    """

    __slots__ = ("_addresses", "_offsets", "all", "stop")

    def __init__(self, slots: Sequence[Slot], stop: int) -> None:
        self.all = tuple(slots)
        self.stop = stop
        """The end of the range of addresses."""
        self._addresses = [slot.address for slot in slots]
        self._offsets = list(accumulate([len(slot.text) for slot in slots], initial=0))

    @property
    def start(self) -> int:
        """The first address."""
        return self._addresses[0]

    @property
    def end(self) -> int:
        """The address where the text ends."""
        return self._addresses[-1] + len(self.all[-1].text)

    @property
    def borders(self) -> list[int]:
        """The addresses at which statements begin."""
        return self._addresses[1:]

    def to_offset(self, address: int) -> int:
        """Return the offset of an address; behind a part it is where the next one begins."""
        at = max(0, bisect_right(self._addresses, address) - 1)
        offset = self._offsets[at] + address - self._addresses[at]
        return offset if at == len(self.all) - 1 else min(offset, self._offsets[at + 1])

    def to_address(self, offset: int) -> int:
        """Return the address of an offset."""
        at = min(max(0, bisect_right(self._offsets, offset) - 1), len(self.all) - 1)
        return self._addresses[at] + offset - self._offsets[at]

    def padded(self) -> str:
        """Return the text with every part at its address."""
        parts: list[str] = []
        for slot, following in pairwise(self.all):
            parts += (slot.text, "\n" * (following.address - slot.address - len(slot.text)))
        parts.append(self.all[-1].text)
        return "".join(parts)

    def changed(self, old: str, new: str, common: int, common_end: int) -> Slots | None:
        """Return the parts of a newer text in the same range, those that are the same unchanged; None if it is full.

        The texts have so many characters in common at the beginning and at the end.
        """
        slots, offsets = self.all, self._offsets
        front = bisect_right(offsets, common) - 1
        while front > 0 and not _BORDER.match(new, offsets[front]):
            front -= 1
        back = len(slots) - bisect_right(offsets, len(old) - common_end - 1)
        by = len(new) - len(old)
        while back > 0 and not _BORDER.match(new, offsets[len(slots) - back] + by):
            back -= 1
        front = min(front, len(slots) - back - 1)
        while front >= 0:
            first = len(slots) - back
            begin = slots[front].address
            stop = slots[first].address if back else self.stop
            middle = new[offsets[front] : offsets[first] + by]
            texts = _cut(middle, is_head=front == 0, is_tail=back == 0)
            room = stop - begin - len(middle)
            if texts is not None and room >= _LEAST_ROOM * len(texts):
                made = _spread(texts, begin, room // len(texts))
                return Slots([*slots[:front], *made, *slots[first:]], self.stop)
            if back:
                back -= 1
            else:
                front -= 1
        return None


def arranged(text: str, start: int) -> Slots | None:
    """Return the parts of a long text with addresses from a start on; None if it is not cut."""
    if len(text) < SIZES.least * _SHORTEST_LINE:
        return None
    if len(_BORDER.findall(text)) < SIZES.least:
        return None
    texts = _cut(text, is_head=True, is_tail=True)
    if texts is None:
        return None
    slots = _spread(texts, start, SIZES.spare)
    return Slots(slots, slots[-1].address + len(slots[-1].text) + SIZES.spare)


def _cut(text: str, *, is_head: bool, is_tail: bool) -> list[str] | None:
    borders = [match.start() for match in _BORDER.finditer(text)]
    if is_head and (not borders or borders[0] == 0):
        return [text] if text and not is_tail else None
    starts = _starts(text, borders)
    if is_head:
        starts.insert(0, 0)
    elif not starts or starts[0] != 0:
        return None
    if is_tail and starts[-1] != borders[-1]:
        starts.append(borders[-1])
    starts.append(len(text))
    return [text[begin:end] for begin, end in pairwise(starts)]


def _starts(text: str, borders: list[int]) -> list[int]:
    """Return where stretches begin: statements without braces, which need not be read again, are kept apart.

    `output` counts as a statement with braces, as the end of its block follows it.
    """
    with_braces = [_BRACE.search(text, *span) is not None for span in pairwise([*borders, len(text)])]
    starts: list[int] = []
    at, n_together, was_worth_it = 0, 0, True
    for has_braces, group in groupby(with_braces):
        count = len(list(group))
        is_worth_it = not has_braces and count >= LEAST_TOGETHER
        if is_worth_it or was_worth_it:
            n_together = 0
        was_worth_it = is_worth_it
        for start in borders[at : at + count]:
            if n_together % SIZES.each == 0:
                starts.append(start)
            n_together += 1
        at += count
    return starts


def _spread(texts: Sequence[str], start: int, spare: int) -> list[Slot]:
    made: list[Slot] = []
    for text in texts:
        made.append(Slot(start, text))
        start += len(text) + spare
    return made
