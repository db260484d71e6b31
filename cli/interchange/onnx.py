"""`relax import` of models of ONNX: the program, and its weights beside it; and `relax export` to them."""

from __future__ import annotations

import os
import sys

from relax_lang.base.diagnostic import Diagnostic
from relax_lang.base.python.output import put
from relax_lang.check.diagnostics import toolchain
from relax_lang.files.diagnostics import cannot_write
from relax_lang.files.models import import_file
from relax_lang.files.programs import reason, write

from ..outputs import output_is_an_input
from ..render.report import CLEAN, PROBLEMS, USAGE
from ..show import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.files.arrays.array_files import Array
    from relax_lang.onnx.conversion.program import Imported

    from .tvmscript import ExportOptions, ImportOptions

_OF_SCRIPTS = ("directory", "unit", "define", "keep_going", "list", "stdin_filename")
"""Options that Python files have, and models have not."""


def import_model(path: str, options: ImportOptions) -> int:
    """Write a model as Relax text, its weights into an archive beside it, and return the exit status."""
    shapes, constants, refused = _given(options)
    refused += [
        toolchain.usage(f"`--{name.replace('_', '-')}` is for Python files")
        for name in _OF_SCRIPTS
        if getattr(options, name)
    ]
    if options.output:
        refused += [
            one for one in [output_is_an_input("--output", options.output, [path])] if one is not None
        ]
    if options.weights:
        refused += _bad_weights(path, options)
    if refused:
        complain(refused, options)
        return USAGE
    target = options.output if options.output != "-" else ""
    archive = os.path.splitext(target or path)[0] + ".npz"
    if options.weights:
        archive = os.path.join(os.path.dirname(target or path), options.weights)
    beside = os.path.basename(archive)
    found = import_file(path, shapes=shapes, constants=constants, archive=beside, fold=not options.no_fold)
    if isinstance(found, Diagnostic):
        complain([found], options)
        return USAGE
    if found.diagnostics:
        complain(found.diagnostics, options)
        return PROBLEMS
    if not target:
        put(found.text, sys.stdout)
        return CLEAN
    problem = _write(found, target, archive)
    if problem is not None:
        complain([problem], options)
        return USAGE
    return CLEAN


def _bad_weights(path: str, options: ImportOptions) -> list[Diagnostic]:
    """Return what is wrong with the file for the weights, which lies beside the text."""
    name = options.weights
    if not name.endswith((".npz", ".safetensors")):
        return [toolchain.usage(f"`--weights` takes a file that ends in .npz or .safetensors, not `{name}`")]
    if os.path.basename(name) != name:
        return [toolchain.usage(f"`--weights` takes the name of a file beside the text, not `{name}`")]
    target = os.path.join(os.path.dirname(options.output or path), name)
    found = output_is_an_input("--weights", target, [path])
    return [] if found is None else [found]


def _write(found: Imported, target: str, archive: str) -> Diagnostic | None:
    from relax_lang.files.arrays import array_files as arrays
    from relax_lang.files.arrays import safetensors

    if found.weights:
        save = safetensors.save if archive.endswith(arrays.SAFETENSORS) else arrays.save
        try:
            save(archive, found.weights)
        except OSError as error:
            return cannot_write(archive, reason(error))
    return write(target, found.text, create=True)


def _given(
    options: ImportOptions,
) -> tuple[dict[str, list[int | str]], dict[str, Array], list[Diagnostic]]:
    """Return the shapes and values of inputs that are given, and what is wrong with the words."""
    shapes: dict[str, list[int | str]] = {}
    constants: dict[str, Array] = {}
    refused: list[Diagnostic] = []
    for word in options.shape:
        name, equals, extents = word.rpartition("=")
        items = [one.strip() for one in extents.split(",") if one.strip()]
        if not (name and equals) or any(not (one.isdigit() or one.isidentifier()) for one in items):
            refused.append(toolchain.usage(f"`--shape` takes INPUT=EXTENT,EXTENT,…, not `{word}`"))
        else:
            shapes[name] = [int(one) if one.isdigit() else one for one in items]
    for word in options.const:
        name, equals, value = word.rpartition("=")
        array = _array(value) if name and equals else None
        if isinstance(array, Diagnostic) or array is None:
            refused.append(
                array or toolchain.usage(f"`--const` takes INPUT=FILE or INPUT=VALUE, not `{word}`")
            )
        else:
            constants[name] = array
    return shapes, constants, refused


def _array(word: str) -> Array | Diagnostic:
    """Return the array in a file, or that of literals: numbers are int64 or float32."""
    import ast

    import numpy as np

    from relax_lang.files.arrays import array_files as arrays

    if word.endswith((".npy", ".npz", ".safetensors")) or os.path.exists(word):
        try:
            return arrays.load(word)
        except (OSError, arrays.ArrayFileError, arrays.NoSuchArrayError) as error:
            return toolchain.usage(f"`{word}` cannot be read: {arrays.why_unreadable(error)}")
    try:
        array = np.array(ast.literal_eval(word))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return toolchain.usage(f"`--const`: `{word}` is neither a file nor a literal")
    if array.dtype.kind not in "bif":
        return toolchain.usage(f"`--const`: `{word}` is not an array of numbers")
    return array.astype(np.float32) if array.dtype.kind == "f" else array


def export_model(path: str, options: ExportOptions) -> int:
    """Write a function of a program as a model, and return the exit status."""
    from relax_lang import api
    from relax_lang.api.models import OPSETS
    from relax_lang.files.programs import read
    from relax_lang.files.replacing import replace_file

    from ..plugins import load_plugins

    source, problem = read(path, options.stdin_filename)
    refused = [problem] if problem is not None else []
    if not options.output or options.output == "-":
        refused.append(
            toolchain.usage("a model is not a text: name a file with `--output`", "`-o model.onnx`")
        )
    else:
        refused += [
            one for one in [output_is_an_input("--output", options.output, [path])] if one is not None
        ]
    if options.opset not in OPSETS:
        refused.append(
            toolchain.usage(f"`--opset` is one of {OPSETS[0]} to {OPSETS[-1]}, not {options.opset}")
        )
    refused += _bad_export_weights(path, options)
    if refused:
        complain(refused, options, source)
        return USAGE
    source.allowed = options.allow_path
    if load_plugins(path, options.stdin_filename, options) is None:
        return USAGE
    try:
        model = api.to_onnx(source, entry=options.entry, opset=options.opset, beside=bool(options.weights))
    except ImportError:
        from relax_lang.onnx.diagnostics import not_installed

        complain([not_installed(options.output)], options)
        return USAGE
    except api.RelaxError as error:
        complain(error.diagnostics, options, error.source)
        return PROBLEMS
    target = options.output
    try:
        if options.weights:
            from relax_lang.onnx.exporting.weights import move_out

            target = os.path.join(os.path.dirname(options.output), options.weights)
            replace_file(target, lambda file: file.writelines(move_out(model, options.weights)), create=True)
            target = options.output
        replace_file(target, lambda file: file.write(model.SerializeToString()), create=True)
    except OSError as error:
        complain([cannot_write(target, reason(error))], options)
        return USAGE
    return CLEAN


def _bad_export_weights(path: str, options: ExportOptions) -> list[Diagnostic]:
    """Return what is wrong with the file for the weights of a model, which lies beside it."""
    name = options.weights
    if not name:
        return []
    if os.path.basename(name) != name or name in (os.curdir, os.pardir):
        return [toolchain.usage(f"`--weights` takes the name of a file beside the model, not `{name}`")]
    target = os.path.join(os.path.dirname(options.output), name)
    if os.path.realpath(target) == os.path.realpath(options.output):
        return [toolchain.usage("the model and its weights need files of different names")]
    found = output_is_an_input("--weights", target, [path])
    return [] if found is None else [found]
