"""Commands that show a program in another form: `relax normalize`, `parse`, `compile` and `graph`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ..completion import prim_func_passes
from ..options import Shown
from .parameters import AllowPath, Ascii, Color, File, Quiet, StdinFilename, Trust, Verbose, end


def normalize(
    file: File,
    stdin_filename: StdinFilename = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    verbose: Verbose = None,
) -> None:
    """Print a program in normal form."""
    given = {"allow_path": allow_path, "trust": trust, "color": color, "ascii": ascii, "verbose": verbose}
    from ..inspect.programs import normalize as print_normal_form

    end(lambda: print_normal_form(file, stdin_filename or "", Shown(given)))


def infer(
    file: File,
    types: Annotated[
        bool | None, typer.Option("--types", help="Show types: struct infos without dimensions.")
    ] = None,
    stdin_filename: StdinFilename = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    verbose: Verbose = None,
) -> None:
    """Print every binding with its inferred struct info."""
    given = {"allow_path": allow_path, "trust": trust, "color": color, "ascii": ascii, "verbose": verbose}
    from ..inspect.infer import infer as print_infos

    end(lambda: print_infos(file, stdin_filename or "", Shown(given), types=bool(types)))


def diff(
    left: Annotated[str, typer.Argument(metavar="LEFT", help="A program, or - for standard input.")],
    right: Annotated[str, typer.Argument(metavar="RIGHT", help="The program to compare it with.")],
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Compare two programs up to names, layout, sugar and the order of functions.

    The exit status is 0 if they are the same, 1 if they differ, 2 if one of them has errors.
    """
    given = dict(locals())
    del given["left"], given["right"]
    from ..inspect.diff import diff as compare

    end(lambda: compare((left, right), Shown(given)))


def graph(  # noqa: PLR0913
    file: File,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write: .svg, .dot or .mmd; without it, the picture goes to standard output.",
        ),
    ] = None,
    format: Annotated[  # noqa: A002
        Literal["svg", "dot", "mermaid"] | None,
        typer.Option(
            "--format", help="The form of the picture; svg, unless the name of the file ends otherwise."
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile", metavar="FILE", help="Colour bindings by the time that --profile-out recorded."
        ),
    ] = None,
    open: Annotated[bool | None, typer.Option("--open", help="Open the picture in a browser.")] = None,  # noqa: A002
    stdin_filename: StdinFilename = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Draw the functions, blocks and bindings of a program."""
    given = dict(locals())
    del given["file"]
    from ..inspect.graph import GraphOptions
    from ..inspect.graph import graph as draw

    end(lambda: draw(file, GraphOptions(given)))


def parse(
    file: File,
    json: Annotated[bool, typer.Option("--json", help="Print the tree as JSON.")] = False,
    stdin_filename: StdinFilename = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    verbose: Verbose = None,
) -> None:
    """Show the tree of a program as written."""
    given = {"color": color, "ascii": ascii, "verbose": verbose}
    from ..inspect.programs import parse as print_program_tree

    end(lambda: print_program_tree(file, stdin_filename or "", Shown(given), as_json=json))


def compile(  # noqa: A001, PLR0913
    file: File,
    emit: Annotated[
        Literal["functions", "numpy"] | None,
        typer.Option("--emit", help="Only the Python of functions, or only the module of PrimFuncs."),
    ] = None,
    explain_vectorization: Annotated[
        bool,
        typer.Option(
            "--explain-vectorization", help="Show how every loop runs, and why some do not run as NumPy."
        ),
    ] = False,
    dump: Annotated[
        list[str] | None,
        typer.Option(
            "--dump",
            metavar="PASS",
            autocompletion=prim_func_passes,
            help="Show PrimFuncs after a pass of their compilation, or after `all`; repeatable. `list` names them.",
        ),
    ] = None,
    stdin_filename: StdinFilename = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    verbose: Verbose = None,
) -> None:
    """Print the Python and NumPy code that a program runs as."""
    given = {"allow_path": allow_path, "trust": trust, "color": color, "ascii": ascii, "verbose": verbose}
    if explain_vectorization:
        from ..inspect.vectorization import explain

        end(lambda: explain(file, stdin_filename or "", Shown(given)))
    if dump:
        from ..inspect.passes import dump as dump_passes

        end(lambda: dump_passes(file, stdin_filename or "", Shown(given), dump))
    from ..inspect.programs import compile as print_code

    end(lambda: print_code(file, stdin_filename or "", Shown(given), emit))
