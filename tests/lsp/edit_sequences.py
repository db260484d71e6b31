"""Sequences of edits as people make them, as changes of the protocol: columns are counted in UTF-16."""

from __future__ import annotations

import random
import re
from typing import Any

from tests.fuzz.whole_programs.programs import WholeProgram

ASTRAL = "\U0001d6fc"
"""A letter that UTF-16 counts as two."""
HALVES = (
    "let y = add(x1,",
    "let y = nn.relu(",
    "match_cast(x1, Tensor[(n,",
    "if x1 {",
    "} else {",
    "fn (p: Tensor[(k,)",
    ") -> Tensor[(n,), float32] {",
    "const([[1, 2], [3",
    "# \U0001f600 a comment\n",
    "## \U0001f600 words\n",
    "for i in grid(n,",
    '"\U0001f600',
    "@f0(",
    "dataflow {\n",
    "output v",
    "\u00e9\u0301",
    "\t",
    "\r\n",
)


def program(seed: int) -> str:
    """Return a program in which some names and comments have characters that UTF-16 counts as two."""
    draw = random.Random(seed)
    text = WholeProgram(seed).text
    for name in sorted(set(re.findall(r"\b[xv]\d+\b", text))):
        if draw.random() < 0.3:
            text = re.sub(rf"\b{name}\b", f"{ASTRAL}{name}", text)
    lines = text.split("\n")
    for _ in range(4):
        at = draw.randrange(len(lines))
        lines[at] += "  # \U0001f600 \U0001d11e" if not lines[at].endswith("\r") else ""
    return "\n".join(lines)


class Edits:
    """A text, what people do to it, and what it was before."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.text = program(seed)
        self.before = [self.text]
        self.other = program(seed + 1)

    def step(self) -> list[dict[str, Any]]:
        """Make an edit; return the changes of it."""
        kind = self.random.choice(
            (self.typed, self.cut, self.paste, self.undo, self.move, self.rename, self.twice)
        )
        changes = kind()
        self.before.append(self.text)
        return changes

    def typed(self) -> list[dict[str, Any]]:
        at = self._offset()
        return [self.replace(at, at, self.random.choice((*HALVES, "x", "1", ",", "}", "(", ASTRAL)))]

    def cut(self) -> list[dict[str, Any]]:
        at = self._offset()
        return [self.replace(at, min(len(self.text), at + self.random.choice((1, 2, 10, 60))), "")]

    def paste(self) -> list[dict[str, Any]]:
        at, begin = self._offset(), self.random.randrange(len(self.other))
        return [self.replace(at, at, self.other[begin : begin + self.random.randrange(1, 200)])]

    def undo(self) -> list[dict[str, Any]]:
        """Go back some steps by one change of what differs."""
        old = self.before[-min(len(self.before), self.random.randint(2, 6))]
        start = 0
        while start < min(len(old), len(self.text)) and old[start] == self.text[start]:
            start += 1
        same = 0
        while same < min(len(old), len(self.text)) - start and old[-1 - same] == self.text[-1 - same]:
            same += 1
        return [self.replace(start, len(self.text) - same, old[start : len(old) - same])]

    def move(self) -> list[dict[str, Any]]:
        """Move an item to the front of another one, by two changes."""
        places = [
            one.start()
            for one in re.finditer(r"^(?:private |pure )*(?:def|prim_func) ", self.text, re.MULTILINE)
        ]
        if len(places) < 2:
            return self.typed()
        at = self.random.randrange(1, len(places))
        end = places[at + 1] if at + 1 < len(places) else len(self.text)
        moved = self.text[places[at] : end]
        first = self.replace(places[at], end, "")
        target = places[self.random.randrange(at)]
        return [first, self.replace(target, target, moved)]

    def rename(self) -> list[dict[str, Any]]:
        """Rename a word everywhere, by one change for each place."""
        words = re.findall(r"[xvf]\d+", self.text)
        if not words:
            return self.typed()
        old, new = self.random.choice(words), self.random.choice((ASTRAL + "w", "w1", *words[:3]))
        matches = list(re.finditer(rf"\b{old}\b", self.text))
        changes = [self.replace(*match.span(), new) for match in reversed(matches)]
        return changes or self.typed()

    def twice(self) -> list[dict[str, Any]]:
        return [*self.typed(), *self.cut()]

    def replace(self, begin: int, end: int, new: str) -> dict[str, Any]:
        """Replace a part of the text; return it as a change. No place is between CR and LF, which are one line end."""
        if self._is_inside(begin):
            begin, new = begin - 1, "\r" + new
        if self._is_inside(end):
            end, new = end + 1, new + "\n"
        change = {"range": {"start": self.place(begin), "end": self.place(end)}, "text": new}
        self.text = self.text[:begin] + new + self.text[end:]
        return change

    def place(self, offset: int) -> dict[str, int]:
        """Return an offset as line and column; lines end in LF, CR LF or CR."""
        head = self.text[:offset]
        lines = re.split(r"\r\n|\r|\n", head)
        return {"line": len(lines) - 1, "character": len(lines[-1].encode("utf-16-le")) // 2}

    def _offset(self) -> int:
        """Return an offset that is not between CR and LF."""
        at = self.random.randrange(len(self.text) + 1)
        return at - 1 if self._is_inside(at) else at

    def _is_inside(self, offset: int) -> bool:
        """Return whether an offset is between CR and LF."""
        return offset > 0 and self.text[offset - 1 : offset + 1] == "\r\n"
