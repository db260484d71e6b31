"""The table of the grammar, unpacked, and what can be asked of it.

States are numbers, multiplied beforehand by the number of terminals, so that `ACTION[state + terminal]` is an
entry: positive means shift and go to that state, negative means reduce by rule `-1 - entry`, 0 is an error.
"""

from __future__ import annotations

import re
import sys
from array import array
from binascii import a2b_base64
from zlib import decompress

from relax_lang.syntax import table


def _numbers(text: str) -> array[int]:
    data = array("i")
    data.frombytes(decompress(a2b_base64(text)))
    if sys.byteorder == "big":
        data.byteswap()
    return data


ACTION = _numbers(table.ACTION)
GOTO = dict(zip(_numbers(table.GOTO_KEYS), _numbers(table.GOTO_TARGETS), strict=True))
"""`state * number of nonterminals + nonterminal` to state."""

N_TERMINALS = len(table.TERMINALS)
N_NONTERMINALS = len(table.NONTERMINALS)
KIND = {name: index for index, name in enumerate(table.TERMINALS)}
NONTERMINAL = {name: index for index, name in enumerate(table.NONTERMINALS)}
END = KIND["$END"]
LITERALS = table.LITERALS
SPELLING = {kind: text for text, kind in LITERALS.items()}
GROUP_KINDS = table.GROUP_KINDS
RULE_LEFT = table.RULE_LEFT
RULE_LENGTH = table.RULE_LENGTH
IS_SAME = tuple(
    action == "same" and length == 1
    for action, length in zip(table.RULE_ACTION, table.RULE_LENGTH, strict=True)
)
"""Rules that only hand their one child on; the driver skips chains of them."""

TOKEN = re.compile(table.PATTERN)
SYMBOLS: list[str] = [*table.SYMBOLS.split(" ")]
"""The grammar symbol that leads into each state."""


def symbol(state: int) -> str:
    """Return the grammar symbol that a state on the stack stands for (`-` for a start)."""
    return SYMBOLS[state // N_TERMINALS]


def feed(stack: list[int], kind: int) -> list[int] | None:
    """Return the stack of states after one more token, or None if it does not fit. `stack` stays as it is."""
    states = list(stack[-64:]) if len(stack) > 64 else list(stack)
    rest = len(stack) - len(states)
    while True:
        action = ACTION[states[-1] + kind]
        if action > 0:
            states.append(action)
            return stack[:rest] + states
        if action == 0:
            return None
        rule = -1 - action
        length = RULE_LENGTH[rule]
        while length >= len(states) and rest:  # a long production reaches below the copied part
            take = min(rest, 64)
            states[:0] = stack[rest - take : rest]
            rest -= take
        if length:
            del states[-length:]
        target = GOTO.get(states[-1] * N_NONTERMINALS + RULE_LEFT[rule])
        if target is None:
            return None
        states.append(target)
        if kind == END and target in ENDS:
            return stack[:rest] + states


ENDS = frozenset(table.ENDS.values())


def fits(stack: list[int], kinds: list[int]) -> int:
    """Return how many of the tokens fit one after another."""
    states: list[int] | None = stack
    for count, kind in enumerate(kinds):
        states = feed(states, kind)
        if states is None:
            return count
        if kind == END:
            return count + 1
    return len(kinds)


def accepted(stack: list[int]) -> list[int]:
    """Return the kinds of tokens that fit."""
    return [kind for kind in range(N_TERMINALS) if feed(stack, kind) is not None]
