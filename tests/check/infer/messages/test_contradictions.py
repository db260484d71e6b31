"""Annotations that no sizes satisfy are errors themselves, and nothing follows from them. [Z.2] [D.13] [V.9]"""

from __future__ import annotations

import pytest

from tests.check.infer.harness import check, found

LATER = "let later: Tensor[(n - 5,), float32] = ones(shape(n), dtype=float32); later"
DEFINITE = ("annotation-mismatch", "ones(shape(n), dtype=float32)")
PARAMS = "x: Tensor[(n, m), float32], y: Tensor[(m, n + 1), float32], u: Tensor[ndim=1, float32], v: Tensor"


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("let w: Tensor[(n, m), float32] = y;", ("annotation-mismatch", "y")),
        ("match_cast(y, Tensor[(n, m), float32]);", ("match-cast-never", "Tensor[(n, m), float32]")),
        ("match_cast(v, Tensor[(0 - n - 1,), float32]);", ("negative-dimension", "0 - n - 1")),
        (
            "match_cast(v, Tensor[(n - m - 1,), float32]); match_cast(v, Tensor[(m - n,), float32]);",
            ("negative-dimension", "m - n"),
        ),
        ("let p: (Tensor, Tensor[(n, m), float32]) = (u, y);", ("annotation-mismatch", "(u, y)")),
    ],
)
def test_Z_2_it_is_an_error_and_not_believed(statement: str, finding: tuple[str, str]) -> None:
    assert found(f"def @main({PARAMS}) {{ {statement} {LATER} }}") == [finding, DEFINITE]


def test_V_9_parameters_that_no_sizes_satisfy() -> None:
    text = (
        "def @main(s: Shape[(n, m)], x: Tensor[(n - m - 1,), float32], y: Tensor[(m - n,), float32])"
        f" -> Tensor {{ {LATER} }}"
    )
    assert found(text) == [("negative-dimension", "m - n"), DEFINITE]
    again = text.replace("later }", "@main(s, x, y) }")
    assert found(again) == [("negative-dimension", "m - n"), DEFINITE]


def test_D_13_what_may_hold_is_still_believed() -> None:
    text = f"def @main({PARAMS}) {{ let w: Tensor[(m, n), float32] = x; let z: Tensor[(m,), float32] = u; BODY }}"
    assert [slug for slug, _ in found(text.replace("BODY", "w"))] == ["possibly-incompatible"] * 2
    after = "let q: Tensor[(n + 1,), float32] = zeros(shape(m + 1), dtype=float32); q"
    assert [slug for slug, _ in found(text.replace("BODY", after))] == ["possibly-incompatible"] * 2


def test_D_13_in_a_branch_that_is_never_taken_nothing_is_an_error() -> None:
    branch = "let a: Tensor[(n, m), float32] = y; a"
    text = f"def @main({PARAMS}) {{ if shape_equals(shape(n), shape(n + 1)) {{ {branch} }} else {{ x }} }}"
    assert [slug for slug, _ in found(text)] == ["possibly-incompatible"]


@pytest.mark.parametrize("claim", ["", "let c: Tensor[(m,), float32] = x;"])
def test_D_14_a_claim_that_was_warned_of_costs_no_later_proof(claim: str) -> None:
    text = (
        "def @main(x: Tensor[(n,), float32], y: Tensor[(m,), float32]) {"
        f'extern "f"(); {claim} let b: Tensor[(n + 1,), float32] = ones(shape(n + 1), dtype=float32); b }}'
    )
    checked = check(text)
    proved = [text[node.pos : node.end] for node in checked.inferred.proved]
    assert "Tensor[(n + 1,), float32]" in proved


@pytest.mark.parametrize(
    "use", ["add(w, y)", "add(y, w)", "add(w, x)", "matmul(w, w)", "concat((w, y), axis=0)"]
)
def test_Z_5_what_follows_from_a_wrong_annotation_is_not_said(use: str) -> None:
    text = f"def @main({PARAMS}) {{ let w: Tensor[(n, m), float32] = y; {use} }}"
    assert found(text) == [("annotation-mismatch", "y")]
