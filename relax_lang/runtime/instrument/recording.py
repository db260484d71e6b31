"""`--save-all` and `--compare`: the values of all bindings, kept, or held against those of another run."""

from __future__ import annotations

import numpy as np

from relax_lang.runtime.instrument.observer import Observer
from relax_lang.runtime.values.display import tensor_type
from relax_lang.runtime.values.tensors import is_of_language, is_tuple
from relax_lang.values import RunFailure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from relax_lang.runtime.instrument.observer import Moment
    from relax_lang.runtime.interpreter.machine import Scope
    from relax_lang.runtime.values.tensors import Tensor

TOLERANCES = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 1e-4, "float64": 1e-9}
"""How far floats may be apart, relative to the largest element of the tensor; other dtypes must be equal."""


def parts(key: str, value: object) -> Iterator[tuple[str, Tensor]]:
    """Yield the tensors of a value by name: fields of tuples as `key.0`; shapes as int64 tensors."""
    stack: list[tuple[str, object]] = [(key, value)]
    while stack:
        name, item = stack.pop()
        if is_of_language(item):
            yield name, item
        elif isinstance(item, ShapeValue):
            yield name, np.array(item.values, np.int64)
        elif is_tuple(item):
            stack += [(f"{name}.{at}", field) for at, field in reversed(list(enumerate(item)))]


class SaveAll(Observer):
    """Hands every tensor that a named binding gets to `save`, by the key of the moment."""

    __slots__ = ("_save",)

    def __init__(self, save: Callable[[str, Tensor], object]) -> None:
        self._save = save

    def bound(self, moment: Moment, value: object, scope: Scope) -> None:
        """Save the tensors of one binding, as they are now: later changes in place do not show."""
        del scope
        if moment.name:
            for name, tensor in parts(moment.key, value):
                self._save(name, tensor)


class Compare(Observer):
    """Ends the program at the first binding that differs from what was recorded under its name.

    `recorded` may leave out bindings, and the name of the function in its keys. `compared` counts what was found.
    """

    __slots__ = ("_recorded", "_tolerance", "compared")

    def __init__(self, recorded: Mapping[str, Tensor], tolerance: float | None = None) -> None:
        self._recorded = recorded
        self._tolerance = tolerance
        self.compared = 0

    def bound(self, moment: Moment, value: object, scope: Scope) -> None:
        """Raise `value-differs` if the binding has another value than before."""
        if not moment.name:
            return
        for name, tensor in parts(moment.key, value):
            before = self._recorded.get(name)
            if before is None:
                before = self._recorded.get(name.removeprefix(f"{moment.function}."))
            if before is None:
                continue
            self.compared += 1
            why = difference(tensor, before, self._tolerance)
            if why:
                message = f"`{moment.name}` differs from the recorded `{name}`: {why}"
                raise RunFailure(
                    "value-differs", message, moment.binding, shape_vars=dict(scope.shape_vars), key=name
                )


def difference(now: Tensor, before: Tensor, tolerance: float | None = None) -> str:
    """Say in what two tensors differ; empty if they do not. nan equals nan."""
    dtype = now.dtype.name
    stored_wider = dtype == "bfloat16" and before.dtype.name == "float32"  # array files have no bfloat16
    if now.shape != before.shape or (now.dtype != before.dtype and not stored_wider):
        return f"{tensor_type(now)}, recorded {tensor_type(before)}"
    if dtype not in TOLERANCES:
        different = now != before
        allowed = 0.0
    else:
        new, old = now.astype(np.float64), before.astype(np.float64)
        share = TOLERANCES[dtype] if tolerance is None else tolerance
        finite = np.abs(old[np.isfinite(old)])
        allowed = share * float(finite.max()) if finite.size else 0.0
        both_nan = np.isnan(new) & np.isnan(old)
        with np.errstate(invalid="ignore"):
            different = ~((np.abs(new - old) <= allowed) | (new == old) | both_nan)
    if not different.any():
        return ""
    at = tuple([int(i) for i in np.argwhere(different)[0]])
    place = f" at [{', '.join([str(i) for i in at])}]" if at else ""
    limit = f" (allowed: {allowed:.3g})" if dtype in TOLERANCES else ""
    count = f"{int(different.sum())} of {now.size} elements, the first" if now.size > 1 else "it is"
    return f"{count}{place} {now[at].item()}, recorded {before[at].item()}{limit}"
