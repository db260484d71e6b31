"""`relax run`: arguments from the command line, results, and everything that can be wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from relax_lang.cli.options import Shown
from relax_lang.cli.run import progress

from tests.cli.harness import BAD, BROKEN, ROOT, Relax
from tests.processes import PATIENCE

PROGRAM = """def @main(x: Tensor[(n, 2), float32], k: Tensor[(), int32]) {
  let y = x * 2.0;
  (y, k)
}

def @one(x: Tensor[(n,), int32]) {
  x + x
}

def @size(s: Shape[ndim=2]) {
  s
}

def @nothing() {
  ()
}

private def @hidden() {
  1
}

def @fails(x: Tensor) {
  let y = match_cast(x, Tensor[(2,), int32]);
  y
}

def @extern(x: Tensor[(n,), int32]) {
  extern "my.add"(x, x) -> Tensor[(n,), int32]
}
"""
X = np.arange(6, dtype=np.float32).reshape(3, 2)


@pytest.fixture
def program(relax: Relax, tmp_path: Path) -> Path:
    (tmp_path / "p.rlx").write_text(PROGRAM)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "v.npy", np.array([1, 2, 3], np.int32))
    np.savez(tmp_path / "all.npz", x=X, k=np.array(7, np.int32))
    return tmp_path


def test_arguments_in_order(relax: Relax, program: Path) -> None:
    status, out, err = relax("run", "p.rlx", "--args", "x.npy", "7")
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == "tuple of 2"
    assert "Tensor[(3, 2), float32]" in out
    assert "Tensor[(), int32] 7" in out


@pytest.mark.parametrize(
    "words",
    [
        ["--args", "x.npy", "7"],
        ["--args=x.npy", "--args=7"],
        ["--arg", "k=7", "--arg", "x=x.npy"],
        ["--npz", "all.npz"],
        ["--args", "all.npz:x", "--arg", "k=all.npz:k"],
        ["--args", "[[0, 1], [2, 3], [4, 5]]", "7"],
    ],
)
def test_all_ways_to_give_arguments(relax: Relax, program: Path, words: list[str]) -> None:
    status, _, err = relax("run", "p.rlx", *words, "--out", "y.npz", "--print", "none")
    assert (status, err) == (0, "")
    with np.load("y.npz") as result:
        assert list(result.files) == ["out0", "out1"]
        assert (result["out0"] == X * 2).all()
        assert result["out0"].dtype == np.float32
        assert result["out1"] == 7


def test_the_program_may_stand_behind_its_arguments(relax: Relax, program: Path) -> None:
    assert relax("run", "--args", "x.npy", "7", "p.rlx").status == 0
    assert relax("run", "--entry", "one", "--args", "[-1, 2]", "p.rlx").out == "Tensor[(2,), int32] [-2  4]\n"


def test_negative_numbers(relax: Relax, program: Path) -> None:
    assert relax("run", "p.rlx", "--args", "x.npy", "-7").out.endswith("Tensor[(), int32] -7\n")


def test_shapes(relax: Relax, program: Path) -> None:
    assert relax("run", "p.rlx", "--entry", "size", "--args", "shape:2,3").out == "shape(2, 3)\n"


def test_programs_from_stdin(relax: Relax, program: Path) -> None:
    status, out, _ = relax("run", "-", "--entry", "one", "--args", "v.npy", stdin=PROGRAM)
    assert (status, out) == (0, "Tensor[(3,), int32] [2 4 6]\n")


def test_entry_may_have_its_sign(relax: Relax, program: Path) -> None:
    assert relax("run", "p.rlx", "--entry", "@nothing") == (0, "()\n", "")


def test_random_arguments_and_dimensions(relax: Relax, program: Path) -> None:
    def run(*words: str) -> np.ndarray:
        assert relax("run", "p.rlx", "--entry", "one", *words, "--out", "y.npy").status == 0
        return np.load("y.npy")

    first = run("--random", "1", "--dim", "n=5")
    assert first.shape == (5,)
    assert (first == run("--random", "1", "--dim", "n=5")).all()
    assert not (first == run("--random", "2", "--dim", "n=5")).all()
    assert run("--random", "0", "--dim", "n=0").shape == (0,)


def test_print(relax: Relax, program: Path) -> None:
    def run(*words: str) -> str:
        return relax("run", "p.rlx", "--entry", "one", "--random", "1", "--dim", "n=1000", *words).out

    assert run("--print", "none") == ""
    assert "..." in run() == run("--print", "summary")
    assert "..." not in run("--print", "full")


@pytest.mark.parametrize("engine", ["compiled", "interpreter"])
def test_engines(relax: Relax, program: Path, engine: str) -> None:
    status, out, _ = relax("run", "p.rlx", "--entry", "one", "--args", "v.npy", "--engine", engine)
    assert (status, out) == (0, "Tensor[(3,), int32] [2 4 6]\n")


# Results in files. [RUN.4]


def test_RUN_4_one_tensor(relax: Relax, program: Path) -> None:
    assert relax("run", "p.rlx", "--entry", "one", "--args", "v.npy", "--out", "y.npy").status == 0
    assert np.load("y.npy").tolist() == [2, 4, 6]
    assert relax("run", "p.rlx", "--entry", "one", "--args", "v.npy", "--out", "y.npz").status == 0
    with np.load("y.npz") as result:
        assert result["out0"].tolist() == [2, 4, 6]


def test_RUN_4_a_shape_is_stored_as_numbers(relax: Relax, program: Path) -> None:
    assert relax("run", "p.rlx", "--entry", "size", "--args", "shape:2,3", "--out", "y.npy").status == 0
    assert np.load("y.npy").tolist() == [2, 3]


def test_RUN_4_a_tuple_does_not_fit_into_npy(relax: Relax, program: Path) -> None:
    status, _, err = relax("run", "p.rlx", "--npz", "all.npz", "--out", "y.npy")
    assert status == 2
    assert "cannot write `y.npy`: the result is a tuple" in err
    assert not (program / "y.npy").exists()


def test_RUN_4_the_empty_tuple_is_an_empty_archive(relax: Relax, program: Path) -> None:
    (program / "u.rlx").write_text(
        "def @main(x: Object) { () }\ndef @closure() { let f = fn () { () }; f }\n"
    )
    assert relax("run", "u.rlx", "--args", "()", "--out", "y.npz").status == 0
    with np.load("y.npz") as archive:
        assert archive.files == []
    status, _, err = relax("run", "u.rlx", "--args", "()", "--out", "y.npy")
    assert status == 2
    assert "the result is a tuple" in err
    status, _, err = relax("run", "u.rlx", "--entry", "closure", "--out", "y.npz")
    assert status == 2
    assert "the result holds no tensor" in err


def test_RUN_4_a_folder_that_does_not_exist(relax: Relax, program: Path) -> None:
    status, _, err = relax("run", "p.rlx", "--entry", "one", "--args", "v.npy", "--out", "no/y.npy")
    assert status == 2
    assert "cannot write `no/y.npy`: no such file or directory" in err


def test_out_of_an_unknown_kind_is_refused_before_anything_runs(relax: Relax, program: Path) -> None:
    status, out, err = relax("run", "gone.rlx", "--out", "y.txt")
    assert (status, out) == (2, "")
    assert err.startswith(
        "error[RLX0010 usage]: `--out` takes a file that ends in .npy or .npz, not `y.txt`\n"
    )


# What can be wrong. [RUN.1] [RUN.2] [RUN.3] [RUN.5]


@pytest.mark.parametrize(
    ("words", "status", "slug"),
    [
        (["--entry", "nope"], 2, "entry-not-found"),
        (["--entry", "hidden"], 2, "private-function"),
        (["--args", "x.npy"], 2, "argument-missing"),
        (["--args", "x.npy", "7", "8"], 2, "argument-extra"),
        (["--npz", "all.npz", "--arg", "z=1"], 2, "argument-extra"),
        (["--args", "gone.npy", "7"], 2, "argument-file"),
        (["--args", "p.txt", "7"], 2, "argument-file"),
        (["--npz", "gone.npz"], 2, "argument-file"),
        (["--npz", "x.npy"], 2, "argument-file"),
        (["--args", "all.npz", "7"], 2, "argument-file"),
        (["--args", "all.npz:z", "7"], 2, "argument-file"),
        (["--args", "v.npy", "7"], 1, "argument-check-failed"),
        (["--args", "x.npy", "1.5"], 1, "argument-check-failed"),
        (["--random", "1", "--dim", "m=4"], 2, "argument-extra"),
        (["--entry", "fails", "--args", "x.npy"], 1, "match-cast-failed"),
        (["--entry", "extern", "--args", "v.npy"], 1, "extern-not-found"),
    ],
)
def test_RUN_failures(relax: Relax, program: Path, words: list[str], status: int, slug: str) -> None:
    (program / "p.txt").write_text("no array")
    got, out, err = relax("run", "p.rlx", *words)
    assert (got, out) == (status, "")
    assert f" {slug}]: " in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "words",
    [
        ["--arg", "x"],
        ["--arg", "=1"],
        ["--arg", "x="],
        ["--dim", "n"],
        ["--dim", "n=-1"],
        ["--dim", "n=many"],
        ["--dim", "n=1", "--dim", "n=2"],
        ["--arg", "x=1", "--arg", "x=2"],
    ],
)
def test_malformed_options(relax: Relax, program: Path, words: list[str]) -> None:
    status, out, err = relax("run", "p.rlx", *words)
    assert (status, out) == (2, "")
    assert err.startswith("error[RLX0010 usage]: ")


@pytest.mark.parametrize(("text", "slug"), [(BAD, "undefined-variable"), (BROKEN, "syntax")])
def test_RUN_3_a_program_with_errors_does_not_run(relax: Relax, text: str, slug: str) -> None:
    status, out, err = relax("run", "-", "--random", "1", stdin=text)
    assert (status, out) == (1, "")
    assert f" {slug}]: " in err


def test_RUN_5_failures_show_their_place_and_the_way_there(relax: Relax, program: Path) -> None:
    (program / "deep.rlx").write_text(
        "def @main(x: Tensor) {\n  @inner(x)\n}\n\n"
        "def @inner(x: Tensor) {\n  let y = match_cast(x, Tensor[(2,), int32]);\n  y\n}\n"
    )
    _, _, err = relax("run", "deep.rlx", "--args", "x.npy")
    assert " ──▸ deep.rlx:6:11\n" in err
    assert "called from @main at line 2" in err


def test_programs_that_cannot_be_read(relax: Relax) -> None:
    status, out, err = relax("run", "gone.rlx")
    assert (status, out) == (2, "")
    assert "file-not-found" in err


def test_pickles_are_never_loaded(relax: Relax, program: Path) -> None:
    np.save(program / "evil.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.savez(program / "evil.npz", allow_pickle=True, x=np.array([{}], dtype=object))
    for words in (["--args", "evil.npy", "1"], ["--npz", "evil.npz"]):
        status, _, err = relax("run", "p.rlx", *words)
        assert status == 2
        assert "argument-file" in err


# Packed functions. [X.8]


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


def test_RUN_4_what_was_printed_stands_before_the_failure(relax: Relax, tmp_path: Path) -> None:
    path = tmp_path / "p.rlx"
    path.write_text("def @main() {\n  print(1);\n  assert_op(false);\n  ()\n}\n")
    line = f"{sys.executable} -m relax_lang run {path} 2>&1"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(line, shell=True, capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.startswith("1\nerror[RLX0910 assertion-failed]: assertion failed\n")


def test_O_10_print_to_a_stream_that_cannot_encode_it(relax: Relax) -> None:
    text = 'def @main() { print(1, format="π {}"); () }\n'
    status, out, err = relax.process(
        "run", "-", stdin=text, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"}
    )
    assert (status, out, err) == (0, "\\u03c0 1\n()\n", "")


def test_RUN_2_archives_that_are_none(relax: Relax, program: Path) -> None:
    import zipfile

    with zipfile.ZipFile(program / "n.npz", "w") as file:
        file.writestr("readme.txt", "no array")
    for words in (["--npz", "n.npz"], ["--args", "n.npz"]):
        status, out, err = relax("run", "p.rlx", *words)
        assert (status, out) == (2, "")
        assert "error[RLX0933 argument-file]: cannot read `n.npz` as an array: " in err


# Signs of life.


class Terminal:
    encoding = "utf-8"

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None: ...

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("delay", "shown"), [(0.0, True), (60.0, False)])
def test_progress_is_shown_for_long_runs_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, delay: float, shown: bool
) -> None:
    import time

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "DELAY", delay)
    monkeypatch.setenv("TERM", "xterm")
    with progress.progress("running @main", Shown({})):
        end = time.monotonic() + (PATIENCE if shown else 0.2)
        while time.monotonic() < end and "running @main" not in terminal.text:
            time.sleep(0.02)
    assert ("running @main" in terminal.text) is shown


def test_progress_is_not_shown_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import time

    monkeypatch.setattr(progress, "DELAY", 0.0)
    with progress.progress("running @main", Shown({})):
        time.sleep(0.2)
    assert capsys.readouterr() == ("", "")
