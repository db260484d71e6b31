"""`relax run --out`, printing and progress."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from relax_lang.cli.options import Shown
from relax_lang.cli.run import progress

from tests.cli.harness import ROOT, Relax
from tests.processes import PATIENCE


def test_print(relax: Relax, program: Path) -> None:
    def run(*words: str) -> str:
        return relax("run", "p.rlx", "--entry", "one", "--random", "1", "--dim", "n=1000", *words).out

    assert run("--print", "none") == ""
    assert "..." in run() == run("--print", "summary")
    assert "..." not in run("--print", "full")


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
    assert "\x1b[?25l" not in terminal.text, "a process that is killed could not show the cursor again"


def test_progress_is_not_shown_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import time

    monkeypatch.setattr(progress, "DELAY", 0.0)
    with progress.progress("running @main", Shown({})):
        time.sleep(0.2)
    assert capsys.readouterr() == ("", "")
