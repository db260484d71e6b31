"""`relax run` at its edges: interrupts at any time, names from hell, folders that are allowed, tracebacks of users."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from relax_lang import api
from tests.cli.harness import ROOT, Relax
from tests.processes import PATIENCE, start

HOSTILE = Path(__file__).with_name("hostile.rlx").read_text(encoding="utf-8")
ENTRY = '../../main"; import os; os._exit(9) #'


@pytest.fixture
def hostile(tmp_path: Path, relax: Relax, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "deep" / "er"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    (folder / "h.rlx").write_text(HOSTILE)
    return folder


@pytest.mark.parametrize("engine", ["compiled", "interpreter"])
def test_hostile_names_run(relax: Relax, hostile: Path, engine: str) -> None:
    status, out, err = relax("run", "h.rlx", "--entry", ENTRY, "--arg", "../x'\"\\=[0.0]", "--engine", engine)
    assert (status, err) == (0, "")
    assert out == f"Tensor[(1,), float32] [{np.exp(np.float32(np.exp(1) / 2)):.7g}]\n"


def test_hostile_names_in_traces_and_files(relax: Relax, hostile: Path) -> None:
    run = ["run", "h.rlx", "--entry", ENTRY, "--random", "1", "--print", "none"]
    status, _, err = relax(*run, "--trace")
    assert status == 0
    names = [line.split(": Tensor")[0].strip() for line in err.splitlines()]
    assert [name.partition("  ")[2] for name in names] == [
        '`../../a/"c\'\\n"""`',
        "`\\ufffe\\ud800\\u0000`",
        "`y#2`",
        "`</text><script>alert(1)</script>`",
        "`__import__('os')._exit(9)`",
    ]
    assert relax(*run, "--save-all", "saved")[::2] == (0, "saved 5 arrays in saved\n")
    assert len(list((hostile / "saved").iterdir())) == 5
    assert [path.name for path in hostile.parent.iterdir()] == ["er"]
    assert relax(*run, "--compare", "saved")[::2] == (0, "compared 5 arrays, none differs\n")
    assert relax(*run, "--profile", "--profile-out", "p.json")[0] == 0
    for name in ("p.svg", "p.dot", "p.mmd"):
        assert relax("graph", "h.rlx", "-o", name, "--profile", "p.json")[0] == 0
    picture = (hostile / "p.svg").read_text(encoding="utf-8")
    ET.fromstring(picture)
    assert "<script>alert" not in picture
    assert picture.count(" of the slowest") == 5
    assert "<script>" not in (hostile / "p.mmd").read_text(encoding="utf-8")


def test_a_name_with_a_number_is_no_second_evaluation(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "p.rlx").write_text(
        "def @main() { let a = @f(const(1.0)); @f(a) }\n"
        "def @f(x: Tensor[(), float32]) -> Tensor[(), float32] { let y = x + 1.0; let `y#2` = y * 10.0; `y#2` }\n"
    )
    assert relax("run", "p.rlx", "--save-all", "s", "--print", "none")[0] == 0
    saved = {path.name: float(np.load(path)) for path in (tmp_path / "s").iterdir() if "f.y" in path.name}
    assert saved == {"f.y.npy": 2, "f.y##2.npy": 20, "f.y#2.npy": 21, "f.y##2#2.npy": 210}


def test_an_interrupt_while_the_program_is_checked(
    relax: Relax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "p.rlx").write_text("def @main() { 1 }")
    monkeypatch.setattr(api, "start", stopped)
    status, out, err = relax("run", "p.rlx")
    assert (status, out) == (130, "")
    assert "interrupted]: stopped while the program was checked" in err


def test_an_interrupt_while_arguments_are_read(
    relax: Relax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "p.rlx").write_text("def @main(x: Tensor) { x }")
    from relax_lang.runtime.session import Session

    monkeypatch.setattr(Session, "arguments", stopped)
    status, _, err = relax("run", "p.rlx", "--args", "1")
    assert status == 130
    assert "stopped while the arguments were read" in err


@pytest.mark.skipif(os.name == "nt", reason="signals are sent another way there")
@pytest.mark.parametrize("where", ["packed function", "file"])
def test_ctrl_c_says_where_the_program_was(tmp_path: Path, where: str) -> None:
    (tmp_path / "p.rlx").write_text(
        'def @main() -> Object { @wait() }\ndef @wait() -> Object { let y = extern "test.wait"(); y }\n'
    )
    wait = "    print('ready', flush=True)\n    time.sleep(600)\n"
    (tmp_path / "wait.py").write_text(
        "import time\nfrom relax_lang import register_packed_func\n"
        f"@register_packed_func('test.wait')\ndef wait():\n{wait}" + ("wait()\n" if where == "file" else "")
    )
    process = start(
        [
            sys.executable,
            "-m",
            "relax_lang",
            "run",
            "p.rlx",
            "--packed",
            "wait.py",
            "--output-format",
            "concise",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    place = "p.rlx:2:25: " if where == "packed function" else ""
    told = "here by an interrupt" if place else "while files with packed functions were run"
    assert f"{place}error[RLX0926 interrupted] stopped {told}" in err
    assert "Traceback" not in err


def test_CF_3_allow_path(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "programs").mkdir()
    np.save(tmp_path / "data" / "w.npy", np.ones(2, np.float32))
    program = tmp_path / "programs" / "p.rlx"
    program.write_text('def @main() {\n  const(file("../data/w.npy"))\n}\n')
    assert relax("run", program)[0] == 1
    assert relax("run", program, "--allow-path", tmp_path / "data")[:2] == (
        0,
        "Tensor[(2,), float32] [1. 1.]\n",
    )
    for command in ("check", "normalize", "compile", "test"):
        assert "constant-file-outside" in "".join(relax(command, program)[1:])
        assert relax(command, program, "--allow-path", "data")[0] == 0
    assert relax("check", "--fix", program, "--allow-path", "data")[0] == 0
    assert relax("graph", program, "-o", "p.svg", "--allow-path", "data")[0] == 0
    assert relax("run", program, "--allow-path", "programs")[0] == 1


def test_extern_failed_shows_the_users_own_traceback(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "p.rlx").write_text('def @main() -> Object { extern "test.fails"() }')
    (tmp_path / "f.py").write_text(
        "from relax_lang import register_packed_func\n"
        "@register_packed_func('test.fails')\ndef fails():\n    return inner()\ndef inner():\n    return 1 / 0\n"
    )
    status, _, err = relax("run", "p.rlx", "--packed", "f.py", "--verbose")
    assert status == 1
    assert "in fails" in err
    assert "in inner" in err
    assert "relax_lang" not in err.partition("ZeroDivisionError")[0]
    assert "extern-failed]" in err
    assert "Traceback" not in relax("run", "p.rlx", "--packed", "f.py")[2]


def test_dimensions_that_are_no_int64(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "p.rlx").write_text("def @main(x: Tensor[(n,), float32]) { x }")
    status, _, err = relax("run", "p.rlx", "--random", "1", "--dim", f"n={1 << 63}")
    assert status == 2
    assert "`--dim` takes sizes that fit int64" in err


@pytest.mark.parametrize(
    "words", [["--arg", "x=[1.0]", "--arg", "x =[2.0]"], ["--dim", "n=1", "--dim", "n =2"]]
)
def test_what_is_given_twice(relax: Relax, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "p.rlx").write_text("def @main(x: Tensor[(n,), float32]) { x }")
    status, out, err = relax("run", "p.rlx", *words, "--random", "1")
    assert (status, out) == (2, "")
    assert f"`{words[0]}` gives `{words[1][0]}` twice" in err


def test_help_groups_the_options(relax: Relax, tmp_path: Path) -> None:
    status, out, _ = relax("run", "--help")
    assert status == 0
    for title in ("Arguments of the function", "The result", "Looking into the run", "What runs, and how"):
        assert title in out


WEIRD = """
import numpy as np
from relax_lang import register_packed_func

class Hostile:
    def __repr__(self):
        raise RuntimeError

    def __eq__(self, other):
        raise RuntimeError

    __hash__ = None

VALUES = {
    "text": np.array(["a"]),
    "objects": np.array([1, Hostile()], object),
    "dates": np.array(["2020-01-01"], "M8[D]"),
    "complex": np.array([1j]),
    "records": np.array([(1, 2.0)], [("a", "i4"), ("b", "f4")]),
    "hostile": Hostile(),
    "known": np.array([1.0, 2.0], ">f8"),
}
for name, value in VALUES.items():
    register_packed_func("weird." + name)(lambda value=value: value)
"""


@pytest.mark.parametrize(
    "words",
    [
        ["--trace"],
        ["--print", "full"],
        ["--json"],
        ["--nan"],
        ["--save-all", "s"],
        ["--out", "o.npz"],
        ["--profile"],
    ],
)
def test_V_11_arrays_of_other_dtypes_are_objects(relax: Relax, tmp_path: Path, words: list[str]) -> None:
    names = ["text", "objects", "dates", "complex", "records", "hostile", "known"]
    lines = "".join([f'  let v_{name} = extern "weird.{name}"();\n' for name in names])
    (tmp_path / "p.rlx").write_text(
        f"def @main() -> Object {{\n{lines}  ({', '.join([f'v_{name}' for name in names])})\n}}\n"
    )
    (tmp_path / "weird.py").write_text(WEIRD)
    status, out, err = relax("run", "p.rlx", "--packed", "weird.py", *words)
    assert status == 0, err
    assert ("[0] Object (array of dtype str32)" in out) == (words != ["--json"])
    if words == ["--trace"]:
        assert "v_complex: Object (array of dtype complex128)  [" in err
        assert "v_known: Tensor[(2,), float64]  min 1 mean 1.5 max 2" in err
    if words == ["--json"]:
        assert json.loads(out)[3] == {"object": "Object (array of dtype complex128)"}
        assert json.loads(out)[6]["data"] == [1, 2]
    if words == ["--out", "o.npz"]:
        assert list(np.load(tmp_path / "o.npz")) == ["out0"]
    if words[0] == "--save-all":
        assert [path.name for path in (tmp_path / "s").iterdir()] == ["main.v_known.npy"]


DEEP = """def @main(n: Tensor[(), int32]) -> Object {
  if n <= 0 { (n, ()) } else { (n, @main(n - 1)) }
}
"""


def test_results_that_nest_deeply(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "p.rlx").write_text(DEEP)
    status, out, _ = relax("run", "p.rlx", "--args", "10000", "--json")
    assert status == 0
    assert out.count("[{") == 10_001
    assert out.endswith('"data": 0}, []' + "]" * 10_001 + "\n")
    assert relax("run", "p.rlx", "--args", "10000", "--out", "o.npz", "--print", "none")[0] == 0
    assert len(np.load(tmp_path / "o.npz").files) == 10_001


def test_recorded_names_that_no_file_can_have(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "p.rlx").write_text(DEEP)
    run = ["run", "p.rlx", "--args", "120", "--print", "none"]
    assert relax(*run, "--save-all", "s")[0] == 0
    names = [path.name for path in (tmp_path / "s").iterdir()]
    assert max([len(name) for name in names]) < 255 - len(".4194304.tmp")
    assert relax(*run, "--compare", "s")[::2] == (0, f"compared {len(names)} arrays, none differs\n")
    np.save(tmp_path / "s" / max(names, key=len), np.array(7, np.int32))
    status, _, err = relax(*run, "--compare", "s")
    assert status == 1
    assert "recorded 7" in err


def test_recordings_made_by_hand(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "p.rlx").write_text(
        "def @main(x: Tensor[(2,), float32]) { let `é/1` = x * 2.0; let y = x * 3.0; y }"
    )
    (tmp_path / "s").mkdir()
    np.save(tmp_path / "s" / "y.npy", np.array([3, 6], np.float32))
    run = ["run", "p.rlx", "--args", "[1, 2]", "--print", "none", "--compare", "s"]
    assert relax(*run)[::2] == (0, "compared 1 array, none differs\n")
    np.save(tmp_path / "s" / "é%2F1.npy", np.array([2, 5], np.float32))
    status, _, err = relax(*run)
    assert status == 1
    assert "differs from the recorded `main.é/1`" in err
    (tmp_path / "s" / "y.npy").write_bytes(b"no array")
    (tmp_path / "s" / "é%2F1.npy").unlink()
    status, _, err = relax(*run)
    assert status == 2
    assert "argument-file" in err


def test_RUN_2_every_argument_that_cannot_be_read_is_said(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "p.rlx").write_text("def @main(x: Tensor, y: Tensor, z: Tensor) { x }")
    words = [
        "--args",
        "no.npy",
        "[1, 2",
        "--arg",
        "z=shape:x",
        "--npz",
        "no.npz",
        "--output-format",
        "concise",
    ]
    status, _, err = relax("run", "p.rlx", *words)
    assert status == 2
    assert [line.partition("cannot read ")[2].split("`")[1] for line in err.splitlines()] == [
        "no.npy",
        "[1, 2",
        "shape:x",
        "no.npz",
    ]


def test_options_that_make_no_sense(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "p.rlx").write_text("def @main() { 1 }")
    status, _, err = relax("run", "p.rlx", "--args", "--output-format", "concise")
    assert status == 2
    assert "--args" in err
    assert "takes a value" in err
    status, _, err = relax("run", "p.rlx", "--tolerance", "nan", "--output-format", "concise")
    assert (status, err) == (2, "error[RLX0010 usage] `--tolerance` takes a number from 0 on, not `nan`\n")


def test_a_hint_in_an_annotation_changes_nothing(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "p.rlx").write_text("def @main(x: (Tensor[(n,), float32])) -> Tensor {\n  x\n}\n")
    assert relax("run", "p.rlx", "--random", "1").status == 0
    assert relax("normalize", "p.rlx")[1].startswith("def @main(x: Tensor[(n,), float32]) -> Tensor {")
