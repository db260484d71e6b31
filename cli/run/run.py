"""`relax run`: gets the arguments together, runs one function, shows or stores what it returns."""

from __future__ import annotations

import os
from importlib.util import find_spec

from relax_lang import api
from relax_lang.base.source import PythonFile, RelayFile
from relax_lang.check.diagnostics import toolchain as diag
from relax_lang.files.programs import STDIN, read
from relax_lang.runtime.diagnostics.instrument import interrupted
from relax_lang.values import RunFailure

from ..outputs import output_is_an_input, output_is_no_report
from ..plugins import load_plugins
from ..render.report import INTERRUPTED, PROBLEMS, USAGE
from ..show import complain
from .arguments import dimensions, named_words
from .options import Refused, RunOptions, memory_limit
from .sessions import Stage, run_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.source import SourceFile
    from relax_lang.files.settings.data import Config


EXECUTABLES = ".rlxe"
"""How files end that `relax build` writes."""


_WATCHES = ("trace", "nan", "save_all", "compare", "profile", "profile_out")
"""Options that look into a run of Relax."""


def run(path: str, options: RunOptions) -> int:
    """Run a function of a program and return the exit status."""
    stage = Stage()
    try:
        return _run_file(path, options, stage)
    except KeyboardInterrupt:
        complain([interrupted(RunFailure("interrupted", f"stopped while {stage.doing}"))], options)
        return INTERRUPTED


def _run_file(path: str, options: RunOptions, stage: Stage) -> int:
    try:
        _check_options(path, options)
    except Refused as refused:
        complain(refused.diagnostics, options)
        return USAGE
    if path.endswith(EXECUTABLES):
        from .executables import run_executable  # only for executables

        return run_executable(path, options, stage)
    source, problem = read(path, options.stdin_filename)
    if problem is not None:
        complain([problem], options, source)
        return USAGE
    source.allowed = options.allow_path
    if options.meta:
        from ..interchange.metadata import give_metadata

        wrong = give_metadata(source, options.meta)
        if wrong:
            complain(wrong, options)
            return USAGE
    if isinstance(source, PythonFile):
        source.unit = options.unit
        source.defines = _definitions(options)
    config = load_plugins(path, options.stdin_filename, options)
    if config is None:
        return USAGE
    if options.engine == "relay" and not isinstance(source, RelayFile):
        complain([diag.usage("`--engine relay` is for programs in Relay")], options)
        return USAGE
    stage.doing = "the program was checked"
    try:
        return _run(source, config, options, stage)
    except api.RelaxError as error:  # [RUN.3]
        complain(error.diagnostics, options, source)
        return PROBLEMS
    except Refused as refused:
        complain(refused.diagnostics, options)
        return USAGE


def _check_options(path: str, options: RunOptions) -> None:
    """Find mistakes in options before any work is done."""
    if options.sequential == "numba" and find_spec("numba") is None:
        raise Refused(diag.missing_package("--sequential numba", "numba", "numba"))
    if options.threads == 0:
        raise Refused(diag.usage("`--threads` takes a number of threads from 1 on, not `0`"))
    if options.out and not options.out.endswith((".npy", ".npz")):
        raise Refused(diag.usage(f"`--out` takes a file that ends in .npy or .npz, not `{options.out}`"))
    if options.tolerance is not None and not 0 <= options.tolerance < float("inf"):
        raise Refused(diag.usage(f"`--tolerance` takes a number from 0 on, not `{options.tolerance}`"))
    if options.engine == "relay":
        _check_watches(options)
    options.npz = _archive_on_stdin(path, options)
    _check_outputs(path, options)
    memory_limit(options)
    dimensions(options)
    named_words(options)
    _definitions(options)


def _check_watches(options: RunOptions) -> None:
    """Refuse options that look into the bindings of a run where these are not run. Raises Refused."""
    why = "looks into the bindings of the translation, which `--engine relay` does not run"
    names = [f"--{name.replace('_', '-')}" for name in _WATCHES if getattr(options, name)]
    if names:
        help_ = "leave out `--engine relay`: the values are the same"
        raise Refused(*[diag.usage(f"`{name}` {why}", help_) for name in names])


def _definitions(options: RunOptions) -> dict[str, object]:
    """Return the values of names that are given. Raises Refused."""
    if not options.define:
        return {}
    from ..interchange.tvmscript import definitions  # only for Python files

    defines, wrong = definitions(options.define)
    if wrong is not None:
        raise Refused(wrong)
    return defines


def _check_outputs(path: str, options: RunOptions) -> None:
    """Refuse to replace a file that the run reads."""
    values = [word.partition("=")[2] for word in options.arg]
    inputs = [path, *options.packed, options.npz, options.compare, *options.args, *values]
    for option, output in (("--out", options.out), ("--profile-out", options.profile_out)):
        refused = output_is_an_input(option, output, [one for one in inputs if one]) if output else None
        if refused is not None:
            raise Refused(refused)
    refused = output_is_no_report("--profile-out", options.profile_out) if options.profile_out else None
    if refused is not None:
        raise Refused(refused)
    folder = os.path.dirname(os.path.abspath(path))
    if options.save_all and path != STDIN and os.path.realpath(options.save_all) == os.path.realpath(folder):
        raise Refused(
            diag.usage(
                f"`--save-all {options.save_all}` would fill the folder of the program with arrays",
                "name a folder of its own: `--save-all recorded`",
            )
        )


def _check_constants(source: SourceFile, options: RunOptions) -> None:
    """Refuse to replace a file that the program reads its constants from."""
    if not options.out or isinstance(source, RelayFile):  # Relay has no constants in files
        return
    parsed = api.parse(source)
    if not parsed.features.files:
        return
    from relax_lang.base.node import walk
    from relax_lang.syntax.tree import FileLit

    folder = os.path.dirname(os.path.abspath(source.path))
    literals = [node for node in walk(parsed.tree) if isinstance(node, FileLit)]
    constants = [os.path.join(folder, literal.path) for literal in literals if "\0" not in literal.path]
    refused = output_is_an_input("--out", options.out, constants)
    if refused is not None:
        raise Refused(refused)


def _archive_on_stdin(path: str, options: RunOptions) -> str:
    """Return the archive of arguments; `-` among the arguments is the one on standard input."""
    words = [word for word in options.args if word != "-"]
    given = options.npz
    if len(words) < len(options.args):
        if given:
            raise Refused(diag.usage("`-` and `--npz` both give an archive of arguments"))
        options.args, given = words, "-"
    if given == "-" and path == "-":
        raise Refused(diag.usage("standard input cannot be both the program and its arguments"))
    return given


def _run(source: SourceFile, config: Config, options: RunOptions, stage: Stage) -> int:
    from .observers import Watchers

    try:
        watchers = Watchers(source, options)
    except RunFailure as failure:  # an archive that cannot be read
        from relax_lang.runtime.failures import to_diagnostic

        raise Refused(to_diagnostic(failure)) from None
    session = api.start(
        source,
        engine=options.engine,
        sequential=options.sequential,
        threads=options.threads or 0,
        max_bytes=memory_limit(options),
        watch=watchers.watch,
        strict_effects=options.strict_effects,
        keep_code=not options.no_cache,
    )
    _check_constants(source, options)
    watchers.repeats = options.profile and _repeats(source, options.entry)
    return run_session(session, source, config, watchers, options, stage)


def _repeats(source: SourceFile, entry: str) -> bool:
    """Return whether a function may be called again: it has no effect, and nothing writes into arguments."""
    from relax_lang.analysis.effects import OVERWRITING
    from relax_lang.base.node import walk
    from relax_lang.syntax import tree

    checked = api.check_sound(source)
    info = checked.inferred.functions.get(entry.removeprefix("@"))
    called = {node.op_name for node in walk(checked.normal) if isinstance(node, tree.Op)}
    return isinstance(info, tree.FuncStructInfo) and info.pure and called.isdisjoint(OVERWRITING)
