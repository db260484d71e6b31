"""`relax run` of executables: no parser, no checker, no compiler of Relax functions."""

from __future__ import annotations

from relax_lang import api
from relax_lang.base.python.gc_pause import no_collection
from relax_lang.check.diagnostics.toolchain import usage
from relax_lang.values import RunFailure

from ..plugins import load_plugins
from ..render.report import USAGE
from ..show import complain
from .options import Refused, RunOptions, memory_limit
from .sessions import Stage, run_session

OF_PROGRAMS = (
    "strict_effects",
    "unit",
    "define",
)
"""Options that programs have, and executables have not."""


def run_executable(path: str, options: RunOptions, stage: Stage) -> int:
    """Run a function of an executable and return the exit status."""
    refused = [
        usage(
            f"`--{name.replace('_', '-')}` is for programs; `{path}` is an executable",
            "run the program itself",
        )
        for name in OF_PROGRAMS
        if getattr(options, name)
    ]
    if options.engine != "compiled":
        refused.append(usage(f"`--engine` is for programs; `{path}` runs on the virtual machine"))
    if options.sequential != "auto":
        refused.append(usage(f"`--sequential` is for programs; in `{path}` numba runs what pays"))
    if options.threads is not None:
        refused.append(usage(f"`--threads` is for programs; `{path}` runs large calls on all processors"))
    if refused:
        complain(refused, options)
        return USAGE
    config = load_plugins(path, "", options)
    if config is None:
        return USAGE
    stage.doing = "the executable was read"
    try:
        with no_collection():  # NumPy is loaded here: for the collector, half of the objects of the process
            executable = api.read_executable(path, keep_code=not options.no_cache)
    except api.RelaxError as error:
        complain(error.diagnostics, options)
        return USAGE
    from .observers import Watchers

    source = executable.source
    try:
        watchers = Watchers(source, options)
        session = api.start_executable(
            executable,
            max_bytes=memory_limit(options),
            keep_code=not options.no_cache,
            watch=watchers.watch,
        )
        if options.profile:
            from relax_lang.vm.effects import has_effects  # only for profiles

            watchers.repeats = not has_effects(executable, options.entry.removeprefix("@"))
        return run_session(session, source, config, watchers, options, stage)
    except Refused as refusal:
        complain(refusal.diagnostics, options)
        return USAGE
    except RunFailure as failure:  # an archive that cannot be read
        from relax_lang.runtime.failures import to_diagnostic

        complain([to_diagnostic(failure)], options)
        return USAGE
