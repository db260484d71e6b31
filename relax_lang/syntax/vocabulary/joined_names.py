"""Elements of buffers that are written as one name: `Bj` for `B[j]`, `B_i_j` for `B[i, j]`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 200
"""Characters of a name that may be put together of others."""


def element_of(name: str, rank_of: Callable[[str], int], is_variable: Callable[[str], bool]) -> str:
    """Return the element of a buffer that a name is put together of; empty if it is not.

    `rank_of` gives the rank of the buffer with a name, 0 where there is none; `is_variable` whether a name can be an
    index.
    """
    if len(name) > LONGEST:
        return ""
    for end in range(1, len(name)):
        rank = rank_of(name[:end])
        if rank:
            indices = _Split(name, is_variable).indices(end, rank)
            if indices:
                return f"{name[:end]}[{', '.join(indices)}]"
    return ""


class _Split:
    """A name, and where its rest has been found not to be put together of so many others."""

    def __init__(self, name: str, is_variable: Callable[[str], bool]) -> None:
        self.name = name
        self.is_variable = is_variable
        self.failed: set[tuple[int, int]] = set()

    def indices(self, at: int, count: int) -> list[str]:
        """Return so many names that the name from an offset on is put together of; nothing if it is not."""
        if (at, count) in self.failed or len(self.name) - at < count:
            return []
        self.failed.add((at, count))
        begin = at + (self.name[at] == "_")
        if count == 1:
            return [self.name[begin:]] if self.is_variable(self.name[begin:]) else []
        for end in range(begin + 1, len(self.name)):
            if self.is_variable(self.name[begin:end]):
                rest = self.indices(end, count - 1)
                if rest:
                    return [self.name[begin:end], *rest]
        return []
