"""`x.shape[0]` and its kin: one message for each, with the name that the extent has here. [Y.7] [Z.5]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api

HEAD = "def @main(x: Tensor[(n, 4), float32])"


@pytest.mark.parametrize(
    ("body", "fixed"),
    [
        ("full(shape(x.shape[0], 3), 1.0)", "full(shape(n, 3), 1.0)"),
        ("full(shape(x.shape[-1], 3), 1.0)", "full(shape(4, 3), 1.0)"),
        ("full(shape(shape_of(x)[0] * 2), 1.0)", "full(shape(n * 2), 1.0)"),
        ("reshape(x, (x.shape[0], 2, 2))", "reshape(x, shape(n, 2, 2))"),
        ("reshape(x, (shape_of(x)[0], 2, 2))", "reshape(x, shape(n, 2, 2))"),
        ("reshape(x, [x.shape[0], 2, 2])", "reshape(x, shape(n, 2, 2))"),
        ("let k = x.shape[0]; k * k", "let k = scalar(n); k * k"),
        ("let s = shape_of(x); s[1]", "let s = shape_of(x); scalar(4)"),
        (
            "let y: Tensor[(n, 4)] = x; full(shape(y.shape[1]), 1.0)",
            "let y: Tensor[(n, 4)] = x; full(shape(4), 1.0)",
        ),
    ],
)
def test_Y_7_an_extent_is_written_by_its_name(body: str, fixed: str) -> None:
    text = f"{HEAD} {{ {body} }}"
    assert len(api.check(text).diagnostics) == 1
    result = api.fix_text(text, unsafe=True)
    assert result.text == f"{HEAD} {{ {fixed} }}"
    x = np.ones((2, 4), np.float32)
    np.testing.assert_array_equal(api.run(result.text, x), api.run(result.text, x, engine="interpreter"))


def test_Y_7_composite_extents_have_parentheses() -> None:
    text = "def @main(m: Shape[(n,)], x: Tensor[(n + 1,), float32]) { full(shape(x.shape[0] * 2), 1.0) }"
    assert api.fix_text(text).text == text.replace("x.shape[0]", "(n + 1)")


@pytest.mark.parametrize(
    "text",
    [
        "def @main(x: Tensor[ndim=2]) { full(shape(x.shape[0]), 1.0) }",
        f"{HEAD} {{ full(shape(x.shape[2]), 1.0) }}",
        f"{HEAD} {{ full(shape(x.size[0]), 1.0) }}",
        f"{HEAD} {{ let y = x; full(shape(y.shape[0]), 1.0) }}",
        f"{HEAD} {{ let f = fn (x: Tensor[(k,)]) {{ full(shape(x.shape[0]), 1.0) }}; f }}",
    ],
)
def test_Y_7_where_the_name_is_not_known_none_is_offered(text: str) -> None:
    (found,) = api.check(text).diagnostics
    assert (found.slug, found.fixes) == ("syntax", [])
    assert "match_cast(" in (found.help or "")


@pytest.mark.parametrize("axis", ["0", "-1"])
def test_TIR_1_extents_of_buffers_have_names(axis: str) -> None:
    text = "prim_func @f(X: Buffer[(n,), float32]) {{ for i in 0..{} {{ X[i] = 0.0; }} }}"
    assert len(api.check(text.format(f"X.shape[{axis}]")).diagnostics) == 1
    assert api.fix_text(text.format(f"X.shape[{axis}]")).text == text.format("n")
