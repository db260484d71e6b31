"""Commands that lenses and actions name: run a function, draw its graph, explain a rule."""

from __future__ import annotations

import asyncio
import os

from lsprotocol import types

from relax_lang.base.source import SourceFile
from relax_lang.lsp.server import RelaxServer, path_of

SECONDS = 60
"""So long a program may run."""


def register(server: RelaxServer) -> None:
    """Add the commands."""

    @server.command("relax.explain")
    def explain(ls: RelaxServer, word: str) -> str | None:
        """Return what a rule means, as Markdown."""
        from relax_lang import api

        return api.explain(word)

    @server.command("relax.run")
    async def run(ls: RelaxServer, uri: str, entry: str) -> str:
        """Run a function without parameters, in a process of its own; return what it prints."""
        import sys

        document = ls.relax_document(uri)
        if document is None:
            return "the program is not open"
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "relax_lang", "run", "-", "--entry", entry, "--stdin-filename", path_of(uri),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        try:
            output, _ = await asyncio.wait_for(process.communicate(document.text.encode()), SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()
            return f"stopped after {SECONDS} seconds"
        text = output.decode(errors="replace")
        ls.window_log_message(types.LogMessageParams(types.MessageType.Info, text))
        return text

    @server.command("relax.graph")
    def graph(ls: RelaxServer, uri: str, entry: str) -> str | None:
        """Write the graph of a program as SVG; return the path of the file."""
        import tempfile

        from relax_lang import api
        from relax_lang.graph.svg import svg

        document = ls.relax_document(uri)
        if document is None:
            return None
        try:
            drawn = svg(api.graph(SourceFile(document.text, path_of(uri))))
        except api.RelaxError as error:
            ls.window_show_message(
                types.ShowMessageParams(types.MessageType.Error, str(error).split("\n", 1)[0])
            )
            return None
        handle, path = tempfile.mkstemp(prefix=f"relax-{entry}-", suffix=".svg")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(drawn)
        return path
