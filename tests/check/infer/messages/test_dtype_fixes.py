"""Operands of dtypes that do not go together: one message, and fixes after which the call checks. [OP.7] [Z.5]"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, Diagnostic
from relax_lang.base.source import PythonFile
from tests.edits import applied

PARAMS = (
    "x: Tensor[(n, 8), float32], h: Tensor[(n, 8), float16], g: Tensor[(n, 8), bfloat16], "
    "k: Tensor[(n, 8), int32], l: Tensor[(n, 8), int64], b: Tensor[(n, 8), bool], "
    "q: Tensor[(1, 4, 8, 16), float32], s: Tensor[(1, 4, 8, 16), float16], w: Tensor[(8,), int64]"
)


def program(body: str) -> str:
    return f"def @main({PARAMS}) {{ {body} }}"


def errors(text: str) -> list[Diagnostic]:
    return [one for one in api.check(text).diagnostics if one.severity == ERROR]


@pytest.mark.parametrize(
    ("call", "mended"),
    [
        ("x + k", ["x + astype(k, dtype=float32)"]),
        ("b + k", ["astype(b, dtype=int32) + k"]),
        ("k + l", ["astype(k, dtype=int64) + l", "k + astype(l, dtype=int32)"]),
        ("x + h", ["x + astype(h, dtype=float32)", "astype(x, dtype=float16) + h"]),
        ("h + g", ["astype(h, dtype=bfloat16) + g", "h + astype(g, dtype=float16)"]),
        (
            "add(x, h + h)",
            ["add(x, astype(h + h, dtype=float32))", "add(astype(x, dtype=float16), h + h)"],
        ),
        ("concat((x, k), axis=0)", ["concat((x, astype(k, dtype=float32)), axis=0)"]),
        ("k * 0.5", ["astype(k, dtype=float32) * 0.5"]),
        ("h * 0.5", ["h * const(0.5, float16)"]),
        ("l + 1", ["l + const(1, int64)"]),
        ("where(b, h, 0.0)", ["where(b, h, const(0.0, float16))"]),
        ("l + const(1, int32)", ["l + const(1, int64)", "astype(l, dtype=int32) + const(1, int32)"]),
        (
            "k * const([1, 2, 3, 4, 5, 6, 7, 8], int64)",
            [
                "k * const([1, 2, 3, 4, 5, 6, 7, 8], int32)",
                "astype(k, dtype=int64) * const([1, 2, 3, 4, 5, 6, 7, 8], int64)",
            ],
        ),
        ("l * const([1])", ["l * const([1], int64)", "astype(l, dtype=int32) * const([1])"]),
        (
            "x + const(2.5, float64)",
            ["x + const(2.5, float32)", "astype(x, dtype=float64) + const(2.5, float64)"],
        ),
        ("k + const(300000000000, int64)", ["astype(k, dtype=int64) + const(300000000000, int64)"]),
        (
            "add(const(1, float16), const(2, float32))",
            ["add(const(1, float32), const(2, float32))", "add(const(1, float16), const(2, float16))"],
        ),
        ("exp(k)", ["exp(astype(k, dtype=float32))"]),
        ("exp(1)", ["exp(1.0)"]),
        ("atan2(h, k)", ["atan2(h, astype(k, dtype=float16))"]),
        ("take(x, x, axis=0)", ["take(x, astype(x, dtype=int64), axis=0)"]),
        (
            "nn.layer_norm(x, w, w, axes=[-1])",
            ["nn.layer_norm(x, astype(w, dtype=float32), astype(w, dtype=float32), axes=[-1])"],
        ),
        (
            "nn.attention(q, s, s)",
            [
                "nn.attention(q, astype(s, dtype=float32), astype(s, dtype=float32))",
                "nn.attention(astype(q, dtype=float16), s, s)",
            ],
        ),
    ],
)
def test_OP_7_one_dtype_is_offered(call: str, mended: list[str]) -> None:
    text = program(call)
    (found,) = errors(text)
    assert found.slug == "op-dtype-mismatch"
    made = [applied(text, fix) for fix in found.fixes]
    assert made == [program(one) for one in mended]
    assert [errors(one) for one in made] == [[]] * len(made)


@pytest.mark.parametrize(
    ("call", "help_"),
    [
        ("where(x, x, x)", "a comparison is a bool: `x != 0.0`"),
        ("logical_and(b, k)", "a comparison is a bool: `k != 0`"),
    ],
)
def test_OP_7_help_without_a_fix(call: str, help_: str) -> None:
    (found,) = errors(program(call))
    assert (found.help, found.fixes) == (help_, [])


def test_OP_7_a_long_argument_is_not_repeated() -> None:
    (found,) = errors(program("x + (k + k + k + k + k + k + k + k)"))
    assert found.help == "write `astype(…, dtype=float32)`"


def test_OP_7_in_TVMScript() -> None:
    text = """\
from tvm.script import relax as R

@R.function
def main(x: R.Tensor((4,), "float32"), k: R.Tensor((4,), "int32")):
    gv = R.add(x, k)
    return gv
"""
    (found,) = [one for one in api.check(PythonFile(text, "model.py")).diagnostics if one.severity == ERROR]
    (fix,) = found.fixes
    assert 'gv = R.add(x, R.astype(k, "float32"))' in applied(text, fix)
    assert fix.title == found.help == 'write `R.astype(k, "float32")`'


@pytest.mark.parametrize("value", ["const([1, 2], int3)", "ones(shape(8), dtype=int3)"])
@pytest.mark.parametrize("call", ["{} + x", "exp({})", "logical_and({}, b)"])
def test_Z_5_a_word_that_is_not_a_dtype_is_one_mistake(call: str, value: str) -> None:
    (found,) = errors(program(call.format(value)))
    assert found.slug == "unknown-dtype"


@pytest.mark.parametrize(
    ("call", "messages"),
    [
        (
            "nn.batch_norm(x, v, v, v, v, axis=1)",
            [
                (
                    "nn.batch_norm: shapes `(n, 8)` and `(4,)` do not fit: axis 1 of `data` is 8, "
                    "axis 0 of `gamma`, `beta`, `moving_mean` and `moving_var` is 4"
                )
            ],
        ),
        ("nn.layer_norm(x, v, v, axes=[-1, -1])", ["nn.layer_norm: axis -1 is given twice"]),
        (
            "nn.group_norm(x, v, v, num_groups=2, channel_axis=1, axes=[1])",
            ["nn.group_norm: bad attribute `axes`: axis 1 is the channel axis"],
        ),
        ("concat((x, c), axis=4)", ["concat: axis 4 is outside [-2, 1]"]),
    ],
)
def test_Z_5_what_follows_from_an_axis_is_not_reported(call: str, messages: list[str]) -> None:
    params = "x: Tensor[(n, 8), float32], v: Tensor[(4,), float32], c: Tensor[(n, 7), float32]"
    assert [one.message for one in errors(f"def @main({params}) {{ {call} }}")] == messages


@pytest.mark.parametrize("word", ["none", "None", "nil"])
@pytest.mark.parametrize(
    "call", ["sum(x, axis={})", "zeros_like(x, dtype={})", "nn.attention(q, q, q, scale={})"]
)
def test_OP_4_null_in_the_words_of_other_languages(call: str, word: str) -> None:
    text = program(call.format(word))
    (found,) = errors(text)
    assert found.slug == "op-attribute"
    assert api.fix_text(text).text == program(call.format("null"))


def test_OP_4_null_where_a_value_is_needed() -> None:
    (found,) = errors(program("astype(x, dtype=None)"))
    assert (found.help, found.fixes) == ("this attribute needs a value", [])


CALLEES = """
def @f(k: Tensor[(), int64], h: Tensor[(n, 8), float16], c: Tensor[(), bool]) -> () { () }
prim_func @p(X: Buffer[(n, m), float16], Y: Buffer[(n, m), float16]) { for i, j in grid(n, m) { Y[i, j] = X[i, j]; } }
"""


@pytest.mark.parametrize(
    ("statement", "mended"),
    [
        (
            "let y: Tensor[(), int64] = 0;",
            ["let y: Tensor[(), int64] = const(0, int64);", "let y: Tensor[(), int32] = 0;"],
        ),
        ("let y: Tensor[(), float32] = 1;", ["let y: Tensor[(), float32] = 1.0;", "let y: Tensor[(), int32] = 1;"]),
        ("let y: Tensor[(), bool] = 1;", ["let y: Tensor[(), bool] = true;", "let y: Tensor[(), int32] = 1;"]),
        ("let y: Tensor[(), bool] = 2;", ["let y: Tensor[(), int32] = 2;"]),
        (
            "let y: Tensor[(n, 8), float16] = x;",
            ["let y: Tensor[(n, 8), float16] = astype(x, dtype=float16);", "let y: Tensor[(n, 8), float32] = x;"],
        ),
        (  # whoever converts a float to an integer loses something: the annotation is the likelier mistake
            "let y: Tensor[ndim=2, int32] = x;",
            ["let y: Tensor[(n, 8), float32] = x;", "let y: Tensor[ndim=2, int32] = astype(x, dtype=int32);"],
        ),
        ("let y: Tensor[(n, 9), float16] = x;", ["let y: Tensor[(n, 8), float32] = x;"]),  # the shape differs, too
        ("@f(0, h, true);", ["@f(const(0, int64), h, true);"]),
        ("@f(const(0, int64), x + x, true);", ["@f(const(0, int64), astype(x + x, dtype=float16), true);"]),
        ("@f(const(0, int64), h, 1);", ["@f(const(0, int64), h, true);"]),
        ("@f(const(0, int64), h, 0.5);", []),
        (
            "let y = call_tir(@p, (x,)) -> Tensor[(n, 8), float16];",
            ["let y = call_tir(@p, (astype(x, dtype=float16),)) -> Tensor[(n, 8), float16];"],
        ),
    ],
)  # fmt: skip
def test_C_5_1_a_value_of_another_dtype_is_written_or_converted(statement: str, mended: list[str]) -> None:
    text = program(f"{statement} ()") + CALLEES
    (found,) = errors(text)
    assert [applied(text, fix) for fix in found.fixes] == [program(f"{one} ()") + CALLEES for one in mended]
    assert all(not errors(applied(text, fix)) for fix in found.fixes)
    assert found.help == (found.fixes[0].title if found.fixes else "")


@pytest.mark.parametrize(
    ("result", "mended"), [("0", ["const(0, float16)"]), ("1 + 1", ["astype(1 + 1, dtype=float16)"])]
)
def test_C_5_1_the_result_of_a_function_keeps_the_declared_dtype(result: str, mended: list[str]) -> None:
    text = f"def @main() -> Tensor[(), float16] {{ {result} }}"
    (found,) = errors(text)
    first, second = found.fixes
    assert [applied(text, first)] == [text.replace(f"{{ {result} }}", f"{{ {one} }}") for one in mended]
    assert applied(text, second) == text.replace("float16", "int32")
