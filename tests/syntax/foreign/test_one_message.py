"""One mistake, one message, with what to write instead: notations of others and unfinished lines. (Y.7, Z.5)"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, UNSAFE, Diagnostic

FUNCTION = """\
def @main(x: Tensor[(2, 3), float32], c: Tensor[(), bool]) -> Object {{
  {}
}}
"""
PRIM_FUNC = """\
prim_func @k(A: Buffer[(n, m), float32], B: Buffer[(n, m), float32], S: Buffer[(n,), float32]) {{
  {}
}}
"""


def errors(text: str) -> list[Diagnostic]:
    return [one for one in api.check(text).diagnostics if one.severity == ERROR]


def is_mended(wrong: str, right: str, applicability: str) -> None:
    (found,) = errors(wrong)
    assert [fix.applicability for fix in found.fixes] == [applicability]
    assert api.fix_text(wrong, unsafe=True).text == right
    assert errors(right) == []


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("for i in 0..n { S[i] = A[i][0]; }", "for i in 0..n { S[i] = A[i, 0]; }"),
        ("for i, j in grid(n, m) { B[i][j] = A[i][j]; }", "for i, j in grid(n, m) { B[i, j] = A[i, j]; }"),
        ('for i in 0..n { block("sum") { S[i] = 1.0; } }', "for i in 0..n { block sum { S[i] = 1.0; } }"),
        ('for i in 0..n { block "sum" { S[i] = 1.0; } }', "for i in 0..n { block sum { S[i] = 1.0; } }"),
        ("for i in range(n) { S[i] = 1.0; }", "for i in 0..n { S[i] = 1.0; }"),
        ("for i in range(1, n) { S[i] = 1.0; }", "for i in 1..n { S[i] = 1.0; }"),
        ("for i in 0..range(n) { S[i] = 1.0; }", "for i in 0..n { S[i] = 1.0; }"),
        (
            "for i, j in grid(n, range(m)) { B[i, j] = 1.0; }",
            "for i, j in grid(n, m) { B[i, j] = 1.0; }",
        ),
        ('for i in 0..n { T.block("b") { S[i] = 1.0; } }', "for i in 0..n { block b { S[i] = 1.0; } }"),
        (
            "alloc T: float32[n];\n  for i in 0..n { T[i] = A[i, 0]; S[i] = T[i]; }",
            "alloc T: Buffer[(n,), float32];\n  for i in 0..n { T[i] = A[i, 0]; S[i] = T[i]; }",
        ),
        (
            "require n > 1;\n  for i in 0..n { S[i] = 1.0; }",
            'assert n > 1, "n > 1";\n  for i in 0..n { S[i] = 1.0; }',
        ),
        (
            "require(n > 1);\n  for i in 0..n { S[i] = 1.0; }",
            'assert n > 1, "n > 1";\n  for i in 0..n { S[i] = 1.0; }',
        ),
        (
            "loop { for i in 0..n { S[i] = 1.0; } break; }",
            "while true { for i in 0..n { S[i] = 1.0; } break; }",
        ),
    ],
)
def test_Y_7_safe_fixes_in_prim_funcs(wrong: str, right: str) -> None:
    wrong = PRIM_FUNC.format(wrong)
    if wrong.count("][") == 2:  # two places, two messages
        assert api.fix_text(wrong).text == PRIM_FUNC.format(right)
        return
    is_mended(wrong, PRIM_FUNC.format(right), SAFE)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (
            "for i in 0..n { block b (v = i) { S[v] = 1.0; } }",
            "for i in 0..n { block b (v = spatial(i)) { S[v] = 1.0; } }",
        ),
        (
            "for i in 0..n { block b (v = spatial(i), w = 2 * i + 1) { S[v] = cast(w, float32); } }",
            "for i in 0..n { block b (v = spatial(i), w = spatial(2 * i + 1)) { S[v] = cast(w, float32); } }",
        ),
        (
            "for i in 0..n { block b (v = spatial(i), w = 1 + max(i, 0)) { S[v] = cast(w, float32); } }",
            "for i in 0..n { block b (v = spatial(i), w = spatial(1 + max(i, 0))) { S[v] = cast(w, float32); } }",
        ),
    ],
)
def test_TIR_9_an_axis_without_kind(wrong: str, right: str) -> None:
    is_mended(PRIM_FUNC.format(wrong), PRIM_FUNC.format(right), UNSAFE)


def test_TIR_9_an_axis_that_is_only_a_name() -> None:
    (found,) = errors(PRIM_FUNC.format("for i in 0..n { block b (v) { S[v] = 1.0; } }"))
    assert found.message == "an axis has a kind and a value"
    assert found.help == "write `v = spatial(i)`, with the variable of the loop for `i`"


@pytest.mark.parametrize(
    ("wrong", "right", "applicability"),
    [
        ("let y = add(x, x; y", "let y = add(x, x); y", SAFE),
        ("let y = (x + x * (x + x); y", "let y = (x + x * (x + x)); y", UNSAFE),
        ("let y = nn.relu(add(x, x); y", "let y = nn.relu(add(x, x)); y", UNSAFE),
        ("let y = x x; y", "let y = x; x; y", UNSAFE),
        ("add(x x)", "add(x, x)", UNSAFE),
        ("x ++ x", "x + x", UNSAFE),
        (
            "y = match_cast(x, Tensor[(k, 3), float32]); y",
            "let y = match_cast(x, Tensor[(k, 3), float32]); y",
            UNSAFE,
        ),
    ],
)
def test_Y_7_what_else_could_be_meant_makes_a_fix_unsafe(wrong: str, right: str, applicability: str) -> None:
    is_mended(FUNCTION.format(wrong), FUNCTION.format(right), applicability)


@pytest.mark.parametrize(
    ("body", "mark", "message"),
    [
        ("let y = add(x, x; y", "(", "this `(` is never closed"),
        ("let b = add(x,\n  let d = x;\n  d", "(", "this `(` is never closed"),
        ("let b = add(x,", "(", "this `(` is never closed"),
        ("let b = add(x, hal", "(", "this `(` is never closed"),
        ("let a = (", "(", "this `(` is never closed"),
        ("let a = x +\n  let b = x;\n  b", "+", "the line ends before the statement does"),
        ("let a =\n  let b = x;\n  b", "=", "the line ends before the statement does"),
        ("let b = nn.\n  b", "nn.", "a name is missing behind `nn.`"),
        ("let b = nn.", "nn.", "a name is missing behind `nn.`"),
        ("let y = x++;\n  y", "++", "there is no `++`: values never change"),
    ],
)
def test_Z_5_unfinished_lines(body: str, mark: str, message: str) -> None:
    text = FUNCTION.format(body)
    (found,) = errors(text)
    assert (text[found.pos : found.end], found.message) == (mark, message)


@pytest.mark.parametrize(
    "head", ["import numpy as np\n", "from tvm import relax\nimport numpy\n", 'import "o.rlx";\n']
)
def test_Y_7_imports_are_removed(head: str) -> None:
    right = FUNCTION.format("x")
    is_mended(head + right, right, SAFE)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("let f = fn (a: Tensor) => a + a;\n  f(x)", "let f = fn (a: Tensor) { a + a };\n  f(x)"),
        ("(float16) x", "astype(x, dtype=float16)"),
        ("let y = (double) x;\n  y", "let y = astype(x, dtype=float64);\n  y"),
    ],
)
def test_Y_7_forms_of_other_languages_in_functions(wrong: str, right: str) -> None:
    is_mended(FUNCTION.format(wrong), FUNCTION.format(right), SAFE)


def test_G_39_a_match_cast_inside_of_an_expression() -> None:
    """The fix is unsafe: the block binds shape variables for itself alone."""
    wrong = "let o: Object = x;\n  exp(match_cast(o, Tensor[(2, k), float32]))"
    right = "let o: Object = x;\n  exp({ let v = match_cast(o, Tensor[(2, k), float32]); v })"
    is_mended(FUNCTION.format(wrong), FUNCTION.format(right), UNSAFE)


def test_Y_7_a_packed_function_called_as_a_function() -> None:
    is_mended(FUNCTION.format('extern("f", x);\n  x'), FUNCTION.format('extern "f"(x);\n  x'), UNSAFE)


@pytest.mark.parametrize("word", ["loop", "switch x", "require c", "unless c"])
def test_Y_7_words_of_other_languages_are_one_mistake(word: str) -> None:
    (found,) = errors(FUNCTION.format(f"{word} {{ x }}"))
    assert found.slug == "syntax"


def test_TIR_9_an_axis_in_the_body_of_its_block_is_one_mistake() -> None:
    (found,) = errors(
        PRIM_FUNC.format("for i in 0..n { block b { let v = T.axis.spatial(n, i); S[v] = 1.0; } }")
    )
    assert (found.help, found.fixes) == ("write `block b (v = spatial(i)) { … }`", [])


def test_Y_7_one_of_two_commas_is_too_much_whatever_is_around_them() -> None:
    loop = "for i in 0..n {{ block b (v = spatial({})) {{ S[v] = 1.0; }} }}"
    wrong, right = (f"select(i > 0, i,{comma} i % (i + 1))" for comma in (",", ""))
    is_mended(PRIM_FUNC.format(loop.format(wrong)), PRIM_FUNC.format(loop.format(right)), UNSAFE)


def test_TIR_6_a_negated_number_is_compared_with_0() -> None:
    head = "prim_func @k(I: Buffer[(1,), int32], S: Buffer[(1,), float32]) {{ "
    wrong = head + "if {} {{ S[0] = 1.0; }} else {{ S[0] = 2.0; }} }}"
    is_mended(wrong.format("!I[0]"), wrong.format("I[0] == 0"), UNSAFE)


def test_TIR_16_an_assigned_name_that_nothing_reads_is_no_let() -> None:
    """A `let` in the branch would be accepted and do nothing."""
    (found,) = errors(PRIM_FUNC.format("for i in 0..n { S[i] = 0.0; if A[i, 0] > 0.0 { best = A[i, 0]; } }"))
    assert found.fixes == []
    (read,) = errors(PRIM_FUNC.format("for i in 0..n { best = A[i, 0]; S[i] = best * best; }"))
    assert [fix.applicability for fix in read.fixes] == [SAFE]


def test_Y_7_a_result_without_its_arrow() -> None:
    """Found by random changes of texts: the struct info has no `->` before it that could be taken away."""
    text = "prim_func @k(S: Buffer[(1,), float32])Tensor {\n  S[0] = 0.0;\n}\n"
    assert errors(text)[0].message == "expected `->` before the result"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("x: Shape[n]", "x: Shape[(n,)]"),
        ("x: Shape[n, 3]", "x: Shape[(n, 3)]"),
        ("x: Shape[3, n]", "x: Shape[(3, n)]"),
        ("x: Tensor[n, 3, float32]", "x: Tensor[(n, 3), float32]"),
        ("x: Tensor[float32, n, 3]", "x: Tensor[(n, 3), float32]"),
    ],
)
def test_dimensions_without_parentheses_bind_their_names(wrong: str, right: str) -> None:
    function = "def @main({}) -> Tensor[(n,), float32] {{\n  zeros(shape(n), dtype=float32)\n}}\n"
    is_mended(function.format(wrong), function.format(right), UNSAFE)


@pytest.mark.parametrize("subscript", ["0, 1", "1:", "::-1", "..., 0", "i, 0"])
def test_parts_of_a_tuple_are_not_offered_the_operators_of_tensors(subscript: str) -> None:
    (found,) = errors(f"def @main(t: (Tensor, Tensor), i: Tensor) -> Object {{\n  t[{subscript}]\n}}\n")
    assert (found.slug, found.fixes) == ("index-not-constant", [])
    assert found.help == "the tuple has 2 fields, which are taken one by one"


def test_the_name_and_the_nothing_of_others_are_one_fix() -> None:
    is_mended(FUNCTION.format("sum(x, dim=None)"), FUNCTION.format("sum(x, axis=null)"), UNSAFE)
    (found,) = errors(FUNCTION.format("sum(x, axis=1, keepdim=None)"))  # which takes no null
    assert [fix.title for fix in found.fixes] == ["write `keepdims`"]


@pytest.mark.parametrize(
    ("body", "slugs"),
    [
        ("let a: Tensor[(2, 3), float64] = x; a", ["annotation-mismatch"]),
        ("let a: Tensor[(3, 3), float32] = x; a", ["annotation-mismatch"]),
        ("let a: Tensor[(2, 3), float64] = exp(x); a", ["annotation-mismatch"]),
        # Neither the value nor the annotation fits.
        (
            "let a: Tensor[(2, 3), float64] = astype(x, dtype=int32); a",
            ["annotation-mismatch", "return-mismatch"],
        ),
        ("let a: Tensor[(2, 3), float64] = x; exp(a)", ["annotation-mismatch", "return-mismatch"]),
    ],
)
def test_an_annotation_that_does_not_fit_is_one_message(body: str, slugs: list[str]) -> None:
    result = FUNCTION.replace("Object", "Tensor[(2, 3), float32]")
    assert [one.slug for one in errors(result.format(body))] == slugs


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("sum(x, axis=1, keepdim=True)", "sum(x, axis=1, keepdims=true)"),
        ("max(x, dim=1, keepdims=True)", "max(x, axis=1, keepdims=true)"),
        ("sum(x, keep_dims=False)", "sum(x, keepdims=false)"),
        ('torch.einsum("ij,kj->ik", x, x)', 'einsum((x, x), subscripts="ij,kj->ik")'),
        ("np.einsum('ij,kj->ik', x, x)", 'einsum((x, x), subscripts="ij,kj->ik")'),
        ('jnp.einsum("ij->ji", (x,))', 'einsum((x,), subscripts="ij->ji")'),
        ("@shape(2, 3)", "shape(2, 3)"),
        ("@const(1)", "const(1)"),
        ("@exp(x)", "exp(x)"),
    ],
)
def test_Z_5_a_call_of_a_framework_is_one_mistake_with_the_right_call(wrong: str, right: str) -> None:
    text = FUNCTION.format(wrong)
    found = errors(text)
    assert [fix.title for one in found for fix in one.fixes] == [one.help for one in found]
    assert api.fix_text(text, unsafe=True).text == FUNCTION.format(right)
    assert errors(FUNCTION.format(right)) == []


def test_Z_5_the_value_of_a_renamed_attribute_is_a_part_of_its_message() -> None:
    (found,) = errors(FUNCTION.format("sum(x, axis=1, keepdim=True)"))
    assert (found.message, found.help) == ("sum: unknown attribute `keepdim`", "write `keepdims`")
    assert [one.message for one in found.labels] == ["write `true`"]


def test_Z_5_nothing_is_said_twice() -> None:
    (found,) = errors(FUNCTION.format("x.T"))
    assert found.help == "`x` is a variable; variables have no methods and no fields"
    assert [fix.title for fix in found.fixes] == ["write `permute_dims(x)`"]
    (found,) = errors(FUNCTION.format("print(x, format='{}')"))
    assert found.help == found.fixes[0].title == "use double quotes"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("for i in 0..n { Si += 1.0; }", "for i in 0..n { S[i] += 1.0; }"),
        ("for i in 0..n { S_i = 1.0; }", "for i in 0..n { S[i] = 1.0; }"),
        ("for i, j in grid(n, m) { B_i_j = 1.0; }", "for i, j in grid(n, m) { B[i, j] = 1.0; }"),
        ("for i, j in grid(n, m) { Bij *= 2.0; }", "for i, j in grid(n, m) { B[i, j] *= 2.0; }"),
        (
            "for i in 0..n { Si = A[i, 0]; B[i, 0] = Si + 1.0; }",
            "for i in 0..n { S[i] = A[i, 0]; B[i, 0] = S[i] + 1.0; }",
        ),
    ],
)
def test_Y_7_an_element_that_is_assigned_by_one_name(wrong: str, right: str) -> None:
    text = PRIM_FUNC.format(wrong)
    (found,) = errors(text)
    assert [fix.title for fix in found.fixes] == [found.help]
    assert api.fix_text(text, unsafe=True).text == PRIM_FUNC.format(right)


def test_Y_7_each_assignment_of_such_an_element_has_its_fix() -> None:
    text = PRIM_FUNC.format("for i in 0..n { Si = 1.0; Si += A[i, 0]; }")
    assert [one.help for one in errors(text)] == ["write `S[i]`"] * 2
    right = PRIM_FUNC.format("for i in 0..n { S[i] = 1.0; S[i] += A[i, 0]; }")
    assert api.fix_text(text, unsafe=True).text == right


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("let a = x\n  (a + x) * 2.0", "let a = x;\n  (a + x) * 2.0"),
        ("let a = x + x\n  (a, x)", "let a = x + x;\n  (a, x)"),
        ("let a = exp(x)\n  (a,)", "let a = exp(x);\n  (a,)"),
        ("let a = exp(x)\n  (a, x)[0]", "let a = exp(x);\n  (a, x)[0]"),
        ("let a = -(x)  # note\n  (a * x)", "let a = -(x);  # note\n  (a * x)"),
        ("let a = x * x + x\n  (a)", "let a = x * x + x;\n  (a)"),
    ],
)
def test_Y_5_a_line_without_semicolon_before_one_in_parentheses(wrong: str, right: str) -> None:
    is_mended(FUNCTION.format(wrong), FUNCTION.format(right), SAFE)


def test_Y_5_a_call_may_have_its_parentheses_on_the_next_line() -> None:
    assert errors(FUNCTION.format("let f = fn(a: Tensor) -> Tensor { a };\n  let y = f\n  (x);\n  y")) == []


def test_T_K7_3_a_value_before_a_line_in_parentheses_is_not_called() -> None:
    wrong, right = FUNCTION.format("print(x)\n  (x, x)"), FUNCTION.format("print(x);\n  (x, x)")
    is_mended(wrong, right, UNSAFE)
