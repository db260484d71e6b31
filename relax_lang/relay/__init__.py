"""Relay, the predecessor of Relax: read, checked, run, translated. Nothing of Relax depends on it.

    >>> from relax_lang import relay
    >>> relay.run("def @main(%x: Tensor[(?), float32]) { nn.relu(%x) }", [1.5, -1])
    array([1.5, 0. ], dtype=float32)

What users call is fetched when it is first used, and is described on the page about Relay.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.api.relay_texts import (
        Adt,
        CheckedRelay,
        check,
        format_text,
        parse,
        run,
        translate,
        translate_file,
    )

__all__ = ["Adt", "CheckedRelay", "check", "format_text", "parse", "run", "translate", "translate_file"]


def __getattr__(name: str) -> object:
    """Fetch a public name from the module that defines it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module("relax_lang.api.relay_texts"), name)


def __dir__() -> list[str]:
    """List the public names, those that were not fetched yet as well."""
    return sorted({*globals(), *__all__})
