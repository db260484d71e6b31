"""`relax check`, `relax fmt` and `relax test`; the first two usually run without Typer, see `fast`."""

from __future__ import annotations

from typing import Annotated

import typer

from ..completion import codes
from ..options import CheckOptions, FmtOptions
from .parameters import (
    AllowPath,
    Ascii,
    Color,
    Edition,
    ForceExclude,
    Meta,
    OutputFormat,
    Paths,
    PathsOrHere,
    Quiet,
    StdinFilename,
    Trust,
    Verbose,
    end,
)


def check(  # noqa: PLR0913, PLR0917 - one parameter an option
    paths: PathsOrHere = None,
    output_format: Annotated[
        OutputFormat | None,
        typer.Option(
            "--output-format",
            help="The form of the findings; RELAX_OUTPUT_FORMAT sets another default, in GitHub Actions it is github.",
        ),
    ] = None,
    output_file: Annotated[
        str | None,
        typer.Option("--output-file", "-o", metavar="FILE", help="Write the findings into a file."),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(
            "--select",
            metavar="CODE",
            autocompletion=codes,
            help="Report only these: codes, prefixes of codes, names, or the groups all and lints.",
        ),
    ] = None,
    extend_select: Annotated[
        list[str] | None,
        typer.Option(
            "--extend-select",
            metavar="CODE",
            autocompletion=codes,
            help="Report these as well, even those that are off by default.",
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="CODE", autocompletion=codes, help="Do not report these."),
    ] = None,
    strict: Annotated[
        bool | None,
        typer.Option("--strict", help="Warnings, too, make the exit status 1, and some hints are warnings."),
    ] = None,
    strict_shapes: Annotated[
        bool | None,
        typer.Option("--strict-shapes", help="Shapes that are not proved to match are errors."),
    ] = None,
    edition: Annotated[
        Edition | None,
        typer.Option("--edition", help="Also report what an earlier edition of the language did not allow."),
    ] = None,
    stdin_filename: StdinFilename = None,
    fix: Annotated[
        bool | None, typer.Option("--fix", help="Apply the fixes that keep the meaning; report what is left.")
    ] = None,
    unsafe_fixes: Annotated[
        bool | None, typer.Option("--unsafe-fixes", help="Apply the other fixes, too. Implies --fix.")
    ] = None,
    diff: Annotated[
        bool | None,
        typer.Option("--diff", help="Show what --fix would change, and write nothing. Implies --fix."),
    ] = None,
    watch: Annotated[
        bool | None, typer.Option("--watch", help="Check again whenever a file changes, until interrupted.")
    ] = None,
    statistics: Annotated[
        bool | None, typer.Option("--statistics", help="Show how often each diagnostic was found.")
    ] = None,
    exit_zero: Annotated[
        bool | None, typer.Option("--exit-zero", help="Exit with 0 even if something was found.")
    ] = None,
    jobs: Annotated[
        str | None,
        typer.Option("--jobs", "-j", metavar="N", help="Check in N processes; auto: one for each core."),
    ] = None,
    no_cache: Annotated[
        bool | None,
        typer.Option(
            "--no-cache", help="Check unchanged programs, too; RELAX_NO_CACHE=1 does so for every command."
        ),
    ] = None,
    force_exclude: ForceExclude = None,
    meta: Meta = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002 - the option's name
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Report everything that is wrong with programs: syntax, names, types and shapes, effects, PrimFuncs."""
    given = dict(locals())
    del given["paths"]
    from ..check.check import check as check_paths

    end(lambda: check_paths(paths or ["."], CheckOptions(given)))


def fmt(  # noqa: PLR0913, PLR0917 - one parameter an option
    paths: PathsOrHere = None,
    check: Annotated[
        bool | None, typer.Option("--check", help="Write nothing; exit status 1 if a file would change.")
    ] = None,
    diff: Annotated[
        bool | None,
        typer.Option("--diff", help="Write nothing; print what would change, exit status as --check."),
    ] = None,
    line_length: Annotated[
        str | None, typer.Option("--line-length", metavar="N", help="Columns of a line: 100 by default.")
    ] = None,
    anf: Annotated[
        bool | None,
        typer.Option("--anf", help="Relay: write programs in A-normal form, every value bound by `let`."),
    ] = None,
    graph: Annotated[
        bool | None,
        typer.Option("--graph", help="Relay: write programs as graphs, every call a numbered node."),
    ] = None,
    strip_types: Annotated[
        bool | None,
        typer.Option(
            "--strip-types", help="Relay: leave out comments in which printers put types and places."
        ),
    ] = None,
    force_exclude: ForceExclude = None,
    stdin_filename: StdinFilename = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Format programs in place; - reads standard input and writes standard output."""
    given = dict(locals())
    del given["paths"]
    from ..fmt import fmt as fmt_paths

    end(lambda: fmt_paths(paths or ["."], FmtOptions(given)))


def check_expectations(  # noqa: PLR0913 - one parameter an option
    paths: Paths,
    split: Annotated[
        bool | None, typer.Option("--split", help="Lines `# ---` separate several programs in a file.")
    ] = None,
    stdin_filename: StdinFilename = None,
    force_exclude: ForceExclude = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    quiet: Quiet = None,
    verbose: Annotated[
        bool | None,
        typer.Option(
            "--verbose",
            "-v",
            help="List every program, and show Python's traceback for errors of relax itself.",
        ),
    ] = None,
) -> None:
    """Check the expectations in the comments of programs: `# error: slug`, `# expect-output`."""
    given = dict(locals())
    del given["paths"]
    from ..test import TestOptions
    from ..test import test as test_paths

    end(lambda: test_paths(paths, TestOptions(given)))
