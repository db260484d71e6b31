"""docs/tour.md: programs are saved, commands run in order and print what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from relax_lang.format.safe import format_text
from tests.docs.pages.walkthrough import walk
from tests.docs.tools import ROOT, slugs

TOUR = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")


def test_the_tour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    kinds = walk(TOUR, tmp_path, capsys)
    assert set(kinds) == {"relax", "console", "python"}
    assert (tmp_path / "relu.svg").read_text(encoding="utf-8").startswith("<svg")


ROWS = re.findall(r"^\| `.*` \| `(.*)` \|$", TOUR, re.MULTILINE)
PROGRAMS = {
    "def @main(x: Tensor[(n, 4), float32]) { … }": "def @main(x: Tensor[(n, 4), float32]) { x }",
    "private def @f(…)`, `impure def @g(…)": (
        'private def @f(x: Tensor) { x }\nimpure def @g(x: Tensor) { print(x, format=""); @f(x) }'
    ),
    "dataflow { … output gv; }": "def @f(x: Tensor) { dataflow { let gv = x; output gv; } gv }",
    "let gv: Tensor[(n, 4), float32] = add(x, y);": (
        "def @f(x: Tensor[(n, 4), float32], y: Tensor[(n, 4), float32]) {"
        " let gv: Tensor[(n, 4), float32] = add(x, y); gv }"
    ),
    "match_cast(x, Tensor[(n,), float32])": "def @f(x: Tensor) { let y = match_cast(x, Tensor[(n,), float32]); y }",
    "call_tir(@f, (x,)) -> Tensor[(n,), float32]": (
        "prim_func @f(A: Buffer[(n,), float32], B: Buffer[(n,), float32]) { for i in 0..n { B[i] = A[i]; } }\n"
        "def @g(x: Tensor[(n,), float32]) { call_tir(@f, (x,)) -> Tensor[(n,), float32] }"
    ),
    'extern "f"(x) -> Tensor`, `extern "f"': (
        'impure def @f(x: Tensor) { let g = extern "f"; extern "f"(x) -> Tensor }'
    ),
    "const(1.0, float32)`, `const([1, 2])": "def @f() { (const(1.0, float32), const([1, 2])) }",
    "shape(n, 4)`, `Shape[(n, 4)]`, `(A, B)`, `Object": (
        "def @f(s: Shape[(n, 4)], t: (Tensor, Shape), o: Object) { shape(n, 4) }"
    ),
    "prim_func @f(A: Buffer[(n,), float32]) { … }": (
        "prim_func @f(A: Buffer[(n,), float32]) { for i in 0..n { A[i] = 0.0; } }"
    ),
    "for i, j in grid(n, m) { block b (vi = spatial(i), vj = spatial(j)) { … } }": (
        "prim_func @f(A: Buffer[(n, m), float32]) { for i, j in grid(n, m) {"
        " block b (vi = spatial(i), vj = spatial(j)) { A[vi, vj] = 0.0; } } }"
    ),
    "init { C[vi] = 0.0; }": (
        "prim_func @f(A: Buffer[(n, m), float32], C: Buffer[(n,), float32]) { for i, j in grid(n, m) {"
        " block b (vi = spatial(i), vj = reduce(j)) { init { C[vi] = 0.0; } C[vi] += A[vi, vj]; } } }"
    ),
    "alloc B: Buffer[(n,), float32];": (
        "prim_func @f(A: Buffer[(n,), float32]) { alloc B: Buffer[(n,), float32];"
        " for i in 0..n { B[i] = 0.0; } for i in 0..n { A[i] = B[i]; } }"
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_the_forms_beside_TVMScript_exist(row: str) -> None:
    program = PROGRAMS[row]
    for piece in row.split("`, `"):
        for part in piece.split("…"):
            if part.strip(" {})") and piece not in ("(A, B)",):
                assert part.strip() in program, part
    assert slugs(program, Path("tour.rlx")) == []
    assert format_text(program)


def test_every_row_was_found() -> None:
    assert set(ROWS) == set(PROGRAMS)
