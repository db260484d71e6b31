"""Models whose bytes were changed at random: what is read of them, and what is reported.

`python -m tests.onnx.suites.mutated_files 0 50000 [--large]` counts failures. The models are those of ONNX's
node tests. With `--large` weights are taken out of every file as of a large one.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import traceback
from pathlib import Path

from relax_lang.files import models
from relax_lang.onnx.reading import wire
from tests.onnx.suites.node_tests import collect

MEMORY, LONGEST = 3 << 30, 20_000
"""Bytes that the process may have, and bytes of a model that is changed."""


def changed(data: bytes, rng: random.Random) -> bytes:
    """Return bytes with one to four changes: other values, pieces that are gone, new or repeated, or an early end."""
    made = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        if not made:
            break
        kind, at, count = rng.random(), rng.randrange(len(made)), rng.randint(1, 8)
        if kind < 0.7:
            made[at] = rng.randrange(256)
        elif kind < 0.78:
            del made[at : at + count]
        elif kind < 0.86:
            made[at:at] = rng.randbytes(count)
        elif kind < 0.93:
            begin = rng.randrange(len(made))
            made[at:at] = made[begin : begin + 8 * count]
        else:
            del made[at:]
    return bytes(made)


def raised(seeds: list[bytes], numbers: range, path: Path) -> list[str]:
    """Import a changed model for each number; return what was raised, which is nothing."""
    found = []
    for number in numbers:
        rng = random.Random(number)
        path.write_bytes(changed(rng.choice(seeds), rng))
        try:
            models.import_file(str(path))
        except Exception:
            found.append(f"{number}: {traceback.format_exc()}")
    return found


def main(words: list[str]) -> None:
    """Try the numbers that are given."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if "--large" in words:
        models._LARGE, wire.LARGE = 0, 16
    data = [case.model.SerializeToString() for case in collect() if case.in_scope]
    seeds = [one for one in data if len(one) < LONGEST]
    first, last = [int(word) for word in words if word.isdigit()]
    with tempfile.TemporaryDirectory() as folder:
        found = raised(seeds, range(first, last), Path(folder) / "model.onnx")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    sys.stdout.write("\n".join([*found, f"{last - first} files, {len(found)} failures, {peak} MB at most\n"]))


if __name__ == "__main__":
    main(sys.argv[1:])
