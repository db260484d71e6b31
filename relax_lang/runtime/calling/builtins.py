"""Packed functions that every program finds: `print`, `assert`, and a list of NumPy's own under `numpy.…`. [X.8]

A name that is registered or given by the caller comes first. The list is closed: no name of a program can reach
anything else of NumPy, and nothing listed here touches files, memory of others, or random numbers.
"""

from __future__ import annotations

import numpy as np

from relax_lang.runtime.calling.print_output import to_stdout
from relax_lang.runtime.values.display import show_value
from relax_lang.runtime.values.tensors import is_tensor, is_tuple
from relax_lang.values import PackedFunc, RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

NUMPY: tuple[str, ...] = (
    *("cbrt", "exp2", "expm1", "log2", "log10", "log1p", "sinc", "i0", "nan_to_num", "degrees", "radians"),
    *(
        "nansum",
        "nanprod",
        "nanmean",
        "nanstd",
        "nanvar",
        "nanmax",
        "nanmin",
        "nanmedian",
        "count_nonzero",
        "ptp",
    ),
    *(
        "diff",
        "ediff1d",
        "interp",
        "convolve",
        "correlate",
        "cov",
        "corrcoef",
        "searchsorted",
        "roll",
        "rot90",
    ),
    *("dot", "vdot", "inner", "cross", "trace"),
    *(
        "linalg.inv",
        "linalg.pinv",
        "linalg.det",
        "linalg.slogdet",
        "linalg.solve",
        "linalg.lstsq",
        "linalg.norm",
    ),
    *("linalg.cholesky", "linalg.qr", "linalg.svd", "linalg.eigh", "linalg.eigvalsh", "linalg.matrix_rank"),
)
"""What `extern "numpy.…"` can name: what no operator does, and nothing that makes much memory out of little."""


def names() -> list[str]:
    """Return the names of all built-in packed functions."""
    return [*_OWN, *[f"numpy.{name}" for name in NUMPY]]


def lookup(name: str) -> PackedFunc | None:
    """Return a built-in packed function, or None if there is none of that name."""
    if name in _OWN:
        return PackedFunc(name, _OWN[name])
    if name.startswith("relay."):
        from relax_lang.runtime.calling import (
            relay_objects,
        )  # only for programs that were translated from Relay

        function = relay_objects.lookup(name)
        return None if function is None else PackedFunc(name, function[0], pure=function[1])
    short = name.removeprefix("numpy.")
    if short == name or short not in NUMPY:
        return None
    found: Any = np
    for part in short.split("."):
        found = getattr(found, part)
    return PackedFunc(name, _plain(found), pure=True)


def _plain(function: Callable[..., Any]) -> Callable[..., object]:
    """Make results plain: NumPy's named tuples and lists are tuples here."""

    def call(*arguments: object) -> object:
        with np.errstate(all="ignore"):
            result = function(*arguments)
        return tuple(result) if is_tuple(result) or isinstance(result, list) else result  # pyright: ignore[reportUnknownArgumentType]

    return call


def _print(*values: object) -> None:
    """Show values on standard output, as the result of a run is shown."""
    for value in values:
        to_stdout("\n".join(show_value(value)) + "\n")


def _assert(condition: object, *shown: object) -> None:
    """End the program unless the condition is a true scalar; further arguments are shown then."""
    if is_tensor(condition) and condition.ndim == 0 and condition.dtype == bool and condition:
        return
    lines = [line for value in shown for line in show_value(value)]
    failure = RunFailure("assertion-failed", "the assertion failed")
    if lines:
        failure.facts["note"] = "\n".join(lines)
    raise failure


_OWN: dict[str, Callable[..., object]] = {"print": _print, "assert": _assert}
