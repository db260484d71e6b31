"""A browser for tests of pages: headless Chromium, and a server on loopback that pages report to.

No driver is needed: the pages under test and the page that looks at them have one origin.
"""

from __future__ import annotations

import contextlib
import json
import queue
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LIMIT = 600
"""Seconds that a page may take to report: about sixty times what it takes."""


class _Handler(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, Site)
        page = server.extra.get(self.path.partition("?")[0])
        if page is None:
            super().do_GET()
            return
        body = page.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Site)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        server.reports.put(json.loads(body))

    def log_message(self, *args: Any) -> None:
        """Print nothing."""


class Site(ThreadingHTTPServer):
    """Serves a folder on loopback, `extra` pages by path, and collects what pages post to it."""

    def __init__(self, folder: Path, extra: dict[str, str]) -> None:
        self.extra = extra
        self.reports: queue.Queue[Any] = queue.Queue()
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))

    @property
    def address(self) -> str:
        """Return the address of the folder."""
        return f"http://127.0.0.1:{self.server_port}"


@contextlib.contextmanager
def served(folder: Path, extra: dict[str, str]) -> Iterator[Site]:
    """Serve a folder while the context lasts."""
    site = Site(folder, extra)
    thread = threading.Thread(target=site.serve_forever, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.shutdown()
        site.server_close()
        thread.join()


def chromium() -> str:
    """Return the browser's program; skip the test where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium on this machine")
    return found


@contextlib.contextmanager
def opened(url: str, profile: Path, width: int = 1280) -> Iterator[subprocess.Popen[bytes]]:
    """Open a page in a headless browser with a fresh profile, while the context lasts."""
    command = [
        chromium(),
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
    ]
    command += ["--disable-background-networking", "--disable-component-update", f"--user-data-dir={profile}"]
    command += [f"--window-size={width},900", "--remote-debugging-port=0", url]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
