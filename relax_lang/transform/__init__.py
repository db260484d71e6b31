"""Passes: programs in, programs out. One callable for each pass, and what puts them together.

    from relax_lang import api, transform

    program = api.typed(text)
    program = transform.Sequential([transform.FoldConstant, transform.DeadCodeElimination()])(program)
    print(program)

Passes are in the rooms of this package, one file each; `catalogue` knows all of them. A pass of one's own is declared
with `module_pass`, `function_pass` or `dataflow_pass`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.transform.catalogue import pipeline, register_pass, register_pipeline
    from relax_lang.transform.lowering.memory_report import MemoryReport
    from relax_lang.transform.pass_manager.comparing import Compare
    from relax_lang.transform.pass_manager.context import Instrument, PassContext
    from relax_lang.transform.pass_manager.errors import PassBrokeProgram, PassError, PassRefused
    from relax_lang.transform.pass_manager.instruments import (
        Changed,
        DumpTo,
        Explain,
        PrintAfter,
        Timing,
        Verify,
    )
    from relax_lang.transform.pass_manager.passes import (
        Pass,
        PassKind,
        Run,
        dataflow_pass,
        function_pass,
        module_pass,
    )
    from relax_lang.transform.pass_manager.sequence import Sequential

_ROOMS = {
    "catalogue": ("pipeline", "register_pass", "register_pipeline"),
    "pass_manager.comparing": ("Compare",),
    "pass_manager.context": ("Instrument", "PassContext"),
    "pass_manager.errors": ("PassBrokeProgram", "PassError", "PassRefused"),
    "pass_manager.instruments": ("Changed", "DumpTo", "Explain", "PrintAfter", "Timing", "Verify"),
    "pass_manager.passes": ("Pass", "PassKind", "Run", "dataflow_pass", "function_pass", "module_pass"),
    "pass_manager.sequence": ("Sequential",),
    "lowering.memory_report": ("MemoryReport",),
}

__all__ = [
    "Changed",
    "Compare",
    "DumpTo",
    "Explain",
    "Instrument",
    "MemoryReport",
    "Pass",
    "PassBrokeProgram",
    "PassContext",
    "PassError",
    "PassKind",
    "PassRefused",
    "PrintAfter",
    "Run",
    "Sequential",
    "Timing",
    "Verify",
    "dataflow_pass",
    "function_pass",
    "module_pass",
    "pipeline",
    "register_pass",
    "register_pipeline",
]


def __getattr__(name: str) -> Any:
    """Fetch a public name from the module that defines it, or a pass by its name: `transform.FoldConstant`."""
    import importlib

    for room, names in _ROOMS.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{room}"), name)
    if name[:1].isupper():
        found = importlib.import_module(f"{__name__}.catalogue").passes().get(name)
        if found is not None:
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, those of passes among them."""
    import importlib

    return sorted({*globals(), *__all__, *importlib.import_module(f"{__name__}.catalogue").passes()})
