"""`relax run` with someone who watches, under a limit, with other arguments and results than the plain ones."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.cli.harness import Relax

PROGRAM = """def @main(x: Tensor[(n,), float32], t: (Tensor[(), int32], (Shape, Tensor[(), bool]))) {
  let a = log(x);
  let b = exp(a);
  (b, t)
}

def @plain(x: Tensor[(n,), float32]) {
  let y = x * 2.0;
  y
}
"""


@pytest.fixture
def program(tmp_path: Path, relax: Relax) -> Path:
    (tmp_path / "p.rlx").write_text(PROGRAM)
    return tmp_path


def plain(*words: str) -> list[str]:
    return ["run", "p.rlx", "--entry", "plain", "--arg", "x=[1.0, 2.0]", *words]


def test_trace_goes_to_standard_error(relax: Relax, program: Path) -> None:
    status, out, err = relax(*plain("--trace"))
    assert status == 0
    assert out == "Tensor[(2,), float32] [2. 4.]\n"
    assert err.startswith("    8  y: Tensor[(2,), float32]  min 2 mean 3 max 4  [")


def test_profile(relax: Relax, program: Path) -> None:
    status, _, err = relax(*plain("--profile", "--profile-out", "p.json"))
    assert status == 0
    assert [line.split()[0] for line in err.splitlines()] == ["called", "multiply", "all", "the"]
    trace = json.loads((program / "p.json").read_text())
    assert [event["name"] for event in trace["traceEvents"]] == ["multiply"]
    status, _, err = relax(*plain("--profile-out", "no/such/folder.json"))
    assert status == 2
    assert "cannot write `no/such/folder.json`" in err


def test_a_profile_is_of_warm_runs_where_nothing_happens_twice(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "w.rlx").write_text(
        "def @main(x: Tensor[(), float32]) {\n  exp(x) + exp(x + 1.0)\n}\n\n"
        'def @loud(x: Tensor[(), float32]) {\n  print(x, format="seen {}");\n  exp(x)\n}\n'
    )
    words = ("run", "w.rlx", "--args", "1", "--profile", "--print", "none")
    lines = relax(*words).err.splitlines()
    assert re.fullmatch(r"the mean of \d warm runs?; the first took .*", lines[-1])
    assert sorted(line.split()[:2] for line in lines[1:-2]) == [["add", "2"], ["exp", "2"]]
    loud = relax(*words, "--entry", "loud")
    assert loud.out.count("seen") == 1
    assert "warm" not in loud.err
    assert "warm" not in relax(*words, "--trace").err


@pytest.mark.parametrize("pipeline", [(), ("--pipeline", "build")], ids=["direct", "lowered"])
def test_a_profile_of_an_executable_has_warm_runs(
    relax: Relax, tmp_path: Path, pipeline: tuple[str, ...]
) -> None:
    (tmp_path / "w.rlx").write_text(
        "def @main(x: Tensor[(n,), float32]) {\n  let f = fn (y: Tensor[(n,), float32]) { exp(y) };\n  f(x)\n}\n\n"
        'def @loud(x: Tensor[(n,), float32]) {\n  print(x, format="seen {}");\n  exp(x)\n}\n\n'
        "def @out(x: Tensor[(n,), float32]) {\n  @loud(x)\n}\n"
    )
    assert relax("build", "w.rlx", *pipeline, "--quiet").status == 0
    words = ("run", "w.rlxe", "--args", "[1]", "--profile", "--print", "none")
    lines = relax(*words).err.splitlines()
    assert re.fullmatch(r"the mean of \d warm runs?; the first took .*", lines[-1])
    for entry in ("loud", "out"):
        loud = relax(*words, "--entry", entry)
        assert loud.out.count("seen") == 1
        assert "warm" not in loud.err


@pytest.mark.parametrize("engine", ["compiled", "interpreter"])
def test_a_model_is_watched_as_programs_are(relax: Relax, tmp_path: Path, engine: str) -> None:
    """Its bindings have the names that the text of an import has."""
    onnx = pytest.importorskip("onnx")
    from tests.onnx.models import dense

    onnx.save(dense(), tmp_path / "m.onnx")
    words = ("run", "m.onnx", "--args", "[[1,2,3,4,5,6,7,8]]", "--engine", engine)
    done = relax(*words, "--profile", "--profile-out", "p.json")
    assert (done.status, done.out) == (0, "Tensor[(1, 4), float32] [[36. 37. 38. 39.]]\n")
    lines = done.err.splitlines()
    assert sorted(line.split()[:2] for line in lines[1:-2]) == [
        ["add", "1"],
        ["matmul", "1"],
        ["nn.relu", "1"],
    ]
    assert re.fullmatch(r"the mean of \d warm runs?; the first took .*", lines[-1])
    events = json.loads((tmp_path / "p.json").read_text())["traceEvents"]
    assert [event["args"]["binding"].split("#")[0] for event in events] == [
        "main.gemm",
        "main.gemm_1",
        "main.y",
    ]
    traced = relax(*words, "--trace").err.splitlines()
    assert [line.split()[1] for line in traced] == ["gemm:", "gemm_1:", "y:"]


def test_nan(relax: Relax, program: Path) -> None:
    words = ["run", "p.rlx", "--entry", "plain", "--arg", "x=[1e38, 3e38]", "--nan"]
    status, _, err = relax(*words)
    assert status == 1
    assert "not-finite]: multiply makes 1 infinite of 2 elements out of finite operands" in err
    assert "first at [1]: inf, where x = 3.000" in err
    status, _, err = relax(*plain("--nan"))
    assert (status, err) == (0, "")


def test_save_all_and_compare(relax: Relax, program: Path) -> None:
    assert relax(*plain("--save-all", "run1"))[::2] == (0, "saved 1 array in run1\n")
    assert [path.name for path in (program / "run1").iterdir()] == ["plain.y.npy"]
    assert relax(*plain("--compare", "run1"))[::2] == (0, "compared 1 array, none differs\n")
    np.savez(program / "other.npz", y=np.array([2, 5], np.float32))
    status, out, err = relax(*plain("--compare", "other.npz", "--output-format", "concise"))
    assert (status, out) == (1, "")
    assert err.startswith(
        "p.rlx:8:3: error[RLX0925 value-differs] `y` differs from the recorded `plain.y`: 1 of 2"
    )
    assert relax(*plain("--compare", "other.npz", "--tolerance", "0.3"))[0] == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--compare", "nothing.npz"], "cannot read `nothing.npz` as an array: there is no such file"),
        (["--compare", "empty"], "no binding of this run is recorded in empty"),
        (["--save-all", "p.rlx/x"], "cannot write `p.rlx/x`"),
        (["--max-memory", "lots"], "`--max-memory` takes a size such as 4GiB or 500MB, not `lots`"),
        (["--max-memory", "0"], "`--max-memory` takes a size"),
        (["--npz", "a.npz", "--args", "-"], "`-` and `--npz` both give an archive"),
    ],
)
def test_mistakes_on_the_command_line(relax: Relax, program: Path, words: list[str], says: str) -> None:
    (program / "empty").mkdir()
    status, out, err = relax(*plain(*words))
    assert (status, out) == (2, "")
    assert says in err
    assert not (program / "p.rlx").is_dir()


def test_X_O5_max_memory(relax: Relax, program: Path) -> None:
    words = ["run", "p.rlx", "--entry", "plain", "--random", "1", "--dim", "n=1000", "--max-memory"]
    status, _, err = relax(*words, "2KB")
    assert status == 1
    assert "out-of-memory]: cannot allocate " in err
    assert "the limit is 2000 bytes for one tensor" in err
    for size in ("8KiB", "8192", "1gib", "0.5 MB", "1G", "8k"):
        assert relax(*words, size)[0] == 0


def test_X_O5_max_memory_holds_for_what_is_read(relax: Relax, program: Path) -> None:
    np.savez_compressed(program / "w.npz", x=np.zeros(100_000, np.float32))
    for words in (["--npz", "w.npz"], ["--arg", "x=w.npz:x"], ["--random", "1", "--compare", "w.npz"]):
        line = ["run", "p.rlx", "--entry", "plain", "--max-memory", "100KB", *words]
        status, _, err = relax(*line)
        assert status == 2
        assert "it takes 400000 bytes, the limit is 100000" in err


def test_json(relax: Relax, program: Path) -> None:
    words = [
        "--args",
        "[1.0, -1.0, 0.0]",
        "--arg",
        "t[0]=3",
        "--arg",
        "t[1][0]=shape:2,3",
        "--arg",
        "t[1][1]=true",
    ]
    status, out, err = relax("run", "p.rlx", *words, "--json")
    assert (status, err) == (0, "")
    assert json.loads(out) == [
        {"shape": [3], "dtype": "float32", "data": [1, "nan", 0]},
        [
            {"shape": [], "dtype": "int32", "data": 3},
            [{"shape": [2, 3]}, {"shape": [], "dtype": "bool", "data": True}],
        ],
    ]


def test_RUN_2_fields_of_tuples_that_are_missing_or_too_many(relax: Relax, program: Path) -> None:
    given = ["run", "p.rlx", "--args", "[1.0]"]
    status, _, err = relax(*given, "--arg", "t[0]=3", "--arg", "t[1][1]=true")
    assert status == 1
    assert "expected 2 fields, found none for field 0" in err
    status, _, err = relax(
        *given, "--arg", "t[0]=3", "--arg", "t[1][0]=shape:2", "--arg", "t[2]=1", "--arg", "t[1][1]=1"
    )
    assert status == 1
    assert "expected 2 fields, found one for field 2" in err
    status, _, err = relax(*given, "--arg", "t[x]=3")
    assert status == 2
    assert "@main has no parameter `t[x]`" in err


def test_safetensors(relax: Relax, program: Path) -> None:
    numpy = pytest.importorskip("safetensors.numpy")
    numpy.save_file({"x": np.array([1, 2], np.float32), "y": np.zeros(3)}, program / "w.safetensors")
    for words in (["--args", "w.safetensors:x"], ["--arg", "x=w.safetensors:x"]):
        assert relax("run", "p.rlx", "--entry", "plain", *words)[:2] == (0, "Tensor[(2,), float32] [2. 4.]\n")
    status, _, err = relax("run", "p.rlx", "--entry", "plain", "--npz", "w.safetensors")
    assert status == 2
    assert "@plain has no parameter `y`" in err
    status, _, err = relax("run", "p.rlx", "--entry", "plain", "--args", "w.safetensors")
    assert "it has several: `x`, `y`" in err
    (program / "bad.safetensors").write_bytes(b"\xff" * 40)
    status, _, err = relax("run", "p.rlx", "--entry", "plain", "--args", "bad.safetensors")
    assert status == 2
    assert "cannot read `bad.safetensors` as an array" in err


def test_what_is_wrong_can_be_json(relax: Relax, program: Path) -> None:
    status, out, err = relax("run", "p.rlx", "--entry", "plain", "--output-format", "json")
    assert (status, out) == (2, "")
    found = json.loads(err)
    assert [one["name"] for one in found["diagnostics"]] == ["argument-missing"]


def test_arguments_from_standard_input(program: Path) -> None:
    archive = io.BytesIO()
    np.savez(archive, x=np.array([1, 2], np.float32))
    for words in (["--npz", "-"], ["--args", "-"]):
        ran = subprocess.run(
            [sys.executable, "-m", "relax_lang", "run", "p.rlx", "--entry", "plain", *words],
            input=archive.getvalue(),
            capture_output=True,
            check=True,
            cwd=program,
        )
        assert ran.stdout.decode().strip() == "Tensor[(2,), float32] [2. 4.]"


def test_standard_input_is_one_thing(relax: Relax, program: Path) -> None:
    status, _, err = relax("run", "-", "--npz", "-", stdin=PROGRAM)
    assert status == 2
    assert "standard input cannot be both the program and its arguments" in err


def test_an_executable_is_watched_as_its_program(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_text(PROGRAM)
    assert relax("build", "a.rlx")[0] == 0
    words = ("--entry", "plain", "--random", "1", "--dim", "n=2")
    assert relax("run", "a.rlx", *words, "--save-all", "kept")[0] == 0
    status, _, err = relax("run", "a.rlxe", *words, "--compare", "kept")
    assert (status, "none differs" in err) == (0, True)
    _, _, err = relax("run", "a.rlxe", *words, "--trace", "--profile")
    assert "y: Tensor[(2,), float32]" in err
    assert "multiply" in err
    status, _, err = relax("run", "a.rlxe", *words, "--compare", "gone.npz")
    assert (status, "gone.npz" in err) == (2, True)
    status, _, err = relax("run", "a.rlxe", *words, "--strict-effects")
    assert (status, "`--strict-effects` is for programs" in err) == (2, True)
