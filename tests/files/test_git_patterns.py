"""Patterns of a `.gitignore`: what Git says of paths, and no pattern that takes long."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from relax_lang.files.git_patterns import GitPatterns
from tests.processor_time import limited

NAMES = ("a", "b", "ab", "ba", "a.b", "aab", "[a]", "a*b", "x-y", "!a", "#a", " a", "a\\b")
PIECES = (
    *("a", "b", "ab", "*", "*", "**/", "/**", "?", "[ab]", "[!a]", "[a-b]", "[]a]", "[[:alpha:]]", "\\*", "\\[", "["),
    *(".", "/", "/", "-", "!", "#", " ", "\\!"),
)  # fmt: skip

UNCLEAR = re.compile(r"\*\*[^/\n]|[^/\n]\*\*|\[[^\]\n]*/")
"""Stars that follow each other in a name, and a slash in brackets: versions of Git differ."""


@pytest.mark.parametrize(
    ("patterns", "path", "verdict"),
    [
        ("*.rlx", "a/b.rlx", True),
        ("/*.rlx", "a/b.rlx", None),
        ("build/", "build", None),
        ("build/", "a/build/", True),
        ("build/", "a/build/x/y.rlx", True),
        ("a/b", "x/a/b", None),
        ("**/a/b", "x/a/b", True),
        ("a/**", "a/x/y", True),
        ("a/**", "a/", None),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("*\n!a", "a", False),
        ("*/\n!a/b", "a/b", True),
        ("# a", "# a", None),
        ("\\# a", "# a", True),
        ("a ", "a", True),
        ("a\\ ", "a ", True),
        ("[!a]x", "bx", True),
        ("[a-", "[a-", None),
        ("[b-a]", "a", None),
        ("a\\", "a\\", None),
        ("", "a", None),
        ("/", "a", None),
        ("a//b", "a/b", None),
    ],
)
def test_patterns(patterns: str, path: str, verdict: bool | None) -> None:
    assert GitPatterns(patterns).ignores(path) is verdict


def tree(random: Random, folder: Path) -> list[str]:
    """Make files and folders; return their paths, those of folders with a slash at the end."""
    for _ in range(50):
        path = folder.joinpath(*random.choices(NAMES, k=random.randint(1, 4)))
        if not any(one.is_file() for one in [*path.parents, path]) and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
    found = [one for one in folder.rglob("*") if ".git" not in one.parts]
    return [one.relative_to(folder).as_posix() + "/" * one.is_dir() for one in found]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.skipif(os.name == "nt", reason="names with stars")
@pytest.mark.parametrize("seed", range(3))
def test_random_patterns_mean_what_git_says(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    paths = tree(random, tmp_path)
    asked = "\0".join([path.rstrip("/") for path in paths])
    for _ in range(40):
        words = ["".join(random.choices(PIECES, k=random.randint(1, 5))) for _ in range(random.randint(1, 3))]
        text = "\n".join(words)
        if UNCLEAR.search(text):
            continue
        (tmp_path / ".gitignore").write_text(text + "\n")
        command = ["git", "-c", "core.excludesFile=", "check-ignore", "-z", "--stdin", "--no-index"]
        done = subprocess.run(command, cwd=tmp_path, input=asked, capture_output=True, text=True, check=False)
        patterns = GitPatterns(text)
        ours = {path.rstrip("/") for path in paths if patterns.ignores(path)}
        assert ours == set(done.stdout.split("\0")) - {""}, text


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 40 + "b", "a" * 250),
        ("a" + "*?a" * 40 + "b", "a" * 250),
        ("**/a/" * 40 + "b", "/".join("a" * 500)),
        ("**/*a*a*a*b/" * 20 + "c", "/".join(["a" * 100] * 20)),
        ("[" * 2_000, "a"),
    ],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    with limited(5):
        assert GitPatterns(pattern).ignores(path) is None
