"""What the tests of pages do that are read from top to bottom: programs are saved, commands and Python run in order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.docs.pages.test_running import without_times
from tests.docs.tools import relax

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def walk(page: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Do what a page shows, in a folder that is the current one; return the kinds of its blocks.

    A block with a name is saved under it. `console` blocks must print what they show, up to times;
    `python` blocks without a name are run.
    """
    kinds: list[str] = []
    for kind, name, body in FENCE.findall(page):
        kinds.append(kind)
        if name:
            (folder / name).write_text(body, encoding="utf-8")
        elif kind == "console":
            for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, _, shown = part.partition("\n")
                status, out, err = relax(command, capsys)
                assert status == (1 if "error[" in shown else 0), command
                assert without_times(out + err).strip("\n") == without_times(shown).strip("\n"), command
        else:
            assert kind == "python", kind
            exec(compile(body, "page", "exec"), {})
    return kinds
