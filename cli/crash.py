"""What ends a command at its rim: our own mistakes, shown as what they are, and streams that take nothing more."""

from __future__ import annotations

import sys
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic


def found_bug(error: BaseException, *, verbose: bool) -> Diagnostic:
    """Return RLX9901 for an exception; print its traceback to standard error if that is wanted."""
    from relax_lang.check.diagnostics.toolchain import internal_error

    if verbose:
        import traceback

        traceback.print_exception(error, file=sys.stderr)
    return internal_error(error)


REQUIRED = ("click", "lark", "numpy", "rich", "typer")
"""Packages that are installed with this one: one of them may be gone all the same."""


def report(error: BaseException, *, command: str, verbose: bool) -> bool:
    """Report an exception that nothing caught; return whether it is a mistake of ours."""
    from .options import Shown
    from .show import complain

    package = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    missing = package in REQUIRED
    with suppress(OSError):  # where standard error is closed too, nothing can be reported
        found = _not_installed(command, package) if missing else found_bug(error, verbose=verbose)
        complain([found], Shown({}))
    return not missing


def _not_installed(command: str, package: str) -> Diagnostic:
    from relax_lang.check.diagnostics.toolchain import missing_package

    return missing_package(f"relax {command}".strip(), package)


def report_lost_output(error: OSError) -> None:
    """Tell that the standard output cannot be written, because the disk is full for one."""
    from relax_lang.files.diagnostics import cannot_write
    from relax_lang.files.programs import reason

    from .options import Shown
    from .show import complain

    with suppress(OSError):
        complain([cannot_write("<stdout>", reason(error))], Shown({}))
