"""The table of a grammar, unpacked, and what can be asked of it.

States are numbers, multiplied beforehand by the number of terminals, so that `action[state + terminal]` is an
entry: positive means shift and go to that state, negative means reduce by rule `-1 - entry`, 0 is an error.

`RELAX` is the table of Relax; the names below it are its parts, for the many who ask for no other.
"""

from __future__ import annotations

import sys

from relax_lang._pack import numbers
from relax_lang.base.python.patterns import pattern
from relax_lang.base.python.plain_functions import itemgetter
from relax_lang.syntax import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Protocol

    Picker = Callable[[list[Any]], tuple[Any, ...]]

    class Generated(Protocol):
        """A module that `tools/make_table.py` has written."""

        STARTS: dict[str, int]
        ENDS: dict[str, int]
        TERMINALS: tuple[str, ...]
        NONTERMINALS: tuple[str, ...]
        LITERALS: dict[str, int]
        PATTERN: str
        GROUP_KINDS: tuple[int, ...]
        RULE_LEFT: tuple[int, ...]
        RULE_LENGTH: tuple[int, ...]
        RULE_ACTION: tuple[str, ...]
        RULE_PICKS: tuple[tuple[int, ...], ...]
        SYMBOLS: str
        ACTION: str
        GOTO_KEYS: str
        GOTO_TARGETS: str


BLANKS = " \t\r\n\f"
"""What is between tokens."""


def without_blanks(text: str, start: int, stop: int) -> int:
    """Return where the text between two offsets ends, without blanks: as no token follows, each would be tried anew."""
    if stop <= start or text[stop - 1] not in BLANKS:
        return stop
    return start + len(text[start:stop].rstrip(BLANKS))


def unpacked(text: str) -> bytes:
    """Return the numbers in a text of the table, as bytes."""
    from binascii import a2b_base64  # a wheel has the numbers themselves
    from zlib import decompress

    return decompress(a2b_base64(text))


def short(text: str) -> str:
    """Return what a text of the table ends with: that is a sum over all of it."""
    return text[-32:]


def _numbers(text: str) -> Sequence[int]:
    data = numbers.get(short(text)) or unpacked(text)
    if sys.byteorder == "big":
        from array import array  # loads a lot, and most machines are others

        swapped = array("i", data)
        swapped.byteswap()
        return swapped.tolist()
    return memoryview(data).cast("i")


def _picker(picks: tuple[int, ...], length: int) -> int | Picker | None:
    """Return how the children of a rule are picked: an index, an itemgetter, or None for none."""
    if not picks:
        return None
    # A missing optional part is None: the driver appends one to the values of such rules.
    places = tuple(length if pick < 0 else pick for pick in picks)
    if len(places) == 1:
        return places[0]
    return itemgetter(*places)  # pyright: ignore[reportUnknownVariableType]


class ParseTable:
    """A generated table, ready for the driver."""

    def __init__(self, made: Generated) -> None:
        self.starts = made.STARTS
        self.ends = made.ENDS
        self.action = _numbers(made.ACTION)
        self.goto = dict(zip(_numbers(made.GOTO_KEYS), _numbers(made.GOTO_TARGETS), strict=True))
        """`state * number of nonterminals + nonterminal` to state."""
        self.n_terminals = len(made.TERMINALS)
        self.n_nonterminals = len(made.NONTERMINALS)
        self.kind = {name: index for index, name in enumerate(made.TERMINALS)}
        self.nonterminal = {name: index for index, name in enumerate(made.NONTERMINALS)}
        self.literals = made.LITERALS
        self.spelling = {kind: text for text, kind in made.LITERALS.items()}
        self.group_kinds = made.GROUP_KINDS
        self.rule_left = made.RULE_LEFT
        self.rule_length = made.RULE_LENGTH
        self.rule_action = made.RULE_ACTION
        self.is_same = tuple(
            action == "same" and length == 1
            for action, length in zip(made.RULE_ACTION, made.RULE_LENGTH, strict=True)
        )
        """Rules that only pass their one child on; the driver skips chains of them."""
        forms = list(zip(made.RULE_PICKS, made.RULE_LENGTH, strict=True))
        pickers = {form: _picker(*form) for form in {*forms}}  # many rules have the same
        self.pickers: tuple[Any, ...] = tuple([pickers[form] for form in forms])
        self.padded = tuple(-1 in picks for picks in made.RULE_PICKS)
        self.chains: dict[int, int] = {}
        """Where a nonterminal leads after skipping `same` rules: found once, kept for all parses."""
        self.token = pattern(made.PATTERN)
        self.symbols: list[str] = [*made.SYMBOLS.split(" ")]
        """The grammar symbol that leads into each state."""
        self._final = frozenset(made.ENDS.values())

    def tokens(self, text: str, start: int = 0, stop: int | None = None) -> Iterator[re.Match[str]]:
        """Yield the matches of the tokens between two offsets, comments and bad characters among them."""
        return self.token.finditer(
            text, start, without_blanks(text, start, len(text) if stop is None else stop)
        )

    def for_long_texts(self) -> Sequence[int]:
        """Return the actions as a list: looking them up is quicker, but to make it takes as long as a short parse."""
        if not isinstance(self.action, list):
            self.action = list(self.action)
        return self.action

    def symbol(self, state: int) -> str:
        """Return the grammar symbol of a state on the stack (`-` for a start)."""
        return self.symbols[state // self.n_terminals]

    def _after(self, stack: list[int], below: int, above: list[int], kind: int) -> int:
        """Read a token on the states `stack[:below] + above`; return what `below` is then, -1 if it does not fit.

        Only `above` is changed: a stack may be deep, and is not copied for each token that is tried.
        """
        while True:
            state = above[-1] if above else stack[below - 1]
            action = self.action[state + kind]
            if action > 0:
                above.append(action)
                return below
            if action == 0:
                return -1
            rule = -1 - action
            length = self.rule_length[rule]
            if length > len(above):
                below -= length - len(above)
                above.clear()
            elif length:
                del above[-length:]
            state = above[-1] if above else stack[below - 1]
            target = self.goto.get(state * self.n_nonterminals + self.rule_left[rule])
            if target is None:
                return -1
            above.append(target)
            if kind == END and target in self._final:
                return below

    def feed(self, stack: list[int], kind: int) -> list[int] | None:
        """Return the stack of states after one more token, or None if it does not fit. `stack` stays as it is."""
        above: list[int] = []
        below = self._after(stack, len(stack), above, kind)
        return None if below < 0 else stack[:below] + above

    def takes(self, stack: list[int], kind: int) -> bool:
        """Return whether a token fits."""
        return self._after(stack, len(stack), [], kind) >= 0

    def fits(self, stack: list[int], kinds: list[int]) -> int:
        """Return how many of the tokens fit one after another."""
        above: list[int] = []
        below = len(stack)
        for count, kind in enumerate(kinds):
            below = self._after(stack, below, above, kind)
            if below < 0:
                return count
            if kind == END:
                return count + 1
        return len(kinds)

    def accepted(self, stack: list[int]) -> list[int]:
        """Return the kinds of tokens that fit."""
        return [kind for kind in range(self.n_terminals) if self.takes(stack, kind)]


END = 0
"""The kind of the end of a text, in every table."""

RELAX = ParseTable(table)
ACTION = RELAX.action
GOTO = RELAX.goto
N_TERMINALS = RELAX.n_terminals
N_NONTERMINALS = RELAX.n_nonterminals
KIND = RELAX.kind
NONTERMINAL = RELAX.nonterminal
LITERALS = RELAX.literals
SPELLING = RELAX.spelling
GROUP_KINDS = RELAX.group_kinds
TOKEN = RELAX.token
tokens = RELAX.tokens
symbol = RELAX.symbol
feed = RELAX.feed
fits = RELAX.fits
accepted = RELAX.accepted
