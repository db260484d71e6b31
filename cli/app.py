"""All commands as a Typer application: help, completion, mistakes in options. `commands` declares their parameters.

`check` and `fmt` are usually reached without this module, see `fast`.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from .commands import (
    building,
    caching,
    checking,
    mapping,
    optimizing,
    programs,
    reference,
    running,
    serving,
    tvmscript,
)
from .commands.examples import epilog
from .render.report import INTERRUPTED, USAGE
from .run.words import spread_args

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
    program = called if called in ("relax", "rlx") else "relax"
    command = typer.main.get_command(app)
    try:
        left = command.main(args=words, prog_name=program, standalone_mode=False)
    except SystemExit as left_early:  # completion of a shell
        left = left_early.code
    except typer.Abort:
        return INTERRUPTED
    except _USAGE_ERROR as error:
        return _refuse(error, words)
    return left if isinstance(left, int) else int(left is not None)


_USAGE_ERROR = cast("type[Exception]", typer.BadParameter.__bases__[0])
"""`UsageError` of click, which Typer may bring itself."""


def _refuse(error: Exception, words: Sequence[str]) -> int:
    from .options import Shown
    from .show import complain
    from .usage import wrong_usage

    message = getattr(error, "message", "")
    if type(error).__name__ == "NoArgsIsHelpError" or not (message or str(error)):
        typer.echo(getattr(error, "ctx").get_help(), err=True)  # noqa: B009 - classes differ between releases
        return USAGE
    group: Any = typer.main.get_command(app)
    shown = Shown({"ascii": "--ascii" in words, "color": "never" if "--color=never" in words else None})
    complain([wrong_usage(error, words, group.commands)], shown)
    return USAGE


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


for _name, _command in (
    ("check", checking.check),
    ("fmt", checking.fmt),
    ("test", checking.check_expectations),
    ("run", running.run),
    ("map", mapping.map_rows),
    ("normalize", programs.normalize),
    ("infer", programs.infer),
    ("diff", programs.diff),
    ("graph", programs.graph),
    ("parse", programs.parse),
    ("compile", programs.compile),
    ("opt", optimizing.opt),
    ("build", building.build),
    ("disasm", building.disasm),
    ("asm", building.asm),
    ("import", tvmscript.import_file),
    ("export", tvmscript.export),
    ("ops", reference.ops),
    ("explain", reference.explain),
    ("lsp", serving.lsp),
    ("trust", reference.trust_folders),
    ("cache", caching.cache),
):
    app.command(_name, epilog=epilog(_name))(_command)
