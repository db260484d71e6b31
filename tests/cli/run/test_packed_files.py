"""`relax run --packed`: functions of Python files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.cli.harness import ROOT, Relax
from tests.processes import PATIENCE


def test_pickles_are_never_loaded(relax: Relax, program: Path) -> None:
    np.save(program / "evil.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.savez(program / "evil.npz", allow_pickle=True, x=np.array([{}], dtype=object))
    for words in (["--args", "evil.npy", "1"], ["--npz", "evil.npz"]):
        status, _, err = relax("run", "p.rlx", *words)
        assert status == 2
        assert "argument-file" in err


def test_X_8_packed_files(relax: Relax, program: Path) -> None:
    (program / "helper.py").write_text("def add(a, b):\n    return a + b\n")
    (program / "funcs.py").write_text(
        "from helper import add\nfrom relax_lang import register_packed_func\n\n"
        "register_packed_func('my.add')(add)\n"
    )
    before = list(sys.path)
    try:
        status, out, err = relax(
            "run", "p.rlx", "--entry", "extern", "--args", "v.npy", "--packed", "funcs.py"
        )
    finally:
        sys.path[:] = before
        sys.modules.pop("helper", None)
    assert (status, err) == (0, "")
    assert out == "Tensor[(3,), int32] [2 4 6]\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def (", "SyntaxError"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        (None, "there is no such file"),
    ],
)
def test_X_8_packed_files_that_fail(relax: Relax, program: Path, text: str | None, why: str) -> None:
    if text is not None:
        (program / "funcs.py").write_text(text)
    status, _, err = relax("run", "p.rlx", "--entry", "nothing", "--packed", "funcs.py")
    assert status == 2
    assert f"error[RLX0012 packed-file-failed]: cannot run `funcs.py`: {why}" in err
    assert "Traceback" not in err
    _, _, err = relax("run", "p.rlx", "--entry", "nothing", "--packed", "funcs.py", "--verbose")
    if text is not None:
        assert why.split(":", maxsplit=1)[0] in err.split("error[")[0]


def test_X_8_a_packed_function_that_fails(relax: Relax, program: Path) -> None:
    (program / "funcs.py").write_text(
        "from relax_lang import register_packed_func\n\n"
        "@register_packed_func('my.add')\ndef f(a, b):\n    return {}[1]\n"
    )
    words = ["run", "p.rlx", "--entry", "extern", "--args", "v.npy", "--packed", "funcs.py"]
    status, _, err = relax(*words)
    assert status == 1
    assert 'packed function "my.add" failed: KeyError: 1' in err
    assert "Traceback" not in err
    assert "Traceback" in relax(*words, "--verbose").err


def test_X_8_a_packed_function_that_ends_the_process(relax: Relax, program: Path) -> None:
    (program / "funcs.py").write_text(
        "import sys\nfrom relax_lang import register_packed_func\n"
        "register_packed_func('my.add')(lambda a, b: sys.exit(0))\n"
    )
    status, out, err = relax("run", "p.rlx", "--entry", "extern", "--args", "v.npy", "--packed", "funcs.py")
    assert (status, out) == (1, "")
    assert 'packed function "my.add" failed: SystemExit: 0' in err


@pytest.mark.parametrize("packed", [True, False])
def test_a_process_that_ran_python_of_the_user_ends_in_good_order(program: Path, packed: bool) -> None:
    """Others end at once: nothing in them could have work to do."""
    (program / "sitecustomize.py").write_text("import atexit\natexit.register(print, 'the end')\n")
    (program / "funcs.py").write_text("import atexit\natexit.register(print, 'of the user')\n")
    words = ["run", "p.rlx", "--entry", "nothing", *(["--packed", "funcs.py"] if packed else [])]
    done = subprocess.run(
        [sys.executable, "-m", "relax_lang", *words],
        cwd=program,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(program), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[1:] == (["of the user", "the end", ""] if packed else [""])
