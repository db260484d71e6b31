"""What the cache on disk saves: `relax check` of programs that did not change, and the start of a lowered model.

    python benchmarks/cache.py [--files 1000] [--rounds 5]

Processor time of whole processes, interpreter start included, as ratios of minima; every round runs all forms in turn.
The aims: the second check of 1,000 files takes at most 0.05 of the first; one unchanged file at most 1.0 times
`python -c pass` beyond the start of the interpreter; a large lowered model starts in at most 0.15 of the first time.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

START = "import sys; from relax_lang._main import main; sys.exit(main())"
"""What the installed command is."""
AGAIN = """import sys, time, numpy as np
from relax_lang import api
from relax_lang.base.source import SourceFile
session = api.start(SourceFile(open(sys.argv[1]).read(), sys.argv[1]), keep_code=True)
x = np.random.default_rng(0).standard_normal([int(size) for size in sys.argv[2:]]).astype(np.float32)
session.call("main", [x])
before = time.process_time()
session.call("main", [x])
print(1000 * (time.process_time() - before))
"""
"""Prints what a second call takes, which plans all calls of PrimFuncs."""
LAYERS = 16


def program(number: int) -> str:
    """Return a program of about fifty lines, unlike all others."""
    lines = [f"def @main(x: Tensor[(n, {number + 1}), float32]) -> Tensor[(n, {number + 1}), float32] {{"]
    for layer in range(LAYERS):
        lines += [f"  let a{layer} = nn.relu(x);", f"  let x = add(a{layer}, multiply(x, a{layer}));"]
    return "\n".join([*lines, "  x", "}", ""])


def lowered(functions: int) -> str:
    """Return a model of PrimFuncs that differ from each other, one call of each."""
    kinds = (
        "Y[i, j] = max(X[i, j] * {k}.0, 0.0);",
        "Y[i, j] = if_then_else(j < n - {k}, X[i, min(j + {k}, n - 1)], X[i, j]);",
        "Y[i, j] = exp(X[i, j] - {k}.0) + X[(i + {k}) % n, j];",
    )
    prims = [
        f"prim_func @f{at}(X: Buffer[(n, n), float32], Y: Buffer[(n, n), float32]) {{\n"
        f"  for i, j in grid(n, n) {{ {kinds[at % 3].format(k=at + 1)} }}\n}}\n"
        for at in range(functions)
    ]
    info = f"Tensor[({functions}, {functions}), float32]"
    calls = [f"  let x = call_tir(@f{at}, (x,)) -> {info};" for at in range(functions)]
    return "\n".join([*prims, f"def @main(x: {info}) -> {info} {{", *calls, "  x", "}", ""])


def processor_time(words: list[str], environment: dict[str, str]) -> float:
    """Run a process; return the processor time that it took, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, env=environment, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def minima(forms: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Return the least time of each form."""
    best = dict.fromkeys(forms, float("inf"))
    for _ in range(rounds):
        for name, form in forms.items():
            best[name] = min(best[name], form())
    return best


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--functions", type=int, default=276)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        many, one = Path(folder, "many"), Path(folder, "one.rlx")
        many.mkdir()
        for number in range(given.files):
            (many / f"p{number}.rlx").write_text(program(number), encoding="utf-8")
        one.write_text(program(0), encoding="utf-8")
        model = Path(folder, "model.rlx")
        model.write_text(lowered(given.functions), encoding="utf-8")
        cache = Path(folder, "cache")
        environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            "PYTHONPATH": str(ROOT),
            "XDG_CACHE_HOME": str(cache),
        }
        relax = [sys.executable, "-c", START]

        def timed(*words: str, fresh: bool = False) -> Callable[[], float]:
            def run() -> float:
                if fresh:
                    shutil.rmtree(cache, ignore_errors=True)
                return processor_time(list(words), environment)

            return run

        check = [*relax, "check", "-q"]
        found = minima(
            {
                "python -c pass": timed(sys.executable, "-c", "pass"),
                "one file, no cache": timed(*check, "--no-cache", str(one)),
                "one file, first": timed(*check, str(one), fresh=True),
                "one file, again": timed(*check, str(one)),
            },
            given.rounds * 2,
        )
        found |= minima(
            {
                f"{given.files} files, first": timed(*check, str(many), fresh=True),
                f"{given.files} files, again": timed(*check, str(many)),
            },
            max(1, given.rounds // 2),
        )

        def second_call(*, fresh: bool = False) -> Callable[[], float]:
            def run() -> float:
                if fresh:
                    shutil.rmtree(cache, ignore_errors=True)
                words = [sys.executable, "-c", AGAIN, str(model), *[str(given.functions)] * 2]
                return float(subprocess.run(words, env=environment, check=True, capture_output=True).stdout)

            return run

        found |= minima(
            {
                "second call, first process": second_call(fresh=True),
                "second call, again": second_call(),
            },
            max(1, given.rounds // 2),
        )
        run = [*relax, "run", str(model), "--random", "0", "-q"]
        found |= minima(
            {
                "lowered model, first": timed(*run, fresh=True),
                "lowered model, again": timed(*run),
                "import numpy": timed(sys.executable, "-c", "import numpy"),
            },
            max(1, given.rounds // 2),
        )
    for name, time in found.items():
        print(f"{name:<28}{time:>10.1f} ms")
    bare = found["python -c pass"]
    print(
        f"one unchanged file: {(found['one file, again'] - bare) / bare:.2f} times a start of Python beyond it"
    )
    start = found["lowered model, again"] / found["lowered model, first"]
    print(f"{given.functions} PrimFuncs: {start:.3f} of the first start")
    planned = found["second call, again"] / found["second call, first process"]
    print(f"planning {given.functions} calls again: {planned:.3f} of the first time")
    again = found[f"{given.files} files, again"] / found[f"{given.files} files, first"]
    print(f"{given.files} unchanged files: {again:.3f} of the first check")


if __name__ == "__main__":
    main()
