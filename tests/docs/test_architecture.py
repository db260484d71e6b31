"""ARCHITECTURE.md names files and folders that exist, and its program is one that it describes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.tools import ROOT, slugs

PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
TOP = ("cli", "docs", "grammar", "samples", "std", "tests", "tools")
FOLDER = r"[\w.*-]+(?:/[\w.*-]+)*/"
FILE = r"[\w*-]+(?:/[\w.*-]+)*\.(?:py|lark|asdl|md|txt|toml|svg)"
PATHS = sorted({*re.findall(f"`({FOLDER}|{FILE})`", PAGE)} - {"relax_lang/"})


@pytest.mark.parametrize("path", PATHS)
def test_a_path_exists(path: str) -> None:
    if path in ("diagnostics/", "diagnostics.py"):  # of each package
        assert list((ROOT / "relax_lang").glob(f"*/{path}"))
        return
    base = ROOT if path.split("/", maxsplit=1)[0] in TOP or path == "pyproject.toml" else ROOT / "relax_lang"
    assert list(base.glob(path.rstrip("/"))), path
    assert (base / path).is_dir() is path.endswith("/") or "*" in path


def test_there_are_paths() -> None:
    assert len(PATHS) > 60


def test_every_package_is_described() -> None:
    for folder in (ROOT / "relax_lang").iterdir():
        if (folder / "__init__.py").exists():
            assert f"`{folder.name}`" in PAGE or f"`{folder.name}/" in PAGE, folder.name


def test_the_program_checks() -> None:
    (program,) = re.findall(r"^```relax\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert slugs(program, Path("road.rlx")) == []
