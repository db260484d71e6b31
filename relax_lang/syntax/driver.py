"""One parse of Relax: the driver of its table, what is done about errors, and what it yields."""

from __future__ import annotations

from relax_lang.base.diagnostic import in_order
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table, tree
from relax_lang.syntax.builders.items import Builder
from relax_lang.syntax.lalr_driver import COMMENT, LalrDriver
from relax_lang.syntax.parsed import Comment, Parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node

    class Recovery(Protocol):
        """What the module `recover` offers; it is loaded at the first error."""

        def at_token(self, run: Run, pos: int, end: int, kind: int) -> int:
            """Deal with a token that does not fit."""
            ...

        def at_bad_text(self, run: Run, pos: int) -> int:
            """Deal with text that begins no token."""
            ...

        def at_end(self, run: Run) -> None:
            """Deal with a text that ends too early."""
            ...

        def settle(self, builder: Builder) -> None:
            """Replace reports by those that only a whole item allows."""
            ...

        def at_depth(self, run: Run) -> int:
            """Deal with an item that is nested too deeply."""
            ...


LONG = 20_000
"""How long a text is in which long lists are looked for."""

_NAME = lalr_table.KIND["NAME"]
_WITH = [lalr_table.KIND["WITH"], lalr_table.KIND["LPAR"]]


class Run(LalrDriver):
    """One parse: the stacks, the builder, and where in the text it is."""

    def __init__(
        self, text: str, start: str, recovery: Callable[[], Recovery], at: int = 0, *, by_rows: bool = True
    ) -> None:
        self.builder = Builder(text)
        super().__init__(text, start, lalr_table.RELAX, self.builder, at)
        self.builder.stack = self.values
        self.recovery = recovery
        self.parsed = Parsed(text, self.builder.features)
        self.comments = self.parsed.comments
        self.bad_at = -1
        """Offset of the last bad character: what follows it is a consequence."""

        self.by_rows = by_rows and len(text) - at > LONG
        """Whether long lists of numbers are read row by row, which only a text without errors allows."""

    def drive(self, at: int) -> None:
        """Read tokens from offset `at` to the end, then finish. Raises `Interrupted` as `long_lists` does."""
        if self.by_rows:
            from relax_lang.syntax import long_lists  # hardly any program is as long

            at = long_lists.read_before(self, at)
            self.by_rows = False
        super().drive(at)

    def recover(self, pos: int, end: int, kind: int) -> int:
        """A token does not fit: report it, mend the stacks, and return where to read on (-1: give up).

        `with` is a name where a name fits, and a word of the language elsewhere. [B.8]
        """
        if (
            kind == _NAME
            and self.text[pos:end] == "with"
            and self.table.fits(self.states, _WITH) == len(_WITH)
        ):
            self.shift(_WITH[0], "with", pos, end)
            return end
        self.interrupt()
        return super().recover(pos, end, kind)

    def bad_text(self, pos: int) -> int:
        """Report characters that begin no token, and return where to read on."""
        self.interrupt()
        return super().bad_text(pos)

    def too_deep(self) -> int:
        """The text is nested too deeply: give up on the item, and return where to read on (-1: nowhere)."""
        self.interrupt()
        return super().too_deep()

    def interrupt(self) -> None:
        """Begin anew, token by token, if the text is read up to a long list only."""
        if self.by_rows:
            from relax_lang.syntax.long_lists import Interrupted

            raise Interrupted

    def at_token(self, pos: int, end: int, kind: int) -> int:
        """Deal with a token that does not fit."""
        return self.recovery().at_token(self, pos, end, kind)

    def at_bad_text(self, pos: int) -> int:
        """Deal with text that begins no token."""
        return self.recovery().at_bad_text(self, pos)

    def at_end(self) -> None:
        """Deal with a text that ends too early."""
        self.recovery().at_end(self)

    def at_depth(self) -> int:
        """Deal with an item that is nested too deeply."""
        return self.recovery().at_depth(self)

    def finish(self) -> Parsed:
        """Gather the result."""
        parsed, builder = self.parsed, self.builder
        if self.accepted:
            listed = isinstance(self.values[-1], list)
            parsed.tree = tuple(self.values[-1]) if listed else self.values[-1]
        elif self.start == "module":
            parsed.tree = tree.IRModule((), tuple(self.finished_items()), 0, len(self.text))
        else:
            parsed.tree = PLACEHOLDERS[self.start]()
            builder.gaps.append((0, len(self.text)))
        if self.start != "module" and self.accepted:
            self.finish_fragment()
        if builder.unsettled:
            self.recovery().settle(builder)
        parsed.losses.wrong = builder.wrong
        parsed.losses.lists = builder.lists
        parsed.losses.strings = builder.strings
        parsed.losses.nulls = builder.repairs.nulls
        if builder.gaps:
            parsed.losses.add(parsed.tree, builder.gaps)
        if not self.begin:
            builder.diagnostics += layout_hints(self.text)
        if builder.diagnostics:
            parsed.comments = all_comments(self.text, self.begin)
        parsed.features.directives = any(comment.is_directive for comment in parsed.comments)
        parsed.parens = builder.parens
        parsed.n_recoveries = self.errors
        parsed.diagnostics = in_order(builder.diagnostics)
        return parsed

    def finish_fragment(self) -> None:
        """Do for a fragment what the item around it would have done."""
        builder, parsed = self.builder, self.parsed
        if self.start in ("prim", "tir_statements"):
            builder.finish_tir(None)
            return
        root: Node = parsed.tree
        if self.start == "statements":
            parsed.tree = builder.blocks(parsed.tree)
            root = tree.SeqExpr(parsed.tree, tree.Tuple(()))
        builder.finish_relax(root)

    def finished_items(self) -> list[tree.Item]:
        """Return the items that were complete when the parse was given up."""
        for value in self.values:
            if isinstance(value, list) and value and isinstance(value[0], tree.Item):
                return value  # pyright: ignore[reportUnknownVariableType]
        return []


def layout_hints(text: str) -> list[Diagnostic]:
    """Hint at what `relax fmt` would replace: byte order mark, CRLF, tabs. [G.42]"""
    found: list[Diagnostic] = []
    if text.startswith("\ufeff"):
        found.append(diag.text_layout((0, 1), "the file begins with a byte order mark"))
    at = text.find("\r")
    if at >= 0:
        found.append(diag.text_layout((at, at + 1), "lines end in CR or CRLF, not LF"))
    at = text.find("\t")
    if at >= 0:
        found.append(diag.text_layout((at, at + 1), "there are tabs in the file"))
    if not text.isascii():
        from relax_lang.syntax.confusables import confusable_text  # most programs are ASCII

        found += confusable_text(text)
    return found


def all_comments(text: str, begin: int = 0, stop: int | None = None) -> list[Comment]:
    """Return every comment between two offsets of a text, also those in parts that the parser skips after an error."""
    return [
        Comment(match.start(group), match.end(), match[group].rstrip())
        for match in lalr_table.tokens(text, begin, stop)
        if lalr_table.GROUP_KINDS[group := match.lastindex or 0] == COMMENT
    ]


PLACEHOLDERS: dict[str, Callable[[], Any]] = {
    "expr": tree.Missing,
    "struct_info": tree.MissingStructInfo,
    "prim": lambda: tree.IntImm(0),
    "statements": tuple,
    "tir_statements": tuple,
}
