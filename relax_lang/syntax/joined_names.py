"""Elements of buffers that are written as one name: `Bj` for `B[j]`, `B_i_j` for `B[i, j]`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


def element_of(name: str, ranks: Mapping[str, int], variables: Collection[str]) -> str:
    """Return the element of a buffer that a name is put together of; empty if it is not.

    `ranks` are those of the buffers by their names, and `variables` what can be an index.
    """
    for buffer, rank in ranks.items():
        if rank and name.startswith(buffer):
            indices = _split(name[len(buffer) :], rank, variables)
            if indices:
                return f"{buffer}[{', '.join(indices)}]"
    return ""


def _split(text: str, count: int, names: Collection[str]) -> list[str]:
    """Return so many of the names that a text is put together of; nothing if it is not."""
    text = text.removeprefix("_")
    if count == 1:
        return [text] if text in names else []
    for name in names:
        rest = _split(text[len(name) :], count - 1, names) if text.startswith(name) else []
        if rest:
            return [name, *rest]
    return []
