"""`relax build`, `relax disasm`, `relax asm`: executables for the virtual machine."""

from __future__ import annotations

from typing import Annotated

import typer

from ..completion import passes as complete_passes
from ..completion import pipelines
from .parameters import AllowPath, Ascii, Color, File, Quiet, StdinFilename, Trust, Verbose, end

Executable = Annotated[str, typer.Argument(metavar="FILE", help="An executable that `relax build` wrote.")]


def build(  # noqa: PLR0913 - one parameter an option
    file: File,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write; by default beside the program, with the ending .rlxe.",
        ),
    ] = None,
    passes: Annotated[
        str | None,
        typer.Option(
            "--passes",
            "-p",
            metavar="PASSES",
            help="Run passes first, as `relax opt` does.",
            autocompletion=complete_passes,
        ),
    ] = None,
    pipeline: Annotated[
        str | None,
        typer.Option(
            "--pipeline",
            metavar="NAME",
            autocompletion=pipelines,
            help="Run passes first that go together; `build` makes memory and sizes explicit, and shares memory.",
        ),
    ] = None,
    stdin_filename: StdinFilename = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Build an executable: one file with code and constants, which `relax run` runs without the program."""
    given = dict(locals())
    del given["file"]
    from ..pipeline.building import BuildOptions
    from ..pipeline.building import build as run_build

    end(lambda: run_build(file, BuildOptions(given)))


def disasm(
    file: Executable,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The file to write; without it, the text is shown."
        ),
    ] = None,
    python: Annotated[
        bool | None, typer.Option("--python", help="Show calls of an `ExecBuilder` that make the code.")
    ] = None,
    stats: Annotated[
        bool | None, typer.Option("--stats", help="Show what the executable consists of.")
    ] = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
) -> None:
    """Show the code of an executable; `relax asm` makes the same executable from the text."""
    given = dict(locals())
    del given["file"]
    from ..pipeline.building import DisasmOptions
    from ..pipeline.building import disasm as run_disasm

    end(lambda: run_disasm(file, DisasmOptions(given)))


def asm(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A text that `relax disasm` wrote.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The executable to write.")],
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
) -> None:
    """Make an executable from the text that `relax disasm` shows."""
    from ..pipeline.building import DisasmOptions
    from ..pipeline.building import asm as run_asm

    end(lambda: run_asm(file, DisasmOptions({"output": output, "color": color, "ascii": ascii})))
