"""What passes over the array IR know of the function that they rewrite."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.tir.lower.guards import Guards


class Context:
    """What is known of one function, and names for it."""

    def __init__(self, entry: Guards, is_size: Callable[[Polynomial], bool]) -> None:
        self.fresh = entry.fresh
        """Returns a new name like a word."""
        self.is_nonnegative = entry.is_nonnegative
        """Returns whether a size is proved to be at least 0."""
        self.whole_extent = entry.whole_extent
        """Returns the difference of the bounds of a loop, which is its extent unless that is 0."""
        self.is_size = is_size
        """Returns whether a polynomial is a number when the function is called."""
        self._n_temporaries = 0

    def temporary(self) -> str:
        """Return a name that is not one of Python: the last pass gives another one to what still has it."""
        self._n_temporaries += 1
        return f"%{self._n_temporaries}"
