"""Planned calls of PrimFuncs in a later process: it compiles nothing, and loads nothing that compiles. [O.4]"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """prim_func @turn(X: Buffer[(n, m), float32], Y: Buffer[(m, n), float32]) {
  for i, j in grid(m, n) { Y[i, j] = X[j, i]; }
}
prim_func @half(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { Y[i, j] = sigmoid(X[i, j]) * 0.5; }
}
def @main(x: Tensor[(200, 300), float32]) -> Tensor[(300, 200), float32] {
  let a = call_tir(@half, (x,)) -> Tensor[(200, 300), float32];
  let b = call_tir(@half, (a,)) -> Tensor[(200, 300), float32];
  call_tir(@turn, (b,)) -> Tensor[(300, 200), float32]
}
"""
CALLS = """
import sys
import numpy as np
from relax_lang import api
from relax_lang.base.source import SourceFile
path = sys.argv[1]
session = api.start(SourceFile(open(path).read(), path), keep_code=True)
x = np.linspace(-9, 9, 60_000, dtype=np.float32).reshape(200, 300)
wanted = 0.5 / (1 + np.exp(-0.5 / (1 + np.exp(-x)))).T
for _ in range(3):
    np.testing.assert_allclose(session.call("main", [x]), wanted, rtol=1e-5)
compiler = ("tir.vectorize", "tir.codegen.calls.planned_calls", "tir.analysis.references.collect_references")
names = (*compiler, "format.printer")
print([name for name in names if f"relax_lang.{name}" in sys.modules])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the program, and with a checkout of which no module was written just now."""
    for name in ("relax_lang", "cli", "std", "grammar"):
        shutil.copytree(
            ROOT / name, tmp_path / "own" / name, ignore=shutil.ignore_patterns("__pycache__", "*.pack")
        )
    for path in (tmp_path / "own").rglob("*.py"):
        os.utime(path, (1e9, 1e9))
    (tmp_path / "a.rlx").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


def loaded(folder: Path) -> str:
    """Call the program several times in a process of its own; return what it loaded of the compiler."""
    variable = "LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME"
    environment = os.environ | {
        "PYTHONPATH": str(folder / "own"),
        variable: str(folder / "cache"),
        "RELAX_NO_CACHE": "",
    }
    done = subprocess.run(
        [sys.executable, "-c", CALLS, str(folder / "a.rlx")],
        cwd=folder, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip()


def test_a_later_process_plans_from_the_cache(folder: Path) -> None:
    first = loaded(folder)
    assert "tir.vectorize" in first
    assert "tir.codegen.calls.planned_calls" in first
    assert loaded(folder) == "[]"


def test_a_damaged_plan_is_made_anew(folder: Path) -> None:
    first = loaded(folder)
    for path in (folder / "cache").rglob("*"):
        if path.is_file() and path.stat().st_size > 32:  # not the key
            data = bytearray(path.read_bytes())
            data[-1] ^= 1
            path.write_bytes(bytes(data))
    assert loaded(folder) == first
    assert loaded(folder) == "[]"
