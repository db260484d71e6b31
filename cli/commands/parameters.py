"""Parameters that several commands have, and how a command ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..render.report import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Callable

Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH", help="Files, folders (every .rlx and .relay below), or - for standard input."
    ),
]
PathsOrHere = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PATH]...",
        show_default=False,
        help="Files, folders (every .rlx and .relay below), or - for standard input; "
        "the current folder if none is given.",
    ),
]
File = Annotated[str, typer.Argument(metavar="FILE", help="A program, or - for standard input.")]
OutputFormat = Literal["text", "concise", "json", "sarif", "github", "gitlab", "junit"]
Edition = Literal["2022"]
Color = Annotated[
    Literal["auto", "always", "never"] | None,
    typer.Option(
        "--color", help="When to use colours; by default (auto) on a terminal, unless NO_COLOR is set."
    ),
]
Ascii = Annotated[bool | None, typer.Option("--ascii", help="Draw with ASCII characters only.")]
Quiet = Annotated[bool | None, typer.Option("--quiet", "-q", help="Leave out the closing summary.")]
Verbose = Annotated[
    bool | None,
    typer.Option(
        "--verbose", "-v", help="Show Python's traceback for errors of relax itself and of packed functions."
    ),
]
StdinFilename = Annotated[
    str | None, typer.Option("--stdin-filename", metavar="PATH", help="The name to show for -.")
]
AllowPath = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-path",
        metavar="FOLDER",
        help="Let constants be read from this folder, too, not only from the program's; repeatable.",
    ),
]
Meta = Annotated[
    str | None,
    typer.Option(
        "--meta",
        metavar="FILE",
        help="Relay: objects for `meta[relay.Constant][0]`, from JSON as in `#[metadata]`, .npz or .safetensors.",
    ),
]
ForceExclude = Annotated[
    bool | None,
    typer.Option(
        "--force-exclude",
        help="Leave out files that are named, too, for the reasons that hold in folders: settings, .relaxignore, "
        ".gitignore, Python without TVMScript. For hooks, which name files.",
    ),
]
Trust = Annotated[
    bool | None,
    typer.Option("--trust", help="Run the Python files that the settings name, whatever folder they are in."),
]


def end(command: Callable[[], int]) -> None:
    """Run a command and end the process with its exit status."""
    try:
        status = command()
    except KeyboardInterrupt:  # Typer would make it an exit status of 1
        status = INTERRUPTED
    raise typer.Exit(status)
