"""A client that speaks the protocol over pipes with a server of its own, one message after the other."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

SECONDS = 60
"""How long a test waits before it takes the server for dead."""


class ServerError(Exception):
    """What a request was answered with instead of a result."""


class Client:
    """A server process, and what it has sent."""

    def __init__(
        self,
        root: Path | None = None,
        capabilities: dict[str, Any] | None = None,
        command: list[str] | None = None,
    ) -> None:
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        self.process = subprocess.Popen(
            command or [sys.executable, "-m", "relax_lang", "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        self.notes: list[dict[str, Any]] = []
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._answers: dict[int, dict[str, Any]] = {}
        self._next = 0
        threading.Thread(target=self._read, daemon=True).start()
        folders = None if root is None else [{"uri": root.as_uri(), "name": root.name}]
        self.info = self.request(
            "initialize",
            processId=os.getpid(),
            rootUri=None,
            capabilities=capabilities or {},
            workspaceFolders=folders,
        )
        self.notify("initialized")

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            length = 0
            while line := stream.readline().strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                self._messages.put(None)
                return
            self._messages.put(json.loads(stream.read(length)))

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = self.process.stdin
        assert stream is not None
        stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        stream.flush()

    def notify(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def send(self, method: str, **params: Any) -> int:
        """Send a request; return its number."""
        self._next += 1
        self._send({"id": self._next, "method": method, "params": params})
        return self._next

    def outcome(self, number: int) -> dict[str, Any]:
        """Wait for the answer to a request, whatever it is."""
        while number not in self._answers:
            self._take()
        return self._answers.pop(number)

    def answer(self, number: int) -> Any:
        """Wait for the answer to a request. Raises ServerError if it is an error."""
        answer = self.outcome(number)
        if "error" in answer:
            raise ServerError(answer["error"])
        return answer["result"]

    def request(self, method: str, **params: Any) -> Any:
        """Send a request and wait for its answer."""
        return self.answer(self.send(method, **params))

    def _take(self) -> None:
        message = self._messages.get(timeout=SECONDS)
        if message is None:
            error = self.process.stderr.read().decode() if self.process.stderr else ""
            raise AssertionError(f"the server has ended: {error}")
        if "method" in message and "id" in message:
            self._send({"id": message["id"], "result": None})
        elif "method" in message:
            self.notes.append(message)
        else:
            self._answers[message["id"]] = message

    def open(self, uri: str, text: str, version: int = 1) -> None:
        """Open a document."""
        document = {"uri": uri, "languageId": "relax", "version": version, "text": text}
        self.notify("textDocument/didOpen", textDocument=document)

    def change(self, uri: str, version: int, *changes: dict[str, Any]) -> None:
        """Change a document."""
        self.notify(
            "textDocument/didChange",
            textDocument={"uri": uri, "version": version},
            contentChanges=list(changes),
        )

    def published(self, uri: str, version: int) -> list[dict[str, Any]]:
        """Wait for the diagnostics of a version."""
        while True:
            for note in self.notes:
                params = note.get("params") or {}
                if (
                    note["method"] == "textDocument/publishDiagnostics"
                    and params["uri"] == uri
                    and params.get("version") == version
                ):
                    return params["diagnostics"]
            self._take()

    def at(self, method: str, uri: str, line: int, character: int, **more: Any) -> Any:
        """Ask about a place."""
        return self.request(
            f"textDocument/{method}",
            textDocument={"uri": uri},
            position={"line": line, "character": character},
            **more,
        )

    def close(self) -> int:
        """End the server as the protocol says; return its exit status."""
        self.request("shutdown")
        self.notify("exit")
        status = self.process.wait(SECONDS)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        return status

    def kill(self) -> None:
        """End the server whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    """Return a text after some edits of the protocol, whose columns are counted in UTF-16."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def offset(place: dict[str, int]) -> int:
        before = lines[place["line"]].encode("utf-16-le")[: 2 * place["character"]]
        return min(starts[place["line"]] + len(before.decode("utf-16-le")), len(text))

    for edit in sorted(edits, key=lambda one: offset(one["range"]["start"]), reverse=True):
        begin, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:begin] + edit["newText"] + text[end:]
    return text
