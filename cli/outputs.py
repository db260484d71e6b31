"""Files that commands write must not be files that they read."""

from __future__ import annotations

from relax_lang.files.programs import STDIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.diagnostic import Diagnostic


NO_REPORTS = (
    *(".rlx", ".relay", ".rly", ".onnx", ".rlxe", ".py"),
    *(".npy", ".npz", ".safetensors"),
    *(".toml", ".relaxignore", ".gitignore"),
)
"""Endings of files that commands and settings read, which no report has."""
_SETTINGS = ("relax.toml", "pyproject.toml", ".relaxignore", ".gitignore")
"""Names of files that the next command would read as settings."""


def output_is_no_report(option: str, output: str) -> Diagnostic | None:
    """Return the diagnostic for a report that would replace a file of another kind: settings, weights, a program."""
    import os

    exists = os.path.lexists(output)
    if not (output.endswith(NO_REPORTS) and (exists or os.path.basename(output) in _SETTINGS)):
        return None
    from relax_lang.check.diagnostics.toolchain import usage

    if not exists:
        return usage(f"`{option}` would make `{output}`, which is read as settings", "name another file")
    return usage(f"`{option}` would replace `{output}`, which is not a report", "name another file")


def output_is_an_input(option: str, output: str, inputs: Iterable[str]) -> Diagnostic | None:
    """Return the diagnostic for an output that is also an input of the command, whatever names lead to it."""
    from relax_lang.files.replacing import is_same_file

    for path in inputs:
        if path != STDIN and is_same_file(output, path):
            from relax_lang.check.diagnostics.toolchain import usage

            return usage(f"`{option}` would replace `{path}`, which is read", "name another file")
    return None
