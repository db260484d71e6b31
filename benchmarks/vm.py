"""The virtual machine: how soon an executable gives its first result, and what an instruction costs.

    python benchmarks/vm.py

Start-up: processes from their start to the first result, of a text and of its executable, in processor time; once
with an empty cache folder, once with what the run before kept. Two models of 70 calls: operators and seven PrimFuncs,
and one of which all operators are PrimFuncs, most with sizes of their own, as legalization makes them. Within a process
that has loaded NumPy: from the file to the first result, against checking, compiling and running the text. Steady: 200
operators on 4 and on 4,096 elements, calls of the machine against calls of the compiled engine, in turns.
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

from relax_lang import api, transform  # noqa: E402 - the checkout comes first
from relax_lang.typed import text_of  # noqa: E402

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


def legalized() -> str:
    """Return a program of 70 calls of PrimFuncs, most of them with sizes of their own: layers of growing width."""
    lines: list[str] = []
    for layer in range(CALLS // 5):
        wide = 8 + 2 * layer
        lines += [
            f"  let h{layer} = matmul(v{layer}, ones(shape({wide}, {wide + 2}), dtype=float32));",
            f"  let b{layer} = add(h{layer}, h{layer});",
            f"  let s{layer} = nn.softmax(b{layer}, axis=-1);",
            f"  let r{layer} = nn.gelu(s{layer});",
            f"  let v{layer + 1} = multiply(r{layer}, b{layer});",
        ]
    head = "def @main(v0: Tensor[(n, 8), float32]) {"
    return "\n".join([head, *lines, f"  v{CALLS // 5}", "}"])


def start_up(folder: Path) -> None:
    """Measure processes that run a program, and its executable."""
    written = transform.LegalizeOps()(api.typed(legalized()))
    for kind, program in (("operators", model()), ("PrimFuncs", text_of(written.module))):
        text, built = folder / f"{kind}.rlx", folder / f"{kind}.rlxe"
        text.write_text(program, encoding="utf-8")
        api.write_executable(str(built), api.build(api.read(str(text))))
        seconds: dict[tuple[str, str], float] = {}
        for path in (text, built):
            found = [run(path, folder / f"{path.name}-{turn}") for turn in range(2)]
            seconds[path.suffix, "empty"] = min(found)
            seconds[path.suffix, "kept"] = min([run(path, folder / f"{path.name}-0") for _ in range(4)])
        first, kept = seconds[".rlx", "empty"], seconds[".rlx", "kept"]
        cold, warm = seconds[".rlxe", "empty"], seconds[".rlxe", "kept"]
        print(
            f"start of a process, {kind}: text {first:.2f} s first, {kept:.2f} s kept; executable {cold:.2f} s where "
            f"nothing is kept ({cold / first:.2f}), {warm:.2f} s ({warm / first:.2f} of the first run, "
            f"{warm / kept:.2f} of the kept text)"
        )
        in_process(text, built, folder)


IN_PROCESS = """
import sys, time
import numpy as np
import relax_lang
from relax_lang import api
x = {"operators": np.ones((4, 4), np.float32), "PrimFuncs": np.ones((4, 8), np.float32)}[sys.argv[2]]
start = time.process_time()
if sys.argv[1].endswith("e"):
    relax_lang.VirtualMachine(sys.argv[1])["main"](x)
else:
    api.start(api.read(sys.argv[1])).run("main", [x])
print(time.process_time() - start)
"""


def in_process(text: Path, built: Path, folder: Path) -> None:
    """Measure a process that has loaded NumPy already, from the file to the first result."""
    found: dict[str, float] = {}
    for path in (text, built):
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "XDG_CACHE_HOME": str(folder / f"{path.name}-0"),
        }
        words = [sys.executable, "-c", IN_PROCESS, str(path), path.stem]
        outputs = [
            subprocess.run(words, check=True, capture_output=True, env=environment).stdout for _ in range(4)
        ]
        found[path.suffix] = min([float(one) for one in outputs])
    print(
        f"within a process, {text.stem}: text {found['.rlx'] * 1e3:.0f} ms, executable {found['.rlxe'] * 1e3:.0f} ms "
        f"({found['.rlxe'] / found['.rlx']:.2f})"
    )


def run(path: Path, cache: Path) -> float:
    """Return the processor time of one process."""
    sizes = ["n=4", "m=4"] if path.stem == "operators" else ["n=4"]
    dims = [word for size in sizes for word in ("--dim", size)]
    words = [sys.executable, "-m", "relax_lang", "run", str(path), "--random", "0", *dims]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(cache)}
    subprocess.run(words, check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def steady(elements: int) -> None:
    """Measure calls of 200 operators, as they are and lowered."""
    lines = [f"  let v{at + 1} = add(v{at}, x);" for at in range(200)]
    text = "\n".join(["def @main(x: Tensor[(n,), float32]) {", "  let v0 = x;", *lines, "  v200", "}"])
    x = np.ones(elements, np.float32)
    engine = api.start(text)
    for kind, program in (("", text), (", lowered", api.optimize(text, pipeline="build"))):
        built = api.build(program)
        sessions = (engine, api.start_executable(built), api.start_executable(built, mode="generated"))
        best = [float("inf")] * 3
        for _ in range(200):
            for at, session in enumerate(sessions):
                begin = time.perf_counter()
                session.run("main", [x])
                best[at] = min(best[at], time.perf_counter() - begin)
        micro = [f"{one * 1e6:.0f} us" for one in best]
        ratios = [f"{one / best[0]:.2f}" for one in best]
        print(
            f"200 operators{kind}, {elements} elements: engine {micro[0]}, loop {micro[1]} ({ratios[1]}), "
            f"generated {micro[2]} ({ratios[2]})"
        )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        start_up(Path(made))
    steady(4)
    steady(4096)
