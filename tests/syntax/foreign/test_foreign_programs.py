"""Foreign syntax that once had several messages, or a fix that led to the next error. [Y.7] [Z.5]"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, UNSAFE, Diagnostic

FUNCTION = """\
def @main(
  x: Tensor[(n, m), float32],
  y: Tensor[(n, m), float32],
  w: Tensor[(m, 4), float32],
  c: Tensor[(), bool],
) -> Object {{
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
    assert [fix.applicability for fix in found.fixes][:1] == [applicability]
    assert api.fix_text(wrong, unsafe=applicability == UNSAFE).text == right
    assert errors(right) == []


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (
            'call_dps_packed("f", (x,), Tensor[(n, m), float32])',
            'call_dps_packed(extern "f", (x,)) -> Tensor[(n, m), float32]',
        ),
        ('call_packed("f", x, Tensor[(n, m), float32])', 'extern "f"(x) -> Tensor[(n, m), float32]'),
        ("call_packed('a', x)", 'extern "a"(x)'),
        ('R.astype(x, "float16")', "astype(x, dtype=float16)"),
        ("sum(x, axis=None)", "sum(x, axis=null)"),
        ("x * np.inf", "x * inf"),
        ("x * math.pi", "x * 3.141592653589793"),
        ("x * 5.", "x * 5.0"),
        ("zeros(shape(2, 3), torch.half)", "zeros(shape(2, 3), dtype=float16)"),
        ("zeros(shape(2, 3), dtype=np.float32)", "zeros(shape(2, 3), dtype=float32)"),
        ('matmul(x, w, out_dtype="float16")', "matmul(x, w, out_dtype=float16)"),
        (
            'let z = R.match_cast(x, R.Tensor((k, 3), "float32")); z',
            "let z = match_cast(x, Tensor[(k, 3), float32]); z",
        ),
    ],
)
def test_Y_7_safe_fixes_in_functions(wrong: str, right: str) -> None:
    is_mended(FUNCTION.format(wrong), FUNCTION.format(right), SAFE)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("add(lhs=x, rhs=y)", "add(x, y)"),
        ("add(x, other=y)", "add(x, y)"),
        ("x * 0x10", "x * 16.0"),
        ("add x, y", "add(x, y)"),
        ("null", "()"),
        ('print("x is", x)', 'print(x, format="x is {}")'),
        ('println!("{}", x)', 'print(x, format="{}")'),
        ("if c { let z = x + 1.0; } else { let z = x; } z", "let z = if c { x + 1.0 } else { x }; z"),
        ("let z = x; if c { let z = x + 1.0; } z", "let z = x; let z = if c { x + 1.0 } else { z }; z"),
    ],
)
def test_Y_7_unsafe_fixes_in_functions(wrong: str, right: str) -> None:
    is_mended(FUNCTION.format(wrong), FUNCTION.format(right), UNSAFE)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            "if c { let z = x; } z",
            "`z` is bound in a branch only; an `if` has a value, which is bound outside",
        ),
        ("x[None]", "a tuple index is a plain number"),
        ("x == None", "`None` is not defined: a tensor always has a value"),
        ("R.foo(x, (n, m))", "there is no operator `R.foo`"),
        ("add(x, Tensor[(n, m), float32])", "a struct info is not a value"),
    ],
)
def test_Z_5_one_message_without_a_fix(wrong: str, message: str) -> None:
    (found,) = errors(FUNCTION.format(wrong))
    assert found.message == message
    assert not found.fixes


def test_Y_7_a_prefix_and_a_tuple_for_a_shape_are_mended_one_after_the_other() -> None:
    wrong = FUNCTION.format("R.reshape(x, (m, n))")
    assert [one.slug for one in errors(wrong)] == ["unknown-operator"]
    assert api.fix_text(wrong).text == FUNCTION.format("reshape(x, shape(m, n))")


@pytest.mark.parametrize(
    ("wrong", "right", "applicability"),
    [
        (
            "if n > 0 { S[0] = 0.0; } elif m > 1 { S[0] = 1.0; }",
            "if n > 0 { S[0] = 0.0; } else if m > 1 { S[0] = 1.0; }",
            SAFE,
        ),
        ("let mut s = 0.0; S[0] = s;", "let s = 0.0; S[0] = s;", SAFE),
        ("parallel for i in 0..n { S[i] = 0.0; }", "for parallel i in 0..n { S[i] = 0.0; }", SAFE),
        ('T.call_extern("f", S[0]);', 'call_extern("f", S[0]);', SAFE),
        ("S[0] = np.inf;", "S[0] = inf;", SAFE),
        ("S[0] = INFINITY;", "S[0] = inf;", SAFE),
        ("while True { S[0] = 1.0; }", "while true { S[0] = 1.0; }", SAFE),
        ("S[0] == 1.0;", "S[0] = 1.0;", UNSAFE),
        ("S[0] <- 1.0;", "S[0] = 1.0;", UNSAFE),
        ("if (n > 0) S[0] = 0.0;", "if (n > 0) { S[0] = 0.0; }", UNSAFE),
        (
            "for i in 0..n for j in 0..m { B[i, j] = 0.0; }",
            "for i in 0..n { for j in 0..m { B[i, j] = 0.0; } }",
            UNSAFE,
        ),
    ],
)
def test_Y_7_statements_of_prim_funcs(wrong: str, right: str, applicability: str) -> None:
    is_mended(PRIM_FUNC.format(wrong), PRIM_FUNC.format(right), applicability)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("nn.relu(A);", 'a call is not a statement here, except `call_extern("name", …);`'),
        ('S[0] = "a";', 'expected a number or a name, found `"a"`'),
    ],
)
def test_TIR_20_a_value_is_only_the_last_of_a_prim_func(wrong: str, message: str) -> None:
    assert [one.message for one in errors(PRIM_FUNC.format(wrong))] == [message]
