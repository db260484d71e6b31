"""The driver of an LALR table, whatever the language: it reads tokens and calls a builder at every reduction.

It keeps four stacks in step (states, values, start offsets) and gives its four hooks what does not fit. `driver` makes
of it a parse of Relax.
"""

from __future__ import annotations

from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax.lalr_table import END, without_blanks
from relax_lang.syntax.parsed import Comment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.syntax.lalr_table import ParseTable

    class Reports(Protocol):
        """What the driver needs of a builder, beside a method for each production."""

        gaps: list[tuple[int, int]]

        def report(self, diagnostic: Diagnostic) -> None:
            """Keep a diagnostic."""
            ...


COMMENT = -2
"""The kind of a comment among the groups of the tokens' expression."""

MAX_DEPTH = 4_000
"""Size of the parser's stack: about a thousand brackets in each other."""

LONG = 5_000
"""Characters from which on a text is long."""

MAX_ERRORS = 100
"""Syntax errors after which a text is given up."""


class LalrDriver:
    """One parse: the stacks, and where in the text it is. Languages are subclasses, which deal with errors."""

    def __init__(self, text: str, start: str, table: ParseTable, builder: Reports, at: int = 0) -> None:
        self.text = text
        self.begin = at
        """Where reading begins: what comes before it belongs to others."""
        self.stop = without_blanks(text, 0, len(text))
        self.start = start
        self.table = table
        self._reports = builder
        self.actions = [getattr(builder, name) for name in table.rule_action]
        self.comments: list[Comment] = []
        self.states: list[int] = [table.starts[start]]
        self.values: list[Any] = [None]
        self.starts: list[int] = [at]
        self.last_end = at
        """End of the last token that was shifted."""
        self.errors = 0
        self.accepted = False

    def drive(self, at: int) -> None:
        """Read tokens from offset `at` to the end, then finish."""
        if self.read(at, self.stop) >= 0:
            self.end()

    # This is the hot loop of the whole tool: locals instead of attributes, no calls that can be avoided.
    def read(self, at: int, stop: int) -> int:  # noqa: C901, PLR0912, PLR0915
        """Read the tokens between two offsets; return where to read on, which recovery may have moved (-1: give up)."""
        table = self.table
        action_table = table.for_long_texts() if stop - at > LONG else table.action
        goto = table.goto
        n_left = table.n_nonterminals
        left, lengths, is_same = table.rule_left, table.rule_length, table.is_same
        literal, group_kinds, chains = table.literals.get, table.group_kinds, table.chains
        pickers, padded, actions = table.pickers, table.padded, self.actions
        name_kind = table.kind["NAME"]
        states, values, starts = self.states, self.values, self.starts
        finditer, text = table.token.finditer, self.text
        comments = self.comments
        intern: dict[str, str] = {}
        reading = True
        while reading:
            reading = False
            state = states[-1]
            last_end = self.last_end
            for match in finditer(text, at, without_blanks(text, at, stop)):
                group = match.lastindex or 0  # never 0: every alternative is a group
                word: Any = match[group]
                kind = group_kinds[group]
                if kind == -1:
                    known = literal(word)
                    if known is None:
                        kind = name_kind
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
                return -1
        return max(at, stop)

    def before(self, kind: int) -> bool:
        """Make the reductions that the stack allows before a token of a kind; return whether it can follow."""
        action = self.table.action[self.states[-1] + kind]
        while action < 0:
            self.reduce(-1 - action)
            action = self.table.action[self.states[-1] + kind]
        return action > 0

    def shift(self, kind: int, word: object, pos: int, end: int) -> bool:
        """Feed one token from outside the text's own flow (recovery); return whether it fitted."""
        if not self.table.takes(self.states, kind):
            return False
        while True:
            action = self.table.action[self.states[-1] + kind]
            if action > 0:
                self.states.append(action)
                self.values.append(word)
                self.starts.append(pos)
                self.last_end = end
                return True
            self.reduce(-1 - action)

    def reduce(self, rule: int) -> None:
        """Apply one rule."""
        length = self.table.rule_length[rule]
        cut = len(self.values) - length
        children = self.values[cut:]
        pos = self.starts[cut] if length else self.last_end
        del self.values[cut:], self.starts[cut:], self.states[cut:]
        children.append(None)
        pick = self.table.pickers[rule]
        if pick is None:
            value = self.actions[rule](pos, self.last_end)
        elif isinstance(pick, int):
            value = self.actions[rule](pos, self.last_end, children[pick])
        else:
            value = self.actions[rule](pos, self.last_end, *pick(children))
        self.values.append(value)
        self.starts.append(pos)
        self.states.append(
            self.table.goto[self.states[-1] * self.table.n_nonterminals + self.table.rule_left[rule]]
        )

    def end(self) -> None:
        """Feed the end of the text."""
        goal = self.table.ends[self.start]
        if not self.table.takes(self.states, END):
            self.at_end()
            if not self.table.takes(self.states, END):
                return
        while self.states[-1] != goal:
            self.reduce(-1 - self.table.action[self.states[-1] + END])
        self.accepted = True

    def recover(self, pos: int, end: int, kind: int) -> int:
        """A token does not fit: report it, mend the stacks, and return where to read on (-1: give up)."""
        self.errors += 1
        if self.errors > MAX_ERRORS:
            self._reports.report(diag.too_many_errors((pos, end), MAX_ERRORS))
            self._reports.gaps.append((pos, len(self.text)))
            return -1
        return self.at_token(pos, end, kind)

    def bad_text(self, pos: int) -> int:
        """Report characters that begin no token, and return where to read on."""
        self.errors += 1
        if self.errors > MAX_ERRORS:
            self._reports.report(diag.too_many_errors((pos, pos + 1), MAX_ERRORS))
            return -1
        return self.at_bad_text(pos)

    def too_deep(self) -> int:
        """The text is nested too deeply: give up on the item, and return where to read on (-1: nowhere)."""
        place = (self.starts[-1], self.last_end)
        self._reports.report(diag.nesting_too_deep(place, MAX_DEPTH // 4, "the text is nested"))
        return self.at_depth()

    # What a language does about a text that does not fit. Each returns where to read on (-1: give up).

    def at_token(self, pos: int, end: int, kind: int) -> int:
        """Deal with a token that does not fit."""
        raise NotImplementedError

    def at_bad_text(self, pos: int) -> int:
        """Deal with text that begins no token."""
        raise NotImplementedError

    def at_end(self) -> None:
        """Deal with a text that ends too early."""
        raise NotImplementedError

    def at_depth(self) -> int:
        """Deal with an item that is nested too deeply."""
        raise NotImplementedError
