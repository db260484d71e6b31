"""`relax cache`: what is kept of earlier commands."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from .parameters import end


def cache(
    action: Annotated[
        Literal["info", "clear"],
        typer.Argument(help="info: where it is and how much is in it; clear: remove everything."),
    ] = "info",
) -> None:
    """Show or clear the cache of what was found in programs that have not changed since."""
    from .. import cache as kept

    end(kept.clear if action == "clear" else kept.info)
