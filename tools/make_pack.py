"""Write the modules that a clean `relax check` loads into one file: what the build of a wheel does last.

    python tools/make_pack.py FOLDER

FOLDER is the package as it is installed. The modules are those that are loaded after a check of a program with a
PrimFunc and without a mistake.
"""

from __future__ import annotations

import importlib
import marshal
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from setuptools.command.build_py import build_py

FILE = "start.pack"
PROGRAM = """prim_func @relu(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) {
    block relu (vi = spatial(i), vj = spatial(j)) {
      Y[vi, vj] = max(X[vi, vj], 0.0);
    }
  }
}

def @main(x: Tensor[(n, 64), float32], w: Tensor[(64, 64), float32]) -> Tensor[(n, 64), float32] {
  dataflow {
    let lv0 = matmul(x, w);
    let lv1 = add(lv0, x);
    let lv2 = nn.softmax(lv1, axis=-1);
    let gv0 = call_tir(@relu, (lv2,)) -> Tensor[(n, 64), float32];
    output gv0;
  }
  gv0
}
"""
_LIST = """
import _sre
import marshal
import sys
from relax_lang import _main
from relax_lang.base import patterns

compile_pattern, pattern = _sre.compile, patterns.pattern
given, ready = [], {}

def compiled(*values):
    given.append(values)
    return compile_pattern(*values)

def ready_made(text, flags=0):
    given.clear()
    made = pattern(text, flags)
    if given:
        _, all_flags, code, groups, names, numbers = given[-1]
        ready[text, flags] = int(all_flags), [int(one) for one in code], groups, dict(names), tuple(numbers)
    return made

_sre.compile, patterns.pattern = compiled, ready_made
_main._leave = lambda status: None
status = _main.main()
from relax_lang.syntax import table
from relax_lang.syntax.lalr_table import unpacked
numbers = {text: unpacked(text) for text in (table.ACTION, table.GOTO_KEYS, table.GOTO_TARGETS)}
print(marshal.dumps((ready, numbers)).hex())
print(*[name for name in sys.modules if name.startswith("relax_lang.")], sep="\\n")
sys.exit(status)
"""


def make_pack(package: Path) -> Path:
    """Write the file for an installed package; return its path. Raises CalledProcessError if the check fails."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.rlx")
        program.write_text(PROGRAM, encoding="utf-8")
        # What was written there before must not decide what is loaded.
        environment = os.environ | {"PYTHONPATH": str(package.parent), "RELAX_NO_CACHE": "1"}
        command = [sys.executable, "-B", "-c", _LIST, "check", "--quiet", str(program)]
        (package / FILE).unlink(missing_ok=True)
        ready, *words = subprocess.run(
            command, env=environment, cwd=folder, check=True, capture_output=True, text=True
        ).stdout.split()
    modules: dict[str, tuple[str, bool, int, bytes]] = {}
    for name in words:
        below = name.split(".")[1:]
        is_package = package.joinpath(*below).is_dir()
        path = (
            package.joinpath(*below, "__init__.py")
            if is_package
            else package.joinpath(*below).with_suffix(".py")
        )
        if name == "relax_lang._pack" or not path.is_file():
            continue
        text = path.read_bytes()
        code = compile(text, path.name, "exec", dont_inherit=True)
        modules[name] = path.relative_to(package).as_posix(), is_package, len(text), marshal.dumps(code)
    written = package / FILE
    written.write_bytes(_own(package).packed(modules, *marshal.loads(bytes.fromhex(ready))))
    return written


def _own(package: Path) -> ModuleType:
    """Return the module of a package that reads such a file; this package need not be one that can be imported."""
    sys.path.insert(0, str(package.parent))
    writes_bytecode, sys.dont_write_bytecode = (
        not sys.dont_write_bytecode,
        True,
    )  # what is there goes into the wheel
    try:
        return importlib.import_module("relax_lang._pack")
    finally:
        sys.path.remove(str(package.parent))
        sys.dont_write_bytecode = not writes_bytecode


class BuildPy(build_py):
    """Builds the modules, and the file of those that are loaded first."""

    def run(self) -> None:
        """Copy the modules; an editable install has its sources elsewhere, and no file."""
        super().run()
        if not self.editable_mode:
            make_pack(Path(self.build_lib, "relax_lang").resolve())

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """Return all files that are built."""
        found = super().get_outputs(include_bytecode)
        return found if self.editable_mode else [*found, str(Path(self.build_lib, "relax_lang", FILE))]


if __name__ == "__main__":
    print(make_pack(Path(sys.argv[1]).resolve()))
