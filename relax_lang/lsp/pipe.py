"""Standard input without threads: a message that is there already is read at once.

The reader of pygls asks a pool of threads for every line. Each time it waits for the analysis to let go of the
interpreter, three times for one message.
"""

from __future__ import annotations

import asyncio
import os
import stat
from contextlib import suppress

from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Event
    from typing import BinaryIO

    from pygls.io_ import AsyncReader
    from pygls.lsp.server import LanguageServer

MOST_UNREAD = 1 << 20
"""Bytes that are read ahead of the message that is being handled."""


class PipeReader:
    """Reads messages from a pipe, socket or terminal by the event loop."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream

    async def readline(self) -> bytes:
        """Return the next line with its end; empty at the end of the input, or if a line is not a header."""
        try:
            return await self._stream.readline()
        except ValueError:  # longer than any header
            return b"\n"

    async def readexactly(self, n: int) -> bytes:
        """Return `n` bytes; empty if the input ends before."""
        await asyncio.sleep(0)  # what handles the message before begins first: messages have an order
        try:
            return await self._stream.readexactly(n)
        except asyncio.IncompleteReadError:
            return b""


def _can_wait(stdin: int, stdout: int) -> bool:
    """Return whether an event loop can wait for a descriptor, which then does not block; nor would what shares it."""
    if os.name != "posix":
        return False
    read, written = os.fstat(stdin), os.fstat(stdout)
    is_pipe = stat.S_ISFIFO(read.st_mode) or stat.S_ISSOCK(read.st_mode)
    return is_pipe and (read.st_dev, read.st_ino) != (written.st_dev, written.st_ino)


async def _reader(server: LanguageServer, stdin: BinaryIO, stdout: BinaryIO) -> AsyncReader:
    if not _can_wait(stdin.fileno(), stdout.fileno()):
        return StdinAsyncReader(stdin, server.thread_pool)
    stream = asyncio.StreamReader(MOST_UNREAD)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), stdin)
    return PipeReader(stream)


async def serve_messages(server: LanguageServer, stop: Event, stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Handle the messages of one client until it leaves."""
    server.protocol.set_writer(StdoutWriter(stdout))
    reader = await _reader(server, stdin, stdout)
    with suppress(BrokenPipeError):  # the client is gone
        await run_async(stop, reader, server.protocol, error_handler=server.report_server_error)
