"""The text of a document in pieces of one item each, and the address that each piece has.

A tree keeps its offsets for as long as its text is the same, wherever it moves in the document: they are *addresses* in
a space in which every piece has a range of its own. Passes see one text, in which each piece is written at its address
and everything between is line ends. Only what is shown is mapped back to the document.

A piece is what `cuts` takes for one item. If it cannot be read alone without recovering, it is read together with
what follows: with *witnesses*, whose beginning shows that the parser is in step again.
"""

from __future__ import annotations

from bisect import bisect_right

from relax_lang.syntax.parser import parse
from relax_lang.syntax.stretches import Known, Stretches, parse_in_stretches
from relax_lang.workspace.text.cuts import HEAD, cuts, parts
from relax_lang.workspace.text.slots import arranged
from relax_lang.workspace.text.texts import common_beginning, common_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import Span
    from relax_lang.syntax.parser import Comment, Parsed
    from relax_lang.syntax.tree import Attr, Item
    from relax_lang.workspace.text.slots import Slots

WITNESSES = 2
MOST_SPACE = 4
"""How many times as long as the text the space of addresses may be."""
MAX_ERRORS = 100
"""Syntax errors after which a text is given up, all pieces together."""


class Piece:
    """Some items of a document, with what reading them found out. Never changes once it is read.

    `text` is its own part of the document, `tail` what the parser has seen of what follows.
    """

    __slots__ = (
        "attrs",
        "capacity",
        "comments",
        "diagnostics",
        "items",
        "known",
        "n_cuts",
        "parsed",
        "slots",
        "start",
        "tail",
        "text",
    )

    def __init__(self, text: str, tail: str, n_cuts: int, start: int, capacity: int) -> None:
        self.text = text
        self.tail = tail
        self.n_cuts = n_cuts
        """How many cuts of the text it consists of."""
        self.start = start
        self.capacity = capacity
        self.items: tuple[Item, ...] = ()
        self.attrs: tuple[Attr, ...] = ()
        self.diagnostics: list[Diagnostic] = []
        self.comments: list[Comment] = []
        self.slots: Slots | None = None
        """The parts of a long piece, each with addresses of its own."""
        self.known = Known()
        """What need not be read again if a part of it changes."""

    parsed: Parsed

    @property
    def end(self) -> int:
        """The address where the text ends."""
        return self.start + len(self.text) if self.slots is None else self.slots.end

    def stretches(self) -> Stretches:
        """Return the statements of long bodies that need not be looked at one by one."""
        return Stretches({one: one.statements for one in self.known.stretches.values()})

    def padded(self) -> str:
        """Return the text as passes see it."""
        return self.text if self.slots is None else self.slots.padded()

    def to_offset(self, address: int) -> int:
        """Return the offset of an address in the text of the piece."""
        return address - self.start if self.slots is None else self.slots.to_offset(address)

    def to_address(self, offset: int) -> int:
        """Return the address of an offset in the text of the piece."""
        return self.start + offset if self.slots is None else self.slots.to_address(offset)


class Layout:
    """The pieces of one text, and the way between addresses and offsets."""

    __slots__ = ("_addresses", "_by_address", "cuts", "offsets", "padded", "pieces", "text")

    def __init__(self, text: str, pieces: Sequence[Piece], cuts: Sequence[int] = ()) -> None:
        self.text = text
        self.pieces = tuple(pieces)
        self.cuts = cuts
        """Where the text was cut: see `cuts`."""
        self.offsets: list[int] = []
        at = 0
        for piece in pieces:
            self.offsets.append(at)
            at += len(piece.text)
        placed = sorted(zip(self.pieces, self.offsets, strict=True), key=_address)
        self._addresses = [piece.start for piece, _ in placed]
        self._by_address = placed
        parts: list[str] = []
        at = 0
        for piece, _ in placed:
            parts.append("\n" * (piece.start - at))
            parts.append(piece.padded())
            at = piece.end
        parts.append("\n")
        self.padded = "".join(parts)
        """The text that passes see: every piece at its address."""

    @property
    def size(self) -> int:
        """How far the space of addresses reaches."""
        return len(self.padded)

    def to_document(self, address: int) -> int:
        """Return the offset of an address; -1, which is not a place, stays."""
        if address < 0:
            return address
        found = bisect_right(self._addresses, address) - 1
        if found < 0:
            return 0
        piece, offset = self._by_address[found]
        return min(offset + piece.to_offset(address), len(self.text))

    def piece_of(self, address: int) -> Piece:
        """Return the piece at an address."""
        found = bisect_right(self._addresses, address) - 1
        return self._by_address[found][0]

    def to_address(self, offset: int) -> int:
        """Return the address of an offset of the document."""
        piece, begin = self.piece_at(offset)
        return piece.to_address(offset - begin)

    def piece_at(self, offset: int) -> tuple[Piece, int]:
        """Return the piece around an offset, and the offset where it begins; one that ends there does not count."""
        found = max(0, bisect_right(self.offsets, offset) - 1)
        return self.pieces[found], self.offsets[found]

    def span(self, pos: int, end: int) -> Span:
        """Return a span of addresses as one of the document. It lies in one piece."""
        begin = self.to_document(pos)
        if pos < 0:
            return begin, begin + max(0, end - pos)
        piece, offset = self._by_address[bisect_right(self._addresses, pos) - 1]
        return begin, max(begin, offset + piece.to_offset(end))

    def knows(self, _span: Span) -> bool:
        """Return whether the text of a span is the one that was analysed: always."""
        return True


def _address(placed: tuple[Piece, int]) -> int:
    return placed[0].start


def read(text: str, before: Layout | None = None) -> Layout:
    """Return a text in pieces; those that were in the layout before are reused. Raises Cancelled."""
    starts = cuts(text) if before is None else cuts(text, before.text, before.cuts)
    if before is not None and before.size > MOST_SPACE * (len(text) + 20_000):
        before = None  # ranges that pieces have grown out of
    reader = _Reader(text, parts(text, starts), before)
    pieces = reader.pieces()
    if pieces is None:  # recovery looks through all of the text
        pieces = _Reader(text, [text], before, whole=True).pieces()
        assert pieces is not None
    return Layout(text, pieces, starts)


class _Reader:
    """One text on its way into pieces."""

    def __init__(self, text: str, parts: list[str], before: Layout | None, *, whole: bool = False) -> None:
        self._parts = parts
        self._whole = whole
        self._old: dict[tuple[str, str], list[Piece]] = {}
        self._free: list[Piece] = []
        """Pieces of before, whose addresses may be taken if nothing else takes them over."""
        self._end = 1
        for piece in before.pieces if before is not None else ():
            self._old.setdefault((piece.text, piece.tail), []).append(piece)
            self._end = max(self._end, piece.start + piece.capacity)

    def pieces(self) -> list[Piece] | None:
        """Return the pieces in their order; None if the text has to be read as a whole."""
        slots = self._taken_over()
        for pieces in self._old.values():
            self._free += pieces
        self._free.sort(key=lambda piece: piece.start)
        found: list[Piece] = []
        n_errors = 0
        at = 0
        while at < len(self._parts):
            old = slots.get(at)
            piece = old if old is not None else self._read(at)
            if piece is None or (piece.attrs and at > 0 and not self._whole):
                return None
            found.append(piece)
            n_errors += piece.parsed.n_recoveries
            at += piece.n_cuts
        if n_errors > MAX_ERRORS and not self._whole:
            return None
        return found

    def _taken_over(self) -> dict[int, Piece]:
        """Return the old pieces that are pieces of this text, too, by the cut at which they begin."""
        if self._whole:
            return {}
        shapes: dict[str, list[Piece]] = {}
        for pieces in self._old.values():
            for piece in pieces:
                shapes.setdefault(self._first_cut(piece), []).append(piece)
        slots: dict[int, Piece] = {}
        at = 0
        while at < len(self._parts):
            found = None
            for piece in shapes.get(self._parts[at], ()):
                if self._fits(piece, at):
                    found = piece
                    break
            if found is None:
                at += 1
                continue
            shapes[self._parts[at]].remove(found)
            self._old[found.text, found.tail].remove(found)
            slots[at] = found
            at += found.n_cuts
        return slots

    def _first_cut(self, piece: Piece) -> str:
        return piece.text if piece.n_cuts == 1 else parts(piece.text, cuts(piece.text))[0]

    def _fits(self, piece: Piece, at: int) -> bool:
        """Return whether a piece would be read the same here."""
        stop = at + piece.n_cuts
        if piece.n_cuts > 1 and "".join(self._parts[at:stop]) != piece.text:
            return False
        if not piece.parsed.n_recoveries and not piece.parsed.losses.some:
            return stop <= len(self._parts)
        return piece.tail == "".join(self._parts[stop : stop + WITNESSES])

    def _read(self, at: int) -> Piece | None:
        """Read the piece that begins at a cut: the cut alone, or as many as recovery needs."""
        if not self._whole:
            piece = self._parse(at, 1, 0)
            if _is_clean(piece):
                return piece
            self._give_back(piece)
        n_cuts = 1
        while True:
            n_cuts = min(n_cuts, len(self._parts) - at)
            rest = len(self._parts) - at - n_cuts
            piece = self._parse(at, n_cuts, min(rest, WITNESSES))
            if any(gap[0] < piece.start for gap in piece.parsed.losses.gaps) and not self._whole:
                return None  # what is too deep for any pass
            if not rest or self._is_in_step(piece):
                return piece
            self._give_back(piece)
            n_cuts *= 2

    def _is_in_step(self, piece: Piece) -> bool:
        """Return whether an item begins where the witnesses do, after all errors; leave out what is theirs."""
        border = piece.end
        first = HEAD.search(piece.tail)
        if first is None:
            return False
        head = border + first.start()
        items = piece.parsed.tree.items
        if not any(item.pos == head for item in items):
            return False
        if any(one.pos >= border for one in piece.parsed.diagnostics if one.severity == "error"):
            return False
        if any(gap[1] > head or gap[0] > border for gap in piece.parsed.losses.gaps):
            return False
        piece.items = tuple([item for item in items if item.pos < border])
        piece.diagnostics = [one for one in piece.parsed.diagnostics if one.pos < border]
        piece.comments = [one for one in piece.parsed.comments if one.pos < border]
        return True

    def _parse(self, at: int, n_cuts: int, n_witnesses: int) -> Piece:
        stop = at + n_cuts
        text, tail = "".join(self._parts[at:stop]), "".join(self._parts[stop : stop + n_witnesses])
        piece = self._continued(text, tail, n_cuts) or self._placed(text, tail, n_cuts)
        before = "\n" * piece.start
        if piece.slots is None:
            piece.parsed = parsed = parse(before + text + tail, at=piece.start)
        else:
            padded = before + piece.padded() + tail
            parsed, piece.known = parse_in_stretches(padded, piece.start, piece.slots.borders, piece.known)
            piece.parsed = parsed
        parsed.text = ""  # all that is before it, too, for each piece
        piece.items = parsed.tree.items
        piece.attrs = parsed.tree.attrs
        piece.diagnostics = parsed.diagnostics
        piece.comments = parsed.comments
        return piece

    def _placed(self, text: str, tail: str, n_cuts: int) -> Piece:
        """Return a piece at addresses of its own."""
        slots = arranged(text, self._end)
        if slots is None:
            return Piece(text, tail, n_cuts, *self._range(len(text)))
        piece = Piece(text, tail, n_cuts, *self._range(slots.stop - slots.start))
        piece.slots = slots if piece.start == slots.start else arranged(text, piece.start)
        return piece

    def _continued(self, text: str, tail: str, n_cuts: int) -> Piece | None:
        """Return the piece that a long one which is gone has become, if its text has much in common with one."""
        best, most, shared = None, len(text) // 2, (0, 0)
        for piece in self._free:
            if piece.slots is None:
                continue
            start = common_beginning(piece.text, text)
            end = common_end(piece.text, text, min(len(piece.text), len(text)) - start)
            if start + end > most:
                best, most, shared = piece, start + end, (start, end)
        if best is None or best.slots is None:
            return None
        slots = best.slots if best.text == text else best.slots.changed(best.text, text, *shared)
        if slots is None:
            return None
        self._free.remove(best)
        made = Piece(text, tail, n_cuts, best.start, best.capacity)
        made.slots = slots
        same = [slot.address for slot in set(slots.all).intersection(best.slots.all)]
        opening = best.known.opening if slots.all[0] is best.slots.all[0] else None
        stretches = best.known.stretches
        made.known = Known(opening, {address: stretches[address] for address in same if address in stretches})
        return made

    # Addresses.

    def _range(self, length: int) -> tuple[int, int]:
        """Return start and capacity of a range: that of a piece which is gone, if it is long enough, or a new one."""
        for index, piece in enumerate(self._free):
            if piece.capacity > length:
                del self._free[index]
                return piece.start, piece.capacity
        start = self._end
        capacity = length + length // 4 + 128
        self._end += capacity
        return start, capacity

    def _give_back(self, piece: Piece) -> None:
        self._free.insert(0, piece)


def _is_clean(piece: Piece) -> bool:
    return not piece.parsed.n_recoveries and not piece.parsed.losses.some
