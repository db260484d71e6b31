"""`relax opt`: passes on programs."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ..completion import entries, pass_or_all, pipelines
from ..completion import passes as complete_passes
from .parameters import AllowPath, Ascii, Color, Quiet, StdinFilename, Trust, Verbose, end


def opt(  # noqa: PLR0913, PLR0917 - one parameter an option
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="A program, or - for standard input.", show_default=False),
    ] = None,
    passes: Annotated[
        str | None,
        typer.Option(
            "--passes",
            "-p",
            metavar="PASSES",
            help="Names with options: `FoldConstant(limit=64), DeadCodeElimination`; case and dashes do not count.",
            autocompletion=complete_passes,
        ),
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            metavar="FILE",
            help="Apply the rewrite rules of a program first: pairs of `@pattern` and `@replacement`; repeatable.",
        ),
    ] = None,
    pipeline: Annotated[
        str | None,
        typer.Option(
            "--pipeline",
            metavar="NAME",
            autocompletion=pipelines,
            help="Passes that go together; `optimize` by default.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write; large constants go into an archive beside it. Without it, the program is shown.",
        ),
    ] = None,
    params: Annotated[
        str | None,
        typer.Option(
            "--params",
            metavar="FILE.npz",
            help="Replace parameters of `--func` by constants from an archive first.",
        ),
    ] = None,
    func: Annotated[
        str | None,
        typer.Option(
            "--func",
            metavar="NAME",
            autocompletion=entries,
            help="With --params: the function; `main` by default.",
        ),
    ] = None,
    stop_after: Annotated[
        str | None,
        typer.Option(
            "--stop-after",
            metavar="PASS",
            autocompletion=complete_passes,
            help="Leave out the passes after this one.",
        ),
    ] = None,
    print_after: Annotated[
        list[str] | None,
        typer.Option(
            "--print-after",
            metavar="PASS",
            autocompletion=pass_or_all,
            help="Show the program after a pass, or after `all`; repeatable.",
        ),
    ] = None,
    function: Annotated[
        str | None,
        typer.Option(
            "--function",
            metavar="NAME",
            autocompletion=entries,
            help="With --print-after: only this function.",
        ),
    ] = None,
    dump: Annotated[
        str | None,
        typer.Option(
            "--dump", metavar="FOLDER", help="Write the program after every pass to a file in this folder."
        ),
    ] = None,
    diff: Annotated[
        bool | None, typer.Option("--diff", help="Show what each pass changes, and no program.")
    ] = None,
    time: Annotated[
        bool | None, typer.Option("--time", help="Show how long each pass took, and what it changed.")
    ] = None,
    explain: Annotated[
        bool | None, typer.Option("--explain", help="Show what passes leave unchanged, and why.")
    ] = None,
    memory_report: Annotated[
        bool | None,
        typer.Option(
            "--memory-report",
            help="Show what planned memory takes, what of it lives at once, and which tensors share it.",
        ),
    ] = None,
    compare: Annotated[
        int | None,
        typer.Option(
            "--compare",
            metavar="SEED",
            help="Run every public function on made-up arguments before and after each pass; stop where it differs.",
        ),
    ] = None,
    dim: Annotated[
        list[str] | None,
        typer.Option(
            "--dim", metavar="NAME=SIZE", help="With --compare: the value of a shape variable; repeatable."
        ),
    ] = None,
    packed: Annotated[
        list[str] | None,
        typer.Option(
            "--packed", metavar="FILE.py", help="With --compare: a file that registers packed functions."
        ),
    ] = None,
    verify: Annotated[
        Literal["each", "end", "off"] | None,
        typer.Option("--verify", help="When to check the text of the program; at the end by default."),
    ] = None,
    dump_on_error: Annotated[
        str | None,
        typer.Option(
            "--dump-on-error",
            metavar="FOLDER",
            help="If a pass fails, write the program before it to a file in this folder.",
        ),
    ] = None,
    list: Annotated[bool | None, typer.Option("--list", help="Show all passes and pipelines.")] = None,  # noqa: A002
    stdin_filename: StdinFilename = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Run passes on a program, and print the result, a program in normal form."""
    given = dict(locals())
    del given["file"]
    from ..pipeline.opt import OptOptions
    from ..pipeline.opt import opt as run_passes

    end(lambda: run_passes(file, OptOptions(given)))
