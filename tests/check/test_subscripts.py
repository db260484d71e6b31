"""What NumPy writes in brackets: one message, and a fix that takes the same part of a tensor."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from relax_lang import api
from relax_lang.check.fixes import fix_text

X = np.arange(4 * 8 * 3, dtype=np.float32).reshape(4, 8, 3)
INDEX = np.array(2)

PARTS = ("0", "-1", ":", "1:", ":-1", "1:3", "::2", "-3:-1", "::-1", "1::-1", "9::-1", "None", "i")
ALONE = (
    "0",
    "1:",
    ":-1",
    "::2",
    "::-1",
    ":",
    "-1, 0, 2",
    "..., -1",
    "0, ..., 1:",
    "..., None",
    "..., 0, None, :",
)
SUBSCRIPTS = [
    *ALONE,
    "i, ..., 0",
    "None, ::2, 1, ...",
    *(", ".join(pair) for pair in itertools.product(PARTS, repeat=2) if pair != ("i", "i")),
]


def program(subscript: str) -> str:
    return f"def @main(x: Tensor[(4, 8, 3), float32], i: Tensor[(), int64]) {{\n  x[{subscript}]\n}}\n"


@pytest.mark.parametrize("subscript", SUBSCRIPTS)
def test_G_33_the_fix_takes_what_numpy_takes(subscript: str) -> None:
    result = fix_text(program(subscript), unsafe=True)
    assert len(result.fixed) == 1
    assert result.left == []
    expected = eval(f"x[{subscript}]", {"x": X, "i": INDEX})
    np.testing.assert_array_equal(api.run(result.text, X, INDEX), expected)


@pytest.mark.parametrize(
    "subscript", ["i", "-1", "i, i", "1:i:2", "::-2", "..., ...", "a:b:c", "", "0,", "1,"]
)
def test_G_33_one_message_whatever_is_in_the_brackets(subscript: str) -> None:
    found = api.check(program(subscript).replace("i: Tensor", "a: Tensor, b: Tensor, c: Tensor, i: Tensor"))
    assert len(found.diagnostics) == 1
    assert found.diagnostics[0].help or not subscript


@pytest.mark.parametrize("subscript", ["i", "-1"])
def test_G_33_what_may_be_a_tuple_is_not_changed(subscript: str) -> None:
    (found,) = api.check(program(subscript).replace("Tensor[(4, 8, 3), float32]", "Object")).diagnostics
    assert found.fixes == []
    assert found.help.startswith(f"of a tensor, write `take(x, {subscript}, axis=0")


def test_G_33_dimensions_as_bounds() -> None:
    text = "def @main(x: Tensor[(n, m), float32]) {\n  (x * 2.0)[: n - 1, m // 2:]\n}\n"
    result = fix_text(text, unsafe=True)
    assert "strided_slice(x * 2.0, (0, 1), (0, m // 2), (n - 1, 9223372036854775807))" in result.text
    x = X[0]
    np.testing.assert_array_equal(api.run(result.text, x), (x * 2)[: len(x) - 1, x.shape[1] // 2 :])


def test_G_33_a_struct_info_as_a_value() -> None:
    (found,) = api.check("def @main() {\n  Tensor[(3, 4), float32]\n}\n").diagnostics
    assert (found.message, found.pos) == ("a struct info is not a value", 16)


def test_G_33_an_index_is_judged_by_what_it_is_an_index_of() -> None:
    text = """def @main(x: Tensor[(n, m), float32], t: (Tensor, Tensor), s: Shape[(n, m)], o: Object, i: Tensor) {
  let a = x[-1];
  let b = t[-1];
  let c = t[i];
  let d = s[-1];
  let e = x.shape[-1];
  let f = x.shape[i];
  let g = (x)[-2];
  let h = t[-3];
  let k = o[-1];
  x[i]
}
"""
    found = api.check(text).diagnostics
    assert [(one.slug, text.count("\n", 0, one.pos) + 1) for one in found] == [
        ("not-a-tuple", 2),
        ("negative-index", 3),
        ("index-not-constant", 4),
        ("not-a-tuple", 5),
        ("unknown-operator", 6),
        ("unknown-operator", 7),
        ("not-a-tuple", 8),
        ("negative-index", 9),
        ("negative-index", 10),
        ("not-a-tuple", 11),
    ]
    fixed = fix_text(text, unsafe=True).text
    assert [line.strip() for line in fixed.splitlines()[1:6]] == [
        'let a = take(x, -1, axis=0, mode="wrap");',
        "let b = t[1];",
        "let c = t[i];",
        "let d = scalar(m);",
        "let e = scalar(m);",
    ]
    assert fixed.splitlines()[10] == "  take(x, i, axis=0)"
