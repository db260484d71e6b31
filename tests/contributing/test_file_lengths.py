"""Files are short enough to be read: at most 400 lines, but for those that are generated."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST = 400
FOLDERS = ("relax_lang", "cli", "tests", "tools", "benchmarks", "samples")


def test_no_file_is_too_long() -> None:
    long: list[str] = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            name = path.relative_to(ROOT).as_posix()
            if "do not edit" in text.partition("\n")[0] or "node_modules" in path.parts:
                continue
            if text.count("\n") > MOST:
                long.append(f"{name}: {text.count(chr(10))} lines")
    assert long == []
