"""`relax lsp`: the language server."""

from __future__ import annotations

from typing import Annotated

import typer

from .parameters import end


def lsp(
    tcp: Annotated[
        str | None,
        typer.Option("--tcp", metavar="127.0.0.1:PORT", help="Serve a socket of this machine instead."),
    ] = None,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Serve standard input and output, as without it.", hidden=True)
    ] = False,
) -> None:
    """Run the language server on standard input and output."""
    from ..lsp import serve

    end(lambda: serve(tcp))
