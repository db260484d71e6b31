"""The language server as an editor feels it: `python benchmarks/editors/editor.py`.

A client over pipes, everything in one run.

Prints ratios, which hold on any machine; milliseconds are beside them for this one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks" / "editors")]

EMPTY_SERVER = """
from pygls.lsp.server import LanguageServer
LanguageServer("empty", "1").start_io()
"""


class Client:
    """A server over pipes; answers are waited for one by one."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        self.number = 0
        self.versions: dict[str, int] = {}
        self.answers: dict[int, Any] = {}
        self.change = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            if not header.startswith(b"Content-Length"):
                continue
            length = int(header.split(b":")[1])
            while stream.readline().strip():
                pass
            message = json.loads(stream.read(length))
            with self.change:
                if message.get("method") == "textDocument/publishDiagnostics":
                    params = message["params"]
                    self.versions[params["uri"]] = params.get("version") or 0
                elif "method" not in message:
                    self.answers[message["id"]] = message.get("result")
                self.change.notify_all()

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = self.process.stdin
        assert stream is not None
        stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        stream.flush()

    def request(self, method: str, params: dict[str, Any]) -> tuple[Any, float]:
        """Send a request; return the answer and how long it took."""
        begin = time.perf_counter()
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        with self.change:
            self.change.wait_for(lambda: self.number in self.answers, 300)
            return self.answers.pop(self.number), time.perf_counter() - begin

    def initialize(self) -> float:
        """Return how long it took from now to the answer."""
        _, seconds = self.request(
            "initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {}}
        )
        self.send({"method": "initialized", "params": {}})
        return seconds

    def open(self, uri: str, text: str) -> None:
        """Open a document and wait for its diagnostics."""
        document = {"uri": uri, "languageId": "relax", "version": 1, "text": text}
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        self.wait(uri, 1)

    def edit(self, uri: str, version: int, line: int, column: int, length: int, text: str) -> None:
        """Change a part of a line."""
        place = {
            "start": {"line": line, "character": column},
            "end": {"line": line, "character": column + length},
        }
        params = {
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [{"range": place, "text": text}],
        }
        self.send({"method": "textDocument/didChange", "params": params})

    def wait(self, uri: str, version: int) -> None:
        """Wait for the diagnostics of a version."""
        with self.change:
            self.change.wait_for(lambda: self.versions.get(uri, 0) >= version, 300)

    def memory(self) -> float:
        """Return the resident memory in MiB."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text("ascii").splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        return 0.0

    def close(self) -> None:
        """End the server."""
        self.request("shutdown", {})
        self.send({"method": "exit"})
        self.process.wait(60)


def program(functions: int, bindings: int) -> str:
    """Return functions that call the one before, each with some bindings."""
    parts: list[str] = []
    for i in range(functions):
        lines = [f"def @f{i}(x: Tensor[(n, 4), float32]) {{", "  let v0 = exp(x);"]
        lines += [f"  let v{j} = multiply(v{j - 1}, x);" for j in range(1, bindings)]
        lines += [
            f"  let c = @f{i - 1}(v{bindings - 1});" if i else f"  let c = v{bindings - 1};",
            "  c",
            "}",
            "",
        ]
        parts += lines
    return "\n".join(parts)


def p(values: list[float], share: float) -> float:
    """Return a percentile."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def checked(text: str) -> float:
    """Return how long `api.check` takes, the median of three."""
    from relax_lang import api

    def once() -> float:
        begin = time.perf_counter()
        api.check(text)
        return time.perf_counter() - begin

    return statistics.median(once() for _ in range(3))


def edits(
    client: Client, uri: str, text: str, count: int, version: int, seed: int = 0
) -> tuple[list[float], int]:
    """Change operators in bodies and back; return how long the diagnostics took, and the last version."""
    rng = random.Random(seed)
    lines = text.split("\n")
    places = [number for number, line in enumerate(lines) if "= multiply(" in line]
    seconds: list[float] = []
    for _ in range(count // 2):
        line = rng.choice(places)
        column = lines[line].index("multiply")
        for length, word in ((8, "subtract"), (8, "multiply")):
            version += 1
            begin = time.perf_counter()
            client.edit(uri, version, line, column, length, word)
            client.wait(uri, version)
            seconds.append(time.perf_counter() - begin)
    return seconds, version


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=200, help="edits of the program of many functions")
    parser.add_argument("--files", type=int, default=1000, help="small files that are checked around a save")
    parser.add_argument("--only", choices=["server", "files"], help="measure one half")
    options = parser.parse_args()
    if options.only != "files":
        _server(options.edits)
    if options.only != "server":
        import around_a_save

        around_a_save.rows(show, options.files)


def _server(count: int) -> None:
    relax = [sys.executable, "-m", "relax_lang", "lsp"]

    def started(command: list[str]) -> float:
        begin = time.perf_counter()
        client = Client(command)
        client.initialize()
        seconds = time.perf_counter() - begin
        client.close()
        return seconds

    empty = statistics.median(started([sys.executable, "-c", EMPTY_SERVER]) for _ in range(3))
    ours = statistics.median(started(relax) for _ in range(3))
    show("initialize, to a pygls server without features", ours / empty, 1.2, ours)

    many, one, alone = program(100, 50), program(1, 5_000), program(2, 50)
    whole, single, large = checked(many), checked(alone) / 2, checked(one)
    _many_functions(relax, many, whole, single, count)
    _one_function(relax, one, large)
    _after_a_change(relax, one)
    client = Client(relax)
    client.initialize()
    client.open("file:///many.rlx", many)
    first = client.memory()
    edits(client, "file:///many.rlx", many, 10 * count, 1)
    show(f"memory after {10 * count} edits, to the first analysis", client.memory() / first, 1.3, None)
    client.close()


def _many_functions(relax: list[str], many: str, whole: float, single: float, count: int) -> None:
    client = Client(relax)
    client.initialize()
    client.open("file:///many.rlx", many)
    seconds, _ = edits(client, "file:///many.rlx", many, count, 1)
    high = p(seconds, 0.95)
    show("edit in one of 100 functions, p95, to the whole file", high / whole, 0.05, high)
    show("the same, to a check of that function alone", high / single, 4, high)
    place = {"textDocument": {"uri": "file:///many.rlx"}, "position": {"line": 2, "character": 6}}
    nothing = [client.request("callHierarchy/outgoingCalls", {"item": _no_item()})[1] for _ in range(100)]
    base = p(nothing, 0.95)
    for name in ("hover", "definition", "signatureHelp", "completion"):
        times = [client.request(f"textDocument/{name}", place)[1] for _ in range(100)]
        goal = 3 if name == "completion" else 2
        show(f"{name}, p95, to an empty request", p(times, 0.95) / base, goal, p(times, 0.95))
    client.close()


def _one_function(relax: list[str], one: str, large: float) -> None:
    client = Client(relax)
    client.initialize()
    client.open("file:///one.rlx", one)
    seconds, _ = edits(client, "file:///one.rlx", one, 10, 1)
    middle = p(seconds, 0.5)
    show("edit in one function of 5,000 bindings, p50, to its check", middle / large, 0.25, middle)
    hints: list[float] = []
    client.open("file:///small.rlx", program(1, 60))
    for uri in ("file:///small.rlx", "file:///one.rlx"):
        screen = {"start": {"line": 2, "character": 0}, "end": {"line": 52, "character": 0}}
        ask = {"textDocument": {"uri": uri}, "range": screen}
        hints.append(p([client.request("textDocument/inlayHint", ask)[1] for _ in range(10)], 0.5))
    show("inlay hints of a screen, 5,000 bindings to 50", hints[1] / hints[0], 1.5, hints[1])
    client.close()


def _after_a_change(relax: list[str], one: str) -> None:
    """Ask while a change in a function of 5,000 bindings is being analysed."""
    uri = "file:///one.rlx"
    client = Client(relax)
    client.initialize()
    client.open(uri, one)
    lines = one.split("\n")
    column = lines[2_500].index("multiply")
    times: dict[str, list[float]] = {"empty": [], "hover": [], "definition": [], "signatureHelp": []}
    version = 1
    for turn in range(24):
        for name, seconds in times.items():
            version += 1
            word, length = ("subtract", 8) if version % 2 == 0 else ("multiply", 8)
            client.edit(uri, version, 2_500, column, length, word)
            if name == "empty":
                answer = client.request("callHierarchy/outgoingCalls", {"item": _no_item()})
            else:
                place = {"line": 100 + turn, "character": lines[100 + turn].index("(") + 2}
                answer = client.request(
                    f"textDocument/{name}", {"textDocument": {"uri": uri}, "position": place}
                )
                assert answer[0] is not None, name
            seconds.append(answer[1])
            client.wait(uri, version)
    base = p(times.pop("empty")[4:], 0.95)
    for name, seconds in times.items():
        shown = f"{name} during the analysis of a change, p95, to an empty request then"
        show(shown, p(seconds[4:], 0.95) / base, 2, p(seconds[4:], 0.95))
    client.close()


def _no_item() -> dict[str, Any]:
    nowhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    return {
        "name": "@f",
        "kind": 12,
        "uri": "file:///closed.rlx",
        "range": nowhere,
        "selectionRange": nowhere,
    }


def show(what: str, ratio: float, goal: float, seconds: float | None) -> None:
    """Print one line."""
    shown = "" if seconds is None else f"{seconds * 1000:9.1f} ms"
    print(f"{what:62} {ratio:7.3f}  (goal {goal}){shown}", flush=True)


if __name__ == "__main__":
    main()
