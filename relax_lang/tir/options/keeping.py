"""Where other processes find what was made of PrimFuncs: a cache decides whose entries count; see `files.cache`."""

from __future__ import annotations

from typing import Any, Protocol


class KeptCodes(Protocol):
    """Values of plain data under keys that say what they follow from."""

    def get(self, key: str) -> Any:
        """Return a value; None if there is none."""
        ...

    def put(self, key: str, value: Any) -> None:
        """Keep a value."""
        ...
