"""The virtual machine: how soon an executable gives its first result, and what an instruction costs.

    python benchmarks/vm.py

Start-up: processes from their start to the first result, of a text and of its executable, in processor time; once with
an empty cache folder, once with what the run before kept. Steady: 200 operators on 4 and on 4,096 elements, calls of
the machine against calls of the compiled engine, in turns.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from relax_lang import api  # noqa: E402 - the checkout comes first

CALLS = 70


def model() -> str:
    """Return a program of 70 calls, every tenth of them of a PrimFunc of its own."""
    funcs: list[str] = []
    lines: list[str] = []
    for at in range(CALLS):
        if at % 10:
            call = ("tanh(v{0})", "add(v{0}, x)", "nn.relu(v{0})")[at % 3].format(at)
        else:
            funcs.append(
                f"prim_func @f{at}(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {{\n"
                f"  for i, j in grid(n, m) {{ Y[i, j] = X[i, j] * {at + 1}.0; }}\n}}"
            )
            call = f"call_tir(@f{at}, (v{at},)) -> Tensor[(n, m), float32]"
        lines.append(f"  let v{at + 1} = {call};")
    head = "def @main(x: Tensor[(n, m), float32]) -> Tensor[(n, m), float32] {\n  let v0 = x;"
    return "\n".join([*funcs, head, *lines, f"  v{CALLS}", "}"])


def start_up(folder: Path) -> None:
    """Measure processes that run a program, and its executable."""
    text, built = folder / "model.rlx", folder / "model.rlxe"
    text.write_text(model(), encoding="utf-8")
    api.write_executable(str(built), api.build(api.read(str(text))))
    for name in ("empty", "kept"):
        seconds: dict[str, float] = {}
        for path in (text, built):
            found: list[float] = []
            for turn in range(4):
                cache = folder / (f"{path.suffix}-{turn}" if name == "empty" else path.suffix)
                took = run(path, cache)
                if name == "empty" or turn:
                    found.append(took)
            seconds[path.suffix] = min(found)
        ratio = seconds[".rlxe"] / seconds[".rlx"]
        print(
            f"start-up, cache {name}: text {seconds['.rlx']:.2f} s, executable {seconds['.rlxe']:.2f} s ({ratio:.2f})"
        )


def run(path: Path, cache: Path) -> float:
    """Return the processor time of one process."""
    words = [
        sys.executable,
        "-m",
        "relax_lang",
        "run",
        str(path),
        "--random",
        "0",
        "--dim",
        "n=4",
        "--dim",
        "m=4",
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(cache)}
    subprocess.run(words, check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def steady(elements: int) -> None:
    """Measure calls of 200 operators."""
    lines = [f"  let v{at + 1} = add(v{at}, x);" for at in range(200)]
    text = "\n".join(["def @main(x: Tensor[(n,), float32]) {", "  let v0 = x;", *lines, "  v200", "}"])
    built = api.build(text)
    sessions = (api.start(text), api.start_executable(built), api.start_executable(built, mode="generated"))
    x = np.ones(elements, np.float32)
    best = [float("inf")] * 3
    for _ in range(200):
        for at, session in enumerate(sessions):
            begin = time.perf_counter()
            session.run("main", [x])
            best[at] = min(best[at], time.perf_counter() - begin)
    micro = [f"{one * 1e6:.0f} us" for one in best]
    ratios = [f"{one / best[0]:.2f}" for one in best]
    print(
        f"200 operators, {elements} elements: engine {micro[0]}, loop {micro[1]} ({ratios[1]}), "
        f"generated {micro[2]} ({ratios[2]})"
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        start_up(Path(made))
    steady(4)
    steady(4096)
