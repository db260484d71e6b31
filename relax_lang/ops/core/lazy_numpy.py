"""numpy, imported when one of its attributes is first used.

Other modules write `from relax_lang.ops.core import lazy_numpy as np`. An attribute becomes a global of this module
when it is first used, so that later uses cost no more than an attribute of numpy.
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
