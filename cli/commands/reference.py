"""Commands about the tool itself: `relax ops`, `relax explain`, `relax trust`."""

from __future__ import annotations

from typing import Annotated

import typer

from ..completion import codes, operators
from ..options import Shown
from .parameters import Color, Trust, end


def ops(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", autocompletion=operators, help="An operator, such as nn.softmax."),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the page of the documentation.")
    ] = False,
    relay: Annotated[bool, typer.Option("--relay", help="The operators of Relay.")] = False,
    trust: Trust = None,
    color: Color = None,
) -> None:
    """List the operators, or show one's signature, rules and an example."""
    from ..inspect.reference import ops as show_ops
    from ..inspect.reference import relay_ops

    if relay:
        end(lambda: relay_ops(name, Shown({"color": color})))
    end(lambda: show_ops(name, Shown({"color": color, "trust": trust}), as_markdown=markdown))


def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            metavar="CODE",
            autocompletion=codes,
            help="A code, name or group: RLX0203, use-before-bind, lints.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Explain every diagnostic, or list them all.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the Markdown source.")] = False,
    color: Color = None,
) -> None:
    """Explain what a diagnostic means, with a wrong and a right program."""
    from ..inspect.reference import explain as show_explanation

    end(lambda: show_explanation(code, Shown({"color": color}), every=every, as_markdown=markdown))


def trust_folders(
    folder: Annotated[
        str | None,
        typer.Argument(metavar="[FOLDER]", help="A folder with settings; the current one by default."),
    ] = None,
    any_version: Annotated[
        bool, typer.Option("--any-version", help="Also trust every later version: for projects of your own.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Trust the folder no longer.")] = False,
    show: Annotated[bool, typer.Option("--list", help="List the trusted folders.")] = False,
    color: Color = None,
) -> None:
    """Allow the Python files that a folder's settings name to run: plugins and packed functions."""
    from ..trust import list_trusted, remove_trust, trust

    options = Shown({"color": color})
    if show:
        end(list_trusted)
    if remove:
        end(lambda: remove_trust(folder or ".", options))
    end(lambda: trust(folder or ".", options, any_version=any_version))
