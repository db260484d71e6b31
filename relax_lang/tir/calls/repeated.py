"""Calls of a compiled PrimFunc like ones that passed all checks before. [TIR.21]

`Repeated` remembers which dtypes, shapes and numbers passed, and runs calls like these without the checks at entry; see
`codegen.calls.repeated_calls`. Those that come again and again get a form for their sizes (`certain_calls`). Large
arrays are left alone: there a check costs next to nothing.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from relax_lang.ops.core.error_state import compute_silently
from relax_lang.tir.calls.tables import are_small
from relax_lang.tir.interp.memory import is_array
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
CERTAIN_AT = (256, 1024, 4096, 16384)
"""Calls with these numbers in the general form get a form for calls like them: making one takes as long as some
hundred calls.
"""


class Repeated:
    """What is known of the calls of one PrimFunc that passed: `again` runs a call that is like one of them and returns
    whether it is; until there is one it is None. If it raises one of `gives_up` the call has all checks. `raises_flags`
    is whether it may do what NumPy warns about.
    """

    __slots__ = (
        "_calls", "_certain", "_code", "_from", "_func", "_general", "_hits", "_known", "_remember", "again", "count",
        "gives_up", "raises_flags",
    )  # fmt: skip

    def __init__(self, func: tree.PrimFunc, code: Callable[[], Generated | None], is_kept: bool) -> None:
        self._func = func
        self._code = code
        self._calls = 0
        self._from = _FROM_KEPT if is_kept else _FROM
        self._known: dict[Any, tuple[Any, ...]] = {}
        self._remember: Callable[..., None] | None = None
        self._general: Callable[..., bool] = _never
        self._hits = 0
        """How many calls the general form has run."""
        self._certain: list[dict[str, Any]] = []
        """The modules of forms for calls of certain sizes; each passes on the calls that are not like these."""
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
            for oldest in [*self._known][:1]:  # none, if another thread was here at the same time
                self._known.pop(oldest, None)
        with suppress(*self.gives_up):  # what is small may have several blocks of rows
            self._remember(*values)

    def _keep(self, combination: Any, values: tuple[Any, ...]) -> None:
        """Remember a combination with what sizes decide in it, unless that is large."""
        if are_small(values):
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
            self._remember, self._general = namespace[REMEMBER], namespace[AGAIN]
            self.again = self._counted
            self.raises_flags = namespace[RAISES_FLAGS]
            self.gives_up = namespace["NotVectorized"], MemoryError, OverflowError

    def _counted(self, *values: Any, **options: Any) -> bool:
        """Run a call in the general form; those that come at certain counts get a form for calls like them."""
        if not self._general(*values, **options):
            return False
        self._hits += 1
        if self._hits in CERTAIN_AT:
            self._make_certain(values)
        return True

    def _make_certain(self, values: Sequence[Any]) -> None:
        """Make a form for calls like one, which runs before those that were made earlier."""
        from relax_lang.tir.codegen.calls.certain_calls import (
            DTYPES,
            MAKE,
            OTHERS,
            certain_calls,
            example_of,
        )
        from relax_lang.tir.codegen.calls.repeated_calls import AGAIN

        code = self._code()
        assert code is not None, "there is a general form"
        module = certain_calls(code, example_of(code, values))
        if module is not None:
            namespace = load(self._func, module)
            namespace["NotVectorized"] = self.gives_up[0]
            dtypes = [value.dtype for value in values if is_array(value)]
            namespace.update({f"{DTYPES}{at}": dtype for at, dtype in enumerate(dtypes)})
            with suppress(*self.gives_up):
                made: dict[str, Any] = namespace[MAKE]()
                if are_small(made.values()):
                    namespace.update(made)
                    namespace[OTHERS] = self.again
                    self._certain.append(namespace)
                    self.again = namespace[AGAIN]
        if self._hits == CERTAIN_AT[-1]:  # from now on nothing is counted
            if self._certain:
                self._certain[0][OTHERS] = self._general
            else:
                self.again = self._general


def _never(*_values: Any, **_options: Any) -> bool:
    return False
