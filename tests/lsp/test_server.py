"""The server as a process: opening to closing, requests that make no sense, settings, arrays, its parent's end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.lsp.client import Client, ServerError

URI = "file:///nowhere/model.rlx"
CLEAN = "def @main(x: Tensor[(n, 4), float32]) {\n  let y = add(x, x);\n  exp(y)\n}\n"
POSITION_REQUESTS = (
    "hover",
    "definition",
    "declaration",
    "typeDefinition",
    "documentHighlight",
    "completion",
    "signatureHelp",
    "prepareRename",
    "prepareCallHierarchy",
)
DOCUMENT_REQUESTS = (
    "documentSymbol",
    "foldingRange",
    "codeLens",
    "semanticTokens/full",
    "diagnostic",
    "formatting",
)


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client()
    yield made
    made.kill()


def replaced(line: int, start: int, end: int, text: str) -> dict[str, Any]:
    """A change of a part of one line."""
    return {
        "range": {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}},
        "text": text,
    }


def test_from_opening_to_closing(client: Client) -> None:
    client.open(URI, CLEAN)
    assert client.published(URI, 1) == []
    hover = client.at("hover", URI, 1, 6)
    assert "y: Tensor[(n, 4), float32]" in hover["contents"]["value"]
    client.change(URI, 2, replaced(2, 6, 7, "q"))
    (found,) = [one for one in client.published(URI, 2) if one["severity"] == 1]
    assert found["code"] == "RLX0201"
    assert found["range"]["start"] == {"line": 2, "character": 6}
    client.change(URI, 3, replaced(2, 6, 7, "y"), replaced(0, 0, 0, "# first\n"))
    assert client.published(URI, 3) == []
    client.notify("textDocument/didClose", textDocument={"uri": URI})
    assert client.close() == 0


def test_of_many_versions_the_last_one_counts(client: Client) -> None:
    body = "".join(f"  let v{i} = add(x, x);\n" for i in range(400))
    client.open(URI, f"def @main(x: Tensor) {{\n{body}  x\n}}\n")
    for version in range(2, 40):
        client.change(URI, version, replaced(0, 0, 0, f"# {version}\n"))
    client.published(URI, 39)
    seen = [
        note["params"]["version"]
        for note in client.notes
        if note["method"] == "textDocument/publishDiagnostics"
    ]
    assert seen == sorted(seen)
    assert len(seen) == len(set(seen))


def test_places_outside_and_documents_that_are_not_open(client: Client) -> None:
    client.open(URI, CLEAN)
    options = {"options": {"tabSize": 2, "insertSpaces": True}}
    for uri in (URI, "file:///nowhere/closed.rlx", "untitled:Untitled-1"):
        for line, character in ((0, 0), (0, 9999), (9999, 0), (9999, 9999)):
            for method in POSITION_REQUESTS:
                with suppress(ServerError) if method == "prepareRename" else nullcontext():
                    client.at(method, uri, line, character)
        for method in DOCUMENT_REQUESTS:
            client.request(f"textDocument/{method}", textDocument={"uri": uri}, **options)
    with pytest.raises(ServerError):
        client.request("textDocument/nonsense")
    with pytest.raises(ServerError):
        client.request("textDocument/hover", textDocument=3)
    assert client.at("hover", URI, 1, 6)


def test_requests_out_of_order_and_cancelled(client: Client) -> None:
    client.open(URI, CLEAN)
    numbers: list[int] = []
    for version in range(2, 22):
        client.change(URI, version, replaced(0, 0, 0, " "))
        numbers.append(
            client.send("textDocument/hover", textDocument={"uri": URI}, position={"line": 1, "character": 6})
        )
        if version % 2:
            client.notify("$/cancelRequest", id=numbers[-1])
    for number in reversed(numbers):
        answer = client.outcome(number)
        assert "cancel" in str(answer).lower() if "error" in answer else answer["result"]
    client.notify("textDocument/didClose", textDocument={"uri": URI})
    assert client.at("hover", URI, 1, 6) is None


def test_a_document_that_was_never_saved(client: Client) -> None:
    client.open("untitled:Untitled-1", CLEAN)
    assert client.published("untitled:Untitled-1", 1) == []


def test_a_file_that_is_deleted_while_open(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "model.rlx"
    path.write_text(CLEAN)
    client.open(path.as_uri(), CLEAN)
    client.published(path.as_uri(), 1)
    path.unlink()
    client.notify("workspace/didChangeWatchedFiles", changes=[{"uri": path.as_uri(), "type": 3}])
    client.change(path.as_uri(), 2, replaced(2, 6, 7, "q"))
    assert client.published(path.as_uri(), 2)


def test_settings_are_read_again_when_they_change(client: Client, tmp_path: Path) -> None:
    uri = (tmp_path / "model.rlx").as_uri()
    text = "def @main(x: Tensor) {\n  let y = exp(x);\n  x\n}\n"
    client.open(uri, text)
    (found,) = client.published(uri, 1)
    assert (found["severity"], found["tags"]) == (4, [1])
    (tmp_path / "relax.toml").write_text(
        'extend-select = ["unused-binding"]\n[severity]\nunused-binding = "error"\n'
    )
    client.notes.clear()
    changed = {"uri": (tmp_path / "relax.toml").as_uri(), "type": 1}
    client.notify("workspace/didChangeWatchedFiles", changes=[changed])
    (found,) = client.published(uri, 1)
    assert found["severity"] == 1


def test_arrays_in_files_are_watched(client: Client, tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.zeros((2, 3), np.float32))
    uri = (tmp_path / "model.rlx").as_uri()
    client.open(uri, 'def @main() -> Tensor[(2, 3), float32] {\n  const(file("w.npy"))\n}\n')
    assert client.published(uri, 1) == []
    np.save(tmp_path / "w.npy", np.zeros((5, 3), np.float32))
    client.notes.clear()
    changed = {"uri": (tmp_path / "w.npy").as_uri(), "type": 2}
    client.notify("workspace/didChangeWatchedFiles", changes=[changed])
    (found,) = client.published(uri, 1)
    assert found["code"].startswith("RLX03")
    client.change(uri, 2, replaced(1, 14, 15, "v"))
    (found,) = [one for one in client.published(uri, 2) if one["code"] == "RLX0021"]


def test_several_folders(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.rlx").write_text(CLEAN.replace("@main", f"@{name}").replace("exp(y)", "z"))
    client = Client(tmp_path / "one")
    try:
        added = {"uri": (tmp_path / "two").as_uri(), "name": "two"}
        client.notify("workspace/didChangeWorkspaceFolders", event={"added": [added], "removed": []})
        found = client.request("workspace/symbol", query="")
        assert {one["name"] for one in found} == {"@one", "@two"}
        reports = client.request("workspace/diagnostic", previousResultIds=[])["items"]
        assert [len([d for d in one["items"] if d["severity"] == 1]) for one in reports] == [1, 1]
    finally:
        client.kill()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_the_encoding_that_the_client_asks_for(encoding: str) -> None:
    client = Client(capabilities={"general": {"positionEncodings": [encoding]}})
    try:
        assert client.info["capabilities"]["positionEncoding"] == encoding
        client.open(URI, "def @main(x: Tensor) {\n  let `\U0001d11ee\u0301` = x; y\n}\n")
        (found,) = [one for one in client.published(URI, 1) if one["severity"] == 1]
        column = len(
            "  let `\U0001d11ee\u0301` = x; ".encode(encoding + ("" if encoding == "utf-8" else "-le"))
        )
        width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
        assert found["range"]["start"]["character"] == column // width
    finally:
        client.kill()


def test_an_internal_error_is_answered_and_the_next_request_works(tmp_path: Path) -> None:
    script = tmp_path / "broken_server.py"
    script.write_text(
        "import tempfile\n"
        f"tempfile.tempdir = {str(tmp_path)!r}\n"
        "from relax_lang.lsp import start\n"
        "from relax_lang.lsp.features import hovering\n"
        "before = hovering.hover_at\n"
        "def fail(server, made, offset):\n"
        "    print('loose words on standard output')\n"
        "    if offset < 3:\n"
        "        raise ValueError('a bug')\n"
        "    return before(server, made, offset)\n"
        "hovering.hover_at = fail\n"
        "start.serve()\n"
    )
    client = Client(command=[sys.executable, str(script)])
    try:
        client.open(URI, CLEAN)
        with pytest.raises(ServerError, match="a bug"):
            client.at("hover", URI, 0, 0)
        assert client.at("hover", URI, 1, 6)
        (report,) = tmp_path.glob("relax-lsp-*.txt")
        assert "a bug" in report.read_text()
    finally:
        client.kill()


def test_two_clients_one_after_the_other_leave_no_process() -> None:
    for _ in range(2):
        client = Client()
        client.open(URI, CLEAN)
        client.published(URI, 1)
        assert client.close() == 0
        assert client.process.poll() == 0


def test_a_client_that_leaves_without_a_word(client: Client) -> None:
    client.open(URI, CLEAN)
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert client.process.wait(60) == 1


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_the_server_ends_when_its_parent_does(tmp_path: Path) -> None:
    # The parent starts a server whose pipes others keep open, and is killed.
    script = tmp_path / "parent.py"
    script.write_text(
        "import json, os, subprocess, sys, time\n"
        "server = subprocess.Popen([sys.executable, '-m', 'relax_lang', 'lsp'], stdin=subprocess.PIPE)\n"
        "body = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'initialize',\n"
        "    'params': {'processId': os.getpid(), 'capabilities': {}, 'rootUri': None}}).encode()\n"
        "server.stdin.write(b'Content-Length: %d\\r\\n\\r\\n%s' % (len(body), body))\n"
        "server.stdin.flush()\n"
        "keeper = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)'], stdin=server.stdin)\n"
        "print(server.pid, keeper.pid, file=sys.stderr, flush=True)\n"
        "time.sleep(100)\n"
    )
    root = str(Path(__file__).parents[2])
    # The answer shows that the server knows its parent; the process ids come another way.
    answers = tmp_path / "answers"
    with answers.open("wb") as out:
        parent = subprocess.Popen(
            [sys.executable, str(script)],
            stdout=out,
            stderr=subprocess.PIPE,
            cwd=root,
            env={**os.environ, "PYTHONPATH": root},
        )
    with parent:
        assert parent.stderr is not None
        pids = [int(word) for word in parent.stderr.readline().split()]
        for _ in range(600):
            if b"capabilities" in answers.read_bytes():
                break
            time.sleep(0.1)
        assert b"capabilities" in answers.read_bytes()
        parent.kill()
    try:
        for _ in range(600):
            if not _is_running(pids[0]):
                break
            time.sleep(0.1)
        assert not _is_running(pids[0])
    finally:
        for pid in pids:
            if _is_running(pid):
                os.kill(pid, signal.SIGKILL)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_a_socket_of_this_machine() -> None:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    root = str(Path(__file__).parents[2])
    server = subprocess.Popen(
        [sys.executable, "-m", "relax_lang", "lsp", "--tcp", f"127.0.0.1:{port}"],
        env={**os.environ, "PYTHONPATH": root},
    )
    try:
        for _ in range(600):
            try:
                connection = socket.create_connection(("127.0.0.1", port), 60)
                break
            except OSError:
                time.sleep(0.1)
        else:
            raise AssertionError("nothing listens")
        with connection:
            body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"processId":null}}'
            connection.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            assert connection.recv(14) == b"Content-Length"
    finally:
        server.kill()
        server.wait()


def test_diagnostics_link_to_a_page_that_explains_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("RELAX_NO_CACHE", raising=False)
    wrong = CLEAN.replace("exp(y)", "exp(z)")
    linked = Client(capabilities={"textDocument": {"publishDiagnostics": {"codeDescriptionSupport": True}}})
    linked.open(URI, wrong)
    found = linked.published(URI, 1)[0]
    page = Path(found["codeDescription"]["href"].removeprefix("file://"))
    linked.kill()
    assert page.is_relative_to(tmp_path)
    assert page.name == "RLX0201.md"
    assert page.read_text().startswith("## undefined-variable\n")
    monkeypatch.setenv("RELAX_NO_CACHE", "1")
    for capabilities in (
        {"textDocument": {"publishDiagnostics": {"codeDescriptionSupport": True}}},
        {},
    ):
        other = Client(capabilities=capabilities)
        other.open(URI, wrong)
        assert "codeDescription" not in other.published(URI, 1)[0]
        other.kill()
