"""Python files that register packed functions: those named on the command line, and those of the settings. [X.8]"""

from __future__ import annotations

import os
import sys

from relax_lang.base.python.recursion import host_recursion
from relax_lang.check.diagnostics.toolchain import packed_file_failed
from relax_lang.files.settings.plugin_diagnostics import code_not_trusted
from relax_lang.files.settings.plugin_policy import plugins_are_off
from relax_lang.files.settings.trust import ALLOWED, CHANGED, use_private_byte_code
from relax_lang.values import words_of

from ..show import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Location
    from relax_lang.base.source import SourceFile
    from relax_lang.files.settings.data import Config

    from ..options import Shown

_ran: set[str] = set()
"""The files of settings that were run: once is enough for all programs."""


def run_files(paths: list[str], options: Shown) -> bool:
    """Run the files that the command line names; report which cannot be run, and return whether all could."""
    found = [_run(path, path, None, None, options) for path in paths]
    return False not in found


def run_files_of(config: Config, options: Shown) -> bool:
    """Run the files that settings name, those that were not run yet; report which cannot be run."""
    if plugins_are_off() or not config.packed:
        return True
    allowed = config.code_verdict()
    if allowed != ALLOWED:
        refused = [
            code_not_trusted(place, name, config.folder, changed=allowed == CHANGED)
            for name, place in config.packed
        ]
        complain(refused, options, config.source)
        return True
    use_private_byte_code()
    fine = True
    for name, place in config.packed:
        path = os.path.realpath(os.path.join(config.folder, name))
        if path not in _ran:
            _ran.add(path)
            fine &= _run(path, name, place, config.source, options)
    return fine


def _run(path: str, shown: str, place: Location | None, source: SourceFile | None, options: Shown) -> bool:
    import runpy

    # As when Python runs a script: what lies beside it can be imported.
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        if not os.path.isfile(path):
            raise FileNotFoundError
        with host_recursion():
            runpy.run_path(path)
    except (Exception, SystemExit) as error:  # whatever it does, it is the user's own code
        if options.verbose:
            print_traceback(error)
        why = "there is no such file" if not os.path.isfile(path) else words_of(error)
        complain([packed_file_failed(shown, why, place)], options, source)
        return False
    return True


def print_traceback(error: BaseException) -> None:
    """Show where Python code of the user failed; the way there through this package is left out."""
    import traceback

    import relax_lang

    own = os.path.dirname(os.path.abspath(relax_lang.__file__))
    trace = error.__traceback__
    while trace is not None and _is_ours(trace.tb_frame.f_code.co_filename, own):
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace or error.__traceback__, file=sys.stderr)


def _is_ours(path: str, folder: str) -> bool:
    return path.startswith((folder + os.sep, os.path.dirname(os.path.abspath(__file__)) + os.sep, "<frozen "))
