"""`relax map`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ..completion import dimensions, entries, parameters
from .parameters import AllowPath, Ascii, Color, File, OutputFormat, Quiet, StdinFilename, Trust, Verbose, end

ROWS = "Rows, and where they are computed"
RUNS = "What runs, and how"
"""How the help of `relax map` groups its options."""


def map_rows(  # noqa: PLR0913, PLR0917 - one parameter an option
    file: File,
    arg: Annotated[
        list[str] | None,
        typer.Option(
            "--arg",
            rich_help_panel=ROWS,
            metavar="NAME=VALUE",
            autocompletion=parameters,
            help="An argument: a .npy file or an array of Zarr (.zarr) if it has rows; repeatable.",
        ),
    ] = None,
    over: Annotated[
        str,
        typer.Option(
            "--over",
            rich_help_panel=ROWS,
            metavar="DIM",
            autocompletion=dimensions,
            help="The dimension of the parameters that counts the rows.",
        ),
    ] = "n",
    chunk: Annotated[
        int | None,
        typer.Option("--chunk", rich_help_panel=ROWS, metavar="ROWS", min=1, help="Rows at a time."),
    ] = None,
    out: Annotated[
        list[str] | None,
        typer.Option(
            "--out",
            rich_help_panel=ROWS,
            metavar="FILE",
            help="Where the result goes: .npy or .zarr; once for each tensor of a tuple.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", rich_help_panel=ROWS, metavar="N", min=1, help="Processes that compute."),
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask", rich_help_panel=ROWS, metavar="ADDRESS", help="Compute on a running cluster of Dask."
        ),
    ] = None,
    assume_independent: Annotated[
        bool | None,
        typer.Option(
            "--assume-independent",
            rich_help_panel=ROWS,
            help="Run it although its rows are not known to be independent of each other.",
        ),
    ] = None,
    restart: Annotated[
        bool | None,
        typer.Option("--restart", rich_help_panel=ROWS, help="Forget what an earlier run has finished."),
    ] = None,
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
    npz: Annotated[
        str | None,
        typer.Option(
            "--npz",
            rich_help_panel=RUNS,
            metavar="FILE",
            help="Arguments without rows by name, from a .npz or .safetensors archive.",
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
        Literal["compiled", "interpreter"] | None,
        typer.Option(
            "--engine", rich_help_panel=RUNS, help="How it runs: as generated code, or step by step."
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
    output_format: Annotated[
        OutputFormat | None,
        typer.Option("--output-format", help="The form of what is wrong, on standard error."),
    ] = None,
    stdin_filename: StdinFilename = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Run a function over the rows of arrays that may be larger than memory; it goes on after a stop."""
    given = dict(locals())
    del given["file"]
    from ..pipeline.mapping import MapOptions
    from ..pipeline.mapping import map_program as run_over_rows

    end(lambda: run_over_rows(file, MapOptions(given)))
