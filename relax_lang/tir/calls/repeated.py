"""Calls of a compiled PrimFunc like ones that passed all checks before. [TIR.21]

`Repeated` remembers which dtypes, shapes and numbers passed, and runs calls like these without the checks at entry; see
`codegen.calls.repeated_calls`. Large arrays are left alone: there a check costs next to nothing.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from relax_lang.ops.core.error_state import compute_silently
from relax_lang.tir.loading import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from relax_lang.syntax import tree
    from relax_lang.tir.codegen.printer.module import Generated

_SMALL = 1 << 13
"""Calls are remembered if none of their arrays has more elements."""
_FROM, _FROM_KEPT = 2, 16
"""A function for repeated calls is made at so many calls that passed; later where code was kept, as it is compiled
for that.
"""
_MOST = 256
"""So many combinations are remembered."""
_MOST_BYTES = 1 << 18
"""What sizes decide is kept if it takes no more."""


class Repeated:
    """What is known of the calls of one PrimFunc that passed: `again` runs a call that is like one of them and returns
    whether it is; until there is one it is None. If it raises one of `gives_up` the call has all checks. `raises_flags`
    is whether it may do what NumPy warns about.
    """

    __slots__ = (
        "_calls", "_code", "_from", "_func", "_known", "_remember", "again", "count", "gives_up", "raises_flags",
    )  # fmt: skip

    def __init__(self, func: tree.PrimFunc, code: Callable[[], Generated | None], is_kept: bool) -> None:
        self._func = func
        self._code = code
        self._calls = 0
        self._from = _FROM_KEPT if is_kept else _FROM
        self._known: dict[Any, tuple[Any, ...]] = {}
        self._remember: Callable[..., None] | None = None
        self.again: Callable[..., bool] | None = None
        self.count = len(func.params)
        """The number of parameters."""
        self.gives_up: tuple[type[BaseException], ...] = ()
        self.raises_flags = True

    def ran(self, values: Sequence[Any], options: Mapping[str, object]) -> bool:
        """Run a call that is like an earlier one; return whether it is and did not have to be given up."""
        again = self.again
        if again is None or len(values) != self.count:
            return False
        try:
            if options:
                again = partial(again, **options)
            return again(*values) if not self.raises_flags else bool(compute_silently(again, values))
        except self.gives_up:
            return False

    def passed(self, values: Sequence[Any]) -> None:
        """Note a call that passed all checks; its numbers are plain ones."""
        if self._calls < 0:
            return
        for value in values:
            if isinstance(value, np.ndarray) and value.size > _SMALL:
                return
        self._calls += 1
        if self._calls < self._from:
            return
        if self._remember is None:
            self._make()
            if self._remember is None:
                self._calls = -1
                return
        if len(self._known) >= _MOST:
            self._known.clear()
        with suppress(*self.gives_up):  # what is small may have several blocks of rows
            self._remember(*values)

    def _keep(self, combination: Any, values: tuple[Any, ...]) -> None:
        """Remember a combination with what sizes decide in it, unless that is large."""
        if sum([value.nbytes for value in values if isinstance(value, np.ndarray)]) <= _MOST_BYTES:
            self._known[combination] = values

    def _make(self) -> None:
        from relax_lang.tir.codegen.calls.repeated_calls import (
            AGAIN,
            KEEP,
            KNOWN,
            RAISES_FLAGS,
            REMEMBER,
            repeated_calls,
        )

        code = self._code()
        module = None if code is None else repeated_calls(code)
        if module is not None:
            namespace = load(self._func, module)
            namespace[KNOWN], namespace[KEEP] = self._known, self._keep
            self._remember, self.again = namespace[REMEMBER], namespace[AGAIN]
            self.raises_flags = namespace[RAISES_FLAGS]
            self.gives_up = namespace["NotVectorized"], MemoryError, OverflowError
