"""The patterns of a `.gitignore`, as Git reads them, matched with work that is linear in pattern and path.

A folder may come from anywhere, and so do its patterns: each star of a pattern is settled at the first place where
what follows it fits, which is enough, as a later star can reach everything that comes after.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Segment = str | re.Pattern[str] | None
    """Of a pattern: a name, a glob, or None for any number of folders."""

_BRACKETS = re.compile(r"\[([!^]?)(\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]", re.DOTALL)
_NAMED_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_NAMED = re.compile(r"\[:(\w+):\]|\\(.)|([\[\\&~|^])", re.DOTALL)


class GitPatterns:
    """The patterns of one file; the last one that matches a path decides."""

    __slots__ = ("_patterns",)

    def __init__(self, text: str) -> None:
        found = [_Pattern.of(line) for line in text.splitlines()]
        self._patterns = [one for one in reversed(found) if one is not None]

    def ignores(self, path: str) -> bool | None:
        """Return whether a path is left out, expressly not, or not mentioned; that of a folder ends in `/`."""
        parts = path.rstrip("/").split("/")
        verdict = None
        for count in range(1, len(parts) + 1):
            verdict = self._verdict(parts[:count], is_folder=count < len(parts) or path.endswith("/"))
            if verdict:  # nothing is taken back of what is in an ignored folder
                return True
        return verdict

    def _verdict(self, parts: Sequence[str], *, is_folder: bool) -> bool | None:
        for pattern in self._patterns:
            if (is_folder or not pattern.for_folders) and pattern.matches(parts):
                return not pattern.is_negated
        return None


class _MatchesNothingError(Exception):
    """Brackets are not closed, or nothing follows a backslash."""


class _Pattern:
    """One line."""

    __slots__ = ("_segments", "for_folders", "is_negated")

    def __init__(self, segments: list[Segment], *, for_folders: bool, is_negated: bool) -> None:
        self._segments = segments
        self.for_folders = for_folders
        self.is_negated = is_negated

    @classmethod
    def of(cls, line: str) -> _Pattern | None:
        """Return the pattern of a line; None for a comment and for what matches nothing."""
        text = line.rstrip(" ")
        if text.endswith("\\") and len(text) < len(line):
            text += " "  # a blank after a backslash is part of the name
        is_negated = text.startswith("!")
        text = text[is_negated:]
        if line.startswith("#"):
            return None
        words = text.removesuffix("/").split("/")
        if len(words) == 1:
            words = ["**", *words]  # in any folder
        elif not words[0]:
            del words[0]
        if "" in words:
            return None
        try:
            segments = [None if word == "**" else _segment(word) for word in words]
        except (_MatchesNothingError, re.error):  # the latter for a range that is backwards
            return None
        return cls(segments, for_folders=text.endswith("/"), is_negated=is_negated)

    def matches(self, parts: Sequence[str]) -> bool:
        """Return whether the pattern matches a path as a whole."""
        segments = self._segments
        at = here = 0
        resume: tuple[int, int] | None = None  # the last `**`, and how far it reaches
        while here < len(parts):
            if at < len(segments) and segments[at] is None:
                if at == len(segments) - 1:
                    return True
                at, resume = at + 1, (at + 1, here)
            elif at < len(segments) and _fits(segments[at], parts[here]):
                at, here = at + 1, here + 1
            elif resume is not None:
                resume = resume[0], resume[1] + 1
                at, here = resume
            else:
                return False
        return at == len(segments)


def _fits(segment: Segment, name: str) -> bool:
    return (
        segment == name
        if isinstance(segment, str) or segment is None
        else segment.fullmatch(name) is not None
    )


def _segment(word: str) -> Segment:
    """Return what a part of a pattern between slashes matches."""
    chunks: list[list[str]] = [[]]
    at = 0
    is_plain = True
    while at < len(word):
        letter = word[at]
        brackets = _BRACKETS.match(word, at) if letter == "[" else None
        if brackets is not None:
            chunks[-1].append(_character_class(brackets[1], brackets[2]))
            is_plain, at = False, brackets.end()
            continue
        if letter == "[" or word[at:] == "\\":
            raise _MatchesNothingError
        if letter == "*":
            is_plain = False
            if at == 0 or word[at - 1] != "*" or chunks[-1]:
                chunks.append([])
        elif letter == "?":
            is_plain = False
            chunks[-1].append(".")
        else:
            at += letter == "\\"
            chunks[-1].append(re.escape(word[at]))
        at += 1
    if is_plain:
        return re.sub(r"\\(.)", r"\1", word, flags=re.DOTALL)
    first, *others = ["".join(chunk) for chunk in chunks]
    if others:
        # Every chunk but the last one is where it first fits.
        first += "".join([f"(?>.*?{chunk})" for chunk in others[:-1]]) + f".*{others[-1]}"
    return re.compile(first, re.DOTALL)


def _character_class(negation: str, inner: str) -> str:
    """Return brackets as a regular expression has them."""

    def written(found: re.Match[str]) -> str:
        if found[1]:
            return _NAMED_CLASSES.get(found[1], "")
        return re.escape(found[2] or found[3])

    start = "[^" if negation else "["
    if inner.startswith("]"):
        start, inner = start + r"\]", inner[1:]
    return f"{start}{_NAMED.sub(written, inner)}]"
