"""The public surface: programs in, trees, texts, diagnostics and results out.

A program is given as text, as a `SourceFile` (see `read`), or as a module: a tree that was made in Python, or what
`typed` returns. Functions that need a program without errors also take what `check` returned, so that nothing is
checked twice. If there are errors they raise `RelaxError`,
which holds the diagnostics; nothing else is raised on account of a program.

    >>> from relax_lang import api
    >>> text = "def @main(x: Tensor[(n,), float32]) { x+x }"
    >>> print(api.format_text(text), end="")
    def @main(x: Tensor[(n,), float32]) {
      x + x
    }
    >>> api.check(text).diagnostics
    []

Constants in files are looked up beside the program, for bare text in the current folder.
"""

from __future__ import annotations

from relax_lang.api.programs import RelaxError, check, check_sound, explain, fix_text, parse, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.api.compiling import compile, compile_functions, dump_passes, numpy_module  # noqa: A004
    from relax_lang.api.executables import build, read_executable, start_executable, write_executable
    from relax_lang.api.forms import (
        differences,
        format_relay,
        format_text,
        from_tvmscript,
        graph,
        normalize,
        print_tree,
        relay_form,
        to_tvmscript,
        verify,
    )
    from relax_lang.api.models import to_onnx
    from relax_lang.api.modules import typed
    from relax_lang.api.optimizing import optimize
    from relax_lang.api.running import run, run_session, start, test

__all__ = [
    "RelaxError",
    "build",
    "check",
    "check_sound",
    "compile",
    "compile_functions",
    "differences",
    "dump_passes",
    "explain",
    "fix_text",
    "format_relay",
    "format_text",
    "from_tvmscript",
    "graph",
    "normalize",
    "numpy_module",
    "optimize",
    "parse",
    "print_tree",
    "read",
    "read_executable",
    "relay_form",
    "run",
    "run_session",
    "start",
    "start_executable",
    "test",
    "to_onnx",
    "to_tvmscript",
    "typed",
    "verify",
    "write_executable",
]

_ROOMS = {  # those that a clean `relax check` does without
    "compiling": ("compile", "compile_functions", "dump_passes", "numpy_module"),
    "executables": ("build", "read_executable", "start_executable", "write_executable"),
    "forms": (
        "differences",
        "format_relay",
        "format_text",
        "from_tvmscript",
        "graph",
        "normalize",
        "print_tree",
        "relay_form",
        "to_tvmscript",
        "verify",
    ),
    "models": ("to_onnx",),
    "modules": ("typed",),
    "optimizing": ("optimize",),
    "running": ("run", "run_session", "start", "test"),
}


def __getattr__(name: str) -> object:
    """Fetch a public name from the module that defines it."""
    for room, names in _ROOMS.items():
        if name in names:
            import importlib

            module = importlib.import_module(f"{__name__}.{room}")
            globals().update({one: getattr(module, one) for one in names})
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, those that were not fetched yet as well."""
    return sorted({*globals(), *__all__})
