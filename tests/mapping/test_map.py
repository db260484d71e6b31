"""`relax map`: results, what is refused, and what is left after a process was killed."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.cli.harness import ROOT
from tests.processes import PATIENCE

if TYPE_CHECKING:
    from tests.cli.harness import Relax, Result

MODEL = """def @main(x: Tensor[(n, 8), float32], w: Tensor[(8, 3), float32]) -> Tensor[(n, 3), float32] {
  nn.relu(matmul(x, w)) - mean(x, axis=1, keepdims=true)
}
"""
ROWS = 1000


@pytest.fixture
def work(relax: Relax, tmp_path: Path) -> Path:
    (tmp_path / "model.rlx").write_text(MODEL)
    numbers = np.random.default_rng(0)
    np.save(tmp_path / "x.npy", numbers.integers(-4, 5, (ROWS, 8)).astype(np.float32))
    np.save(tmp_path / "w.npy", numbers.integers(-4, 5, (8, 3)).astype(np.float32))
    return tmp_path


def expected(work: Path) -> np.ndarray:
    x, w = np.load(work / "x.npy"), np.load(work / "w.npy")
    return np.maximum(x @ w, 0) - x.mean(axis=1, keepdims=True)


def run(relax: Relax, *words: object, arg: tuple[str, ...] = ("x=x.npy", "w=w.npy")) -> Result:
    given = [word for one in arg for word in ("--arg", one)]
    return relax("map", "model.rlx", *given, "--over", "n", "--out", "y.npy", *words)


@pytest.mark.parametrize("chunk", [1, 7, 256, 5000])
def test_the_result_is_that_of_the_whole(relax: Relax, work: Path, chunk: int) -> None:
    done = run(relax, "--chunk", chunk)
    assert done == (0, "", "1000 rows: y.npy [1000, 3]\n")
    np.testing.assert_allclose(np.load(work / "y.npy"), expected(work), atol=1e-5)
    assert sorted(path.name for path in work.iterdir()) == ["model.rlx", "w.npy", "x.npy", "y.npy"]


def test_no_rows(relax: Relax, work: Path) -> None:
    np.save(work / "x.npy", np.zeros((0, 8), np.float32))
    assert run(relax).status == 0
    assert np.load(work / "y.npy").shape == (0, 3)


def test_rows_along_another_axis_and_results_that_are_the_same_for_all(relax: Relax, work: Path) -> None:
    (work / "model.rlx").write_text(
        "def @main(x: Tensor[(8, n), float32], w: Tensor[(8, 3), float32]) { (matmul(permute_dims(w), x), sum(w)) }\n"
    )
    np.save(work / "x.npy", np.load(work / "x.npy").T)  # in the order of Fortran
    assert run(relax, "--out", "s.npy").status == 0
    np.testing.assert_array_equal(
        np.load(work / "y.npy"), np.load(work / "w.npy").T @ np.load(work / "x.npy")
    )
    assert np.load(work / "s.npy") == np.load(work / "w.npy").sum()


def test_a_row_may_be_several_places(relax: Relax, work: Path) -> None:
    (work / "model.rlx").write_text(
        "def @main(y: Tensor[(n,), float32], x: Tensor[(2 * n, 8), float32]) {\n"
        "  sum(reshape(x, shape(n, 16)), axis=1) + y\n"
        "}\n"
    )
    np.save(work / "v.npy", np.zeros(500, np.float32))
    assert run(relax, "--chunk", 3, arg=("x=x.npy", "y=v.npy")).err == "500 rows: y.npy [500]\n"
    np.testing.assert_allclose(np.load(work / "y.npy"), np.load(work / "x.npy").reshape(500, 16).sum(1))


def test_rows_that_are_mixed_name_the_bindings(relax: Relax, work: Path) -> None:
    (work / "model.rlx").write_text(
        "def @main(x: Tensor[(n, 8), float32]) {\n"
        "  let m = mean(x, axis=0);\n"
        "  let s = sort(x, axis=0);\n"
        "  x - m + s\n"
        "}\n"
    )
    done = run(relax, "--output-format", "concise", arg=("x=x.npy",))
    assert done.status == 1
    assert done.err.splitlines() == [
        (
            "model.rlx:2:11: error[RLX1501 rows-mixed] parts of `n` would not give the result of the whole: "
            "it reduces over the rows"
        ),
        (
            "model.rlx:3:11: error[RLX1501 rows-mixed] parts of `n` would not give the result of the whole: "
            "it works along the axis of the rows"
        ),
    ]
    assert not (work / "y.npy").exists()
    assert run(relax, "--assume-independent", arg=("x=x.npy",)).status == 0


@pytest.mark.parametrize(
    ("words", "arg", "message"),
    [
        (("--over", "k"), ("x=x.npy", "w=w.npy"), "no parameter of @main has the dimension `k`"),
        ((), ("w=w.npy",), "rows are missing: `x`"),
        ((), ("x=x.npy",), "@main needs a value for parameter `w`"),
        ((), ("x=x.npy", "w=w.npy", "v=1"), "@main has no parameter `v`"),
        ((), ("x=none.npy", "w=w.npy"), "`none.npy`: there is no such file"),
        ((), ("x=model.rlx", "w=w.npy"), "rows are read from `.npy` files and arrays of Zarr"),
        ((), ("x=w.npy", "w=w.npy"), "expected 8, found 3"),
        (("--out", "x.npy"), ("x=x.npy", "w=w.npy"), "`--out` would replace `x.npy`"),
        (("--out", "z.npy"), ("x=x.npy", "w=w.npy"), "@main returns 1 tensor, and 2 `--out` are given"),
        (("--out", "z.txt"), ("x=x.npy", "w=w.npy"), "rows are written to `.npy` files and arrays of Zarr"),
        (("--workers", "2", "--dask", "a"), ("x=x.npy", "w=w.npy"), "`--workers` and `--dask`"),
        (("--entry", "f"), ("x=x.npy", "w=w.npy"), "there is no function @f to run"),
    ],
)
def test_what_is_refused(
    relax: Relax, work: Path, words: tuple[str, ...], arg: tuple[str, ...], message: str
) -> None:
    done = run(relax, *words, arg=arg)
    assert done.status in (1, 2)
    assert message in done.err
    assert not (work / "y.npy").exists()
    assert not (work / "y.npy.journal").exists()


def test_a_wrong_dtype_is_reported_with_the_number_of_rows(relax: Relax, work: Path) -> None:
    """Only the first row is checked before the run; `n` is the number of all."""
    np.save(work / "x.npy", np.zeros((37, 8)))
    done = run(relax)
    assert done.status == 1
    assert "expected float32, found float64" in done.err
    assert "shape variables: n = 37" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="it takes a pseudo-terminal")
def test_progress_on_a_terminal(work: Path) -> None:
    import pty

    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "relax_lang", "map", "model.rlx", "--arg", "x=x.npy", "--arg", "w=w.npy"]
    command += ["--over", "n", "--chunk", "100", "--out", "y.npy"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(command, cwd=work, stderr=follower, env=environment) as process:
        os.close(follower)
        shown = b""
        try:
            while part := os.read(leader, 65536):
                shown += part
        except OSError:  # Linux ends so when the other side has closed
            pass
        assert process.wait(PATIENCE) == 0
    os.close(leader)
    assert b"1000/1000" in shown
    assert b"0/?" not in shown, "the number of rows is known from the start"
    assert b"\x1b[?25l" not in shown, "a process that is killed could not show the cursor again"
    last = shown.replace(b"\r", b"").rstrip().splitlines()[-1]
    assert last.endswith(b"1000 rows: y.npy [1000, 3]")


def test_a_failure_names_its_rows_and_keeps_what_is_finished(relax: Relax, work: Path) -> None:
    (work / "model.rlx").write_text(
        "def @main(x: Tensor[(n,), int64], t: Tensor[(5,), float32]) { take(t, x, axis=0) }\n"
    )
    places = np.zeros(100, np.int64)
    places[57] = 9
    np.save(work / "x.npy", places)
    np.save(work / "t.npy", np.arange(5, dtype=np.float32))
    done = run(relax, "--chunk", 10, arg=("x=x.npy", "t=t.npy"))
    assert done.status == 1
    assert "index 9 in `indices` is outside of axis 0" in done.err
    assert "with rows 50 to 59 of `n`" in done.err
    assert len((work / "y.npy.journal").read_text().splitlines()) == 1 + 5


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from relax_lang._main import main
from relax_lang.mapping import run
run.COMMIT_EVERY = 0.0
write, left = run.write, [int(sys.argv[2])]
def killed(*given):
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    write(*given)
run.write = killed
x, y = sys.argv[3:]
main(["map", "model.rlx", "--arg", f"x={x}", "--arg", "w=w.npy", "--chunk", "10", "--out", y])
"""


def kill_after(work: Path, parts: int, x: str = "x.npy", y: str = "y.npy") -> None:
    command = [sys.executable, "-c", KILLED, str(ROOT), str(parts), x, y]
    done = subprocess.run(command, cwd=work, check=False, timeout=PATIENCE)
    assert done.returncode == -signal.SIGKILL


def test_it_goes_on_after_it_was_killed_and_computes_nothing_twice(
    relax: Relax, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_after(work, 7)
    kill_after(work, 13)
    assert not (work / "y.npy").exists()
    from relax_lang.mapping import run as module

    computed: list[int] = []
    write = module.write
    monkeypatch.setattr(module, "write", lambda *given: (computed.append(given[2]), write(*given)))
    done = run(relax, "--chunk", 10)
    assert done.err == "1000 rows, 210 of them by an earlier run: y.npy [1000, 3]\n"
    assert computed == list(range(210, 1000, 10))
    np.testing.assert_allclose(np.load(work / "y.npy"), expected(work), atol=1e-5)
    assert not (work / "y.npy.journal").exists()


def test_a_line_that_was_cut_off_does_not_count(relax: Relax, work: Path) -> None:
    kill_after(work, 5)
    journal = work / "y.npy.journal"
    assert json.loads(journal.read_text().splitlines()[-1]) == {"from": 50, "to": 60}
    journal.write_text(journal.read_text()[:-4])
    assert "50 of them by an earlier run" in run(relax, "--chunk", 30).err
    np.testing.assert_allclose(np.load(work / "y.npy"), expected(work), atol=1e-5)


def test_another_run_is_not_gone_on_with(relax: Relax, work: Path) -> None:
    kill_after(work, 5)
    (work / "model.rlx").write_text(MODEL.replace("nn.relu", "abs"))
    np.save(work / "w.npy", np.ones((8, 3), np.float32))
    done = run(relax)
    assert done.status == 1
    assert "`y.npy.journal` is of another run: the program, `w` changed since" in done.err.replace(
        str(work) + "/", ""
    )
    assert run(relax, "--restart").err == "1000 rows: y.npy [1000, 3]\n"


def test_processes_write_what_one_writes(relax: Relax, work: Path) -> None:
    assert run(relax, "--chunk", 50, "--workers", 2).status == 0
    np.testing.assert_allclose(np.load(work / "y.npy"), expected(work), atol=1e-5)


PACKED = """
import os, signal
import relax_lang
@relax_lang.register_packed_func("test.twice")
def twice(x):
    if x[0, 0] == 77.0 and os.getpid() != {tests} and not os.path.exists({marker!r}):
        open({marker!r}, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return x * 2
"""
WITH_PACKED = """def @main(x: Tensor[(n, 8), float32]) -> Tensor[(n, 8), float32] {
  call_pure_packed(extern "test.twice", x) -> Tensor[(n, 8), float32]
}
"""


@pytest.fixture
def deadly(work: Path) -> Path:
    """A program that kills the process that computes row 500, the first time."""
    (work / "model.rlx").write_text(WITH_PACKED)
    (work / "packed.py").write_text(PACKED.format(marker=str(work / "killed"), tests=os.getpid()))
    x = np.load(work / "x.npy")
    x[500, 0] = 77.0
    np.save(work / "x.npy", x)
    return work


def test_a_process_that_is_killed_is_replaced(relax: Relax, deadly: Path) -> None:
    words = ("--chunk", 50, "--packed", "packed.py", "--assume-independent")
    assert "it does not say that it keeps rows apart" in run(relax, *words[:-1], arg=("x=x.npy",)).err
    done = run(relax, *words, "--workers", 2, arg=("x=x.npy",))
    assert done.status == 0, done.err
    assert (deadly / "killed").exists()
    np.testing.assert_array_equal(np.load(deadly / "y.npy"), np.load(deadly / "x.npy") * 2)


def test_zarr_in_and_out(relax: Relax, work: Path) -> None:
    zarr = pytest.importorskip("zarr")
    array = zarr.create_array(work / "x.zarr", shape=(ROWS, 8), chunks=(128, 8), dtype="float32")
    array[:] = np.load(work / "x.npy")
    done = relax(
        "map", "model.rlx", "--arg", "x=x.zarr", "--arg", "w=w.npy", "--chunk", 100, "--out", "y.zarr"
    )
    assert done.status == 0, done.err
    np.testing.assert_allclose(zarr.open_array(work / "y.zarr")[:], expected(work), atol=1e-5)
    (work / "other.zarr").mkdir()
    (work / "other.zarr" / "notes.txt").write_text("mine")
    refused = relax("map", "model.rlx", "--arg", "x=x.zarr", "--arg", "w=w.npy", "--out", "other.zarr")
    assert refused.status == 1
    assert (work / "other.zarr" / "notes.txt").exists()


@pytest.mark.parametrize("workers", [(), ("--workers", 2)])
def test_a_damaged_piece_of_zarr_is_no_bug(relax: Relax, work: Path, workers: tuple[object, ...]) -> None:
    zarr = pytest.importorskip("zarr")
    array = zarr.create_array(work / "x.zarr", shape=(ROWS, 8), chunks=(64, 8), dtype="float32")
    array[:] = np.load(work / "x.npy")
    (piece,) = [one for one in (work / "x.zarr").rglob("*") if one.parts[-3:] == ("c", "3", "0")]
    piece.write_bytes(piece.read_bytes()[:9])
    done = relax("map", "model.rlx", "--arg", "x=x.zarr", "--arg", "w=w.npy", "--out", "y.npy", *workers)
    assert done.status == 1
    assert "internal-error" not in done.err
    assert "x.zarr" in done.err


def test_zarr_goes_on_after_it_was_killed(relax: Relax, work: Path) -> None:
    zarr = pytest.importorskip("zarr")
    array = zarr.create_array(work / "x.zarr", shape=(ROWS, 8), chunks=(64, 8), dtype="float32")
    array[:] = np.load(work / "x.npy")
    kill_after(work, 23, "x.zarr", "y.zarr")
    assert not (work / "y.zarr").exists()
    done = relax(
        "map", "model.rlx", "--arg", "x=x.zarr", "--arg", "w=w.npy", "--chunk", 10, "--out", "y.zarr"
    )
    assert done.err == "1000 rows, 240 of them by an earlier run: y.zarr [1000, 3]\n"
    np.testing.assert_allclose(zarr.open_array(work / "y.zarr")[:], expected(work), atol=1e-5)
    assert sorted(path.name for path in work.iterdir()) == [
        "model.rlx", "w.npy", "x.npy", "x.zarr", "y.zarr",
    ]  # fmt: skip


def test_a_disk_that_becomes_full_is_reported_and_the_run_goes_on_later(
    relax: Relax, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Places of a `.npy` are taken when it is made, those of Zarr when they are written."""
    zarr = pytest.importorskip("zarr")
    real, writes = zarr.Array.__setitem__, []

    def full(self: object, where: object, value: object) -> None:
        writes.append(where)
        if len(writes) > 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(self, where, value)

    monkeypatch.setattr(zarr.Array, "__setitem__", full)
    command = "map", "model.rlx", "--arg", "x=x.npy", "--arg", "w=w.npy", "--chunk", 100, "--out", "y.zarr"
    stopped = relax(*command)
    assert stopped.status == 1
    assert "map-array" in stopped.err
    assert "y.zarr`: cannot write it: No space left on device" in stopped.err
    monkeypatch.undo()
    monkeypatch.chdir(work)
    assert relax(*command).err == "1000 rows, 500 of them by an earlier run: y.zarr [1000, 3]\n"
    np.testing.assert_allclose(zarr.open_array(work / "y.zarr")[:], expected(work), atol=1e-5)
