"""Regular expressions that are compiled when a module is loaded: a wheel has them ready-made.

Python's `re` takes longer to load, and to compile these few, than a small file takes to check. Its engine is there
without it: what `re` makes of a pattern is numbers, which the file of modules of a wheel has for the very same Python.
"""

from __future__ import annotations

from relax_lang._pack import patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern as `re.compile` does."""
    ready = patterns.get((text, flags))
    if ready is None:
        import re  # in a checkout, and for what a clean check does not need

        return re.compile(text, flags)
    all_flags, code, groups, names, numbers = ready
    engine: Any = __import__("_sre")
    return engine.compile(text, all_flags, code, groups, names, numbers)
