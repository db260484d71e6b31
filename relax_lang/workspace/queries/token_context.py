"""What is around the cursor, from tokens alone: a text that is being typed has no tree there."""

from __future__ import annotations

import re
from bisect import bisect_right

from relax_lang.syntax import lalr_table
from relax_lang.workspace.text.texts import common_beginning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    _Names = tuple[str, "_Names"] | None
    """Names, each with those before it."""

TOKENS_BETWEEN_MARKS = 64

_HEADS = ("def", "prim_func", "private", "pure", "impure", "force_pure")
_WORD = re.compile(r"\w+")
_LAST_WORD = re.compile(r"[\w.]*+@?")
"""The last word of a text that is read from its end."""
_NO_LETTER = re.compile(r"@?[\d.]+")
_CLOSER = {"(": ")", "[": "]", "{": "}"}
_OPENER = {closer: opener for opener, closer in _CLOSER.items()}


def _prefix(line: str) -> str:
    """Return the part of a word, or of a name in quotes, at the end of what is written of a line."""
    if line.count("`") % 2:
        return line[line.rindex("`") :]
    found = _LAST_WORD.match(line[::-1])
    word = found[0][::-1] if found else ""
    number = _NO_LETTER.match(word)  # no name begins so
    return word[number.end() :] if number else word


class Bracket:
    """An open bracket: what comes before it, and what is written in it up to the cursor."""

    __slots__ = ("attribute", "before", "commas", "is_output", "mark", "named", "pos")

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
        self.is_output = False
        """Whether names are being written that a `dataflow` block gives out."""

    def copy(self) -> Bracket:
        """Return a bracket that can be read on in."""
        made = Bracket(self.mark, self.pos, self.before)
        made.commas, made.attribute, made.is_output = self.commas, self.attribute, self.is_output
        made.named = self.named[:]
        return made


class _State:
    """What has been read up to a place: open brackets, and the names in scope."""

    __slots__ = ("before", "binders", "brackets", "in_prim_func", "pos", "scopes")

    def __init__(self, pos: int) -> None:
        self.pos = pos
        """Where the next token is looked for."""
        self.before = ["", ""]
        """The two tokens before it."""
        self.brackets: list[Bracket] = []
        self.binders: _Names = None
        self.scopes: list[tuple[_Names, list[str]]] = []
        """For each open `{`, the names before it, and those that it gives to what follows by `output`."""
        self.in_prim_func = False

    def copy(self) -> _State:
        """Return a state that can be read on from."""
        made = _State(self.pos)
        made.before = self.before
        made.brackets = [one.copy() for one in self.brackets]
        made.binders = self.binders
        made.scopes = [(names, outputs[:]) for names, outputs in self.scopes]
        made.in_prim_func = self.in_prim_func
        return made

    def take(self, word: str, pos: int) -> None:
        """Read a token."""
        before = self.before
        if word in _CLOSER:
            self.brackets.append(Bracket(word, pos, before[1]))
            if word == "{":
                self.scopes.append((self.binders, []))
        elif word in _OPENER:
            if self.brackets and self.brackets[-1].mark == _OPENER[word]:
                self.brackets.pop()
                if word == "}":
                    self._close()
        elif word == "prim_func":
            self.in_prim_func = True
        elif self.brackets:
            self._take_within(word, self.brackets[-1])
        if before[1] == "let":
            self.binders = word, self.binders
        self.before = [before[1], word]

    def _take_within(self, word: str, bracket: Bracket) -> None:
        """Read a token that is not a bracket, in the innermost one that is open."""
        if word == ",":
            bracket.commas += 1
            bracket.attribute = None
        elif word == "=" and bracket.mark == "(":
            bracket.attribute = self.before[1]
            bracket.named.append(self.before[1])
        elif word == "output":
            bracket.is_output = bracket.mark == "{"
        elif word == ";":
            bracket.is_output = False
        elif bracket.is_output:
            self.scopes[-1][1].append(word)

    def _close(self) -> None:
        """Leave a scope; only what it gives out stays."""
        self.binders, outputs = self.scopes.pop()
        for name in outputs:
            self.binders = name, self.binders


class Marks:
    """Places of one document from which its tokens can be read on: typing at the end of a long item reads little."""

    __slots__ = ("_begin", "_searched", "_states", "_text")

    def __init__(self) -> None:
        self._text: str = ""
        self._begin = 0
        self._searched = 0
        """The beginning of a line, before which no other item begins after `_begin`."""
        self._states: list[_State] = []

    def item_before(self, text: str, offset: int) -> int:
        """Return where the last item begins whose first word ends before a place; 0 if there is none."""
        if text != self._text:
            # Tokens of the line in which the texts part may be others now; none reaches over the end of a line.
            line = text.rfind("\n", 0, common_beginning(self._text, text)) + 1
            self._states = [one for one in self._states if one.pos <= line]
            self._searched = min(self._searched, line)
            self._text = text
        is_ahead = self._begin < self._searched <= offset
        begin = _item_before(text, offset, *((self._begin, self._searched) if is_ahead else ()))
        if begin != self._begin:
            self._states = []
        self._begin = begin
        self._searched = text.rfind("\n", 0, offset) + 1
        return begin

    def state(self, stop: int) -> _State:
        """Return the last state before a place of the item that was found last."""
        self._states = self._states or [_State(self._begin)]
        found = bisect_right(self._states, stop, key=_place_of) - 1
        return self._states[max(found, 0)].copy()

    def note(self, state: _State) -> None:
        """Keep a state, of which there is none that is later."""
        if state.pos > self._states[-1].pos:
            self._states.append(state.copy())


def _place_of(state: _State) -> int:
    return state.pos


class TokenContext:
    """The cursor among tokens: open brackets, the word that is being typed, and the token before it.

    With the marks of a document only what follows the last of them is read.
    """

    __slots__ = ("_binders", "brackets", "in_comment", "in_prim_func", "prefix", "previous", "start")

    def __init__(self, text: str, offset: int, marks: Marks | None = None) -> None:
        marks = marks or Marks()
        marks.item_before(text, offset)
        self.prefix = _prefix(text[text.rfind("\n", 0, offset) + 1 : offset])
        """The part of a word before the cursor."""
        self.start = offset - len(self.prefix)
        self.in_comment = False
        state = self._read(text, marks)
        self.brackets = state.brackets
        self._binders = state.binders
        self.previous = state.before[1]
        self.in_prim_func = state.in_prim_func

    @property
    def binders(self) -> Iterator[str]:
        """The names that a `let` binds before the cursor, the last one first, whatever else is wrong."""
        names = self._binders
        while names is not None:
            yield names[0]
            names = names[1]

    def _read(self, text: str, marks: Marks) -> _State:
        state = marks.state(self.start)
        count = 0
        line_begin = text.rfind("\n", 0, self.start) + 1  # a string that the cursor is in is not a token yet
        for match in lalr_table.tokens(text, state.pos, self.start):
            group = match.lastindex or 0
            word = match[group]
            if word.startswith("#"):
                self.in_comment = "\n" not in text[match.end() : self.start] and match.end() >= self.start
                continue
            state.take(word, match.start(group))
            count += 1
            if count >= TOKENS_BETWEEN_MARKS and match.end() < line_begin:
                count = 0
                state.pos = match.end()
                marks.note(state)
        line = text[line_begin : self.start]
        self.in_comment = self.in_comment or line.lstrip().startswith("#")
        return state

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


def _item_before(text: str, offset: int, best: int = 0, searched: int = 0) -> int:
    """Return where the last item begins whose first word ends before a place; 0 if there is none.

    It begins at `best`, unless one begins at or after `searched`.
    """
    for head in _HEADS:
        end = offset
        first = max(best, searched)
        while end > first:
            found = text.rfind(head, first, end)
            if found < 0:
                break
            match = _WORD.match(text, found, offset)
            if match is not None and match[0] == head and (not found or text[found - 1] == "\n"):
                best = found
                break
            end = found
    return best


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


def call_at(text: str, offset: int, marks: Marks | None = None) -> CallPlace | None:
    """Return the call around an offset, whether or not it is complete. `nn.relu(` is one; a `{ }` ends the search."""
    found = TokenContext(text, offset, marks).call
    if found is None:
        return None
    return CallPlace(found.before, found.commas, found.attribute, found.named)
