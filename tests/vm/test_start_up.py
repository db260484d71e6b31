"""What `relax run` of an executable loads: neither Typer nor parser, checker or compilers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.docs.tools import ROOT
from tests.processes import PATIENCE

PROGRAM = """
prim_func @scale(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = X[i] * 2.0; }
}
def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
  add(call_tir(@scale, (x,)) -> Tensor[(n,), float32], x)
}
"""
CODE = (
    "import sys\nfrom relax_lang._main import main\n"
    "status = main(sys.argv[1:])\nprint(status, *sorted(sys.modules), file=sys.stderr)"
)
NOT_LOADED = (
    "typer", "rich", "lark", "relax_lang.syntax.parser", "relax_lang.syntax.table", "relax_lang.scope.resolve",
    "relax_lang.normalize", "relax_lang.check.infer", "relax_lang.check.driver", "relax_lang.runtime.compiler.program",
    "relax_lang.tir.vectorize", "relax_lang.tir.schedule", "relax_lang.tir.lower", "relax_lang.tir.codegen",
    "relax_lang.tir.check", "relax_lang.tir.interp.interpreter",
)  # fmt: skip


def test_an_executable_that_was_built_here(tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_text(PROGRAM)
    environment = {
        key: value for key, value in os.environ.items() if key not in ("RELAX_FREEZE", "RELAX_NO_CACHE")
    }
    environment |= {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def relax(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", CODE, *words],
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
            check=True,
            timeout=PATIENCE,
        )

    assert relax("build", "a.rlx", "--quiet").stderr.split()[0] == "0"
    done = relax("run", "a.rlxe", "--args", "[1,2]")
    assert done.stdout == "Tensor[(2,), float32] [3. 6.]\n"
    status, *modules = done.stderr.split()
    assert status == "0"
    assert not [one for one in modules if one.startswith(NOT_LOADED)]
