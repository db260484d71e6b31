"""What PyTorch, NumPy, TVMScript and C write: one message each, and a fix that is right. [Y.7] [Z.5]"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, UNSAFE, Diagnostic

FUNCTION = """\
prim_func @k(A: Buffer[(2, 3), float32], B: Buffer[(2, 3), float32]) {{
  for i, j in grid(2, 3) {{
    B[i, j] = A[i, j];
  }}
}}

def @main(
  x: Tensor[(2, 3), float32],
  s: Tensor[(n, 3), float32],
  c: Tensor[(), bool],
  w: Tensor[(3, 4), float32],
) -> Object {{
  {}
}}
"""
PRIM_FUNC = """\
prim_func @k(A: Buffer[(n, m), float32], B: Buffer[(n,), float32], I: Buffer[(n,), int32]) {{
  {}
}}
"""


def errors(text: str) -> list[Diagnostic]:
    return [one for one in api.check(text).diagnostics if one.severity == ERROR]


def is_mended(wrong: str, right: str, applicability: str) -> None:
    (found,) = errors(wrong)
    assert [fix.applicability for fix in found.fixes][:1] == [applicability]
    assert api.fix_text(wrong, unsafe=True).text == right
    assert errors(right) == []


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("x @ w", "matmul(x, w)"),
        ("x @w", "matmul(x, w)"),
        ("let y = f(x) @ w; y".replace("f(", "nn.relu("), "let y = matmul(nn.relu(x), w); y"),
        ("let f = fn def (a: Tensor) -> Tensor { a }; f(x)", "let f = fn (a: Tensor) -> Tensor { a }; f(x)"),
        ("let f = def (a: Tensor) { a }; f(x)", "let f = fn (a: Tensor) { a }; f(x)"),
        (
            "let z = x;\n  def f(a: Tensor) { a }\n  f(z)",
            "let z = x;\n  let f = fn (a: Tensor) { a };\n  f(z)",
        ),
        ("dataflow { let y = x; return y; } y", "dataflow { let y = x; output y; } y"),
        ("let y == x; y", "let y = x; y"),
        ("shape([2, n])", "shape(2, n)"),
        ("R.shape([2, n])", "shape(2, n)"),
        ('R.const(1.0, "float32")', "const(1.0, float32)"),
        ("R.const(1, int32)", "const(1, int32)"),
        ("R.const(True)", "const(true)"),
        ('R.const([1, 2], "int64")', "const([1, 2], int64)"),
        ("R.tuple(x, x)", "(x, x)"),
        (
            'R.call_tir(cls.k, (x,), out_sinfo=R.Tensor((2, 3), "float32"))',
            "call_tir(@k, (x,)) -> Tensor[(2, 3), float32]",
        ),
        (
            'R.call_tir(k, x, out_sinfo=R.Tensor((2, 3), dtype="float32"))',
            "call_tir(@k, (x,)) -> Tensor[(2, 3), float32]",
        ),
        ('call_packed("f", x)', 'extern "f"(x)'),
        (
            'call_dps_packed("f", (x,)) -> Tensor[(2, 3), float32]',
            'call_dps_packed(extern "f", (x,)) -> Tensor[(2, 3), float32]',
        ),
        ('astype(x, "float16")', "astype(x, dtype=float16)"),
        ('x.astype("float16")', "astype(x, dtype=float16)"),
        ("x.to(float16)", "astype(x, dtype=float16)"),
        ("reshape(x, 3, 2)", "reshape(x, shape(3, 2))"),
        ("reshape(s, n, -1)", "reshape(s, shape(n, -1))"),
        ("permute_dims(x, 1, 0)", "permute_dims(x, axes=[1, 0])"),
        ("strided_slice(x, [0], [0], [1])", "strided_slice(x, (0,), (0,), (1,))"),
        ("sum(x, axis=1, keepdims=True)", "sum(x, axis=1, keepdims=true)"),
    ],
)
def test_Y_7_safe_fixes_in_functions(wrong: str, right: str) -> None:
    is_mended(FUNCTION.format(wrong), FUNCTION.format(right), SAFE)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("concat(x ++ x)", "concat((x, x))"),
        ("let y = ~c; y", "let y = !c; y"),
        ("let y = c & c; y", "let y = bitwise_and(c, c); y"),
        ("/* c */ x", "# c\n x"),
        ('extern("f")(x)', 'extern "f"(x)'),
        ("let y: float32[2, 3] = x; y", "let y: Tensor[(2, 3), float32] = x; y"),
        ("c && 1", "c && true"),
        ("where(c, x, 0)", "where(c, x, 0.0)"),
        ("nn.softmax(x, dim=-1)", "nn.softmax(x, axis=-1)"),
        ("@relu(x)", "nn.relu(x)"),
        ("take(x, [0, 1], axis=0)", "take(x, const([0, 1]), axis=0)"),
    ],
)
def test_Y_7_unsafe_fixes_in_functions(wrong: str, right: str) -> None:
    is_mended(FUNCTION.format(wrong), FUNCTION.format(right), UNSAFE)


@pytest.mark.parametrize("names", ["(a, b)", "a, b", "(a, b,)"])
def test_Y_7_a_tuple_is_not_unpacked(names: str) -> None:
    right = "let fields = (x, w);\n  let a = fields[0];\n  let b = fields[1];\n  a"
    is_mended(FUNCTION.format(f"let {names} = (x, w);\n  a"), FUNCTION.format(right), SAFE)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("for i in T.serial(n) { B[i] = 0.0; }", "for i in 0..n { B[i] = 0.0; }"),
        ("for i in T.parallel(n) { B[i] = 0.0; }", "for parallel i in 0..n { B[i] = 0.0; }"),
        ("for i in T.vectorized(1, n) { B[i] = 0.0; }", "for vectorized i in 1..n { B[i] = 0.0; }"),
        (
            'for i in T.thread_binding(0, n, thread="threadIdx.x") { B[i] = 0.0; }',
            'for thread("threadIdx.x") i in 0..n { B[i] = 0.0; }',
        ),
        ("for i in parallel 0..n { B[i] = 0.0; }", "for parallel i in 0..n { B[i] = 0.0; }"),
        ("for i in 0..=n - 1 { B[i] = 0.0; }", "for i in 0..n - 1 + 1 { B[i] = 0.0; }"),
        ("for i in 0..<n { B[i] = 0.0; }", "for i in 0..n { B[i] = 0.0; }"),
        ("for i in 0..n { B[i] /= 2.0; }", "for i in 0..n { B[i] = B[i] / 2.0; }"),
        ("for i in 0..n { I[i] %= I[i] + 3; }", "for i in 0..n { I[i] = I[i] % (I[i] + 3); }"),
        (
            'T = alloc_buffer((n,), "float32"); T[0] = 1.0; B[0] = T[0];',
            "alloc T: Buffer[(n,), float32]; T[0] = 1.0; B[0] = T[0];",
        ),
        ("for i in 0..n { B[i] = 0.0; pass }", "for i in 0..n { B[i] = 0.0; }"),
        ("B[0] = nan();", "B[0] = nan;"),
        ("for i in 0..n { if not i > 0 { B[i] = 0.0; } }", "for i in 0..n { if !i > 0 { B[i] = 0.0; } }"),
    ],
)
def test_Y_7_safe_fixes_in_prim_funcs(wrong: str, right: str) -> None:
    wrong, right = PRIM_FUNC.format(wrong), PRIM_FUNC.format(right)
    (found,) = errors(wrong)
    assert [fix.applicability for fix in found.fixes] == [SAFE]
    assert api.fix_text(wrong).text.replace(" }", "}") == right.replace(" }", "}")
    assert errors(right) == []


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ('B[0] = A[0, 0] if "a" else 0.0;', "the condition comes first: `if_then_else(c, a, b)`"),
        ("@other(A, B);", "a prim_func calls no other"),
        ("B[0] = foo(1.0);", "there is no intrinsic `foo`"),
    ],
)
def test_Y_7_what_no_fix_can_mend_in_prim_funcs(statement: str, message: str) -> None:
    (found,) = errors(PRIM_FUNC.format(statement))
    assert (found.message, found.fixes) == (message, [])


@pytest.mark.parametrize(
    ("expression", "message", "help_"),
    [
        ("nn.embedding(c, w)", "there is no operator `nn.embedding`", "write `take(weight, indices, axis=0)`"),
        ("x << 1", "`<<` is an operator of prim_funcs only", "call `left_shift(a, b)`"),
        (
            "cls.k(x)",
            "there is no operator `cls.k`; functions of the module are written `@k`",
            "write `call_tir(@k, (…)) -> …`",
        ),
        ("let y = nn.relu x; y", "the operands of a call are written in parentheses", ""),
        ("import numpy; x", "a file of the language imports nothing; packed functions are registered from Python", ""),
        ('f"{x}"', "a string is not a value; strings are written in attributes and after `extern`", ""),
    ],
)  # fmt: skip
def test_Y_7_one_message_for_what_has_no_counterpart(expression: str, message: str, help_: str) -> None:
    (found,) = errors(
        FUNCTION.replace("{}", "@@").replace("{{", "{").replace("}}", "}").replace("@@", expression)
    )
    assert found.message == message
    assert found.help == help_ or found.fixes


def test_Y_7_what_is_broken_twice_ends_in_messages() -> None:
    assert errors(FUNCTION.format("strided_slice(x, [0], [[0], x], [1])"))
    found = errors(PRIM_FUNC.format("c && x[0] > 0.0"))
    assert "tir-undefined-variable" in [one.slug for one in found]
    assert "internal-error" not in [one.slug for one in found]
    text = PRIM_FUNC.format('T = alloc_buffer((n,), "let z"); T[0] = 1.0;')
    assert all(0 <= one.pos <= one.end <= len(text) for one in errors(text))
