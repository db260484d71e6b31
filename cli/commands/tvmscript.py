"""`relax import` and `relax export`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from relax_lang.files.programs import RELAY_SUFFIXES

from ..completion import entries
from .parameters import AllowPath, Ascii, Color, File, Meta, Quiet, StdinFilename, Trust, Verbose, end

Define = Annotated[
    list[str] | None,
    typer.Option(
        "--define", metavar="NAME=VALUE", help="The value of a name of the Python around a unit; repeatable."
    ),
]


def import_file(  # noqa: PLR0913, PLR0917 - one parameter an option
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A Python file, a model of ONNX, a program in Relay, or - for one on standard input.",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The file to write; without it, the text is shown."
        ),
    ] = None,
    shape: Annotated[
        list[str] | None,
        typer.Option(
            "--shape",
            metavar="INPUT=EXTENT,…",
            help="Of a model: the shape of an input, numbers or names; repeatable.",
        ),
    ] = None,
    const: Annotated[
        list[str] | None,
        typer.Option(
            "--const",
            metavar="INPUT=VALUE",
            help="Of a model: the value of an input, which is then not a parameter; repeatable.",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="FILE",
            help="Of a model: the file beside the text for its weights, .npz or .safetensors.",
        ),
    ] = None,
    no_fold: Annotated[
        bool | None,
        typer.Option(
            "--no-fold", help="Of a model: keep every operator, even what could be computed or merged."
        ),
    ] = None,
    directory: Annotated[
        str | None,
        typer.Option(
            "--directory", "-d", metavar="FOLDER", help="The folder to write to, a file for each unit."
        ),
    ] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option("--unit", metavar="NAME|LINE", help="Only this class or function; repeatable."),
    ] = None,
    define: Define = None,
    keep_going: Annotated[
        bool | None,
        typer.Option("--keep-going", help="Write units without the functions that cannot be read."),
    ] = None,
    list: Annotated[bool | None, typer.Option("--list", help="List the units, and write nothing.")] = None,  # noqa: A002
    report: Annotated[
        bool | None,
        typer.Option("--report", help="Relay: only show the operators, and what each is in Relax."),
    ] = None,
    meta: Meta = None,
    stdin_filename: StdinFilename = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Write a Python file with TVMScript, a model of ONNX or a program in Relay as Relax text; nothing is executed."""
    given = dict(locals())
    del given["file"]
    from ..interchange.tvmscript import ImportOptions, import_units, refuse_of_relay

    if file.endswith(RELAY_SUFFIXES) or (file == "-" and (stdin_filename or "").endswith(RELAY_SUFFIXES)):
        from ..interchange.relay import OF_OTHERS, import_relay

        others = [name for name in OF_OTHERS if given.get(name)]
        end(lambda: import_relay(file, output or "", stdin_filename or "", others, ImportOptions(given)))
        return
    of_relay = [name for name in ("meta", "report") if given.get(name)]
    if of_relay:
        end(lambda: refuse_of_relay(of_relay, ImportOptions(given)))
    if not file.endswith(".onnx"):
        end(lambda: import_units(file, ImportOptions(given)))
        return
    from ..interchange.onnx import import_model

    end(lambda: import_model(file, ImportOptions(given)))


def export(  # noqa: PLR0913, PLR0917 - one parameter an option
    file: File,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write; large constants go into an archive beside it. Without it, the text is shown.",
        ),
    ] = None,
    format: Annotated[  # noqa: A002
        Literal["tvmscript", "onnx"] | None,
        typer.Option("--format", help="TVMScript, or a model of ONNX (also where --output ends in .onnx)."),
    ] = None,
    opset: Annotated[
        int | None,
        typer.Option("--opset", metavar="N", help="Of a model: the version of its operators; 18 by default."),
    ] = None,
    entry: Annotated[
        str | None,
        typer.Option(
            "--entry",
            metavar="NAME",
            autocompletion=entries,
            help="Of a model: the function; `main` by default.",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="FILE",
            help="Of a model: put weights of 1 KB and more into this file beside it.",
        ),
    ] = None,
    tvm: Annotated[
        Literal["0.27", "0.20"] | None, typer.Option("--tvm", help="The version of TVM that is to read it.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="The name of the class; Module by default.")
    ] = None,
    stdin_filename: StdinFilename = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Write a program as TVMScript, in normal form, or a function of it as a model of ONNX."""
    given = dict(locals())
    del given["file"]
    from ..interchange.tvmscript import ExportOptions
    from ..interchange.tvmscript import export as export_program

    if format == "onnx" or (format is None and (output or "").endswith(".onnx")):
        from ..interchange.onnx import export_model

        end(lambda: export_model(file, ExportOptions(given)))
        return

    end(lambda: export_program(file, ExportOptions(given)))
