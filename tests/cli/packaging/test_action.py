"""`action.yml`: what can be known of it without its host: its structure, and its own steps in a repository."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")
ACTION: dict[str, Any] = yaml.safe_load((Path(__file__).parents[3] / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{\s*inputs\.([\w-]+)\s*\}\}")


def test_the_structure_is_that_of_a_composite_action() -> None:
    assert {"name", "description", "inputs", "runs"} == set(ACTION)
    assert ACTION["runs"]["using"] == "composite"
    for name, declared in ACTION["inputs"].items():
        assert declared["description"], name
        assert isinstance(declared["default"], str), name
    for step in STEPS:
        assert ("uses" in step) != ("run" in step), step
        assert "run" not in step or step["shell"] == "bash", step
        assert "uses" not in step or re.fullmatch(r"[\w-]+/[\w/-]+@v\d+", step["uses"]), step


def test_steps_use_inputs_that_there_are_and_never_as_code() -> None:
    used = set(re.findall(r"inputs\.([\w-]+)", json.dumps(STEPS)))
    assert used == set(ACTION["inputs"])
    for step in STEPS:
        # What is put into a script before the shell reads it could be commands.
        assert "${{" not in step.get("run", ""), step
        assert set(re.findall(r"\$\{?([A-Z]+)", step.get("run", ""))) <= set(step.get("env", {})), step


def test_python_does_not_look_for_modules_in_the_repository() -> None:
    for step in STEPS:
        for options in re.findall(r"python (.*?)-m ", step.get("run", "")):
            assert "-P" in options.split(), step


def test_a_file_that_is_called_like_an_option_is_a_file(repository: Path) -> None:
    (repository / "--exit-zero").write_text("def @main(x: Tensor[(n,), float32]) {\n  exp(x)\n}\n")
    done = run(named("Check"), repository, {"paths": "*"})
    assert done.returncode == 1, done.stdout + done.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "good.rlx").write_text("def @main(x: Tensor[(n,), float32]) {\n  exp(x)\n}\n")
    (folder / "bad.rlx").write_text("def @main(x: Tensor[(n,), float32]) {\n  exp(y)\n}\n")
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "relax"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m relax_lang "$@"\n')
    program.chmod(0o755)
    return folder


def run(step: dict[str, Any], folder: Path, given: dict[str, str]) -> subprocess.CompletedProcess[str]:
    inputs = {name: declared["default"] for name, declared in ACTION["inputs"].items()} | given
    own = {name: EXPRESSION.sub(lambda match: inputs[match[1]], text) for name, text in step["env"].items()}
    path = f"{folder.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    root = str(Path(__file__).parents[3])
    # The shell of the host: it stops at the first command that fails.
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder, env={**os.environ, **own, "PATH": path, "PYTHONPATH": root, "GITHUB_ACTIONS": "true"},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip


def named(name: str) -> dict[str, Any]:
    return next(step for step in STEPS if step.get("name") == name)


def test_findings_become_annotations_and_the_job_fails(repository: Path) -> None:
    done = run(named("Check"), repository, {})
    assert done.returncode == 1, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("::error ")]
    assert "file=bad.rlx,line=2,endLine=2,col=7" in line
    done = run(named("Check"), repository, {"paths": "good.rlx", "args": "--strict --no-cache"})
    assert done.returncode == 0, done.stdout + done.stderr


def test_sarif_is_written_and_does_not_end_the_job(repository: Path) -> None:
    done = run(named("Write SARIF"), repository, {"sarif": "found.sarif", "paths": "good.rlx bad.rlx"})
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((repository / "found.sarif").read_text("utf-8"))
    assert found["version"] == "2.1.0"
    (result,) = found["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("bad.rlx")
