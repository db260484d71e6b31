"""Our own mistakes, shown as what they are: a short message, and the traceback only on request."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic


def found_bug(error: BaseException, *, verbose: bool) -> Diagnostic:
    """Return RLX9901 for an exception; print its traceback to standard error if that is wanted."""
    from relax_lang.check.problems import internal_error

    if verbose:
        import traceback

        traceback.print_exception(error, file=sys.stderr)
    return internal_error(error)


def report(error: BaseException, *, verbose: bool) -> None:
    """Tell of an exception that nothing caught."""
    from .options import Shown
    from .show import complain

    complain([found_bug(error, verbose=verbose)], Shown({}))
