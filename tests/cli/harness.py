"""Running the command: in this process for speed, in one of its own where start-up and streams matter."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from relax_lang._main import main

ROOT = Path(__file__).parents[2]


class Result(NamedTuple):
    status: int
    out: str
    err: str


class Relax:
    """`relax(...)` runs a command line in this process, `relax.process(...)` in a new one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch = monkeypatch
        self.capfd = capfd

    def __call__(self, *words: object, stdin: str | bytes = "") -> Result:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        self.capfd.readouterr()
        status = main([str(word) for word in words])
        sys.stdout.flush()
        sys.stderr.flush()
        return Result(status, *self.capfd.readouterr())

    def process(self, *words: object, stdin: str = "", env: dict[str, str] | None = None) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "relax_lang", *[str(word) for word in words]],
            input=stdin,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)


GOOD = """def @main(x: Tensor[(n, 4), float32]) -> Tensor[(n, 4), float32] {
  let y = add(x, x);
  y
}
"""
UGLY = "def @main( x:Tensor[(n,4),float32] ) { add( x,x ) }\n"
BAD = """def @main(x: Tensor[(n, 4), float32]) {
  add(x, y)
}
"""
BROKEN = """def @main(x: Tensor[(n, 4), float32]) {
  let y = add(x, x)
  y
}
"""
