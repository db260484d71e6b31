"""`relax import` of programs in Relay: as Relax text, their constants beside it."""

from __future__ import annotations

import os
import sys

from relax_lang import api
from relax_lang.api.relay import translated, translation_report
from relax_lang.base.python.output import put
from relax_lang.base.source import RelayFile
from relax_lang.check.diagnostics import toolchain
from relax_lang.files.diagnostics import cannot_write
from relax_lang.files.programs import read, write
from relax_lang.files.reasons import reason

from ..outputs import output_is_an_input
from ..render.report import CLEAN, PROBLEMS, USAGE
from ..show import complain
from .metadata import give_metadata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.source import SourceFile

    from ..options import Shown
    from .tvmscript import ImportOptions

OF_OTHERS = ("directory", "unit", "define", "keep_going", "list", "shape", "const", "weights", "no_fold")
"""Options that Python files and models have, and programs in Relay have not."""


def import_relay(path: str, output: str, stdin_name: str, given: list[str], options: ImportOptions) -> int:
    """Write a program in Relay as Relax text, its constants into an archive beside it, and return the exit status.

    `given` are names of options that there are not for programs in Relay.
    """
    refused = [
        toolchain.usage(f"`--{name.replace('_', '-')}` is not for programs in Relay") for name in given
    ]
    if output:
        refused += [one for one in [output_is_an_input("--output", output, [path])] if one is not None]
    source, problem = read(path, stdin_name)
    refused += [problem] if problem is not None else []
    if refused:
        complain(refused, options, source)
        return USAGE
    if not isinstance(source, RelayFile):
        source = RelayFile(source.text, source.path, source.allowed)
    wrong = give_metadata(source, options.meta)
    if wrong:
        complain(wrong, options)
        return USAGE
    if options.report:
        return _report(source, options)
    target = output if output != "-" else ""
    archive = os.path.splitext(target or path)[0] + ".npz"
    try:
        made = translated(source, os.path.basename(archive))
    except api.RelaxError as error:
        complain(error.diagnostics, options, source)
        return PROBLEMS
    if not target:
        put(made.text, sys.stdout)
        return CLEAN
    return _written(made, target, archive, options)


def _report(source: RelayFile, options: ImportOptions) -> int:
    """Print what the operators of a program become, then what has no translation."""
    try:
        put(translation_report(source), sys.stdout)
        translated(source)
    except api.RelaxError as error:
        complain(error.diagnostics, options, source)
        return PROBLEMS
    return CLEAN


def _written(made: SourceFile, target: str, archive: str, options: Shown) -> int:
    if made.arrays:
        from relax_lang.files.arrays.array_files import save

        try:
            save(archive, {str(key): one for (_, key), one in made.arrays.items()})
        except OSError as error:
            complain([cannot_write(archive, reason(error))], options)
            return USAGE
    problem = write(target, made.text, create=True)
    if problem is not None:
        complain([problem], options)
        return USAGE
    return CLEAN
