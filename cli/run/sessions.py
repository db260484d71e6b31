"""Running a function of a session that was started, whatever it was started from."""

from __future__ import annotations

from relax_lang.values import RunFailure

from ..render.report import INTERRUPTED, PROBLEMS, USAGE
from ..show import complain
from .arguments import given_arguments
from .results import show_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.source import SourceFile
    from relax_lang.files.settings.data import Config
    from relax_lang.runtime.session import Session

    from .observers import Watchers
    from .options import RunOptions

# Failures that are mistakes on the command line, and not of the program.
USAGE_SLUGS = ("argument-file", "argument-missing", "argument-extra", "entry-not-found", "private-function")


class Stage:
    """What is being done, for whoever stops it."""

    doing = "the program was read"


def run_session(
    session: Session,
    source: SourceFile,
    config: Config,
    watchers: Watchers,
    options: RunOptions,
    stage: Stage,
) -> int:
    """Run a function of a session, show what it returns, and return the exit status. Raises Refused."""
    from relax_lang.runtime.calling.arguments import ArgumentsRefused
    from relax_lang.runtime.interpreter.machine import Interrupted

    stage.doing = "files with packed functions were run"
    if (config.packed or options.packed) and not _run_files(config, options):
        return USAGE
    try:
        stage.doing = "the arguments were read"
        arguments = session.arguments(options.entry, given_arguments(options))
        stage.doing = "the program was run"
        result = _call(session, arguments, watchers, options)
    except ArgumentsRefused as refused:
        failures = refused.failures
    except RunFailure as failure:
        failures = [failure]
        if options.verbose and failure.__cause__ is not None:
            from .packed import print_traceback

            print_traceback(failure.__cause__)
    except Interrupted as stop:
        complain([session.diagnose(stop.failure)], options, source)
        return INTERRUPTED
    else:
        stage.doing = "the result was shown"
        watchers.finished()
        return show_result(result, options)
    complain([session.diagnose(failure) for failure in failures], options, source)
    return USAGE if all(failure.slug in USAGE_SLUGS for failure in failures) else PROBLEMS


def _run_files(config: Config, options: RunOptions) -> bool:
    """Run the files with packed functions; return whether all could be run."""
    from .packed import run_files, run_files_of  # what loads it may have work to do when the process ends

    return run_files_of(config, options) and run_files(options.packed, options)


def _call(session: Session, arguments: list[object], watchers: Watchers, options: RunOptions) -> object:
    from .progress import progress

    try:
        with progress(f"running @{options.entry.removeprefix('@')}", options):
            result = session.call(options.entry, arguments)
            for _ in watchers.warm_runs():
                session.call(options.entry, arguments)
            return result
    finally:
        watchers.ended()
