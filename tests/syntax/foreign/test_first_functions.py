"""Statements, choices and types of other languages: one message each, and the rest is checked. [Y.7] [Z.2]"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import SAFE
from tests.syntax.foreign.test_first_attempts import FUNCTION, errors, is_mended


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ('where(x > 0.0, float("-inf"), x)', "where(x > 0.0, -inf, x)"),
        ('where(x > 0.0, float("Infinity"), x)', "where(x > 0.0, inf, x)"),
        ("return x, y;", "(x, y)"),
        ("return x, (y, w)", "(x, (y, w))"),
    ],
)
def test_Y_7_forms_of_python_in_functions(wrong: str, right: str) -> None:
    is_mended(FUNCTION.format(wrong), FUNCTION.format(right), SAFE)


CHOICE = "def @main(c: Tensor[(), bool], x: Tensor[(2,), float32]) -> Object {{\n  {}\n}}\n"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("if c then x else -x", "if c { x } else { -x }"),
        ("if (c) x else -x", "if (c) { x } else { -x }"),
        ("let v = if (c && !c) exp(x) else (-x); v", "let v = if (c && !c) { exp(x) } else { (-x) }; v"),
    ],
)
def test_Y_7_a_choice_without_braces(wrong: str, right: str) -> None:
    is_mended(CHOICE.format(wrong), CHOICE.format(right), SAFE)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("Tensor<f32>", "Tensor[_, float32]"),
        ("Tensor<n, f32>", "Tensor[(n,), float32]"),
        ("np.ndarray", "Tensor"),
        ("jnp.ndarray", "Tensor"),
        ("torch.Tensor", "Tensor"),
    ],
)
def test_Y_7_types_of_other_languages(wrong: str, right: str) -> None:
    text = "def @main(x: {}) -> Object {{\n  x\n}}\n"
    (found,) = errors(text.format(wrong))
    assert [fix.title for fix in found.fixes] == [f"write `{right}`"]
    assert api.fix_text(text.format(wrong), unsafe=True).text == text.format(right)
    assert errors(text.format(right)) == []


@pytest.mark.parametrize(
    "store", ["x[0] = 1.0;", "x[0] += 1.0;", "x[:, 0] = y;", "x[i] *= exp(y) + 1.0;", "x[0][1] = 2.0;"]
)
def test_Y_7_an_element_of_a_tensor_is_not_stored_to(store: str) -> None:
    """One message, without a fix: `==` or `take(x, 0) = …` would be no program that does it."""
    (found,) = errors(FUNCTION.format(f"{store}\n  x"))
    assert found.message == "the elements of a tensor never change"
    assert found.help.startswith("bind another tensor, `let x = …;`: `where`, `scatter_elements`")
    assert found.fixes == []


@pytest.mark.parametrize(
    ("written", "later"),
    [
        ("let (a, c) = (x, i);", "exp(c)"),
        ("let a, c = (x, i);", "exp(c)"),
        ("let a = i;\n  a += 1;", "exp(a)"),
        ("let a = i;\n  a *= 2;", "exp(a)"),
        ("return exp(i), x;", "exp(i)"),
    ],
)
def test_Z_2_the_rest_of_a_function_is_checked_with_what_such_a_statement_binds(
    written: str, later: str
) -> None:
    text = FUNCTION.format(f"{written}\n  {later}" if "return" not in written else written)
    assert [one.slug for one in errors(text)][-1:] == ["op-dtype-mismatch"]
    assert len(errors(text)) == 2


def test_Z_5_the_value_of_a_compound_assignment_is_that_of_both() -> None:
    text = FUNCTION.format("let a = x;\n  a *= 2.0;\n  a + y")
    assert [one.slug for one in errors(text)] == ["reassigned-variable"]
    assert api.fix_text(text, unsafe=True).text == FUNCTION.format("let a = x;\n  let a = a * 2.0;\n  a + y")
