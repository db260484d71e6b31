"""`relax map`: a program over the rows of arrays in files."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from relax_lang import api
from relax_lang.base.python.output import put
from relax_lang.base.source import PythonFile, RelayFile
from relax_lang.base.wording import counted
from relax_lang.check.diagnostics import toolchain
from relax_lang.files.programs import read
from relax_lang.values import RunFailure

from ..outputs import output_is_an_input
from ..plugins import load_plugins
from ..render.report import CLEAN, INTERRUPTED, PROBLEMS, USAGE
from ..run.arguments import given_arguments, named_words
from ..run.options import Refused, RunOptions, memory_limit
from ..run.packed import run_files, run_files_of
from ..show import complain

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from relax_lang.base.source import SourceFile
    from relax_lang.files.settings.data import Config
    from relax_lang.mapping.job import Job
    from relax_lang.mapping.run import Executor
    from relax_lang.runtime.session import Session
    from relax_lang.syntax import tree

ROWS_AT_A_TIME = 256


class MapOptions(RunOptions):
    """The options of `relax map`."""

    over = "n"
    chunk = ROWS_AT_A_TIME
    out: list[str] = []  # pyright: ignore[reportIncompatibleVariableOverride] - one for each tensor
    workers = 0
    dask = ""
    assume_independent = False
    restart = False


def map_program(path: str, options: MapOptions) -> int:
    """Run a function over rows and return the exit status."""
    try:
        return _map_file(path, options)
    except api.RelaxError as error:
        complain(error.diagnostics, options, error.source if error.source.text else None)
        return PROBLEMS
    except Refused as refused:
        complain(refused.diagnostics, options)
        return USAGE
    except KeyboardInterrupt:
        put("stopped; the same command goes on where it was\n", sys.stderr)
        return INTERRUPTED


def _map_file(path: str, options: MapOptions) -> int:
    if not options.out:
        raise Refused(toolchain.usage("`relax map` takes `--out`, where the result goes", "`--out y.npy`"))
    if options.workers and options.dask:
        raise Refused(toolchain.usage("`--workers` and `--dask` both say where it runs"))
    memory_limit(options)
    words = named_words(options)
    _check_outputs(path, words, options)
    source, problem = read(path, options.stdin_filename)
    if problem is not None:
        raise Refused(problem)
    if isinstance(source, PythonFile | RelayFile):
        raise Refused(toolchain.usage("`relax map` takes a program in Relax, or a model of ONNX"))
    source.allowed = options.allow_path
    config = load_plugins(path, options.stdin_filename, options)
    if config is None:
        return USAGE
    return _map(source, config, words, options)


def _check_outputs(path: str, words: dict[str, str], options: MapOptions) -> None:
    inputs = [one for one in (path, options.npz, *options.packed, *words.values()) if one]
    for output in options.out:
        refused = output_is_an_input("--out", output, inputs)
        if refused is not None:
            raise Refused(refused)
    if len({os.path.realpath(one) for one in options.out}) < len(options.out):
        raise Refused(toolchain.usage("`--out` names a file twice"))


def _map(source: SourceFile, config: Config, words: dict[str, str], options: MapOptions) -> int:
    from relax_lang.mapping.arrays import Source
    from relax_lang.mapping.job import Job, registered, rows_in
    from relax_lang.mapping.plan import plan_rows
    from relax_lang.mapping.run import map_rows

    typed = api.typed(source)
    if not (run_files_of(config, options) and run_files(options.packed, options)):
        return USAGE
    registered(options.packed)
    session = api.start(typed, engine=options.engine, max_bytes=memory_limit(options))
    try:
        function = session.entry(options.entry)
    except RunFailure as failure:
        complain([session.diagnose(failure)], options, source)
        return USAGE
    assert function.name is not None
    plan = plan_rows(typed, function.name.name_hint, options.over, assume=options.assume_independent)
    divided = [param.name for param in plan.params]
    missing = [name for name in divided if name not in words]
    if missing:
        listed = ", ".join([f"`{name}`" for name in missing])
        raise Refused(toolchain.usage(f"rows are missing: {listed}", f"`--arg {missing[0]}=FILE.npy`"))
    job = Job(
        source,
        plan,
        {name: Source(words.pop(name)) for name in divided},
        {},
        engine=options.engine,
        max_bytes=memory_limit(options),
        packed=options.packed,
    )
    job.shared = _shared(session, function, job, words, options)
    with _progress(options, rows_in(job)) as progress:
        outcome = map_rows(
            job,
            options.out,
            chunk=options.chunk,
            executor=_executor(options),
            restart=options.restart,
            progress=progress,
        )
    if not options.quiet:
        before = f", {outcome.before} of them by an earlier run" if outcome.before else ""
        shapes = ", ".join([f"{os.path.relpath(one.path)} {list(one.shape)}" for one in outcome.targets])
        put(f"{counted(outcome.rows, 'row')}{before}: {shapes}\n", sys.stderr)
    return CLEAN


def _shared(
    session: Session, function: tree.Function, job: Job, words: dict[str, str], options: MapOptions
) -> dict[str, object]:
    """Return values for the parameters without rows; those with rows are checked with their first row.

    Raises RelaxError for what is missing, too much, unreadable, or does not fit.
    """
    from relax_lang.mapping.job import rows_in
    from relax_lang.runtime.calling.arguments import ArgumentsRefused, Given

    first = job.rows_of(0, min(1, rows_in(job)))
    reading = RunOptions({"npz": options.npz, "arg": [f"{name}={word}" for name, word in words.items()]})
    try:
        given = given_arguments(reading)
        values = session.arguments(
            options.entry, Given(named={**given.named, **first}, archive=given.archive)
        )
    except ArgumentsRefused as refused:
        for failure in refused.failures:
            _tell_all_rows(failure, job)
        raise api.RelaxError(job.source, [session.diagnose(one) for one in refused.failures]) from None
    pairs = zip(function.params, values, strict=True)
    return {param.name_hint: value for param, value in pairs if param.name_hint not in first}


def _tell_all_rows(failure: RunFailure, job: Job) -> None:
    """Show the number of rows that there are, not that of the first row alone, which was checked."""
    from relax_lang.mapping.job import rows_in

    known = failure.facts.get("shape_vars")
    if isinstance(known, dict) and job.plan.dim in known:
        failure.facts["shape_vars"] = {**known, job.plan.dim: rows_in(job)}


def _executor(options: MapOptions) -> Executor | None:
    if options.dask:
        from relax_lang.mapping.cluster import Cluster

        return Cluster(options.dask)
    if options.workers:
        from relax_lang.mapping.processes import Processes

        return Processes(options.workers)
    return None


@contextmanager
def _progress(options: MapOptions, rows: int) -> Generator[Callable[[int, int], object]]:
    """Show how many rows are finished, on a terminal only."""
    if not sys.stderr.isatty() or options.quiet:
        yield lambda _done, _rows: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from ..render.bars import BarConsole

    columns = (TextColumn("rows"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=BarConsole(), transient=True) as bar:
        task = bar.add_task("rows", total=rows)
        yield lambda done, _rows: bar.update(task, completed=done)
