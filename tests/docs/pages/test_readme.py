"""README.md and CHANGELOG.md are true: every `$ relax …` line runs, and prints what is written below it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: str) -> list[tuple[str, str]]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [(match[1], match[2]) for match in FENCE.finditer(text)]


def commands(page: str) -> list[tuple[str, str, str]]:
    """Return (command, expected output, the relax block before it)."""
    found: list[tuple[str, str, str]] = []
    program = ""
    for kind, body in blocks(page):
        if kind == "relax":
            program = body
        elif kind == "console":
            for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                if command.startswith("relax "):
                    found.append((command, output.strip("\n"), program))
    return found


def relax(command: str, folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    arguments = [sys.executable, "-m", "relax_lang", *shlex.split(command)[1:]]
    done = subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert "Traceback" not in done.stderr
    return (done.stdout + done.stderr).strip("\n")


@pytest.mark.parametrize(
    ("command", "output", "program"), commands("README.md"), ids=lambda value: str(value)[:50]
)
def test_readme(command: str, output: str, program: str) -> None:
    found = relax(command, ROOT)
    assert found
    if output:
        assert found == output


@pytest.mark.parametrize(
    ("command", "output", "program"), commands("CHANGELOG.md"), ids=lambda value: str(value)[:50]
)
def test_changelog(command: str, output: str, program: str, tmp_path: Path) -> None:
    (name,) = [word for word in shlex.split(command) if word.endswith(".rlx")]
    (tmp_path / name).write_text(program, encoding="utf-8")
    assert relax(command, tmp_path) == output


def test_readme_program_checks_and_is_formatted(tmp_path: Path) -> None:
    programs = [body for kind, body in blocks("README.md") if kind == "relax"]
    assert programs
    for program in programs:
        (tmp_path / "readme.rlx").write_text(program, encoding="utf-8")
        assert "No problems found" in relax("relax check readme.rlx", tmp_path)
        assert "already formatted" in relax("relax fmt --check readme.rlx", tmp_path)


def test_readme_python_runs() -> None:
    for kind, body in blocks("README.md"):
        if kind == "python":
            subprocess.run([sys.executable, "-c", body], cwd=ROOT, check=True, capture_output=True)
