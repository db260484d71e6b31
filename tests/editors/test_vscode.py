"""The extension for Visual Studio Code: its parts fit together, and its client's library talks to the real server."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "editors" / "vscode"


def test_what_the_manifest_names_is_there() -> None:
    manifest = json.loads((FOLDER / "package.json").read_text("utf-8"))
    given = manifest["contributes"]
    paths = [manifest["main"], *[one["configuration"] for one in given["languages"]]]
    paths += [one["path"] for one in [*given["grammars"], *given["snippets"]]]
    for path in paths:
        assert (FOLDER / path).is_file()
    for path in FOLDER.glob("*.json"):
        json.loads(path.read_text("utf-8"))


def test_the_problem_matcher_reads_what_the_check_prints(tmp_path: Path) -> None:
    manifest = json.loads((FOLDER / "package.json").read_text("utf-8"))
    pattern = manifest["contributes"]["problemMatchers"][0]["pattern"]
    path = tmp_path / "model.rlx"
    path.write_text("def @main() {\n  y\n}\n")
    words = [sys.executable, "-m", "relax_lang", "check", str(path), "--output-format", "concise"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT, timeout=120)
    match = re.match(pattern["regexp"], done.stdout.splitlines()[0])
    assert match is not None, done.stdout
    assert match[pattern["code"]] == "RLX0201"
    assert (match[pattern["line"]], match[pattern["column"]]) == ("2", "3")


@pytest.mark.skipif(
    shutil.which("node") is None or not (FOLDER / "node_modules").is_dir(),
    reason="Node, or what `npm ci --ignore-scripts` in editors/vscode installs, is missing",
)
def test_the_client_library_against_the_server() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RELAX": f"{sys.executable} -m relax_lang"}
    done = subprocess.run(["node", "test.js"], cwd=FOLDER, env=environment, check=False, timeout=240)
    assert done.returncode == 0
