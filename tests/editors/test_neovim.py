"""Neovim with its built-in client against the real server."""

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

pytestmark = pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")


def test_an_author_in_neovim(tmp_path: Path) -> None:
    path = tmp_path / "model.rlx"
    path.write_text(TEXT)
    (tmp_path / "model.relay").write_text("def @main() {\n  %x\n}\n")
    (tmp_path / "model.py").write_text(SCRIPT)
    done = subprocess.run(
        ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-S", str(ROOT / "tests/editors/neovim.lua")],
        capture_output=True,
        check=False,
        timeout=240,
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "RELAX_ROOT": str(ROOT),
            "RELAX_FILE": str(path),
            "RELAX_PYTHON": sys.executable,
            "HOME": str(tmp_path),
        },
    )
    found = json.loads(done.stdout)
    assert "failed" not in found, found
    assert found["others"] == {"model.relay": "RLX1054", "model.py": "RLX1003"}
    assert found["codes"] == ["RLX0201"]
    assert "y: Tensor[(3,), float32]" in found["hover"]
    assert "nn.relu" in found["labels"]
    assert found["hints"] == 1
    assert found["fixed"] == TEXT.replace("yy", "y")
    assert found["renamed"] == TEXT.replace("let y", "let sum").replace("yy", "sum")
    assert found["formatted"] == found["renamed"].replace("x,x", "x, x")
