"""Struct infos as TVMScript and Python write them: one message, whose fix is what they are here. [Y.7]"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, UNSAFE
from relax_lang.syntax import lalr_table
from relax_lang.syntax.parser import parse
from tests.edits import applied

LONG = 5_000

FORMS = {
    'R.Tuple(R.Tensor((n,), "float32"), R.Shape((n,)))': "(Tensor[(n,), float32], Shape[(n,)])",
    "R.Tuple(R.Tensor, R.Shape)": "(Tensor, Shape)",
    "R.Tuple([R.Tensor, R.Shape])": "(Tensor, Shape)",
    "R.Tuple(R.Tensor)": "(Tensor,)",
    "R.Tuple()": "()",
    "Tuple[Tensor[(n,), float32], Shape]": "(Tensor[(n,), float32], Shape)",
    "Tuple(Tensor[(n,), float32], Shape)": "(Tensor[(n,), float32], Shape)",
    "tuple[Tensor[s, float32], Tensor[ndim=2]]": "(Tensor[s, float32], Tensor[ndim=2])",
    "typing.Tuple[Tensor[_, float32], Prim[int64]]": "(Tensor[_, float32], Prim[int64])",
    "Tuple[(Tensor, Shape), (Tensor,), (Shape)]": "((Tensor, Shape), (Tensor,), Shape)",
    "[Tensor[(n,), float32], Shape]": "(Tensor[(n,), float32], Shape)",
    "[Tensor]": "(Tensor,)",
    'R.Tensor((n,), "float32")': "Tensor[(n,), float32]",
    'R.Tensor((n, 4), dtype="float32")': "Tensor[(n, 4), float32]",
    "R.Tensor(shape=(n, 4), dtype=np.float32)": "Tensor[(n, 4), float32]",
    'R.Tensor([n, 4 * (n + 1)], "float32")': "Tensor[(n, 4 * (n + 1)), float32]",
    'R.Tensor(("n", "4 * n + 1"), "float32")': "Tensor[(n, 4 * n + 1), float32]",
    'R.Tensor((), "float32")': "Tensor[(), float32]",
    'R.Tensor("float32", ndim=2)': "Tensor[ndim=2, float32]",
    "R.Tensor(ndim=2)": "Tensor[ndim=2]",
    'R.Tensor((n, 4), "float32", ndim=2)': "Tensor[(n, 4), float32]",
    "R.Tensor": "Tensor",
    "R.Tensor()": "Tensor",
    "R.Object()": "Object",
    'R.Prim("int64")': "Prim[int64]",
    'R.Shape(["n", 4])': "Shape[(n, 4)]",
    "R.Shape(ndim=2)": "Shape[ndim=2]",
    "R.Callable((R.Tensor,), R.Tensor)": "fn(Tensor) -> Tensor",
    "R.Callable((), R.Tuple(R.Tensor, R.Shape))": "fn() -> (Tensor, Shape)",
    'R.Callable((R.Tensor((n,), "float32"),), R.Object, purity=False)': "impure fn(Tensor[(n,), float32]) -> Object",
    "R.Callable((R.Tensor,), R.Tensor, True)": "fn(Tensor) -> Tensor",
    "Callable[[Tensor, Shape], Tensor]": "fn(Tensor, Shape) -> Tensor",
    "Tuple[fn(Tensor) -> Tensor, impure fn() -> Object]": "(fn(Tensor) -> Tensor, impure fn() -> Object)",
    'T.Buffer((n,), "float32")': "Tensor[(n,), float32]",
    "np.ndarray": "Tensor",
    "torch.Tensor": "Tensor",
}

SIZE = "a size that is not known is a name, as in `(n, 4)`; with `ndim=2` only the rank is known"
WITHOUT_FORM = {
    "Tuple[Tensor, ...]": "a value of which only the run knows more is an `Object`",
    "(Tensor, ...)": "a value of which only the run knows more is an `Object`",
    "Tensor?": "what may be one of several kinds is an `Object`",
    'R.Prim(value="n")': "",
    'R.Tensor((n,), "float32", vdevice="cuda:0")': "",
    "list[Tensor[(n,), float32]]": "a tuple is written `(A, B)`",
    "Tuple<Tensor, Tensor>": "",
    "Tensor[(*, 4), float32]": SIZE,
    "Tensor[(..., 4), float32]": SIZE,
    "Tensor[(:, 4), float32]": SIZE,
    "Tuple": "a tuple is written `(A, B)`",
    "R.Tuple(R.Tensor, # the first\n R.Shape)": "",
    "Tuple[" * 60 + "Tensor" + "]" * 60: "",
}


def program(info: str) -> str:
    return f"def @main(x: Tensor[(n,), float32], s: Shape[ndim=2], y: {info}) -> Tensor[(n,), float32] {{\n  x\n}}\n"


@pytest.mark.parametrize("written", FORMS)
def test_one_message_whose_fix_is_the_form(written: str) -> None:
    text = program(written)
    (found,) = api.check(text).diagnostics
    assert found.slug == "syntax"
    (fix,) = found.fixes
    fixed = applied(text, fix)
    assert fixed == program(FORMS[written])
    assert api.check(fixed).diagnostics == []


@pytest.mark.parametrize("written", WITHOUT_FORM)
def test_what_has_no_form_has_no_fix(written: str) -> None:
    (found,) = [one for one in api.check(program(written)).diagnostics if one.severity == ERROR]
    assert not found.fixes
    assert WITHOUT_FORM[written] in found.help


PLACES = ("-> {} {{ x }}", "{{ let y: {} = x; y }}", "{{ let y = match_cast(x, {}); y }}")
WRITTEN = 'R.Tuple(R.Tensor([2], dtype="float32"), R.Callable((R.Shape,), R.Object))'


@pytest.mark.parametrize("place", PLACES)
def test_everywhere_where_a_struct_info_is_written(place: str) -> None:
    text = f"def @main(x: Object) {place.format(WRITTEN)}"
    found = [one for one in api.check(text).diagnostics if one.slug == "syntax"]
    assert len(found) == 1
    assert "(Tensor[(2,), float32], fn(Shape) -> Object)" in applied(text, found[0].fixes[0])


def test_values_are_not_taken_for_struct_infos() -> None:
    for value in ("tuple(x, [x])", "list([x])", "R.Tuple(x, [x])", "[x, x]"):
        found = api.check(f"def @main(x: Tensor) {{ let y = {value}; y }}").diagnostics
        assert found
        assert not any("struct info" in one.message or "(A, B)" in one.message for one in found), value


@pytest.mark.parametrize(
    "written",
    [
        "R.Tuple(" + "R.Tensor([n]), " * LONG,
        "R.Tuple(" * LONG,
        "Tensor(" + "[" * LONG,
        "R.Tensor([" + "n + " * LONG,
    ],
)
def test_Y_9_each_token_is_read_once(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0
    tokens = lalr_table.tokens

    def counted(text: str, start: int = 0, stop: int | None = None) -> Iterator[re.Match[str]]:
        nonlocal read
        for match in tokens(text, start, stop):
            read += 1
            yield match

    monkeypatch.setattr(lalr_table, "tokens", counted)
    assert parse(program(written)).diagnostics
    assert read < 50 * LONG


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("Tensor | Shape", "Object"),
        ("Tensor[(n,), float32] | None", "Object"),
        ("(Tensor | Shape, Tensor)", "(Object, Tensor)"),
        ("Optional[Tensor[(n,), float32]]", "Object"),
        ("Union[Tensor, Shape]", "Object"),
        ("Tensor[[n, 4], float32]", "Tensor[(n, 4), float32]"),
        ("f32[n, 4]", "Tensor[(n, 4), float32]"),
        ("tensor<4x?xf32>", "Tensor[(4, m), float32]"),
        ("tensor<*xf16>", "Tensor[_, float16]"),
        ("Tensor<float32>", "Tensor[_, float32]"),
    ],
)
def test_Y_7_notations_of_python_and_mlir_have_one_message_with_a_fix(written: str, form: str) -> None:
    text = program(written)
    (found,) = [one for one in api.check(text).diagnostics if one.severity == ERROR]
    assert [fix.applicability for fix in found.fixes] == [UNSAFE]
    assert api.fix_text(text, unsafe=True).text == program(form)


def test_Y_7_a_struct_info_of_a_result_and_of_a_binding_may_be_a_union() -> None:
    text = "def @main(x: Tensor) -> Tensor | Shape {\n  let y: Tensor | None = x;\n  y\n}\n"
    assert [one.message for one in api.check(text).diagnostics] == [
        "what may be one of several kinds is an `Object`"
    ] * 2
    right = "def @main(x: Tensor) -> Object {\n  let y: Object = x;\n  y\n}\n"
    assert api.fix_text(text, unsafe=True).text == right
