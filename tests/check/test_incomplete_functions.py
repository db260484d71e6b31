"""Functions of which a part could not be read: their head and the rest of their body are known all the same."""

import pytest

from relax_lang import api
from relax_lang.format.printer import show


def infos(text: str) -> dict[str, str]:
    """Name of each variable to its info."""
    checked = api.check(text)
    return {var.name_hint: show(info) for var, info in checked.inferred.infos.items()}


GAP = """def @g(x: Tensor[(n,), float32]) -> Tensor[(n, 2), float32] {
  let a = add(x, x);
  let b = nn.
  let c = exp(a);
  let d = expand_dims(c, axis=1);
  concat((d, d), axis=1)
}
"""


def test_bindings_before_and_after_a_gap_have_infos() -> None:
    found = infos(GAP)
    assert found["a"] == found["c"] == "Tensor[(n,), float32]"
    assert found["d"] == "Tensor[(n, 1), float32]"


def test_an_unfinished_last_line_leaves_the_infos_above_it() -> None:
    found = infos("def @f(x: Tensor[(3,), float32]) {\n  let a = exp(x);\n  let b = add(a,\n")
    assert found["a"] == "Tensor[(3,), float32]"


def test_callers_know_the_declared_head() -> None:
    text = GAP + "\ndef @main(y: Tensor[(3,), float32]) {\n  let r = @g(y);\n  r\n}\n"
    assert infos(text)["r"] == "Tensor[(3, 2), float32]"


def test_calls_are_checked_against_the_declared_head() -> None:
    text = GAP + "\ndef @main(y: Tensor[(3,), float32]) {\n  @g(y, y)\n}\n"
    assert [one.slug for one in api.check(text).diagnostics] == ["syntax", "arity"]


def test_what_follows_from_a_gap_is_not_reported() -> None:
    text = GAP.replace("exp(a)", "exp(b)").replace("(d, d)", "(d, b, undefined)")
    assert [one.slug for one in api.check(text).diagnostics] == ["syntax"]


def test_without_annotation_nothing_is_known_of_the_result() -> None:
    text = (
        GAP.replace(" -> Tensor[(n, 2), float32]", "")
        + "\ndef @main(y: Tensor[(3,), float32]) { @g(y) + @g(y) }\n"
    )
    assert [one.slug for one in api.check(text).diagnostics] == ["syntax"]


@pytest.mark.parametrize(
    "text",
    [
        "def @f(x: = , y: Tensor) {\n  x\n}\ndef @main(y: Tensor) { @f(y, y, y) }\n",
        "def @f(x: Tensor, {\n  let a = \n}\ndef @main(y: Tensor) { @f(y) }\n",
    ],
)
def test_a_broken_head_declares_nothing(text: str) -> None:
    checked = api.check(text)
    assert {one.code[:5] for one in checked.diagnostics} == {"RLX01"}


def test_a_call_in_an_incomplete_function_does_not_stop_inference() -> None:
    text = "def @f(x: Tensor[(2,), float32]) {\n  let a = add(x);\n  let b = nn.\n  let c = exp(x);\n  c\n}\n"
    assert infos(text)["c"] == "Tensor[(2,), float32]"
    assert [one.slug for one in api.check(text).diagnostics] == ["syntax"]


def test_recursion_of_an_incomplete_function_is_not_judged() -> None:
    text = "def @f(x: Tensor) {\n  let b = nn.\n  @f(x)\n}\n"
    assert [one.slug for one in api.check(text).diagnostics] == ["syntax"]
