"""Names: fresh ones, and the nearest of some given ones."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_NUMBERED = re.compile(r"(.*?)_?\d*\Z", re.DOTALL)


class FreshNames:
    """Hands out names that differ from all names given to it and from each other."""

    __slots__ = ("_next", "_taken")

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def take(self, name: str) -> bool:
        """Reserve a name; tell whether it was free."""
        if name in self._taken:
            return False
        self._taken.add(name)
        return True

    def fresh(self, base: str) -> str:
        """Return `base` if it is free, else `base_1`, `base_2`, …; the result is taken from then on."""
        if self.take(base):
            return base
        matched = _NUMBERED.match(base)
        stem = (matched[1] if matched else base) or base
        number = self._next.get(stem, 1)
        while not self.take(f"{stem}_{number}"):
            number += 1
        self._next[stem] = number + 1
        return f"{stem}_{number}"


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate most like `word`, or None if none is like it."""
    import difflib  # only needed when there is something to report

    pool = list(dict.fromkeys(candidates))
    lowered = {name.lower(): name for name in reversed(pool)}
    if word.lower() in lowered:
        return lowered[word.lower()]
    # A dotted name is also meant when only its last part was written: `relu` for `nn.relu`.
    tails = [name for name in pool if name.rpartition(".")[2] == word.rpartition(".")[2]]
    if tails:
        return tails[0]
    found = difflib.get_close_matches(word, pool, n=1, cutoff=0.6)
    return found[0] if found else None
