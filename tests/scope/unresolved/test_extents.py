"""`x.shape[0]` and its kin: one message for each, with the name that the extent has here. [Y.7] [Z.5]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api
from relax_lang.base.diagnostic import Diagnostic
from tests.edits import applied

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


IN_ANNOTATIONS = (
    "def @f(p: Shape[(n, 3)], x: Tensor[(n, 3), float32]) { let s = shape_of(x); let y: INFO = VALUE; y }"
)


@pytest.mark.parametrize(
    ("info", "meant"),
    [
        ("Tensor[p[0], float32]", "Tensor[(n,), float32]"),
        ("Tensor[p[1]]", "Tensor[(3,)]"),
        ("Tensor[s[0], float32]", "Tensor[(n,), float32]"),
        ("Tensor[x.shape[0], float32]", "Tensor[(n,), float32]"),
        ("Tensor[(x.shape[0],), float32]", "Tensor[(n,), float32]"),
        ("Tensor[(p[0], 3), float32]", "Tensor[(n, 3), float32]"),
        ("Tensor[(s[0], 3), float32]", "Tensor[(n, 3), float32]"),
        ("Tensor[x.shape, float32]", "Tensor[shape_of(x), float32]"),
        ("Tensor[(n, 3), torch.float32]", "Tensor[(n, 3), float32]"),
        ("Tensor[(n, 3), torch.float]", "Tensor[(n, 3), float32]"),
        ("Shape[x.shape[0]]", "Shape[(n,)]"),
        ("Shape[(p[0], p[-1])]", "Shape[(n, 3)]"),
    ],
)
def test_Y_7_extents_in_annotations_are_dimensions(info: str, meant: str) -> None:
    value = "shape" if info.startswith("Shape") else "zeros(shape"
    dims = meant[meant.index("(") + 1 : meant.index(")")].rstrip(",")
    value = f"{value}({dims})" + ("" if value == "shape" else ", dtype=float32)")
    value = "x" if "shape_of" in meant else value
    text = IN_ANNOTATIONS.replace("INFO", info).replace("VALUE", value)
    found = errors(text)
    assert len(found) == 1 + info.count("p[-1]")
    for one in found[::-1]:
        text = applied(text, one.fixes[0])
    assert text == IN_ANNOTATIONS.replace("INFO", meant).replace("VALUE", value)
    assert not errors(text)


def errors(text: str) -> list[Diagnostic]:
    return [one for one in api.check(text).diagnostics if one.severity == "error"]
