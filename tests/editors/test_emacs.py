"""Emacs with Eglot against the real server."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = "def @main(x: Tensor[(3,), float32]) {\n  let y = add(x,x);\n  nn.relu(yy)\n}\n"
SCRIPT = """from tvm.script import relax as R

@R.function
def main(x: R.Tensor((2,), "float32")):
    y = R.add(x, missing)
    return y
"""


def has_eglot() -> bool:
    if shutil.which("emacs") is None:
        return False
    words = ["emacs", "--batch", "--eval", "(progn (require 'package) (package-initialize) (require 'eglot))"]
    return subprocess.run(words, capture_output=True, check=False, timeout=120).returncode == 0


@pytest.mark.skipif(not has_eglot(), reason="Emacs or its package eglot is not installed")
def test_an_author_in_emacs(tmp_path: Path) -> None:
    path = tmp_path / "model.rlx"
    path.write_text(TEXT)
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        ["emacs", "--batch", "-l", str(ROOT / "tests/editors/emacs.el")],
        capture_output=True,
        check=False,
        timeout=240,
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "RELAX_ROOT": str(ROOT),
            "RELAX_FILE": str(path),
            "RELAX_SCRIPT": str(script),
            "RELAX_PYTHON": sys.executable,
            "HOME": str(tmp_path),
        },
    )
    out = done.stdout.decode()
    assert "<<<" in out, done.stderr.decode()
    found = json.loads(out.split("<<<")[1].split(">>>")[0])
    assert found["mode"] == "relax-mode"
    assert "`yy` is not defined" in found["finding"]
    assert "y: Tensor[(3,), float32]" in found["hover"]
    assert "missing" in found["script"]
    assert found["completions"] > 20
    assert found["renamed"] == TEXT.replace("let y", "let sum")
    assert found["formatted"] == TEXT.replace("let y", "let sum").replace("yy", "sum").replace("x,x", "x, x")
