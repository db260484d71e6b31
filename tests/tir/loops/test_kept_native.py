"""Machine code of numba in a later process: nothing is compiled, and values and failures are the same. [TIR.21]"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba")

ROOT = Path(__file__).parents[3]
PROGRAM = """prim_func @walk(X: Buffer[(n,), int64], Y: Buffer[(n,), int64], Z: Buffer[(n,), float32]) {
  alloc P: Buffer[(1,), int64];
  P[0] = 0;
  for i in 0..n {
    P[0] = (P[0] * 31 + X[i]) % 1009;
    if P[0] % 3 == 0 { Y[i] = i // (P[0] - 300); } else { Y[i] = P[0]; }
    Z[i] = exp(cast(P[0] % 5, float32));
  }
}
def @main(x: Tensor[(n,), int64]) {
  call_tir(@walk, (x,)) -> (Tensor[(n,), int64], Tensor[(n,), float32])
}
"""
CALLS = """
import sys
import numpy as np
from relax_lang import api
from relax_lang.base.source import SourceFile
from relax_lang.files.cache.kept_codes import CodeStore
from relax_lang.values import RunFailure

notes, get, put = [], CodeStore.get, CodeStore.put

def getting(self, key):
    found = get(self, key)
    notes.extend(["read"] * (key.startswith("numba") and found is not None))
    return found

def putting(self, key, value):
    notes.extend(["written"] * key.startswith("numba"))
    put(self, key, value)

CodeStore.get, CodeStore.put = getting, putting
path, engine = sys.argv[1:]
options = {"sequential": "numba", "keep_code": True} if engine == "compiled" else {}
session = api.start(SourceFile(open(path).read(), path), engine=engine, **options)
x = np.arange(400) % 7
for _ in range(2):
    y, z = session.call("main", [x])
    print(y.tolist(), np.round(z, 2).tolist())
x[0] = 300
x[1:] = 300 - 31 * 300
x %= 1009
try:
    session.call("main", [x])
except RunFailure as failure:
    print(failure.slug)
print(*notes, file=sys.stderr)
"""


def outcome(folder: Path, engine: str) -> tuple[str, str]:
    """Call the program in a process of its own; return what it printed, and what it read and wrote of machine code."""
    variable = "LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME"
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        variable: str(folder / "cache"),
        "RELAX_NO_CACHE": "",
    }
    done = subprocess.run(
        [sys.executable, "-c", CALLS, str(folder / "a.rlx"), engine],
        cwd=folder, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout, done.stderr.strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.rlx").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


def test_a_later_process_compiles_nothing(folder: Path) -> None:
    meant, _ = outcome(folder, "interpreter")
    assert "tir-division-by-zero" in meant
    assert outcome(folder, "compiled") == (meant, "written")
    assert outcome(folder, "compiled") == (meant, "read")


def test_damaged_machine_code_is_not_run(folder: Path) -> None:
    meant, _ = outcome(folder, "compiled")
    for path in (folder / "cache").rglob("*"):
        if path.is_file() and path.stat().st_size > 32:  # not the key
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(bytes(data))
    assert outcome(folder, "compiled") == (meant, "written")
