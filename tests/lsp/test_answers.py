"""How the server comes to its answers: what it need not wait for, what it keeps, and where messages come from."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from relax_lang.lsp.start import make_server

ROOT = Path(__file__).parents[2]
URI = "file:///nowhere/model.rlx"
TEXT = "def @main(x: Tensor[(n, 4), float32]) {\n  let y = add(x, x);\n  let z = exp(y);\n  z\n}\n"


class _Writer:
    """Keeps what a server says."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def write(self, data: bytes) -> None:
        self.messages.append(json.loads(data.split(b"\r\n\r\n", 1)[1]))

    def close(self) -> None:
        pass


class _Session:
    """A server in this process whose documents are analysed when the test says so."""

    def __init__(self) -> None:
        self.server = make_server()
        self.server.analyser.request = lambda path: None
        self.writer = _Writer()
        self.server.protocol.set_writer(self.writer)

    def feed(self, **message: Any) -> None:
        protocol = self.server.protocol
        text = json.dumps({"jsonrpc": "2.0", **message})
        protocol.handle_message(json.loads(text, object_hook=protocol.structure_message))

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        before = len(self.writer.messages)
        self.feed(id=before + 1, method=method, params=params)
        for _ in range(100):
            await asyncio.sleep(0)
            for one in self.writer.messages[before:]:
                if one.get("id") == before + 1:
                    return one["result"]
        raise AssertionError(f"{method} waits")

    async def open(self) -> None:
        await self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        document = {"uri": URI, "languageId": "relax", "version": 1, "text": TEXT}
        self.feed(method="textDocument/didOpen", params={"textDocument": document})
        await asyncio.sleep(0)
        self.server.programs.check(URI)


def test_names_elsewhere_are_found_while_a_change_is_analysed() -> None:
    async def run() -> None:
        session = _Session()
        await session.open()
        change = {
            "range": {"start": {"line": 1, "character": 10}, "end": {"line": 1, "character": 13}},
            "text": "multiply",
        }
        document = {"uri": URI, "version": 2}
        session.feed(
            method="textDocument/didChange", params={"textDocument": document, "contentChanges": [change]}
        )
        place = {"textDocument": {"uri": URI}, "position": {"line": 3, "character": 3}}
        for method in ("definition", "declaration"):
            found = await session.request(f"textDocument/{method}", place)
            assert found["range"]["start"] == {"line": 2, "character": 6}
        hover = await session.request("textDocument/hover", place)
        assert "z: Tensor[(n, 4), float32]" in hover["contents"]["value"]
        found = await session.request("textDocument/completion", place)
        assert [one["label"] for one in found["items"]][:1] == ["z"]

    asyncio.run(run())


def test_a_text_is_kept_once() -> None:
    async def run() -> None:
        session = _Session()
        await session.open()
        assert not session.server.workspace.text_documents
        session.feed(method="textDocument/didClose", params={"textDocument": {"uri": URI}})
        await asyncio.sleep(0)
        assert session.server.programs.document(URI) is None

    asyncio.run(run())


def _session_bytes() -> bytes:
    messages = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **one}).encode() for one in messages]
    return b"".join([b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies])


def test_messages_may_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "session"
    path.write_bytes(_session_bytes())
    command = [sys.executable, "-m", "relax_lang", "lsp", "--stdio"]
    with path.open("rb") as stdin:
        done = subprocess.run(command, stdin=stdin, capture_output=True, cwd=ROOT, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert b'"id": 1' in done.stdout
    assert b'"id": 2' in done.stdout


def test_messages_may_end_in_the_middle() -> None:
    command = [sys.executable, "-m", "relax_lang", "lsp"]
    given = _session_bytes()[:-20]  # in the middle of `exit`, after `shutdown`
    done = subprocess.run(command, input=given, capture_output=True, cwd=ROOT, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
