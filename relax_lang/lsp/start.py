"""Making a server and running it: over standard input and output, or a socket of this machine."""

from __future__ import annotations

import gc
import logging
import os
import sys

from lsprotocol import types

from relax_lang.base.python.gc_pause import no_collection
from relax_lang.lsp.features import (
    actions,
    commands,
    completing,
    diagnostics,
    formatting,
    hints,
    hovering,
    navigating,
    structure,
    tokens,
)
from relax_lang.lsp.server import RelaxServer, path_of

SWITCH_INTERVAL = 0.001
"""Seconds between two looks of the analysis at whether a request waits."""

COLLECTIONS = (20_000, 10, 10)
"""When the collector looks for garbage: in small steps, none of which an answer would have to wait for long."""

WATCHED = ("**/relax.toml", "**/pyproject.toml", "**/*.npy", "**/*.npz", "**/*.safetensors", "**/*.rlx")


def make_server() -> RelaxServer:
    """Return a server with all its features."""
    server = RelaxServer()
    _register_session(server)
    _register_documents(server)
    for family in (
        diagnostics, actions, hovering, navigating, completing, hints, structure, tokens, formatting, commands,
    ):  # fmt: skip
        family.register(server)
    return server


def _register_session(server: RelaxServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(ls: RelaxServer, params: types.InitializeParams) -> None:
        ls.take_capabilities(params.capabilities)
        if params.process_id is not None:
            from relax_lang.lsp.parent import end_with

            end_with(params.process_id)

    @server.feature(types.INITIALIZED)
    async def initialized(ls: RelaxServer, _params: types.InitializedParams) -> None:
        if ls.can_watch:
            watchers = [types.FileSystemWatcher(pattern) for pattern in WATCHED]
            registration = types.Registration(
                "watch",
                types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                types.DidChangeWatchedFilesRegistrationOptions(watchers),
            )
            await ls.client_register_capability_async(types.RegistrationParams([registration]))

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: RelaxServer, _params: None) -> None:
        ls.was_shut_down = True


def _register_documents(server: RelaxServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def did_open(ls: RelaxServer, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        ls.opened(document.uri, document.text, document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(ls: RelaxServer, params: types.DidChangeTextDocumentParams) -> None:
        ls.changed(params.text_document.uri, list(params.content_changes), params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def did_close(ls: RelaxServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.closed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def did_save(ls: RelaxServer, _params: types.DidSaveTextDocumentParams) -> None:
        """Nothing depends on what is on disk but settings and arrays, which are watched."""

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def watched(ls: RelaxServer, params: types.DidChangeWatchedFilesParams) -> None:
        if any(not path_of(change.uri).endswith(".rlx") for change in params.changes):
            ls.settings_changed()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(ls: RelaxServer, _params: types.DidChangeConfigurationParams) -> None:
        ls.settings_changed()


def serve(tcp: str | None = None) -> int:
    """Serve one client and return the exit status. `tcp` is `127.0.0.1:PORT`, for tools that need a socket.

    Raises ValueError for any other address.
    """
    port = None if tcp is None else port_of(tcp)
    sys.setswitchinterval(SWITCH_INTERVAL)
    logging.basicConfig(level=logging.CRITICAL, stream=sys.stderr)
    with no_collection():
        server = make_server()
    gc.freeze()  # what is there stays to the end: no collection need look at it
    gc.set_threshold(*COLLECTIONS)
    if port is not None:
        server.start_tcp("127.0.0.1", port)
        return 0
    # Messages have a descriptor of their own: what code prints by mistake, also in C, goes to standard error.
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        server.start_io(stdout=out)
    return 0 if server.was_shut_down else 1


def port_of(address: str) -> int:
    """Return the port of `127.0.0.1:PORT`. Raises ValueError for anything else."""
    host, _, port = address.rpartition(":")
    if host != "127.0.0.1" or not port.isdigit() or not 0 < int(port) < 65_536:
        raise ValueError(f"`{address}` is not 127.0.0.1:PORT")
    return int(port)
