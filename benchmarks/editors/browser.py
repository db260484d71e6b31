"""What a check costs in the browser: `python benchmarks/editors/browser.py`.

Needs `npm ci --ignore-scripts` in playground/.

Node runs the Python of the playground (Pyodide); this Python runs the same checks, in turn. Prints the ratio of the
second check of a file, and of a check after one changed line, as the playground does them.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLAYGROUND = ROOT / "playground"
sys.path[:0] = [str(ROOT), str(PLAYGROUND)]

ROUNDS = 15

TYPE_CHECKING = False
if TYPE_CHECKING:
    Rows = dict[str, list[tuple[float, float]]]

NODE = """
import { loadPyodide } from PYODIDE;
import { readFileSync, readdirSync, statSync } from "node:fs";
import { createInterface } from "node:readline";
const python = await loadPyodide();
const site = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
function put(from, to) {
  python.FS.mkdirTree(to);
  for (const name of readdirSync(from)) {
    if (name === "__pycache__") continue;
    if (statSync(`${from}/${name}`).isDirectory()) put(`${from}/${name}`, `${to}/${name}`);
    else python.FS.writeFile(`${to}/${name}`, readFileSync(`${from}/${name}`));
  }
}
put(ROOT + "/relax_lang", site + "/relax_lang");
put(ROOT + "/cli", site + "/relax_lang/cli");
put(ROOT + "/grammar", site + "/relax_lang/grammar");
python.FS.writeFile(site + "/bridge.py", readFileSync(ROOT + "/playground/bridge.py"));
const bridge = python.pyimport("bridge");
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const begin = performance.now();
  bridge.check(JSON.parse(line));
  console.log((performance.now() - begin) / 1000);
}
"""


def program(line: int) -> str:
    """Return a file of 40 lines; one of them differs from file to file."""
    lines = [
        "def @main(x: Tensor[(n, 16), float32], w: Tensor[(16, 16), float32]) {",
        "  let y0 = matmul(x, w);",
    ]
    lines += [f"  let y{i} = {'exp' if i == line else 'tanh'}(add(y{i - 1}, x));" for i in range(1, 36)]
    return "\n".join([*lines, "  y35", "}", ""])


def missing() -> str | None:
    """Return what is missing for a measurement, and what brings it; None if nothing is."""
    if shutil.which("node") is None:
        return "Node is missing"
    if not (PLAYGROUND / "node_modules" / "pyodide").is_dir():
        return "Pyodide is missing; `npm ci --ignore-scripts` in playground/ installs it"
    return None


def measured() -> Rows:
    """Return the seconds of each check in Pyodide and here."""
    import bridge  # pyright: ignore[reportMissingImports]

    pyodide = (PLAYGROUND / "node_modules" / "pyodide" / "pyodide.mjs").as_uri()
    code = NODE.replace("PYODIDE", json.dumps(pyodide)).replace("ROOT", json.dumps(str(ROOT)))
    process = subprocess.Popen(
        ["node", "--input-type=module", "-e", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        cwd="/",
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"

    def there(text: str) -> float:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(text) + "\n")
        process.stdin.flush()
        return float(process.stdout.readline())

    def here(text: str) -> float:
        begin = time.perf_counter()
        bridge.check(text)
        return time.perf_counter() - begin

    other = "def @main() { () }\n"
    rows: Rows = {
        "the first check": [],
        "a file again": [],
        "one line changed": [],
    }
    rows["the first check"].append((there(program(0)), here(program(0))))
    for i in range(ROUNDS):
        there(other), here(other)
        rows["a file again"].append((there(program(0)), here(program(0))))
        rows["one line changed"].append((there(program(1 + i)), here(program(1 + i))))
    process.stdin.close()
    process.wait(60)
    return rows


def medians(rows: Rows) -> dict[str, tuple[float, float, float]]:
    """Return for each row the median seconds in Pyodide and here, and the median ratio."""
    found: dict[str, tuple[float, float, float]] = {}
    for name, pairs in rows.items():
        far, near = (statistics.median(side) for side in zip(*pairs, strict=True))
        found[name] = far, near, statistics.median([one / two for one, two in pairs])
    return found


def main() -> int:
    """Print the ratios; return the exit status."""
    why = missing()
    if why is not None:
        print(why)
        return 2
    print(f"{'':20} {'browser ms':>11} {'here ms':>9} {'ratio':>7}")
    for name, (far, near, ratio) in medians(measured()).items():
        print(f"{name:20} {1000 * far:11.1f} {1000 * near:9.1f} {ratio:7.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
