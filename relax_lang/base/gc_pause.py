"""When Python looks for garbage: not while a pass builds a tree that will be kept.

Every few hundred new nodes the collector would walk all of them again, for nothing: that costs between a fifth
and a half of the time of a pass over a large program, and more the larger it is.
"""

from __future__ import annotations

import gc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


class no_collection:  # noqa: N801 - a context manager reads as a function
    """Pauses the collection of garbage inside `with`, and restores what was before."""

    __slots__ = ("_collecting",)

    def __enter__(self) -> None:
        self._collecting = gc.isenabled()
        gc.disable()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._collecting:
            gc.enable()
