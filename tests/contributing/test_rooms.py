"""Folders are small enough to be looked over, and tests lie in the rooms of what they test."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST = 16
"""Python files in one folder; a folder with more needs rooms."""
TOPS = ("relax_lang", "cli", "tests", "tools", "benchmarks")
DATA = {"benchmarks/by_hand/fields"}
"""A file for each file of `tests/tir/fields`."""
KINDS = (
    *("contributing", "docs", "fuzz"),
    *("check/infer/proofs", "syntax/foreign", "ops/external", "transform/same_meaning"),
    *("tir/fields", "tir/polybench", "tir/random_programs", "tir/reference"),
    *("cli/packaging", "onnx/suites"),
)
"""Folders of tests that are about more than one room: kinds of tests, and programs that all rooms together run."""


def files(top: str, pattern: str) -> list[Path]:
    found = [path.relative_to(ROOT) for path in (ROOT / top).rglob(pattern)]
    return [path for path in found if "node_modules" not in path.parts]


def test_no_folder_has_too_many_files() -> None:
    every = [path for top in TOPS for path in files(top, "*.py") if path.name != "__init__.py"]
    counts = Counter(path.parent.as_posix() for path in every)
    assert counts["relax_lang/tir"] > 0
    assert {folder: n for folder, n in counts.items() if n > MOST and folder not in DATA} == {}


def test_folders_of_tests_are_those_of_what_they_test() -> None:
    folders = {path.parent.relative_to("tests") for path in files("tests", "test_*.py")}
    assert Path("tir/schedule") in folders
    astray = [
        folder.as_posix()
        for folder in sorted(folders)
        if not any(folder.is_relative_to(kind) for kind in KINDS)
        and not (ROOT / "relax_lang" / folder).is_dir()
        and not (ROOT / "relax_lang" / folder).with_suffix(".py").is_file()
        and not (ROOT / folder).is_dir()  # the command line, editors
    ]
    assert astray == []
