"""Fields and methods of names that nothing is called, and variables in dimensions. (Y.7, Z.5, G.8)"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, Diagnostic

FUNCTION = """\
def @main(x: Tensor[(n, m), float32], p: Prim[int64], d: Tensor[(), int64], s: Shape[ndim=2]) -> Object {{
  {}
}}
"""


def only(statements: str) -> Diagnostic:
    (found,) = [one for one in api.check(FUNCTION.format(statements)).diagnostics if one.severity == ERROR]
    return found


@pytest.mark.parametrize(
    "written",
    [
        "let v = k.size; v",
        "k.shape",
        "k.T",
        "k.shape[0]",
        "k.dtype",
        "k.foo",
        "k.sum(axis=1)",
        "k.reshape(3, 4)",
        "k.relu()",
        "k.foo()",
        "k.matmul(x)",
        "k.size(0)",
        'k.astype("float16")',
    ],
)
def test_Z_5_of_a_field_of_an_undefined_name_the_name_is_reported(written: str) -> None:
    found = only(written)
    assert (found.slug, found.message) == ("undefined-variable", "`k` is not defined")
    text = FUNCTION.format(written)
    assert (text[found.pos : found.end], found.help, found.fixes) == ("k", "", [])


def test_Y_7_the_nearest_variable_is_offered_for_the_name() -> None:
    found = only("let total = x + x; totl.sum(axis=0)")
    assert found.message == "`totl` is not defined (nearest: `total`)"
    text = FUNCTION.format("let total = x + x; totl.sum(axis=0)")
    assert api.fix_text(text, unsafe=True).text == FUNCTION.format("let total = x + x; sum(total, axis=0)")


def test_Y_7_a_size_has_no_methods() -> None:
    assert only("n.sum()").slug == "shape-var-as-value"


@pytest.mark.parametrize(
    "written", ["foo.relu(x)", "np.foo(x)", "self.linear(x)", "nn.foo(x)", "foo.matmul(x, x)"]
)
def test_Y_7_a_module_before_the_dot_is_not_taken_for_a_variable(written: str) -> None:
    assert only(written).slug == "unknown-operator"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("let k = n * m; shape(k)", "let k = n * m; shape(n * m)"),
        ("let k = n + m; shape(k * 2)", "let k = n + m; shape((n + m) * 2)"),
        ("let k = 4; shape(k, 2)", "let k = 4; shape(4, 2)"),
        ("let k = scalar(n); shape(k + 1)", "let k = scalar(n); shape(n + 1)"),
        ("let k = prim_value(n * 2); shape(k)", "let k = prim_value(n * 2); shape(n * 2)"),
        ("let k = n + m; let j = k * n; shape(j)", "let k = n + m; let j = k * n; shape((n + m) * n)"),
        ("let k = -n; shape(k + 4 * n)", "let k = -n; shape((-n) + 4 * n)"),
        (
            "let k = n * m; let y: Tensor[(k,), float32] = reshape(x, shape(n * m)); y",
            "let k = n * m; let y: Tensor[(n * m,), float32] = reshape(x, shape(n * m)); y",
        ),
    ],
)
def test_G_8_a_variable_that_is_a_size_is_written_as_one(wrong: str, right: str) -> None:
    found = only(wrong)
    assert (found.slug, [fix.applicability for fix in found.fixes]) == ("value-in-dim", [SAFE])
    assert api.fix_text(FUNCTION.format(wrong)).text == FUNCTION.format(right)
    assert not [one for one in api.check(FUNCTION.format(right)).diagnostics if one.severity == ERROR]


@pytest.mark.parametrize(
    ("written", "advice"),
    [
        ("shape(p)", "a size as a parameter is a shape, `Shape[(n,)]`, which binds it"),
        (
            "shape(d)",
            "a match_cast names a size that is data: `match_cast(tensor_to_shape(reshape(d, shape(1))), Shape[(n,)])`",
        ),
        ("shape(s, 2)", "a match_cast names the sizes of a shape: `match_cast(s, Shape[(n, m)])`"),
        (
            "let k = shape_of(x); shape(k)",
            "a match_cast names the sizes of a shape: `match_cast(k, Shape[(n, m)])`",
        ),
        ("let k = x * 2.0; shape(k)", ""),
    ],
)
def test_G_8_what_makes_a_size_of_a_value_is_said(written: str, advice: str) -> None:
    found = only(written)
    assert (found.slug, found.help, found.fixes) == ("value-in-dim", advice, [])
