"""Make the playground in `build/playground`: `python tools/make_playground.py` (or `make playground`).

The page needs no server of its own: any that serves files will do. Before, `npm ci --ignore-scripts` in `playground/`
brings Pyodide and CodeMirror. The wheel is built unless `--wheel` names one.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "playground"
PYODIDE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"]
SAMPLES = [
    "samples/01_modules.rlx",
    "samples/04_dataflow.rlx",
    "samples/06_shapes.rlx",
    "samples/15_loops.rlx",
    "samples/bad/dataflow-var-escapes.rlx",
    "samples/models/transformer_block.rlx",
]


def main(words: list[str] | None = None) -> int:
    """Make the page; return the exit status."""
    reader = argparse.ArgumentParser(description="Make the playground.")
    reader.add_argument(
        "-o", "--output", type=Path, default=ROOT / "build" / "playground", help="the folder to write"
    )
    reader.add_argument("--wheel", type=Path, help="the wheel of relax-lang to put beside the page")
    given = reader.parse_args(words)
    if not (PAGE / "node_modules" / "pyodide").is_dir():
        print("Pyodide is not there: run `npm ci --ignore-scripts` in playground/ first.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        wheel = given.wheel or built(Path(scratch))
        gather(given.output.resolve(), wheel)
    print(f"The playground: `python -m http.server -b 127.0.0.1 -d {given.output}` serves it.")
    return 0


def built(into: Path) -> Path:
    """Build the wheel from a copy of the sources, so that nothing is left in the checkout."""
    copy = into / "source"
    leave_out = shutil.ignore_patterns(
        ".git", "build", "node_modules", "__pycache__", ".venv", "tests", "*.egg-info"
    )
    shutil.copytree(ROOT, copy, ignore=leave_out)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(into),
        str(copy),
    ]
    subprocess.run(command, check=True)
    return next(into.glob("*.whl"))


def gather(into: Path, wheel: Path) -> None:
    """Put everything that the page loads into a folder. A NumPy wheel that is in it stays."""
    into.mkdir(parents=True, exist_ok=True)
    for name in ("index.html", "style.css", "bridge.py", *(one.name for one in PAGE.glob("*.js"))):
        shutil.copy(PAGE / name, into / name)
    for name in ("relax.js", "words.js"):
        shutil.copy(ROOT / "editors" / "codemirror" / name, into / name)
    (into / "pyodide").mkdir(exist_ok=True)
    for name in PYODIDE:
        shutil.copy(PAGE / "node_modules" / "pyodide" / name, into / "pyodide" / name)
    page = (PAGE / "index.html").read_text(encoding="utf-8")
    entries = json.dumps({"imports": modules(into)}, indent=2)
    page = page.replace("<!-- IMPORT MAP -->", f'<script type="importmap">\n{entries}\n</script>')
    (into / "index.html").write_text(page, encoding="utf-8")
    shown = {Path(name).stem: (ROOT / name).read_text(encoding="utf-8") for name in SAMPLES}
    (into / "samples.js").write_text(
        f"export const samples = {json.dumps(shown, indent=2)};\n", encoding="utf-8"
    )
    for old in into.glob("relax_lang-*.whl"):
        old.unlink()
    shutil.copy(wheel, into)
    numpy = sorted(into.glob("numpy-*.whl"))
    files = {"wheel": wheel.name, "numpy": numpy[-1].name if numpy else None}
    (into / "files.json").write_text(json.dumps(files) + "\n", encoding="utf-8")


def modules(into: Path) -> dict[str, str]:
    """Copy the ES modules that the editor imports; return where each name is found."""
    wanted = [name for name in manifest(PAGE)["dependencies"] if name.startswith("@codemirror/")]
    found: dict[str, str] = {}
    while wanted:
        name = wanted.pop()
        if name in found:
            continue
        package = PAGE / "node_modules" / name
        described = manifest(package)
        file = described["exports"]["import"].removeprefix("./")
        there = into / "modules" / f"{name}.js"
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(package / file, there)
        found[name] = f"./modules/{name}.js"
        wanted += described.get("dependencies", {})
    return dict(sorted(found.items()))


def manifest(package: Path) -> dict[str, Any]:
    """Return the description of an npm package."""
    return cast("dict[str, Any]", json.loads((package / "package.json").read_text(encoding="utf-8")))


if __name__ == "__main__":
    sys.exit(main())
