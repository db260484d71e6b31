"""What an `if` gives whose condition compares sizes. [D.6] [D.13]"""

from __future__ import annotations

import pytest

from relax_lang import ShapeValue, api
from tests.check.infer.harness import found, infos

HEAD = "def @main(s: Shape[(p,)], t: Shape[(q,)], x: Tensor[(p, 2), float32], c: Tensor[(), bool])"
IF = "let r = if {} {{ {} }} else {{ {} }}; r"
ZERO = "shape_equals(shape(p), shape(0))"


@pytest.mark.parametrize(
    ("condition", "one", "other", "info"),
    [
        (ZERO, "shape(1)", "shape(p)", "Shape[(select(p == 0, 1, p),)]"),
        (ZERO, "shape(p)", "shape(0)", "Shape[(0,)]"),
        ("shape_equals(shape(p), shape(q))", "shape(p)", "shape(q)", "Shape[(select(p == q, p, q),)]"),
        (f"logical_not({ZERO})", "shape(p * 2)", "shape(1)", "Shape[(select(p == 0, 1, p * 2),)]"),
        (ZERO, "(shape(1), x)", "(shape(p), x)", "(Shape[(select(p == 0, 1, p),)], Tensor[(p, 2), float32])"),
        (ZERO, "shape(1)", "shape(p, 2)", "Shape"),
        (
            ZERO,
            "x",
            "reshape(x, shape(2, p))",
            "Tensor[(select(p == 0, 0, 1) * 2, select(p == 0, 2, p)), float32]",
        ),
        ("c", "shape(1)", "shape(p)", "Shape[ndim=1]"),
        ("p == 0", "shape(1)", "shape(p)", "Shape[(select(p == 0, 1, p),)]"),
        ("p > q", "shape(p)", "shape(q)", "Shape[(max(p, q),)]"),
        ("p > q", "x", "prim_value(1.5)", "Tensor[_, float32]"),
        ("p > q", "prim_value(p)", "scalar(p)", "Tensor[(), int64]"),
        ("p > q", "prim_value(p)", "shape(p)", "Object"),
        ("p > q && p > 3", "shape(1)", "shape(2)", "Shape[(select(p <= 3 || q >= p, 1, 0) + 1,)]"),
        ("c && p > 3", "shape(1)", "shape(p)", "Shape[ndim=1]"),
        ("p == 0", "shape(1)", "shape(q // p)", "Shape[ndim=1]"),
        ("p > q", "shape(1)", "shape(q % (p + 1))", "Shape[(select(p > q, 1, q % (p + 1)),)]"),
    ],
)
def test_D_6_the_dimensions_that_the_sizes_choose(condition: str, one: str, other: str, info: str) -> None:
    text = f"{HEAD} {{ {IF.format(condition, one, other)} }}"
    assert not api.check(text).has_errors
    assert infos(text)["r"] == info


RECURSION = """
def @main(s: Shape[(p,)]) -> Shape[(RESULT,)] {
  if shape_equals(shape(p), shape(0)) { shape(1) } else { OTHER }
}
"""


def test_W_7_recursion_by_sizes_has_the_declared_result() -> None:
    text = RECURSION
    assert found(text.replace("RESULT", "max(p, 1)").replace("OTHER", "shape(p)")) == []
    recursive = "@main(shape(p))"
    assert found(text.replace("RESULT", "max(p, 1)").replace("OTHER", recursive)) == []
    doubled = (
        text.replace("RESULT", "p * 2").replace("shape(1)", "shape(p)").replace("OTHER", "@main(shape(p))")
    )
    assert found(doubled) == []
    wrong = text.replace("RESULT", "p * 2").replace("OTHER", "shape(p * 2)")
    assert [slug for slug, _ in found(wrong)] == ["possibly-incompatible"]


def test_W_7_recursion_by_sizes_in_plain_comparisons() -> None:
    text = RECURSION.replace("shape_equals(shape(p), shape(0))", "p == 0")
    assert found(text.replace("RESULT", "max(p, 1)").replace("OTHER", "shape(p)")) == []
    assert found(text.replace("RESULT", "max(p, 1)").replace("OTHER", "@main(shape(p))")) == []


@pytest.mark.parametrize("size", [0, 1, 5])
def test_D_14_what_was_proved_of_a_choice_holds(size: int) -> None:
    text = RECURSION.replace("RESULT", "max(p, 1)").replace("OTHER", "shape(p)")
    assert api.run(text, ShapeValue((size,))) == ShapeValue((max(size, 1),))


def test_D_13_no_info_divides_by_zero() -> None:
    """What is inferred is written out, by `relax infer`, in hovers and in TVMScript, where it would be an error."""
    text = (
        "def @main(x: Tensor[(n, n), int64]) -> Object {"
        " let f = fn (p: Tensor[(j,), int64]) -> Tensor[(select(n == 3, j, n),), int64] { max(x, axis=[-1]) };"
        " let y = reshape(x, shape(n * n // (2 // n))); let r = f(y); r }"
    )
    assert infos(text)["r"] == "Tensor[(select(n == 3, n * n // (2 // n), n),), int64]"
    assert not api.check(api.from_tvmscript(api.to_tvmscript(text).text)).has_errors
