"""What is around the cursor, from tokens alone: a text that is being typed has no tree there."""

from __future__ import annotations

import re

from relax_lang.syntax import lalr_table

TYPE_CHECKING = False

_HEAD = re.compile(r"^(?:private|pure|impure|force_pure|def|prim_func)\b", re.MULTILINE)
_PREFIX = re.compile(r"(?:@?[^\W\d][\w.]*|@|`[^`\n]*)\Z")
_CLOSER = {"(": ")", "[": "]", "{": "}"}


class Bracket:
    """An open bracket: what comes before it, and what is written in it up to the cursor."""

    __slots__ = ("attribute", "before", "commas", "mark", "named", "pos")

    def __init__(self, mark: str, pos: int, before: str) -> None:
        self.mark = mark
        self.pos = pos
        self.before = before
        """The name before it: of an operator or function in a call."""
        self.commas = 0
        self.attribute: str | None = None
        """The attribute whose value is being written."""
        self.named: list[str] = []
        """The attributes that are given before the cursor."""


class TokenContext:
    """The cursor among tokens: open brackets, the word that is being typed, and the token before it."""

    __slots__ = ("binders", "brackets", "in_comment", "in_prim_func", "prefix", "previous", "start")

    def __init__(self, text: str, offset: int) -> None:
        begin = 0
        for match in _HEAD.finditer(text, 0, offset):
            begin = match.start()
        typed = _PREFIX.search(text, text.rfind("\n", 0, offset) + 1, offset)
        self.prefix = typed[0] if typed else ""
        """The part of a word before the cursor."""
        self.start = offset - len(self.prefix)
        self.brackets: list[Bracket] = []
        self.binders: list[str] = []
        """The names that a `let` binds before the cursor, whatever else is wrong."""
        self.previous = ""
        self.in_comment = False
        self.in_prim_func = False
        self._read(text, begin)

    def _read(self, text: str, begin: int) -> None:
        before = ["", ""]
        for match in lalr_table.TOKEN.finditer(text, begin, self.start):
            group = match.lastindex or 0
            word = match[group]
            if word.startswith("#"):
                self.in_comment = "\n" not in text[match.end() : self.start] and match.end() >= self.start
                continue
            self._take(word, match.start(group), before)
            before = [before[1], word]
        self.previous = before[1]
        line = text[text.rfind("\n", 0, self.start) + 1 : self.start]
        self.in_comment = self.in_comment or line.lstrip().startswith("#")

    def _take(self, word: str, pos: int, before: list[str]) -> None:
        if word in _CLOSER:
            self.brackets.append(Bracket(word, pos, before[1]))
        elif word in ")]}":
            if self.brackets and _CLOSER[self.brackets[-1].mark] == word:
                self.brackets.pop()
        elif word == "," and self.brackets:
            self.brackets[-1].commas += 1
            self.brackets[-1].attribute = None
        elif word == "=" and self.brackets and self.brackets[-1].mark == "(":
            self.brackets[-1].attribute = before[1]
            self.brackets[-1].named.append(before[1])
        elif word == "prim_func":
            self.in_prim_func = True
        if before[1] == "let":
            self.binders.append(word)

    @property
    def call(self) -> Bracket | None:
        """The innermost call around the cursor; tuples in its arguments belong to it."""
        for bracket in reversed(self.brackets):
            if bracket.mark == "{":
                return None
            if bracket.mark == "(" and _is_name(bracket.before):
                return bracket
        return None

    @property
    def in_body(self) -> bool:
        """Whether the cursor is in the `{ }` of an item."""
        return any(bracket.mark == "{" for bracket in self.brackets)

    @property
    def annotation(self) -> Bracket | None:
        """The `[` of a `Tensor[…]`, `Shape[…]` or `Buffer[…]` around the cursor."""
        for bracket in reversed(self.brackets):
            if bracket.mark == "[" and bracket.before in ("Tensor", "Shape", "Buffer"):
                return bracket
            if bracket.mark == "{":
                return None
        return None


def _is_name(word: str) -> bool:
    return bool(word) and (word[0].isalpha() or word[0] in "_@`")


class CallPlace:
    """A call that is being written: the callee, which argument the cursor is in, and its attribute if it is one."""

    __slots__ = ("argument", "attribute", "callee", "named")

    def __init__(self, callee: str, argument: int, attribute: str | None, named: list[str]) -> None:
        self.callee = callee
        self.argument = argument
        self.attribute = attribute
        self.named = named


def call_at(text: str, offset: int) -> CallPlace | None:
    """Return the call around an offset, whether or not it is complete. `nn.relu(` is one; a `{ }` ends the search."""
    found = TokenContext(text, offset).call
    if found is None:
        return None
    return CallPlace(found.before, found.commas, found.attribute, found.named)
