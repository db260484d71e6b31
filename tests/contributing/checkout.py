"""A copy of the checkout in which a test does what a contributor would do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("relax_lang", "cli", "grammar", "std", "tools", "docs", "samples", "pyproject.toml")


class Checkout:
    """A copy: edited as text, and run with this Python."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, folder / part)

    def append(self, path: str, text: str) -> None:
        """Add lines to the end of a file that is there."""
        file = self.folder / path
        file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")

    def create(self, path: str, text: str) -> None:
        """Write a new file."""
        file = self.folder / path
        assert not file.exists()
        file.write_text(text, encoding="utf-8")

    def insert_before(self, path: str, marker: str, text: str) -> None:
        """Put text before a line that occurs once."""
        file = self.folder / path
        before = file.read_text(encoding="utf-8")
        assert before.count(marker) == 1, f"{marker!r} in {path}"
        file.write_text(before.replace(marker, text + marker), encoding="utf-8")

    def run(self, *words: str, status: int = 0) -> str:
        """Run Python in the copy and return all that it prints."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "NO_COLOR": "1", "COLUMNS": "100"}
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    def relax(self, *words: str, status: int = 0) -> str:
        """Run the command `relax` in the copy."""
        return self.run("-m", "relax_lang", *words, status=status)

    def program(self, text: str) -> str:
        """Save a program and return its path."""
        (self.folder / "program.rlx").write_text(text, encoding="utf-8")
        return "program.rlx"
