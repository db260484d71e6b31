"""`relax import` and `relax export`: programs between Relax text and TVMScript."""

from __future__ import annotations

import os
import sys

from relax_lang.base.diagnostic import ERROR
from relax_lang.base.python.output import put
from relax_lang.base.source import PythonFile
from relax_lang.check.diagnostics import toolchain
from relax_lang.files.programs import SUFFIX, read, write
from relax_lang.tvmscript import diagnostics as diag
from relax_lang.tvmscript.check_script import purity_findings
from relax_lang.tvmscript.importing import read_define, relax_text
from relax_lang.tvmscript.script import OBSTACLES, read_script

from ..options import Shown
from ..outputs import output_is_an_input
from ..render.report import CLEAN, PROBLEMS, USAGE
from ..render.width import visible
from ..show import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.tvmscript.script import ReadUnit, Script
    from relax_lang.tvmscript.writer.module import Exported


class ImportOptions(Shown):
    """The options of `relax import`: those from `directory` on for Python, others for models."""

    output = ""
    shape: list[str] = []
    const: list[str] = []
    weights = ""
    no_fold = False
    directory = ""
    unit: list[str] = []
    define: list[str] = []
    keep_going = False
    list = False
    report = False
    stdin_filename = ""


def refuse_of_relay(names: Sequence[str], options: ImportOptions) -> int:
    """Refuse options for what is not a program in Relay, and return the exit status."""
    complain([toolchain.usage(f"`--{name}` is for programs in Relay") for name in names], options)
    return USAGE


class ExportOptions(Shown):
    """The options of `relax export`."""

    output = ""
    format = "tvmscript"
    tvm = "0.27"
    name = "Module"
    opset = 18
    entry = "main"
    weights = ""
    stdin_filename = ""


def export(path: str, options: ExportOptions) -> int:
    """Write a program as TVMScript, and return the exit status."""
    from relax_lang import api

    from ..plugins import load_plugins

    source, problem = read(path, options.stdin_filename)
    refused = [problem] if problem is not None else []
    if options.output:
        refused += [
            one for one in [output_is_an_input("--output", options.output, [path])] if one is not None
        ]
    if (options.opset, options.entry, options.weights) != (18, "main", ""):
        refused.append(
            toolchain.usage("`--opset`, `--entry` and `--weights` are for models: `--format onnx`")
        )
    if not options.name.isidentifier():
        refused.append(toolchain.usage(f"`--name` takes a name of Python, not `{options.name}`"))
    if refused:
        complain(refused, options, source)
        return USAGE
    source.allowed = options.allow_path
    if load_plugins(path, options.stdin_filename, options) is None:
        return USAGE
    stem = os.path.splitext(os.path.basename(options.output))[0]
    archive = f"{stem}.npz" if stem else ""
    try:
        exported = api.to_tvmscript(source, version=options.tvm, name=options.name, archive=archive)
    except api.RelaxError as error:
        complain(error.diagnostics, options, error.source)
        return PROBLEMS
    wrong = None
    if exported.constants:
        wrong = _put_constants(os.path.join(os.path.dirname(options.output), archive), exported)
    wrong = wrong or _put(exported.text, options.output)
    if wrong is not None:
        complain([wrong], options)
        return USAGE
    return CLEAN


def _put_constants(path: str, exported: Exported) -> Diagnostic | None:
    """Write the large constants of a program beside it."""
    from relax_lang.files.arrays.array_files import save
    from relax_lang.files.diagnostics import cannot_write
    from relax_lang.files.programs import reason
    from relax_lang.runtime.values.tensors import constant_tensor

    def nothing(_path: str, _key: str | None) -> Any:
        raise AssertionError("constants in files stay there")

    try:
        save(path, {key: constant_tensor(one, nothing) for key, one in exported.constants.items()})
    except OSError as error:
        return cannot_write(path, reason(error))
    return None


def python_file(source: SourceFile) -> PythonFile:
    """Return a file as one of Python, whatever its name."""
    return source if isinstance(source, PythonFile) else PythonFile(source.text, source.path, source.allowed)


def definitions(words: list[str]) -> tuple[dict[str, object], Diagnostic | None]:
    """Return the values that `--define` gives to names, and what is wrong with the words."""
    defines: dict[str, object] = {}
    for word in words:
        found = read_define(word)
        if found is None:
            return {}, toolchain.usage(f"`--define` takes NAME=VALUE, not `{word}`")
        defines[found[0]] = found[1]
    return defines, None


def import_units(path: str, options: ImportOptions) -> int:
    """Write the units of a Python file as Relax text, and return the exit status."""
    if options.shape or options.const or options.weights or options.no_fold:
        complain(
            [toolchain.usage("`--shape`, `--const`, `--weights` and `--no-fold` are for models")], options
        )
        return USAGE
    found, problem = read(path, options.stdin_filename)
    if problem is not None:
        complain([problem], options, found)
        return USAGE
    if found.path.endswith(SUFFIX):
        message = f"`relax import` takes TVMScript, ONNX or Relay, and `{visible(found.path)}` is Relax text"
        complain([toolchain.usage(message)], options)
        return USAGE
    source = python_file(found)
    defines, refused = definitions(options.define)
    if refused is None and options.output:
        refused = output_is_an_input("--output", options.output, [path])
    if refused is not None:
        complain([refused], options)
        return USAGE
    script = read_script(source.text, defines, comments=True)
    if script.diagnostics:
        complain(script.diagnostics, options, source)
        return PROBLEMS
    units = _chosen(script, options.unit)
    if isinstance(units, str):
        complain([diag.no_unit(source.path, units, [unit.name for unit in script.units])], options)
        return USAGE
    if options.list:
        return _list(units)
    if len(units) > 1 and not options.directory:
        complain(
            [diag.several_units(source.path, [f"{unit.name} (line {unit.line})" for unit in units])], options
        )
        return USAGE
    return _write(source, units, options)


def _chosen(script: Script, words: Sequence[str]) -> list[ReadUnit] | str:
    """Return the units that words choose, all if there are no words; or the first word that chooses none, and nothing
    if there are no units.
    """
    units: list[ReadUnit] = [] if words else [*script.units]
    for word in words:
        chosen = script.select(word)
        if not chosen:
            return word
        units += [one for one in chosen if one not in units]
    return units or ""


def _list(units: list[ReadUnit]) -> int:
    """Show one line a unit: its line, kind and name, and the first obstacle."""
    rows: list[str] = []
    for unit in units:
        obstacles = unit.obstacles
        rows.append(
            f"{unit.line:6}  {unit.kind:9}  {unit.name:30}  {obstacles[0].message if obstacles else 'ok'}\n"
        )
    put("".join(rows), sys.stdout)
    return PROBLEMS if any(unit.obstacles for unit in units) else CLEAN


def _write(source: PythonFile, units: list[ReadUnit], options: ImportOptions) -> int:
    status = CLEAN
    used: set[str] = set()
    for unit in units:
        found = unit.parsed.diagnostics
        for one in found:
            if one.slug in OBSTACLES:
                one.severity = ERROR
        if unit.obstacles:
            status = PROBLEMS
            if not options.keep_going:
                complain(found, options, source)
                continue
            _leave_out(unit)
        text, unprintable = relax_text(unit.parsed)
        found = [*found, *purity_findings(source, unit), *unprintable]
        if found:
            complain(found, options, source)
        if unprintable:
            status = PROBLEMS
            continue
        problem = _put(text, _target(unit, options, used))
        if problem is not None:
            complain([problem], options)
            return USAGE
    return status


def _leave_out(unit: ReadUnit) -> None:
    """Leave out the items of a unit that could not be read."""
    from relax_lang.syntax import tree

    module = unit.parsed.tree
    places = [(one.pos, one.end) for one in unit.obstacles]
    kept = [item for item in module.items if not any(item.pos <= pos < item.end for pos, _ in places)]
    unit.parsed.tree = tree.IRModule(module.attrs, tuple(kept), module.pos, module.end)


def _target(unit: ReadUnit, options: ImportOptions, used: set[str]) -> str:
    if not options.directory:
        return options.output
    name = unit.name if unit.name not in used else f"{unit.name}_{unit.line}"
    used.add(name)
    return os.path.join(options.directory, name + SUFFIX)


def _put(text: str, target: str) -> Diagnostic | None:
    if not target or target == "-":
        put(text, sys.stdout)
        return None
    folder = os.path.dirname(target)
    if folder:
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            from relax_lang.files.diagnostics import cannot_write
            from relax_lang.files.programs import reason

            return cannot_write(target, reason(error))
    return write(target, text, create=True)
