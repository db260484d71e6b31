"""What the tests of documentation and samples do with a program: check, format, run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from relax_lang import _main
from relax_lang.base.diagnostic import OFF
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.files.arrays.constants import ConstantFiles
from relax_lang.format.printer import format_parsed
from relax_lang.syntax.parser import parse

ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLES = ROOT / "samples"


def slugs(text: str, path: Path, also: str = "") -> list[str]:
    """Return the slugs of all that checking a program reports; of a rule that is off only if it is `also`."""
    lints = [also] if also else []
    checked = check_source(SourceFile(text, str(path)), ConstantFiles.beside(str(path)).check, lints)
    return [one.slug for one in checked.diagnostics if one.severity != OFF or one.slug == also]


def formatted(text: str) -> str:
    """Return the text in house style."""
    return format_parsed(parse(text))


def relax(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run `relax …` in this process; return the exit status and what it wrote."""
    words = shlex.split(command)
    assert words[0] == "relax"
    capsys.readouterr()
    status = _main.main(words[1:])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def transcripts(text: str) -> list[tuple[str, list[str]]]:
    """Return the commands in the leading comment of a program, each with the output lines shown below it.

    A last line `…` stands for more output.
    """
    head = re.match(r"(?:#[^\n]*\n)*", text)
    assert head is not None
    found: list[tuple[str, list[str]]] = []
    for line in head[0].split("\n"):
        if line.startswith("#     $ "):
            found.append((line.removeprefix("#     $ "), []))
        elif line.startswith("#     ") and found:
            found[-1][1].append(line.removeprefix("#     "))
    return found
