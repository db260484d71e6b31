"""What a check of TVMScript costs beside one of the same program as Relax text: `python benchmarks/tvmscript/check.py`.

Exports programs of so many bindings, reads them back as Relax text, and checks both, in turns: each turn gives a ratio,
and the median of these is printed, with the seconds of processor time of both. The aim is 2 for 1,000 bindings.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.frontend import program
from relax_lang import api
from relax_lang.base.source import PythonFile, SourceFile
from relax_lang.check.driver import check_source
from relax_lang.tvmscript.check_script import check_script
from relax_lang.tvmscript.importing import relax_text
from relax_lang.tvmscript.script import read_script

SIZES = (100, 1_000, 5_000)


def main() -> None:
    """Print a row for each size."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--repeat", type=int, default=9)
    given = options.parse_args()
    print(f"{'bindings':>9} {'TVMScript':>10} {'Relax':>10} {'ratio':>6}")
    for size in SIZES:
        script = api.to_tvmscript(program(size)).text
        relax, _ = relax_text(read_script(script, comments=True).units[0].parsed)
        pairs = [(seconds_of_script(script), seconds_of_text(relax)) for _ in range(given.repeat)]
        ratio = statistics.median([one / other for one, other in pairs])
        first, second = [statistics.median(column) for column in zip(*pairs, strict=True)]
        print(f"{size:9} {first:9.3f}s {second:9.3f}s {ratio:6.2f}")


def seconds_of_script(text: str) -> float:
    """Return what a check of a Python file takes."""
    start = time.process_time()
    found = check_script(PythonFile(text, "program.py"))
    taken = time.process_time() - start
    assert not found.has_errors
    return taken


def seconds_of_text(text: str) -> float:
    """Return what a check of a Relax file takes."""
    start = time.process_time()
    found = check_source(SourceFile(text, "program.rlx"))
    taken = time.process_time() - start
    assert not found.has_errors
    return taken


if __name__ == "__main__":
    main()
