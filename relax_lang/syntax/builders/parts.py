"""What reductions return that is not part of the tree; and the callbacks that both grammars share."""

from __future__ import annotations

from bisect import bisect_right

from relax_lang.base.diagnostic import ERROR, Diagnostic
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.parsed import Features
from relax_lang.syntax.vocabulary.words import unescape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias, TypeVar

    from relax_lang.base.diagnostic import HasSpan
    from relax_lang.base.node import Node
    from relax_lang.base.source import Span
    from relax_lang.syntax.builders.visible_names import VisibleNames

    N = TypeVar("N", bound=Node)
    Given: TypeAlias = "Node | Part"
    """What a list of the grammar holds."""

MAX_CHAIN = 5_000
"""How many operators, calls or indices may follow each other in one expression: each is a level of the tree."""


class Part:
    """Something with a place that is not a node."""

    __slots__ = ("end", "pos")

    def __init__(self, pos: int, end: int) -> None:
        self.pos = pos
        self.end = end


class Word(Part):
    """A bare word whose meaning depends on where it is written."""

    __slots__ = ("name",)

    def __init__(self, name: str, pos: int, end: int) -> None:
        super().__init__(pos, end)
        self.name = name


class Output(Part):
    """`output a, b;`"""

    __slots__ = ("names",)

    def __init__(self, names: list[tree.Var], pos: int, end: int) -> None:
        super().__init__(pos, end)
        self.names = names


class Body:
    """The body of a PrimFunc: statements, and its result if it has one."""

    __slots__ = ("result", "statements")

    def __init__(self, statements: list[Given], result: tree.PrimExpr | None) -> None:
        self.statements = statements
        self.result = result


class InitBlock(Part):
    """`init { … }` at the head of a TIR block."""

    __slots__ = ("body", "name")

    def __init__(self, name: str, body: list[tree.Stmt], pos: int, end: int) -> None:
        super().__init__(pos, end)
        self.name = name
        self.body = body


class Clause(Part):
    """`where e`, `reads [...]`, `writes [...]` of a TIR block."""

    __slots__ = ("regions", "value", "word")

    def __init__(
        self, word: str, value: tree.PrimExpr | None, regions: list[tree.BufferRegion], pos: int, end: int
    ) -> None:
        super().__init__(pos, end)
        self.word = word
        self.value = value
        self.regions = regions


class CommaEnded(list[tree.PrimExpr]):
    """Dimensions in parentheses with a comma after the last one, as a tuple of one has to have."""


class Repairs:
    """What recovery has put in, or read as something else."""

    __slots__ = ("no_call", "null_offsets", "nulls", "punctuation")

    def __init__(self) -> None:
        self.punctuation: list[int] = []
        """Where it is, in order, and where some was left out: how many operands these calls have is not known."""
        self.null_offsets: set[int] = set()
        """Where `null` is written in the place of a value, which was reported."""
        self.nulls: set[Node] = set()
        """The empty tuples that are read instead."""
        self.no_call: tuple[int, Diagnostic] | None = None
        """Where the last value ends that has a struct info as the result of a call has one, and what was reported."""


class Elsewhere:
    """Statements and calls in the forms of other languages, which were reported: what is to be read for them."""

    __slots__ = ("methods", "operators", "outputs", "removed", "sizes", "unpacked")

    def __init__(self) -> None:
        self.unpacked: dict[int, tuple[str, list[tuple[str, int]]]] = {}
        """Offsets of `let (a, b) = t;`: the name for `t`, and names of fields with their places."""
        self.operators: dict[int, tuple[Diagnostic, str]] = {}
        """Where the author wrote an operator that the language does not have: its report, and what to call instead."""
        self.methods: dict[int, str] = {}
        """Offsets of `.max` behind a value: the parenthesis after it is that of a call."""
        self.outputs: dict[Node, list[tree.Var]] = {}
        """Calls that list the outputs of a dataflow block."""
        self.sizes: set[Node] = set()
        """Calls that declare a size, which a dimension does."""
        self.removed: set[int] = set()
        """Where statements end that are to be removed: that a `;` is missing there is not a mistake of its own."""


class PartBuilder:
    """State of one parse, and the callbacks for lists, names, literals and constants."""

    infos_as_values = False
    """Whether a struct info was written where a value is needed."""
    in_conflict = False
    """True between the marks `<<<<<<<` and `=======` of a merge conflict."""
    closing = False
    """True while the parser closes what the author left open: nothing more is reported of it."""
    _visible: VisibleNames | None = None

    def __init__(self, text: str) -> None:
        self.text = text
        self.features = Features()
        self.diagnostics: list[Diagnostic] = []
        self.parens: dict[Node, tuple[int, int]] = {}
        """Nodes that the author put into parentheses, with the span of the (outermost) parentheses."""
        self.stack: Sequence[Any] = ()
        """The values on the stack of the parser: what was read and is not yet part of a node."""
        self.gaps: list[tuple[int, int]] = []
        """Spans that recovery left out: what is missing there is not a mistake of its own."""
        self.wrong: set[Node] = set()
        """Nodes with a mistake that was reported."""
        self.assigned: dict[int, Diagnostic] = {}
        """Offset of a name that the item at hand assigns to, and what was reported of it."""
        self.compounds: dict[int, tuple[str, int]] = {}
        """Offset of a name in `y += e;` in a function: the operator, and where the text after `+=` begins."""
        self.unsettled: list[tuple[Node, dict[int, Diagnostic]]] = []
        """Complete items that were read after the first error, each with its assignments."""
        self.lists: set[Node] = set()
        """Tuples that were written as lists, in brackets."""
        self.tir_only: list[tree.PrimExpr] = []
        """Expressions that only a prim_func may contain."""
        self.returned: set[int] = set()
        """Offsets of statements that were written with `return`."""
        self.repaired: set[int] = set()
        """Offsets of tokens that recovery made out of bad characters."""
        self.half_numbers: set[int] = set()
        """Offsets of numbers that are not written as numbers are here, which was reported: their dtype is not known."""
        self.added_braces: list[int] = []
        """Where recovery has put in an opening brace."""
        self.braced: set[int] = set()
        """Where statements end around which the braces of a body are offered."""
        self.added_parenthesis = -1
        """Where recovery has put in an opening parenthesis last."""
        self.elsewhere = Elsewhere()
        self.repairs = Repairs()
        self.left_out: set[int] = set()
        """Offsets of closing brackets that are left out with their opening ones, which was reported."""
        self.strings: dict[Node, str] = {}
        """Strings in the place of values, which were reported."""
        self.operands: set[int] = set()
        """Where operands begin that were written with their names, which was reported."""
        self.half_lines: list[tuple[int, int]] = []
        """Lines that end within a bracket, which recovery has closed: hardly what they hold is meant as it is."""
        self._chain_end: Node | None = None
        self._chain_length = 0

    def has_put_in(self, pos: int, end: int) -> bool:
        """Return whether recovery has put punctuation into a stretch of text, or left some out."""
        punctuation = self.repairs.punctuation
        return bool(punctuation) and pos < punctuation[bisect_right(punctuation, end) - 1] <= end

    @property
    def visible(self) -> VisibleNames:
        """The names of variables that are visible where the parser is."""
        if self._visible is None:
            from relax_lang.syntax.builders.visible_names import VisibleNames  # a clean text does not ask

            self._visible = VisibleNames(self.stack)
        return self._visible

    def offset_of(self, piece: str, start: int, stop: int | None = None) -> int:
        """Return where a piece of text is at or after `start`; `start` if recovery made the piece up."""
        return max(start, self.text.find(piece, start, stop))

    def mute(self, pos: int, end: int) -> None:
        """Take back what was reported last and within a span: one mistake that spans it all is reported instead."""
        while self.diagnostics and pos <= self.diagnostics[-1].pos < end:
            self.diagnostics.pop()

    def note_mistakes(self, node: Node) -> None:
        """Note that nothing can be said of a node that was read last, if there is a mistake in it."""
        place = self.parens.get(node) or (node.pos, node.end)
        if _ends_in(place, self.diagnostics) or _ends_in(place, self.tir_only):
            self.wrong.add(node)

    def checked_name(self, name: N) -> N:
        """Return the use of a name, after noting whether there is a mistake in how it is written."""
        if self.diagnostics:
            self.note_mistakes(name)
        return name

    def report(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic."""
        self.diagnostics.append(diagnostic)

    def report_assignment(self, at: int, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic about `y = e;`, until the item is complete and shows whether `y` is bound already."""
        self.assigned[at] = diagnostic
        self.report(diagnostic)

    def note_item(self, root: Node) -> None:
        """Keep an item in which there may be mistakes: some reports are only settled when all of it is known."""
        self.unsettled.append((root, self.assigned))
        self.assigned = {}

    def report_contents(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic about what a block contains: its brace may turn out to be never closed."""
        diagnostic.data["contents"] = True
        if not self.closing:
            self.diagnostics.append(diagnostic)

    def mute_consequences(self, opener: int) -> None:
        """Take back what was said of the contents of a brace that turns out to be never closed."""
        self.diagnostics = [
            found for found in self.diagnostics if found.pos < opener or "contents" not in found.data
        ]

    def chained(self, inner: N, made: N) -> N:
        """Return `made`, an operator, call or index on `inner`, unless too many follow each other in a row.

        Then it is reported, and the rest of the chain is left out: no tree gets deeper than it can be walked.
        """
        length = self._chain_length + 1 if inner is self._chain_end else 1
        if length > MAX_CHAIN:
            if self.gaps[-1:] != [(inner.pos, inner.end)]:  # the first that is left out
                place = (inner.end, made.end)
                self.report(diag.nesting_too_deep(place, MAX_CHAIN, "an expression is chained"))
                self.gaps.append((inner.pos, inner.end))
            return inner
        self._chain_length = length
        self._chain_end = made
        return made

    # -- lists and names -----------------------------------------------------------------------------------

    def list_empty(self, pos: int, end: int) -> list[object]:
        """No element."""
        return []

    def list_one(self, pos: int, end: int, item: object) -> list[object]:
        """The first element."""
        return [item]

    def list_more(self, pos: int, end: int, items: list[object], item: object) -> list[object]:
        """One more element."""
        items.append(item)
        return items

    def list_with_comma(self, pos: int, end: int, items: list[tree.PrimExpr]) -> CommaEnded:
        """Dimensions with a comma after the last one."""
        return CommaEnded(items)

    def same(self, pos: int, end: int, child: object) -> object:
        """The child itself."""
        return child

    def paren(self, pos: int, end: int, child: Node) -> Node:
        """`(e)`: no node, but remembered for the formatter."""
        self.parens[child] = (pos, end)
        return child

    def quoted_name(self, pos: int, end: int, text: str) -> str:
        """`` `lv0.1` ``. [Y.11]"""
        return self.string_text(text, pos)

    def global_var(self, pos: int, end: int, text: str) -> tree.GlobalVar:
        """`@f`, `@"any text"`. [G.25]"""
        name = self.string_text(text[1:], pos + 1) if text[1] == '"' else text[1:]
        return self.checked_name(tree.GlobalVar(name, pos, end))

    def string_text(self, text: str, pos: int) -> str:
        """Return the text of a string or name in quotes, without its escapes."""
        value, bad = unescape(text[1:-1])
        if bad >= 0:
            place = (pos + 1 + bad, pos + 3 + bad)
            found = diag.syntax(place, f"`{self.text[place[0] : place[1]]}` is not an escape sequence")
            self.report(found.helped('the escapes are \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX'))
        return value

    # -- attributes ----------------------------------------------------------------------------------------

    def attributes(self, attrs: list[tree.Attr] | None) -> tuple[tree.Attr, ...]:
        """Return the attributes of an item or block, and report doubles."""
        if not attrs:
            return ()
        self.report_doubles(attrs)
        for attr in attrs:
            if attr.key == "global_symbol" and type(attr.value) is not tree.StrLit:
                shown = self.text[attr.value.pos : attr.value.end]
                self.report(diag.bad_attribute_value(attr.value, attr.key, "a string", shown))
        return tuple(attrs)

    def report_doubles(self, attrs: list[tree.Attr]) -> bool:
        """Report attributes given twice; return whether there are any."""
        first: dict[str, tree.Attr] = {}
        for attr in attrs:
            if attr.key in first:
                self.report(diag.duplicate_attribute(attr, first[attr.key], attr.key))
            first.setdefault(attr.key, attr)
        return len(first) < len(attrs)


def _ends_in(place: Span, found: Sequence[HasSpan]) -> bool:
    """Return whether one of the last things found begins in a span; warnings and hints are not mistakes."""
    pos, end = place
    for one in reversed(found):
        if one.pos < pos:
            break
        if one.pos < end and not (isinstance(one, Diagnostic) and one.severity != ERROR):
            return True
    return False


def as_dimensions(inner: str, count: int) -> str:
    """Return the `count` items in the brackets of `float32[…]` as dimensions; `float32[(n, 4)]` has parentheses."""
    if count == 1 and inner.startswith("(") and inner.endswith(")"):
        shape = inner[1:-1].strip()
        return inner if not shape or "," in shape else f"({shape},)"
    return f"({inner}{'' if ',' in inner else ','})"
