"""`relax diff` and `relax infer`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.harness import Relax

LEFT = """def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
  let y = exp(x);
  y * 2.0
}
def @g(x: Tensor) { x }
"""
RIGHT = """def @main(a: Tensor[(m,), float32]) -> Tensor[(m,), float32] {
  let why = exp(a);
  why * 2.5
}
"""


def test_diff(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_text(LEFT)
    (tmp_path / "b.rlx").write_text(RIGHT)
    (tmp_path / "c.rlx").write_text(RIGHT.replace("2.5", "2.0") + "def @g(y: Tensor) { y }")
    assert relax("diff", "a.rlx", "c.rlx")[:2] == (0, "a.rlx and c.rlx: the same program, up to names\n")
    status, out, _ = relax("diff", "a.rlx", "b.rlx")
    assert status == 1
    assert out == (
        "@main differs:\n"
        "  a.rlx:3:7  y * 2.0\n"
        "                 ━━━\n"
        "  b.rlx:3:9  why * 2.5\n"
        "                   ━━━\n"
        "\n"
        "only in a.rlx: @g\n"
        "  a.rlx:5:1  def @g(x: Tensor) { x }\n"
        "             ━━━━━━━━━━━━━━━━━━━━━━━\n"
        "\n"
        "a.rlx and b.rlx: 2 differences\n"
    )
    assert relax("diff", "a.rlx", "c.rlx", "-q")[:2] == (0, "")


def test_diff_of_what_cannot_be_compared(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_text(LEFT)
    (tmp_path / "b.rlx").write_text("def @main() { y }")
    status, out, err = relax("diff", "a.rlx", "b.rlx")
    assert (status, out) == (2, "")
    assert "b.rlx:1:15" in err
    assert relax("diff", "a.rlx", "nothing.rlx").status == 2


def test_infer(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_text(LEFT.replace("y * 2.0", "y * 2.0 + x"))
    assert relax("infer", "a.rlx")[:2] == (
        0,
        (
            "@main: fn(Tensor[(n,), float32]) -> Tensor[(n,), float32]\n"
            "    1  x: Tensor[(n,), float32]\n"
            "    2  y: Tensor[(n,), float32]\n"
            "    3  gv: Tensor[(n,), float32]\n"
            "    3  gv_1: Tensor[(n,), float32]\n"
            "\n"
            "@g: fn(Tensor) -> Tensor\n"
            "    5  x: Tensor\n"
        ),
    )
    assert relax("infer", "--types", "a.rlx").out.splitlines()[:3] == [
        "@main: fn(Tensor[ndim=1, float32]) -> Tensor[ndim=1, float32]",
        "    1  x: Tensor[ndim=1, float32]",
        "    2  y: Tensor[ndim=1, float32]",
    ]
    (tmp_path / "b.rlx").write_text("def @main() { y }")
    assert relax("infer", "b.rlx").status == relax("infer", "--types", "b.rlx").status == 1


def test_Y_9_infer_walks_deep_programs(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "deep.rlx").write_text(f"def @main(x: Tensor) {{ let t = {'(' * 800}x{',)' * 800}; t }}")
    status, out, _ = relax.process("infer", "deep.rlx")
    assert status == 0
    assert "  t: (" in out
