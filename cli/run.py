"""`relax run`: gets the arguments together, runs one function, shows or stores what it returns."""

from __future__ import annotations

import os
import sys

from relax_lang import api
from relax_lang.base.output import put
from relax_lang.check import problems
from relax_lang.files.text import read
from relax_lang.values import words_of

from .options import Shown
from .render.report import CLEAN, PROBLEMS, USAGE
from .show import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.files.arrays import Array
    from relax_lang.runtime.arguments import Given

# Failures that are mistakes on the command line, and not of the program.
USAGE_SLUGS = ("argument-file", "argument-missing", "argument-extra", "entry-not-found", "private-function")


class RunOptions(Shown):
    """The options of `relax run`."""

    entry = "main"
    args: list[str] = []
    arg: list[str] = []
    npz = ""
    random: int | None = None
    dim: list[str] = []
    out = ""
    packed: list[str] = []
    engine = "compiled"
    print = "summary"
    trace = False
    profile = False
    stdin_filename = ""


class Refused(Exception):  # noqa: N818 - the command line is refused; nothing went wrong here
    """A command line that cannot be carried out; says why."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__(diagnostics)
        self.diagnostics = list(diagnostics)


def run(path: str, options: RunOptions) -> int:
    """Run a function of a program and return the exit status."""
    try:
        _check_options(options)
    except Refused as refused:
        complain(refused.diagnostics, options)
        return USAGE
    source, problem = read(path, options.stdin_filename)
    if problem is not None:
        complain([problem], options, source)
        return USAGE
    try:
        return _run(source, options)
    except api.RelaxError as error:  # [RUN.3]
        complain(error.diagnostics, options, source)
        return PROBLEMS
    except Refused as refused:
        complain(refused.diagnostics, options)
        return USAGE


def _check_options(options: RunOptions) -> None:
    """Find mistakes in options before any work is done."""
    for name in ("trace", "profile"):
        if getattr(options, name):
            raise Refused(problems.not_supported_yet(f"relax run --{name}"))
    if options.out and not options.out.endswith((".npy", ".npz")):
        raise Refused(problems.usage(f"`--out` takes a file that ends in .npy or .npz, not `{options.out}`"))
    _dims(options)
    _named(options)


def _run(source: SourceFile, options: RunOptions) -> int:
    session = api.start(source, engine=options.engine)
    for path in options.packed:
        _run_packed_file(path, options)
    from relax_lang.runtime.arguments import ArgumentsRefused
    from relax_lang.values import RunFailure

    from .progress import progress

    try:
        arguments = session.arguments(options.entry, _given(options))
        with progress(f"running @{options.entry.removeprefix('@')}", options):
            result = session.call(options.entry, arguments)
    except ArgumentsRefused as refused:
        failures = refused.failures
    except RunFailure as failure:
        failures = [failure]
        if options.verbose and failure.__cause__ is not None:
            _print_traceback(failure.__cause__)
    else:
        return _show(result, options)
    complain([session.diagnose(failure) for failure in failures], options, source)
    return USAGE if all(failure.slug in USAGE_SLUGS for failure in failures) else PROBLEMS


def _print_traceback(error: BaseException) -> None:
    import traceback

    traceback.print_exception(error, file=sys.stderr)


def _run_packed_file(path: str, options: RunOptions) -> None:
    """Run a Python file that registers packed functions. [X.8]"""
    import runpy

    # As when Python runs a script: what lies beside it can be imported.
    if not os.path.isfile(path):
        raise Refused(problems.packed_file_failed(path, "there is no such file"))
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        runpy.run_path(path)
    except (Exception, SystemExit) as error:  # whatever it does, it is the user's own code
        if options.verbose:
            _print_traceback(error)
        raise Refused(problems.packed_file_failed(path, words_of(error))) from error


# Arguments.


def _given(options: RunOptions) -> Given:
    """Collect what was given on the command line; reads the files. Raises RunFailure. [RUN.2]"""
    from relax_lang.files import arrays
    from relax_lang.runtime.arguments import Given, parse_argument, unreadable

    archive: dict[str, object] = {}
    if options.npz:
        try:
            archive.update(arrays.load_archive(options.npz))
        except (OSError, arrays.ArrayFileError) as error:
            raise unreadable(options.npz, arrays.why_unreadable(error)) from error
    return Given(
        [parse_argument(word, _load) for word in options.args],
        {name: parse_argument(word, _load) for name, word in _named(options).items()},
        archive,
        _dims(options),
        options.random,
    )


def _load(word: str) -> object:
    """Load an argument from `x.npy`, `x.npz` (if it holds one array) or `x.npz:name`."""
    from relax_lang.files import arrays
    from relax_lang.runtime.arguments import unreadable

    path, key = word, None
    if ".npz:" in word and not os.path.exists(word):
        path, _, key = word.rpartition(":")
    try:
        return arrays.load(path, key)
    except (OSError, arrays.ArrayFileError, arrays.NoSuchArrayError) as error:
        raise unreadable(word, arrays.why_unreadable(error)) from error


def _named(options: RunOptions) -> dict[str, str]:
    named: dict[str, str] = {}
    for word in options.arg:
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            raise Refused(
                problems.usage(f"`--arg` takes a name and a value, such as `x=x.npy`, not `{word}`")
            )
        if name in named:
            raise Refused(problems.usage(f"`--arg` gives `{name}` twice"))
        named[name.strip()] = value
    return named


def _dims(options: RunOptions) -> dict[str, int]:
    dims: dict[str, int] = {}
    for word in options.dim:
        name, _, size = word.partition("=")
        if not (name and size.isascii() and size.isdigit()):
            raise Refused(problems.usage(f"`--dim` takes a name and a size, such as `n=4`, not `{word}`"))
        if name in dims:
            raise Refused(problems.usage(f"`--dim` gives `{name}` twice"))
        dims[name.strip()] = int(size)
    return dims


# Results.


def _show(result: object, options: RunOptions) -> int:
    from relax_lang.runtime.show import show_value

    from .render.style import style_for

    if options.out:
        _store(result, options.out)
    style = style_for(sys.stdout, color=options.color, ascii_only=options.ascii)
    lines = show_value(result, options.print, style.width)
    if lines:
        put("\n".join(lines) + "\n", sys.stdout)
    return CLEAN


def _store(result: object, path: str) -> None:
    """Write a tensor to `.npy`, or the tensors of a tuple, in order, as out0, out1, … to `.npz`. [RUN.4]"""
    from relax_lang.files import arrays
    from relax_lang.files import problems as files
    from relax_lang.files.text import reason

    tensors = _tensors(result)
    if not tensors:
        raise Refused(files.cannot_write(path, "the result holds no tensor"))
    if path.endswith(".npy") and isinstance(result, tuple):
        raise Refused(
            files.cannot_write(path, "the result is a tuple; an .npz archive holds several tensors")
        )
    try:
        if path.endswith(".npy"):
            arrays.save(path, tensors[0])
        else:
            arrays.save(path, {f"out{i}": tensor for i, tensor in enumerate(tensors)})
    except OSError as error:
        raise Refused(files.cannot_write(path, reason(error))) from error


def _tensors(result: object) -> list[Array]:
    """Return the tensors of a result, those of nested tuples in order; a shape counts as its int64 sizes."""
    import numpy as np

    from relax_lang.values import ShapeValue

    found: list[Array] = []
    stack: list[Any] = [result]
    while stack:
        value = stack.pop()
        if isinstance(value, tuple):
            stack += reversed(value)  # pyright: ignore[reportUnknownArgumentType]
        elif isinstance(value, np.ndarray):
            found.append(value)  # pyright: ignore[reportUnknownArgumentType]
        elif isinstance(value, ShapeValue):
            found.append(np.array(value.values, np.int64))
    return found
