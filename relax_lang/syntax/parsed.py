"""What parsing a text yields: the tree, and what the tree does not hold: diagnostics, comments, features."""

from __future__ import annotations

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.base.source import Span


class Comment:
    """`# …` to the end of its line; `##` documents the next item."""

    __slots__ = ("end", "pos", "text")

    def __init__(self, pos: int, end: int, text: str) -> None:
        self.pos = pos
        self.end = end
        self.text = text

    @property
    def is_doc(self) -> bool:
        """Whether it documents the next item."""
        return self.text.startswith("##")

    @property
    def is_directive(self) -> bool:
        """Whether it is addressed to the toolchain: `# relax: ignore[unused-binding]`."""
        return "relax:" in self.text


class Features:
    """Which constructs a text uses, as far as later phases have nothing to do without them.

    The builders set a flag when they make such a node, also in a part that error recovery drops later.
    """

    __slots__ = ("dataflow", "directives", "files", "packed", "private", "purity", "tir_externs")

    def __init__(self) -> None:
        self.private = False
        """Items that are `private`."""
        self.dataflow = False
        """Dataflow blocks."""
        self.purity = False
        """Functions marked `pure`, `impure` or `force_pure`."""
        self.packed = False
        """Packed functions: `extern "f"`, or the struct info `PackedFunc`."""
        self.tir_externs = False
        """`call_extern` in PrimFuncs."""
        self.files = False
        """Constants in files."""
        self.directives = False
        """Comments for the toolchain, `# relax: …`."""


class Losses:
    """What is missing or wrong in the tree of a broken text: later phases do not report what only follows from it."""

    __slots__ = ("gaps", "incomplete", "lists", "names", "nulls", "some", "strings", "understood", "wrong")

    def __init__(self) -> None:
        self.some = False
        """Whether anything was left out."""
        self.incomplete: set[Node] = set()
        """Items of the tree of which a part was left out."""
        self.understood: set[tree.Function] = set()
        """Incomplete functions whose head was read: only a part of their body is missing."""
        self.gaps: list[Span] = []
        """What was left out, in no particular order."""
        self.names: set[str] = set()
        """Names of items that are not in the tree."""
        self.lists: set[Node] = set()
        """Tuples that were written as lists, in brackets, which was reported."""
        self.strings: dict[Node, str] = {}
        """Strings in the place of values, which were reported, as they are written."""
        self.nulls: set[Node] = set()
        """Tuples without fields that were written as `null`, which was reported."""
        self.wrong: set[Node] = set()
        """Nodes of the tree with a mistake that was reported: PrimFuncs as a whole, parts of functions."""

    def unreadable(self) -> set[Node]:
        """Return what nothing more can be reported of: nodes that are wrong, and PrimFuncs that lack a part."""
        return {*self.wrong, *[item for item in self.incomplete if isinstance(item, tree.PrimFunc)]}

    def add(self, root: object, gaps: list[Span]) -> None:
        """Note the spans that were left out, which are given in no particular order."""
        self.some = True
        self.gaps = gaps
        if isinstance(root, tree.IRModule):
            for item in root.items:
                missing = [gap for gap in gaps if _touches(gap, item)]
                if missing:
                    self.incomplete.add(item)
                    if isinstance(item, tree.Function) and min(missing)[0] > item.body.pos:
                        self.understood.add(item)


def _touches(gap: Span, item: tree.Item) -> bool:
    pos, end = gap
    return item.pos <= pos <= item.end or pos < item.pos < end


class Parsed:
    """What became of a text.

    `tree` always exists; where the text was broken, statements or items are missing from it.
    `comments` has those of the broken parts, too.
    `losses` is what is missing.
    `n_recoveries` is how often the parser had to find its way back.
    `parens` maps nodes that the author put into parentheses to the span of the outermost pair.
    """

    __slots__ = ("comments", "diagnostics", "features", "losses", "n_recoveries", "parens", "text", "tree")

    def __init__(self, text: str, features: Features) -> None:
        self.text = text
        self.features = features
        self.tree: Any = tree.IRModule((), ())
        self.diagnostics: list[Diagnostic] = []
        self.comments: list[Comment] = []
        self.parens: dict[Node, Span] = {}
        self.losses = Losses()
        self.n_recoveries = 0
