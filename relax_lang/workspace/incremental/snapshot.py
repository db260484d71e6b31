"""One analysed version of a document: what may be read while the next one is being analysed. Never changes."""

from __future__ import annotations

from bisect import bisect_right
from typing import cast

from relax_lang.format.printer import show
from relax_lang.syntax import tree
from relax_lang.workspace.incremental.occurrences import Occurrences, occurrence_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.base.source import Span
    from relax_lang.workspace.incremental.analysis import Analysis
    from relax_lang.workspace.incremental.occurrences import Occurrence
    from relax_lang.workspace.text.document import Document
    from relax_lang.workspace.text.pieces import Piece

    class Places(Protocol):
        """The way between the addresses of nodes and the offsets of a document."""

        def to_document(self, address: int) -> int:
            """Return the offset of an address."""
            ...

        def piece_at(self, offset: int) -> tuple[Piece, int]:
            """Return the piece around an offset, and the offset where it begins."""
            ...

        def span(self, pos: int, end: int) -> Span:
            """Return a span of addresses as one of the document."""
            ...

        def knows(self, span: Span, /) -> bool:
            """Return whether the text of a span is the one that was analysed."""
            ...


class DocumentSnapshot:
    """A document with its findings. Offsets are those of the document."""

    __slots__ = ("diagnostics", "document", "ignored")

    def __init__(self, document: Document, diagnostics: list[Diagnostic], ignored: list[Diagnostic]) -> None:
        self.document = document
        self.diagnostics = diagnostics
        """What is reported, in the order of the text."""
        self.ignored = ignored
        """What comments silence."""

    @property
    def text(self) -> str:
        """The text."""
        return self.document.text


class Snapshot(DocumentSnapshot):
    """A document in Relax with all that is known of it. Offsets are those of the document, nodes have addresses."""

    __slots__ = ("_occurrences", "analysis", "layout")

    def __init__(
        self,
        document: Document,
        analysis: Analysis,
        diagnostics: list[Diagnostic],
        ignored: list[Diagnostic],
    ) -> None:
        super().__init__(document, diagnostics, ignored)
        self.analysis = analysis
        self.layout: Places = analysis.layout
        self._occurrences: dict[tree.Item, Occurrences] = {}

    @property
    def items(self) -> tuple[tree.Item, ...]:
        """The items that could be read, in their order."""
        return self.analysis.tree.items

    def span(self, node: Node) -> Span:
        """Return where a node is in the document."""
        return self.layout.span(node.pos, node.end)

    def item_at(self, offset: int) -> tree.Item | None:
        """Return the item around an offset; its end counts."""
        piece, begin = self.layout.piece_at(offset)
        address = piece.to_address(offset - begin)
        for item in piece.items:
            if item.pos <= address <= item.end:
                return item
        if offset == begin and offset > 0:  # between two pieces: the one before may end here
            piece, begin = self.layout.piece_at(offset - 1)
            address = piece.to_address(offset - begin)
            for item in piece.items:
                if item.end == address:
                    return item
        return None

    def item_before(self, offset: int) -> tree.Item | None:
        """Return the item around an offset, or the unfinished one whose end is missing there."""
        item = self.item_at(offset)
        if item is None:
            piece, begin = self.layout.piece_at(offset)
            address = piece.to_address(offset - begin)
            item = next((one for one in reversed(piece.items) if one.end < address), None)
            if item is not None and item not in self.analysis.losses.incomplete:
                return None
        return item

    def address(self, item: tree.Item, offset: int) -> int:
        """Return the address of an offset in or at the end of an item."""
        layout = self.layout
        piece, begin = layout.piece_at(offset)
        if item not in piece.items:  # it ends where the next piece begins
            piece, begin = layout.piece_at(offset - 1)
        return piece.to_address(offset - begin)

    def path_at(self, offset: int) -> list[Node]:
        """Return the nodes around an offset, from the item inwards; of two that meet there the second."""
        item = self.item_at(offset)
        if item is None:
            return []
        address = self.address(item, offset)
        path: list[Node] = [item]
        node: Node | None = item
        while node is not None:
            node = _child_at(node, address)
            if node is not None:
                path.append(node)
        return path

    def occurrences(self, item: tree.Item) -> Occurrences:
        """Return the names in an item with what they mean; made when they are first asked for."""
        found = self._occurrences.get(item)
        if found is None:
            found = self._occurrences[item] = Occurrences(self.analysis, item)
        return found

    def keep(self, before: Snapshot) -> None:
        """Take over the names of functions in which they mean what they meant before."""
        old, new = before.analysis.functions, self.analysis.functions
        for item, names in before._occurrences.items():
            if not isinstance(item, tree.Function) or item not in new or item not in old:
                continue
            if new[item].scope is old[item].scope:
                self._occurrences[item] = names

    def at(self, document: Document, layout: Places) -> Snapshot:
        """Return what is known here for a document in which the same text has other offsets; without findings."""
        made = Snapshot(document, self.analysis, [], [])
        made.layout = layout
        made._occurrences = self._occurrences
        return made

    def occurrence_at(self, offset: int) -> Occurrence | None:
        """Return the name at an offset, or that ends there."""
        item = self.item_at(offset)
        if item is None:
            return None
        address = self.address(item, offset)
        if isinstance(item, tree.Function) and item not in self._occurrences:
            # One name of a long function is found faster than all of them.
            found = occurrence_of(self.analysis, item, self.path_at(offset))
            if found is not None and found.pos <= address <= found.end:
                return found
        return self.occurrences(item).at(address)

    def info_at(self, offset: int) -> tree.StructInfo | None:
        """Return the struct info of the smallest expression or definition around an offset."""
        item = self.item_at(offset)
        if not isinstance(item, tree.Function):
            return None
        state = self.analysis.functions.get(item)
        if state is None or state.inference is None:
            return None
        return state.inference.places().at(self.address(item, offset))

    def info_of(self, item: tree.Item, pos: int, end: int) -> tree.StructInfo | None:
        """Return the struct info of the definition, use or value at some addresses of an item."""
        if not isinstance(item, tree.Function):
            return None
        state = self.analysis.functions.get(item)
        if state is None or state.inference is None:
            return None
        return state.inference.info_of((pos, end))

    def shown(self, item: tree.Item, info: tree.StructInfo) -> str:
        """Return an info of an item as text; written once for as long as the inference holds."""
        state = self.analysis.functions.get(item) if isinstance(item, tree.Function) else None
        if state is None or state.inference is None:
            return show(info)
        return state.inference.shown(info)

    def function_info(self, name: str) -> tree.StructInfo | None:
        """Return the function type of a function of the document."""
        signature = self.analysis.signatures.get(name)
        return None if signature is None else signature.info


def _child_at(node: Node, address: int) -> Node | None:
    """Return the last child that contains an address, its end included. Children of one field are in order."""
    best: Node | None = None
    for name in node.CHILDREN:
        value: object = getattr(node, name)
        if type(value) is tuple:
            children = cast("tuple[Node, ...]", value)
            found = bisect_right(children, address, key=_begin) - 1
            candidate = children[found] if found >= 0 else None
        else:
            candidate = cast("Node | None", value)
        if (
            candidate is not None
            and 0 <= candidate.pos <= address <= candidate.end
            and (best is None or candidate.pos >= best.pos)
        ):
            best = candidate
    return best


def _begin(node: Node) -> int:
    return node.pos
