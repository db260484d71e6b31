"""One parse: the driver of the LALR table, and what it yields.

The driver runs the LALR table over tokens of one regular expression. It keeps four stacks in step (states,
values, start offsets) and calls the builder at every reduction. Where a token does not fit, `recover` decides
what was meant, says so, and the driver goes on.
"""

from __future__ import annotations

from operator import itemgetter

from relax_lang.base.diagnostic import in_order
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table, table, tree
from relax_lang.syntax.builders.items import Builder
from relax_lang.syntax.parsed import Comment, Parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node

    Picker = Callable[[list[Any]], tuple[Any, ...]]

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


COMMENT = -2
"""The kind of a comment among the groups of the tokens' expression."""

BLANKS = " \t\r\n"
"""What is between tokens. At the end of a text it is left out: no token follows, so each blank would be tried."""

MAX_DEPTH = 4_000
"""Size of the parser's stack: about a thousand brackets in each other."""

MAX_ERRORS = 100
"""Syntax errors after which a text is given up."""


def _picker(picks: tuple[int, ...], length: int) -> int | Picker | None:
    """Return how the children of a rule are picked: an index, an itemgetter, or None for none."""
    if not picks:
        return None
    # A missing optional part is None: the driver appends one to the values of such rules.
    places = tuple(length if pick < 0 else pick for pick in picks)
    if len(places) == 1:
        return places[0]
    return itemgetter(*places)  # pyright: ignore[reportUnknownVariableType]


PICKERS: tuple[Any, ...] = tuple(
    _picker(p, n) for p, n in zip(table.RULE_PICKS, table.RULE_LENGTH, strict=True)
)
PADDED = tuple(-1 in picks for picks in table.RULE_PICKS)
CHAINS: dict[int, int] = {}
"""Where a nonterminal leads after skipping `same` rules: found once, kept for all parses."""


class Run:
    """One parse: the stacks, the builder, and where in the text it stands."""

    def __init__(self, text: str, start: str, recovery: Callable[[], Recovery], at: int = 0) -> None:
        self.text = text
        self.begin = at
        """Where reading begins: what stands before it belongs to others."""
        self.stop = len(text.rstrip(BLANKS))
        self.recovery = recovery
        self.start = start
        self.builder = Builder(text)
        self.parsed = Parsed(text, self.builder.features)
        self.actions = [getattr(self.builder, name) for name in table.RULE_ACTION]
        self.states: list[int] = [table.STARTS[start]]
        self.values: list[Any] = [None]
        self.starts: list[int] = [at]
        self.last_end = at
        """End of the last token that was shifted."""
        self.errors = 0
        self.bad_at = -1
        """Offset of the last bad character: what follows it is a consequence."""
        self.accepted = False

    # This is the hot loop of the whole tool: locals instead of attributes, no calls that can be avoided.
    def drive(self, at: int) -> None:  # noqa: C901, PLR0912, PLR0915
        """Read tokens from offset `at` to the end, then finish."""
        action_table, goto = lalr_table.ACTION, lalr_table.GOTO
        n_left = lalr_table.N_NONTERMINALS
        left, lengths, is_same = lalr_table.RULE_LEFT, lalr_table.RULE_LENGTH, lalr_table.IS_SAME
        literal, group_kinds, chains = lalr_table.LITERALS.get, lalr_table.GROUP_KINDS, CHAINS
        pickers, padded, actions = PICKERS, PADDED, self.actions
        states, values, starts = self.states, self.values, self.starts
        finditer, text, stop = lalr_table.TOKEN.finditer, self.text, self.stop
        comments = self.parsed.comments
        intern: dict[str, str] = {}
        reading = True
        while reading:
            reading = False
            state = states[-1]
            last_end = self.last_end
            for match in finditer(text, at, stop):
                group = match.lastindex or 0  # never 0: every alternative is a group
                word: Any = match[group]
                kind = group_kinds[group]
                if kind == -1:
                    known = literal(word)
                    if known is None:
                        kind = NAME
                        word = intern.setdefault(word, word)
                    else:
                        kind = known
                elif kind < 0:
                    if kind == COMMENT:
                        comments.append(Comment(match.start(group), match.end(), word.rstrip()))
                        continue
                    self.last_end = last_end
                    at = self.bad_text(match.start(group))
                    reading = True
                    break
                while True:
                    action = action_table[state + kind]
                    if action > 0:
                        state = action
                        states.append(state)
                        values.append(word)
                        starts.append(match.start(group))
                        last_end = match.end()
                        break
                    if action == 0:
                        self.last_end = last_end
                        at = self.recover(match.start(group), match.end(), kind)
                        reading = True
                        break
                    rule = -1 - action
                    if is_same[rule]:
                        states.pop()
                    else:
                        length = lengths[rule]
                        pick = pickers[rule]
                        if length:
                            children = values[-length:]
                            pos = starts[-length]
                            del values[-length:], starts[-length:], states[-length:]
                            if padded[rule]:
                                children.append(None)
                        else:
                            children = [None]
                            pos = match.start(group)
                        if pick is None:
                            value = actions[rule](pos, last_end)
                        elif type(pick) is int:
                            value = actions[rule](pos, last_end, children[pick])
                        else:
                            value = actions[rule](pos, last_end, *pick(children))
                        values.append(value)
                        starts.append(pos)
                    below = states[-1]
                    key = (below + kind) * n_left + left[rule]
                    state = chains.get(key, 0)
                    if not state:
                        state = goto[below * n_left + left[rule]]
                        action = action_table[state + kind]
                        while action < 0 and is_same[-1 - action]:
                            state = goto[below * n_left + left[-1 - action]]
                            action = action_table[state + kind]
                        chains[key] = state
                    states.append(state)
                if reading:
                    break
                if len(states) > MAX_DEPTH:
                    self.last_end = last_end
                    at = self.too_deep()
                    reading = True
                    break
            else:
                self.last_end = last_end
            if at < 0:
                return
        self.end()

    def shift(self, kind: int, word: object, pos: int, end: int) -> bool:
        """Feed one token from outside the text's own flow (recovery); tell whether it fitted."""
        if lalr_table.feed(self.states, kind) is None:
            return False
        while True:
            action = lalr_table.ACTION[self.states[-1] + kind]
            if action > 0:
                self.states.append(action)
                self.values.append(word)
                self.starts.append(pos)
                self.last_end = end
                return True
            self.reduce(-1 - action)

    def reduce(self, rule: int) -> None:
        """Apply one rule."""
        length = lalr_table.RULE_LENGTH[rule]
        cut = len(self.values) - length
        children = self.values[cut:]
        pos = self.starts[cut] if length else self.last_end
        del self.values[cut:], self.starts[cut:], self.states[cut:]
        children.append(None)
        pick = PICKERS[rule]
        if pick is None:
            value = self.actions[rule](pos, self.last_end)
        elif isinstance(pick, int):
            value = self.actions[rule](pos, self.last_end, children[pick])
        else:
            value = self.actions[rule](pos, self.last_end, *pick(children))
        self.values.append(value)
        self.starts.append(pos)
        self.states.append(
            lalr_table.GOTO[self.states[-1] * lalr_table.N_NONTERMINALS + lalr_table.RULE_LEFT[rule]]
        )

    def end(self) -> None:
        """Feed the end of the text."""
        goal = table.ENDS[self.start]
        if lalr_table.feed(self.states, lalr_table.END) is None:
            self.recovery().at_end(self)
            if lalr_table.feed(self.states, lalr_table.END) is None:
                return
        while self.states[-1] != goal:
            self.reduce(-1 - lalr_table.ACTION[self.states[-1] + lalr_table.END])
        self.accepted = True

    def recover(self, pos: int, end: int, kind: int) -> int:
        """A token does not fit: report it, mend the stacks, and return where to read on (-1: give up)."""
        self.errors += 1
        if self.errors > MAX_ERRORS:
            self.builder.report(diag.too_many_errors((pos, end), MAX_ERRORS))
            self.builder.gaps.append((pos, len(self.text)))
            return -1
        return self.recovery().at_token(self, pos, end, kind)

    def bad_text(self, pos: int) -> int:
        """Report characters that begin no token, and return where to read on."""
        self.errors += 1
        if self.errors > MAX_ERRORS:
            self.builder.report(diag.too_many_errors((pos, pos + 1), MAX_ERRORS))
            return -1
        return self.recovery().at_bad_text(self, pos)

    def too_deep(self) -> int:
        """The text is nested too deeply: give up on the item, and return where to read on (-1: nowhere)."""
        place = (self.starts[-1], self.last_end)
        self.builder.report(diag.nesting_too_deep(place, MAX_DEPTH // 4, "the text is nested"))
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


def all_comments(text: str, begin: int = 0) -> list[Comment]:
    """Return every comment of a text from an offset on, also those in parts that the parser skips after an error."""
    return [
        Comment(match.start(group), match.end(), match[group].rstrip())
        for match in lalr_table.TOKEN.finditer(text, begin, len(text.rstrip(BLANKS)))
        if lalr_table.GROUP_KINDS[group := match.lastindex or 0] == COMMENT
    ]


PLACEHOLDERS: dict[str, Callable[[], Any]] = {
    "expr": tree.Missing,
    "struct_info": tree.MissingStructInfo,
    "prim": lambda: tree.IntImm(0),
    "statements": tuple,
    "tir_statements": tuple,
}
NAME = lalr_table.KIND["NAME"]
