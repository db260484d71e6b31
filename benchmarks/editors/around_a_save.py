"""Around a save and in the browser: rows of `benchmarks/editors/editor.py` about whole processes.

Many small files are checked twice with one cache, and by one process and two without any; the playground's check runs
in Pyodide and here.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks"), str(Path(__file__).parent)]

import browser  # noqa: E402 - a script beside this one
from cache import START, program  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Show = Callable[[str, float, float, float | None], None]


def rows(show: Show, files: int) -> None:
    """Measure all rows; what a row needs and does not find is named in its place."""
    with tempfile.TemporaryDirectory() as folder:
        many = Path(folder, "many")
        many.mkdir()
        for number in range(files):
            Path(many, f"p{number}.rlx").write_text(program(number), encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(Path(folder, "cache"))}

        def seconds(*words: str) -> float:
            command = [sys.executable, "-c", START, "check", "-q", *words, str(many)]
            begin = time.perf_counter()
            subprocess.run(command, env=environment, check=True)
            return time.perf_counter() - begin

        seconds("--no-cache")  # the interpreter has compiled the modules, the system has read the files
        first, again = seconds(), seconds()
        show(f"second check of {files} unchanged files, to the first", again / first, 0.05, again)
        if (os.cpu_count() or 1) < 2:
            print("`--jobs 2` was not measured: there is one core")
        else:
            pairs = [(seconds("--no-cache", "--jobs", "2"), seconds("--no-cache")) for _ in range(2)]
            two = min(pair[0] for pair in pairs)
            alone = min(pair[1] for pair in pairs)
            show(f"`--jobs 2` on {files} files, to one process", two / alone, 0.65, two)
    missing = browser.missing()
    if missing is not None:
        print(f"the second check in Pyodide was not measured: {missing}")
        return
    far, _, ratio = browser.medians(browser.measured())["a file again"]
    show("second check of 40 lines in Pyodide, to the one here", ratio, 3, far)
