"""The head of a loop as its tokens, which error productions read from left to right, each once. [Y.7]"""

from __future__ import annotations

from relax_lang.syntax import lalr_table
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.token_edits import ITEM_WORDS, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

_NAME = KIND["NAME"]
_ENDS = frozenset((KIND["LBRACE"], KIND["RBRACE"]))
_STOPS = ITEM_WORDS | {KIND[name] for name in ("FOR", "BLOCK", "WHILE", "ALLOC")}
"""Words that begin something else: a head before them has no body."""
_OPENERS = frozenset(("(", "["))
_CLOSERS = frozenset((")", "]"))
_BETWEEN = frozenset((";", ",", ":", "..", "to", "step", "by", "do", "{", "}"))
"""What no bound contains outside of brackets."""


class LoopHead:
    """The tokens after `for`, up to the brace of the body if there is one, and how far they are read."""

    def __init__(self, text: str, start: int, stop: int) -> None:
        self.text = text
        self.start = start
        self.words: list[str] = []
        self.kinds: list[int] = []
        self.spans: list[tuple[int, int]] = []
        self.at = 1
        for match in lalr_table.tokens(text, start, stop):
            kind = kind_of(match)
            if kind < 0 or (kind in _STOPS and self.kinds):
                break  # a comment, too: it would be lost when the head is written anew
            group = match.lastindex or 0
            self.words.append(match[group])
            self.kinds.append(kind)
            self.spans.append(match.span(group))
            if kind in _ENDS:
                break

    def rewind(self) -> None:
        """Go back to what follows `for`."""
        self.at = 1

    @property
    def end(self) -> int:
        """Where the text that is read ends."""
        return self.spans[self.at - 1][1]

    @property
    def span(self) -> tuple[int, int]:
        """What is read, without the brace of the body."""
        last = self.at - 1
        return self.start, self.spans[last - 1 if self.words[last] == "{" else last][1]

    def takes(self, *words: str) -> bool:
        """Read these words, one after the other, if they come next; return whether they do."""
        if tuple(self.words[self.at : self.at + len(words)]) != words:
            return False
        self.at += len(words)
        return True

    def takes_one(self, words: Container[str]) -> str | None:
        """Read one word if it is among some."""
        if self.at < len(self.words) and self.words[self.at] in words:
            self.at += 1
            return self.words[self.at - 1]
        return None

    def name(self) -> str | None:
        """Read an identifier."""
        if self.at < len(self.words) and self.kinds[self.at] == _NAME and self.words[self.at][0] != "`":
            self.at += 1
            return self.words[self.at - 1]
        return None

    def bound(self, *, ends: Container[str] = _BETWEEN) -> str | None:
        """Read an expression up to a word that ends it outside of brackets; it is on one line."""
        begin, depth = self.at, 0
        while self.at < len(self.words):
            word = self.words[self.at]
            if depth == 0 and (word in ends or word in _CLOSERS):
                break
            if self.kinds[self.at] in _ENDS or word == ";":
                return None
            depth += (word in _OPENERS) - (word in _CLOSERS)
            self.at += 1
        if self.at == begin:
            return None
        written = self.text[self.spans[begin][0] : self.spans[self.at - 1][1]]
        return None if "\n" in written else written

    def range(self) -> tuple[str, str] | None:
        """Read `low..stop`."""
        low = self.bound()
        if low is None or not self.takes(".."):
            return None
        stop = self.bound()
        return None if stop is None else (low, stop)
