"""`relax build`, `relax disasm`, `relax asm`."""

from __future__ import annotations

import os
import sys

from relax_lang import api
from relax_lang.base.python.output import put
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.files.programs import STDIN, read, write
from relax_lang.vm import diagnostics as diag
from relax_lang.vm.compiler.exec_builder import as_python
from relax_lang.vm.serialization.text import BadAssembly, as_text, assemble
from relax_lang.vm.verify import BadExecutable

from ..options import Shown
from ..outputs import output_is_an_input
from ..plugins import load_plugins
from ..render.report import CLEAN, PROBLEMS, USAGE
from ..render.width import visible
from ..show import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic


class BuildOptions(Shown):
    """The options of `relax build`."""

    output = ""
    passes = ""
    pipeline = ""
    stdin_filename = ""


class DisasmOptions(Shown):
    """The options of `relax disasm` and `relax asm`."""

    output = ""
    python = False
    stats = False


def build(path: str, options: BuildOptions) -> int:
    """Build an executable and return the exit status."""
    from relax_lang.check.diagnostics import toolchain

    output = options.output or (os.path.splitext(path)[0] + ".rlxe" if path != STDIN else "")
    if not output:
        complain([toolchain.usage("`relax build -` needs `--output FILE`")], options)
        return USAGE
    if options.passes and options.pipeline:
        complain(
            [toolchain.usage("`--passes` and `--pipeline` do not go together", "give one of them")], options
        )
        return USAGE
    wrong = output_is_an_input("--output", output, [path])
    source, problem = read(path, options.stdin_filename)
    refused = [one for one in (wrong, problem) if one is not None]
    if refused:
        complain(refused, options, source)
        return USAGE
    source.allowed = options.allow_path
    if load_plugins(path, options.stdin_filename, options) is None:
        return USAGE
    try:
        if options.passes or options.pipeline:
            optimized = api.optimize(source, options.passes, pipeline=options.pipeline)
            executable = api.build(optimized)
        else:
            executable = api.build(source)
    except api.RelaxError as error:
        complain(error.diagnostics, options, source)
        return PROBLEMS
    try:
        api.write_executable(output, executable, keep_code=True)
    except api.RelaxError as error:
        complain(error.diagnostics, options)
        return USAGE
    if not options.quiet:
        put(f"{visible(output)}: {executable!r}\n", sys.stderr)
    return CLEAN


def disasm(path: str, options: DisasmOptions) -> int:
    """Show the code of an executable and return the exit status."""
    try:
        executable = api.read_executable(path)
    except api.RelaxError as error:
        complain(error.diagnostics, options)
        return USAGE
    with deep_recursion():
        text = (
            as_python(executable)
            if options.python
            else executable.stats()
            if options.stats
            else as_text(executable)
        )
    if not options.output:
        put(text, sys.stdout)
        return CLEAN
    return _refused(write(options.output, text, create=True), options)


def asm(path: str, options: DisasmOptions) -> int:
    """Make an executable of a text and return the exit status."""
    source, problem = read(path)
    wrong = output_is_an_input("--output", options.output, [path])
    for one in (problem, wrong):
        if one is not None:
            return _refused(one, options)
    try:
        with deep_recursion():
            executable = assemble(source.text)
    except BadAssembly as error:
        return _refused(diag.assembly_syntax(path, error.line, error.why), options)
    except BadExecutable as error:
        return _refused(diag.executable_invalid(path, str(error)), options)
    try:
        api.write_executable(options.output, executable)
    except api.RelaxError as error:
        complain(error.diagnostics, options)
        return USAGE
    return CLEAN


def _refused(problem: Diagnostic | None, options: DisasmOptions) -> int:
    if problem is None:
        return CLEAN
    complain([problem], options)
    return USAGE
