"""How long `relax check` and `relax fmt` of a small file take as whole processes, measured in bare Pythons.

    python benchmarks/startup.py [--rounds 40]

Every round runs all commands once, so that a busy machine slows all of them alike; the figures are minima of processor
time without the cache of results, and the last column is the ratio to `python -c pass`. The package is a copy as it is
installed, with its modules compiled and, where the table says so, with the file of modules that a wheel brings.
With TVM installed, its import and its parser, which checks that the program is well-formed, stand beside; they are
so slow that a few rounds will do.
"""

from __future__ import annotations

import argparse
import compileall
import importlib.util
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUN_MAIN = "import sys; from relax_lang._main import main; sys.exit(main())"
"""What the installed command does."""

TARGET = 2.6
"""`relax check` of a file of 50 lines takes at most this many times as long as `python -c pass`."""
TVM_ROUNDS = 3


def program(n_lines: int) -> str:
    """Return a formatted program of so many lines: a PrimFunc, and a function that calls it and some operators."""
    head = """prim_func @relu(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) {
    block relu (vi = spatial(i), vj = spatial(j)) {
      Y[vi, vj] = max(X[vi, vj], 0.0);
    }
  }
}

def @main(x: Tensor[(n, 64), float32], w: Tensor[(64, 64), float32]) -> Tensor[(n, 64), float32] {
  dataflow {
    let lv0 = matmul(x, w);
"""
    tail = ["    output gv0;", "  }", "  gv0", "}", ""]
    body: list[str] = []
    last = "lv0"
    for i in range(n_lines - head.count("\n") - len(tail)):
        value = [f"matmul({last}, w)", f"add({last}, x)", f"nn.softmax({last}, axis=-1)"][i % 3]
        last = f"lv{i + 1}"
        body.append(f"    let {last} = {value};")
    body.append(f"    let gv0 = call_tir(@relu, ({last},)) -> Tensor[(n, 64), float32];")
    return head + "\n".join([*body, *tail])


def tvm_program(n_lines: int) -> str:
    """Return the same in TVMScript, as of TVM 0.27."""
    head = """@I.ir_module
class Module:
    @T.prim_func(s_tir=True, private=True)
    def relu(x: T.handle, y: T.handle):
        n, m = T.int64(), T.int64()
        X = T.match_buffer(x, (n, m))
        Y = T.match_buffer(y, (n, m))
        for i, j in T.grid(n, m):
            with T.sblock("relu"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.max(X[vi, vj], T.float32(0))
    @R.function
    def main(x: R.Tensor(("n", 64), "float32"), w: R.Tensor((64, 64), "float32")) -> R.Tensor(("n", 64), "float32"):
        n = T.int64()
        with R.dataflow():
            lv0 = R.matmul(x, w)
"""
    tail = ["            R.output(gv0)", "        return gv0", ""]
    body: list[str] = []
    last = "lv0"
    for i in range(n_lines - head.count("\n") - len(tail)):
        value = [f"R.matmul({last}, w)", f"R.add({last}, x)", f"R.nn.softmax({last}, axis=-1)"][i % 3]
        last = f"lv{i + 1}"
        body.append(f"            {last} = {value}")
    body.append(f'            gv0 = R.call_tir(Module.relu, ({last},), out_ty=R.Tensor((n, 64), "float32"))')
    return head + "\n".join([*body, *tail])


def tvm_commands(folder: Path) -> dict[str, list[str]]:
    """Return what is measured of TVM, nothing without it."""
    if importlib.util.find_spec("tvm") is None:
        return {}
    path = folder / "good_tvm.py"
    path.write_text(tvm_program(50))
    check = f"from tvm.script import from_source; from_source(open({str(path)!r}).read())"
    return {
        "python -c 'import tvm'": [sys.executable, "-c", "import tvm"],
        "TVM, parse and check": [sys.executable, "-c", check],
    }


def commands(folder: Path) -> dict[str, list[str]]:
    """Return what is measured; the files are written below `folder`."""
    good, bad = folder / "good.rlx", folder / "bad.rlx"
    good.write_text(program(50))
    bad.write_text(program(50).replace("add(lv1, x)", "add(lv1, y)"))
    relax = [sys.executable, "-c", RUN_MAIN]
    packed = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder / 'wheel')!r}); {RUN_MAIN}"]
    return {
        "python -c pass": [sys.executable, "-c", "pass"],
        "relax check, clean, wheel": [*packed, "check", str(good)],
        "relax fmt --check, wheel": [*packed, "fmt", "--check", str(good)],
        "python -c 'import re'": [sys.executable, "-c", "import re"],
        "relax check, clean": [*relax, "check", str(good)],
        "relax check, one error": [*relax, "check", str(bad)],
        "relax check, as JSON": [*relax, "check", "--output-format", "json", str(good)],
        "relax fmt --check": [*relax, "fmt", "--check", str(good)],
        "relax --version (Typer)": [*relax, "--version"],
    }


def measure(
    rounds: int, measured: dict[str, list[str]], environment: dict[str, str]
) -> dict[str, list[float]]:
    """Return the seconds of each command in each round, the commands taking turns."""
    times: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(rounds):
        for name, command in measured.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return times


def install(site: Path, *, packed: bool) -> None:
    """Copy the package as it is installed, compile its modules and, if asked, write the file of those loaded first."""
    for source, target in (
        ("relax_lang", "relax_lang"),
        ("cli", "relax_lang/cli"),
        ("grammar", "relax_lang/grammar"),
    ):
        shutil.copytree(ROOT / source, site / target, ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(site, quiet=1)
    if packed:
        make = [sys.executable, str(ROOT / "tools" / "make_pack.py"), str(site / "relax_lang")]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    """Measure, print a table, and fail if the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    environment = {
        key: value
        for key, value in os.environ.items()
        if key not in ("RELAX_FREEZE", "PYTHONDONTWRITEBYTECODE")
    }
    with tempfile.TemporaryDirectory() as folder:
        environment |= {"PYTHONPATH": str(Path(folder, "plain")), "RELAX_NO_CACHE": "1"}
        install(Path(folder, "plain"), packed=False)
        install(Path(folder, "wheel"), packed=True)
        measured = commands(Path(folder))
        measure(2, measured, environment)  # warms the disk cache, and what is not ours
        times = measure(rounds, measured, environment)
        measure(1, tvm_commands(Path(folder)), environment)
        times |= measure(min(rounds, TVM_ROUNDS), tvm_commands(Path(folder)), environment)
    base = min(times["python -c pass"])
    print(f"{'process':<28} {'least ms':>10} {'ratio':>7}")
    for name, values in times.items():
        print(f"{name:<28} {min(values) * 1000:>10.1f} {min(values) / base:>6.2f}x")
    ratio = min(times["relax check, clean, wheel"]) / base
    print(f"\ntarget: relax check at most {TARGET}x; measured {ratio:.2f}x")
    return 0 if ratio <= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
