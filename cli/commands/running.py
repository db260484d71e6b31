"""`relax run`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ..completion import entries, parameters, sizes
from .parameters import (
    AllowPath,
    Ascii,
    Color,
    File,
    Meta,
    OutputFormat,
    Quiet,
    StdinFilename,
    Trust,
    Verbose,
    end,
)

GIVEN = "Arguments of the function"
RESULT = "The result"
WATCH = "Looking into the run"
RUNS = "What runs, and how"
"""How the help of `relax run` groups its options."""


def run(  # noqa: PLR0913, PLR0917
    file: File,
    entry: Annotated[
        str | None,
        typer.Option(
            "--entry",
            rich_help_panel=RUNS,
            metavar="NAME",
            autocompletion=entries,
            help="The function to run.",
        ),
    ] = None,
    args: Annotated[
        list[str] | None,
        typer.Option(
            "--args",
            rich_help_panel=GIVEN,
            metavar="VALUE...",
            help="Arguments in order: .npy files, numbers, lists, shape:2,3, true, false.",
        ),
    ] = None,
    arg: Annotated[
        list[str] | None,
        typer.Option(
            "--arg",
            rich_help_panel=GIVEN,
            metavar="NAME=VALUE",
            autocompletion=parameters,
            help="An argument by name; repeatable.",
        ),
    ] = None,
    npz: Annotated[
        str | None,
        typer.Option(
            "--npz",
            rich_help_panel=GIVEN,
            metavar="FILE",
            help="Arguments by name, from a .npz or .safetensors archive, or - for a .npz on standard input.",
        ),
    ] = None,
    random: Annotated[
        int | None,
        typer.Option(
            "--random",
            rich_help_panel=GIVEN,
            metavar="SEED",
            min=0,
            help="Make up the arguments that are not given.",
        ),
    ] = None,
    dim: Annotated[
        list[str] | None,
        typer.Option(
            "--dim",
            rich_help_panel=GIVEN,
            metavar="NAME=SIZE",
            autocompletion=sizes,
            help="A dimension for --random; repeatable.",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            rich_help_panel=RESULT,
            metavar="FILE",
            help="Store the result: y.npy, or y.npz for a tuple.",
        ),
    ] = None,
    packed: Annotated[
        list[str] | None,
        typer.Option(
            "--packed",
            rich_help_panel=RUNS,
            metavar="FILE",
            help="A Python file that registers packed functions; repeatable.",
        ),
    ] = None,
    engine: Annotated[
        Literal["compiled", "interpreter", "relay"] | None,
        typer.Option(
            "--engine",
            rich_help_panel=RUNS,
            help="How it runs: as generated code, or step by step; Relay also as it is written. Results are the same.",
        ),
    ] = None,
    sequential: Annotated[
        Literal["auto", "numpy", "numba"] | None,
        typer.Option(
            "--sequential",
            rich_help_panel=RUNS,
            help="What runs loops that stay sequential: numba where that pays (auto), NumPy alone, or always numba.",
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            rich_help_panel=RUNS,
            metavar="N",
            min=1,
            help="On how many threads PrimFuncs compute rows of large arrays; by default on all processors from a "
            "million elements on.",
        ),
    ] = None,
    print: Annotated[  # noqa: A002
        Literal["full", "summary", "none"] | None,
        typer.Option("--print", rich_help_panel=RESULT, help="How much of the result to show."),
    ] = None,
    json: Annotated[
        bool | None, typer.Option("--json", rich_help_panel=RESULT, help="Show the result as JSON.")
    ] = None,
    trace: Annotated[
        bool | None,
        typer.Option(
            "--trace", rich_help_panel=WATCH, help="Show each binding: what it is, what it holds, its time."
        ),
    ] = None,
    nan: Annotated[
        bool | None,
        typer.Option(
            "--nan", rich_help_panel=WATCH, help="Stop where nan or inf is made from finite operands."
        ),
    ] = None,
    save_all: Annotated[
        str | None,
        typer.Option(
            "--save-all", rich_help_panel=WATCH, metavar="FOLDER", help="Store the value of every binding."
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            rich_help_panel=WATCH,
            metavar="FILE",
            help="Stop at the first binding that differs from a recorded run: a --save-all folder or an archive.",
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            "--tolerance",
            rich_help_panel=WATCH,
            metavar="SHARE",
            min=0.0,
            help="How far floats may differ for --compare, relative to the largest element.",
        ),
    ] = None,
    profile: Annotated[
        bool | None,
        typer.Option(
            "--profile", rich_help_panel=WATCH, help="Show where the time goes, by operator and PrimFunc."
        ),
    ] = None,
    profile_out: Annotated[
        str | None,
        typer.Option(
            "--profile-out",
            rich_help_panel=WATCH,
            metavar="FILE",
            help="Store a trace for Perfetto or chrome://tracing.",
        ),
    ] = None,
    max_memory: Annotated[
        str | None,
        typer.Option(
            "--max-memory",
            rich_help_panel=RUNS,
            metavar="SIZE",
            help="Refuse to allocate more than this in one piece, such as 4GiB; 8GiB by default.",
        ),
    ] = None,
    strict_effects: Annotated[
        bool | None,
        typer.Option(
            "--strict-effects",
            rich_help_panel=RUNS,
            help="Check that packed functions leave their arguments alone where the call promises that.",
        ),
    ] = None,
    no_cache: Annotated[
        bool | None,
        typer.Option(
            "--no-cache",
            rich_help_panel=RUNS,
            help="Compile everything anew, and keep nothing; RELAX_NO_CACHE=1 does so for every command.",
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit",
            rich_help_panel=RUNS,
            metavar="NAME|LINE",
            help="Which class or function of a Python file with TVMScript to run.",
        ),
    ] = None,
    define: Annotated[
        list[str] | None,
        typer.Option(
            "--define",
            rich_help_panel=RUNS,
            metavar="NAME=VALUE",
            help="The value of a name of the Python around that unit; repeatable.",
        ),
    ] = None,
    output_format: Annotated[
        OutputFormat | None,
        typer.Option("--output-format", help="The form of what is wrong, on standard error."),
    ] = None,
    stdin_filename: StdinFilename = None,
    meta: Meta = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Run a function of a program and show what it returns."""
    given = dict(locals())
    del given["file"]
    from ..run.options import RunOptions
    from ..run.run import run as run_program

    end(lambda: run_program(file, RunOptions(given)))
