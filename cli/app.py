"""All commands as a Typer application: help, completion, mistakes in options. `commands` declares their parameters.

`check` and `fmt` are usually reached without this module, see `fast`.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from .commands import checking, programs, reference, running, serving, tvmscript

if TYPE_CHECKING:
    from collections.abc import Sequence

app = typer.Typer(
    name="relax",
    help="Check, format, normalize and run Relax programs (`.rlx`).",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run(words: Sequence[str]) -> int:
    """Run a command line and return the exit status."""
    words = list(words)
    if words[:1] == ["run"]:
        words = spread_args(words)
    called = os.path.basename(sys.argv[0]) if sys.argv else ""
    try:
        app(args=words, prog_name=called if called in ("relax", "rlx") else "relax")
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    return 0


def spread_args(words: Sequence[str]) -> list[str]:
    """Give every word after `--args` its own `--args=`; they end at the next option or at the program."""
    spread: list[str] = []
    nothing: list[str] = []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word == "--":
            return [*spread, *nothing, word, *reversed(rest)]
        if word != "--args":
            spread.append(word)
            continue
        if not rest or _ends_args(rest[-1]):
            nothing = [word]  # at the end, where Typer reports that its value is missing
        while rest and not _ends_args(rest[-1]):
            spread.append(f"--args={rest.pop()}")
    return [*spread, *nothing]


def _ends_args(word: str) -> bool:
    # `-1` and `-.5` are numbers, other words with a dash are options.
    is_option = word.startswith("-") and word[1:2] not in "0123456789."
    return is_option or word.endswith(".rlx")


def _version(wanted: bool) -> None:
    if wanted:
        from .versions import versions

        typer.echo(versions())
        raise typer.Exit


@app.callback()
def relax(
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Show the versions of relax and what it runs on.",
        ),
    ] = False,
) -> None:
    """Check, format, normalize and run Relax programs (`.rlx`)."""


app.command()(checking.check)
app.command()(checking.fmt)
app.command("test")(checking.check_expectations)
app.command("run")(running.run)
app.command()(programs.normalize)
app.command()(programs.infer)
app.command()(programs.diff)
app.command()(programs.graph)
app.command()(programs.parse)
app.command()(programs.compile)
app.command("import")(tvmscript.import_units)
app.command()(tvmscript.export)
app.command()(reference.ops)
app.command()(reference.explain)


app.command("lsp")(serving.lsp)
app.command("trust")(reference.trust_folders)
