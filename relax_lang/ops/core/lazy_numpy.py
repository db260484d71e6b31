"""numpy, imported when a kernel first asks for something of it.

Family modules write `from relax_lang.ops import _numpy as np`. Whatever was asked for becomes a plain global
of this module, so that later uses cost what an attribute of numpy itself costs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # the import system asks for `__path__` and its like
        raise AttributeError(name)
    import numpy  # noqa: ICN001 - this module is what others call np

    value = getattr(numpy, name)
    globals()[name] = value
    return value
