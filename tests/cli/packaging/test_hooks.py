"""The hooks for pre-commit, run by pre-commit in a scratch repository, and `--force-exclude`, which they use."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.harness import Relax

ROOT = Path(__file__).parents[3]
CLEAN = "def @main(x: Tensor) {\n  x\n}\n"
BROKEN = "def @main(x: Tensor) {\n  y\n}\n"
SCRIPT = """from tvm.script import relax as R

@R.function
def main(x: R.Tensor((2,), "float32"), y: R.Tensor((3,), "float32")):
    return R.add(x, y)
"""


def hooks() -> dict[str, tuple[str, str]]:
    """Name to entry and to the line that chooses files, as the repository declares them."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    found: dict[str, tuple[str, str]] = {}
    for part in text.split("- id: ")[1:]:
        entry = re.search(r"entry: (.*)", part)
        chosen = re.search(r"(?:files|types): .*", part)
        assert entry is not None
        assert chosen is not None
        found[part.split("\n")[0]] = entry[1], chosen[0]
    return found


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, timeout=120)


@pytest.mark.skipif(
    find_spec("pre_commit") is None or shutil.which("git") is None,
    reason="pre-commit or git is not installed",
)
def test_pre_commit_runs_the_hooks(tmp_path: Path) -> None:
    lines = ["repos:", "- repo: local", "  hooks:"]
    for name, (entry, chosen) in hooks().items():
        command = entry.replace("relax", f"{sys.executable} -m relax_lang", 1)
        lines += [f"  - id: {name}", f"    name: {name}", f"    entry: {command}", "    language: system"]
        lines.append(f"    {chosen}")
    (tmp_path / ".pre-commit-config.yaml").write_text("\n".join(lines) + "\n")
    (tmp_path / "relax.toml").write_text('exclude = ["old.rlx"]\n')
    (tmp_path / "good.rlx").write_text(CLEAN)
    (tmp_path / "ugly.rlx").write_text(CLEAN.replace("  x", "x"))
    (tmp_path / "old.rlx").write_text(BROKEN)
    (tmp_path / "tool.py").write_text("x = 1\n")
    (tmp_path / "model.py").write_text(SCRIPT)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PRE_COMMIT_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    outcome = dict(re.findall(r"^([\w-]+)\.{3,}\s*(?:\([^)]*\))?(\w+)$", done.stdout, re.MULTILINE))
    assert outcome == {
        "relax-check": "Passed",
        "relax-check-tvmscript": "Failed",
        "relax-fmt": "Failed",
        "relax-test": "Passed",
    }, done.stdout + done.stderr
    assert "op-shape-mismatch" in done.stdout
    assert (tmp_path / "ugly.rlx").read_text() == CLEAN
    assert (tmp_path / "old.rlx").read_text() == BROKEN


@pytest.mark.parametrize("command", ["check", "fmt", "test"])
def test_files_that_are_named_are_left_out_by_force(relax: Relax, command: str, tmp_path: Path) -> None:
    (tmp_path / "relax.toml").write_text('exclude = ["by_settings.rlx", "folder/"]\n')
    (tmp_path / ".relaxignore").write_text("by_file.rlx\nignored/\n")
    named: list[str] = []
    for name in ("by_settings.rlx", "by_file.rlx", "folder/deep/one.rlx", "ignored/deep/two.rlx", "plain.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("def @main(\n")
        named.append(str(path))
    for path in named:
        assert relax(command, path).status != 0, path
        assert relax(command, path, "--force-exclude").status == 0, path
    bad = tmp_path / "bad.rlx"
    bad.write_text("def @main(\n")
    assert relax(command, *named, str(bad), "--force-exclude").status != 0


def test_git_ignores_leave_out_by_force(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("build/\n")
    path = tmp_path / "build" / "x.rlx"
    path.parent.mkdir()
    path.write_text(BROKEN)
    assert relax("check", str(path)).status == 1
    assert relax("check", str(path), "--force-exclude").status == 0
