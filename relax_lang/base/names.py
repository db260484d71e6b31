"""Names: fresh ones, and the nearest of some given ones."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 200
"""Characters of a word that is compared with others: nothing longer is a misspelled name."""
MOST = 2_000
"""Candidates that a word is compared with: the last ones, which are those most recently bound."""


class FreshNames:
    """Hands out names that differ from all names given to it and from each other."""

    __slots__ = ("_next", "_stems", "_taken")

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}
        self._stems: dict[str, str] = {}

    def take(self, name: str) -> bool:
        """Reserve a name; return whether it was free."""
        if name in self._taken:
            return False
        self._taken.add(name)
        return True

    def fresh(self, base: str) -> str:
        """Return `base` if it is free, else `base_1`, `base_2`, …; the result is taken from then on."""
        taken = self._taken
        if base not in taken:
            taken.add(base)
            return base
        stem = self._stems.get(base)
        if stem is None:
            stem = self._stems[base] = base.rstrip("0123456789").removesuffix("_") or base
        number = self._next.get(stem, 1)
        while (name := f"{stem}_{number}") in taken:
            number += 1
        taken.add(name)
        self._next[stem] = number + 1
        return name


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate most like `word`, or None if none is like it."""
    import difflib  # only needed when there is something to report

    if len(word) > LONGEST:
        return None
    pool = list(dict.fromkeys(candidates))[-MOST:]
    lowered = {name.lower(): name for name in reversed(pool)}
    if word.lower() in lowered:
        return lowered[word.lower()]
    # A dotted name is also meant when only its last part was written: `relu` for `nn.relu`.
    tails = [name for name in pool if name.rpartition(".")[2] == word.rpartition(".")[2]]
    if tails:
        return tails[0]
    found = difflib.get_close_matches(word, pool, n=1, cutoff=0.6)
    return found[0] if found else None


def misspelled(word: str, candidates: Iterable[str]) -> list[str]:
    """Return the candidates that differ least from a word, by a slip of the keyboard; nothing if none is as close.

    A slip is one letter left out, added, replaced or swapped with its neighbour; words of more than five letters may
    have two.
    """
    found: list[str] = []
    if len(word) > LONGEST:
        return found
    most = 2 if len(word) > 5 else 1
    for name in list(dict.fromkeys(candidates))[-MOST:]:
        if abs(len(name) - len(word)) > most:
            continue
        slips = _slips(word, name)
        if slips < most:
            found, most = [name], slips
        elif slips == most:
            found.append(name)
    return found


def _slips(a: str, b: str) -> int:
    """Return the number of slips between two words: their optimal string alignment distance."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        earlier, before, row = before, row, [i]
        for j, right in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and right == a[i - 2]:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]
