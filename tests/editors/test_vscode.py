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
    paths = [
        manifest["main"],
        *[one["configuration"] for one in given["languages"] if "configuration" in one],
    ]
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


needs_node_modules = pytest.mark.skipif(
    shutil.which("node") is None or not (FOLDER / "node_modules").is_dir(),
    reason="Node, or what `npm ci --ignore-scripts` in editors/vscode installs, is missing",
)


@needs_node_modules
def test_the_grammar_gives_every_kind_of_token_its_scope(tmp_path: Path) -> None:
    program = FOLDER / "tests" / "syntax.rlx"
    wrong = tmp_path / "wrong.rlx"
    wrong.write_text(
        program.read_text("utf-8").replace("storage.type.dtype", "support.type"), encoding="utf-8"
    )
    script = FOLDER / "node_modules" / "vscode-tmgrammar-test" / "dist" / "unit.js"
    words = ["node", str(script), "-g", "syntaxes/relax.tmLanguage.json"]
    assert subprocess.run([*words, str(program)], cwd=FOLDER, check=False, timeout=240).returncode == 0
    assert subprocess.run([*words, str(wrong)], cwd=FOLDER, check=False, timeout=240).returncode != 0


@needs_node_modules
def test_the_client_library_against_the_server() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RELAX": f"{sys.executable} -m relax_lang"}
    done = subprocess.run(["node", "test.js"], cwd=FOLDER, env=environment, check=False, timeout=240)
    assert done.returncode == 0
