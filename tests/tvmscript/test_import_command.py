"""`relax import`, and the Python around the functions that it reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lang import api
from tests.cli.harness import ROOT, Relax
from tests.tvmscript.harness import imported, obstacles, script


@pytest.fixture
def relax(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Relax:
    return Relax(monkeypatch, capfd)


@pytest.mark.parametrize(
    ("python", "place"),
    [
        ("y = R.add(x, T.foo(x))", "T.foo(x)"),
        ("y = R.add(x, *x)", "*x"),
        ("y = [x for x in x]", "[x for x in x]"),
        ("y = x.struct_info", "x.struct_info"),
        ("y = unknown(x)", "unknown(x)"),
        ("for i in range(3):\n        y = x", "for i in range(3):\n        y = x"),
        ("y = R.call_packed('f', R.str('a'))", "R.str('a')"),
    ],
)
def test_what_cannot_be_read_is_named(python: str, place: str) -> None:
    text = f"@R.function\ndef main(x: R.Tensor((2,), 'float32')):\n    {python}\n    return x\n"
    assert [found for _, found in obstacles(text)] == [place]


def test_python_constants_are_followed() -> None:
    text = """
    import math

    N, M = 4, [1, 2]

    def twice(a):
        return a * 2

    SIZE = twice(N) + len(M) + math.ceil(2.5)
    DTYPE = f"float{16 * 2}"

    @R.function
    def main(x: R.Tensor((SIZE, N // 2), DTYPE)):
        return R.sum(x, axis=M[0])
    """
    assert imported(text) == "def @main(x: Tensor[(13, 2), float32]) {\n  sum(x, axis=1)\n}\n"


@pytest.mark.parametrize(
    "value",
    [
        "10 ** 10 ** 9",
        "1 << 10 ** 9",
        "'a' * 10 ** 9",
        "n",
        "[0] * 10 ** 7",
        "list(range(10 ** 9))",
        "'%1000000000d' % 1",
        "open('x')",
    ],
)
def test_python_constants_are_bounded(value: str) -> None:
    text = f"n = {value}\n\n@R.function\ndef main(x: R.Tensor((n, 4), 'float32')):\n    return x\n"
    assert [slug for slug, _ in obstacles(text)] == ["tvmscript-captured-name"]


def test_definitions_give_values() -> None:
    text = """
    def factory(n, dtype):
        @T.prim_func
        def kernel(A: T.Buffer((n,), dtype)):
            for i in range(n):
                A[i] = T.cast(1, dtype)
        return kernel
    """
    assert (
        obstacles(text) == [("tvmscript-captured-name", "dtype")]
        or obstacles(text)[0][0] == "tvmscript-captured-name"
    )
    assert imported(text, n=4, dtype="float16") == (
        "prim_func @kernel(A: Buffer[(4,), float16]) attrs { s_tir: false } {\n"
        "  for i in 0..4 {\n    A[i] = float16(1.0);\n  }\n}\n"
    )


def test_comments_stay_with_their_statements() -> None:
    text = """
    # before the unit
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        # first
        y = R.abs(x)  # second
        # fmt: off
        # third
        return y
    """
    assert imported(text) == (
        "def @main(x: Tensor[(2, 3), float32]) {\n  # first\n  let y = abs(x);  # second\n  # third\n  y\n}\n"
    )


def test_import_says_where_purity_is_not_what_is_declared(relax: Relax, tmp_path: Path) -> None:
    path = tmp_path / "pure.py"
    text = "@R.function\ndef f(x: R.Tensor):\n    R.call_packed('log', x, ty_args=R.Any)\n    return x\n"
    path.write_text(script(text))
    status, out, err = relax("import", path)
    assert status == 0
    assert "tvmscript-impure" in err
    assert "impure" not in out
    path.write_text(script("@R.function(pure=False)\ndef f(x: R.Tensor):\n    return R.abs(x)\n"))
    status, out, err = relax("import", path)
    assert status == 0
    assert "impure-not-needed" in err
    assert out.startswith("impure def @f")
    path.write_text(script("@R.function\ndef f(x: R.Tensor):\n    return R.abs(x)\n"))
    assert relax("import", path).err == ""


def test_import_writes_files(relax: Relax, tmp_path: Path) -> None:
    path = tmp_path / "models.py"
    path.write_text(
        script(
            (ROOT / "samples/tvmscript/mlp.py").read_text(encoding="utf-8")
            + "\n\n@R.function\ndef f(x: R.Tensor):\n    return g(x)\n"
        ),
        encoding="utf-8",
    )
    status, out, _ = relax("import", "--list", path)
    assert status == 1
    assert [line.split()[1:3] for line in out.splitlines()] == [["module", "MLP"], ["function", "f"]]
    assert relax("import", path).status == 2
    status, _, err = relax("import", path, "-d", tmp_path / "out")
    assert status == 1
    assert "`g`" in err
    assert [one.name for one in (tmp_path / "out").iterdir()] == ["MLP.rlx"]
    status, out, _ = relax("check", tmp_path / "out")
    assert status == 0
    status, out, _ = relax("import", path, "--unit", "MLP", "-o", tmp_path / "mlp.rlx")
    assert (status, out) == (0, "")
    assert (tmp_path / "mlp.rlx").read_text() == (tmp_path / "out/MLP.rlx").read_text()
    assert relax("import", path, "--unit", "nothing").status == 2
    assert relax("import", path, "-o", path, "--unit", "MLP").status == 2


def test_keep_going_leaves_functions_out(relax: Relax, tmp_path: Path) -> None:
    path = tmp_path / "models.py"
    path.write_text(
        script("""
    @I.ir_module
    class Module:
        @R.function
        def good(x: R.Tensor):
            return x

        @R.function
        def bad(x: R.Tensor):
            return python(x)
    """),
        encoding="utf-8",
    )
    status, out, err = relax("import", path)
    assert (status, out) == (1, "")
    status, out, err = relax("import", "--keep-going", path)
    assert (status, out) == (1, "def @good(x: Tensor) {\n  x\n}\n")
    assert "python" in err


def test_sample_runs_as_python_and_as_relax(relax: Relax, tmp_path: Path) -> None:
    sample = ROOT / "samples/tvmscript/mlp.py"
    target = tmp_path / "mlp.rlx"
    assert relax("import", sample, "-o", target).status == 0
    first = relax("run", sample, "--random", 1)
    second = relax("run", target, "--random", 1)
    assert first.status == second.status == 0
    assert first.out == second.out


def test_what_tvm_prints_has_no_imports() -> None:
    text = """
# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import tirx as X
# from tvm.script import relax as R

n = TypeVar("n")
@I.ir_module
class Module:
    @X.prim_func(private=True, s_tir=True)
    def copy(A: X.Buffer((n,), "float32"), B: X.Buffer((n,), "float32")):
        # with X.sblock("root"):
        for i in range(n):
            B[i] = A[i]

    @R.function
    def main(x: R.Tensor((n, "n * 2"), dtype="float32")) -> R.Tensor((n, "n * 2"), dtype="float32"):
        R.print(x, format=R.str(""))
        return x
"""
    assert (
        imported(text)
        == """private prim_func @copy(A: Buffer[(n,), float32], B: Buffer[(n,), float32]) {
  for i in 0..n {
    B[i] = A[i];
  }
}

def @main(x: Tensor[(n, n * 2), float32]) -> Tensor[(n, n * 2), float32] {
  print(x);
  x
}
"""
    )


def test_documentation_strings_document_items() -> None:
    made = imported("""
    @I.ir_module
    class Module:
        # a remark
        @T.prim_func
        def add1(A: T.Buffer((4,), "float32")):
            '''Adds one.

            To each.
            '''
            for i in range(4):
                A[i] = A[i] + 1.0

        @R.function
        def main(x: R.Tensor((2,), "float32")):
            "The entry."
            return x
    """)
    assert made.startswith("# a remark\n## Adds one.\n##\n## To each.\nprim_func @add1(")
    assert "\n## The entry.\ndef @main(" in made
    assert api.format_text(made) == made


def test_relax_text_needs_no_import(relax: Relax, tmp_path: Path) -> None:
    program = tmp_path / "a.rlx"
    program.write_text("def @main() -> () { () }\n")
    status, out, err = relax("import", str(program))
    assert (status, out) == (2, "")
    assert "is Relax text" in err
