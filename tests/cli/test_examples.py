"""Every command has examples in its help, and each of them does what it says. [CLI]"""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

from cli.app import app
from cli.commands.examples import EXAMPLES
from tests.cli.harness import Relax

MODEL = """def @main(x: Tensor[(n, 2), float32], y: Tensor[(2,), float32]) -> Tensor[(n, 2), float32] {
  let z = x + y;
  nn.relu(z)
}
"""
OF_ROWS = "def @main(x: Tensor[(n, 2), float32]) -> Tensor[(n, 2), float32] {\n  x + x\n}\n"
WAITS = ("relax lsp",)
"""What serves until it is stopped has tests of its own."""
LINES = [line for examples in EXAMPLES.values() for line, _ in examples if line not in WAITS]


def test_every_command_has_examples() -> None:
    names = {one.name or getattr(one.callback, "__name__", "") for one in app.registered_commands}
    assert set(EXAMPLES) == names
    assert all(line.split()[:2] == ["relax", name] for name, lines in EXAMPLES.items() for line, _ in lines)


@pytest.mark.parametrize("line", LINES)
def test_examples_of_the_help_run(
    relax: Relax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setattr("webbrowser.open", lambda *_: True)
    for name in ("model", "before", "after", "tests/one"):
        path = tmp_path / f"{name}.rlx"
        path.parent.mkdir(exist_ok=True)
        path.write_text(OF_ROWS if " map " in line else MODEL)
    x = np.ones((3, 2), np.float32)
    np.save("x.npy", x)
    np.save("big.npy", np.ones((600, 2), np.float32))
    np.savez("inputs.npz", x=x, y=np.ones(2, np.float32))
    if "model.rlxe" in line or "model.txt" in line:
        assert relax("build", "model.rlx").status == 0
        assert relax("disasm", "model.rlxe", "-o", "model.txt").status == 0
    if "model.py" in line:
        assert relax("export", "model.rlx", "-o", "model.py").status == 0
    if "trust" in line:
        (tmp_path / "relax.toml").write_text('packed = ["packed.py"]\n')
        (tmp_path / "packed.py").write_text("")
    words = shlex.split(line.partition(" > ")[0])[1:]
    status, out, err = relax(*words)
    assert status == 0, out + err
    written = [one for at, one in enumerate(words) if words[at - 1] in ("-o", "--out")]
    assert all((tmp_path / name).exists() for name in written)
