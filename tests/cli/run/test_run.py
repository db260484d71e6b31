"""`relax run`: arguments from the command line, results, and everything that can be wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.harness import BAD, BROKEN, Relax
from tests.cli.run.run_programs import PROGRAM, X


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


@pytest.mark.parametrize("engine", ["compiled", "interpreter"])
def test_engines(relax: Relax, program: Path, engine: str) -> None:
    status, out, _ = relax("run", "p.rlx", "--entry", "one", "--args", "v.npy", "--engine", engine)
    assert (status, out) == (0, "Tensor[(3,), int32] [2 4 6]\n")


@pytest.mark.parametrize("count", ["1", "3"])
def test_threads(relax: Relax, program: Path, count: str) -> None:
    """Rows of an array of 70,000 elements, on one thread or several."""
    (
        program / "rows.rlx"
    ).write_text("""prim_func @twice(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for parallel i in 0..n { Y[i] = X[i] * 2.0; }
}
def @main(x: Tensor[(n,), float32]) { call_tir(@twice, (x,)) -> Tensor[(n,), float32] }
""")
    np.save("long.npy", np.arange(70_000, dtype=np.float32))
    words = ["--args", "long.npy", "--out", "y.npy", "--print", "none", "--threads", count]
    assert relax("run", "rows.rlx", *words) == (0, "", "")
    assert np.load("y.npy").tolist() == list(range(0, 140_000, 2))


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
        ["--threads", "0"],
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


def test_RUN_2_archives_that_are_none(relax: Relax, program: Path) -> None:
    import zipfile

    with zipfile.ZipFile(program / "n.npz", "w") as file:
        file.writestr("readme.txt", "no array")
    for words in (["--npz", "n.npz"], ["--args", "n.npz"]):
        status, out, err = relax("run", "p.rlx", *words)
        assert (status, out) == (2, "")
        assert "error[RLX0933 argument-file]: cannot read `n.npz` as an array: " in err
