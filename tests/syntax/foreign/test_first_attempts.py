"""What people from PyTorch and TVM write at first: one message each, and a fix that is right. [Y.7] [Z.5] [OP.2]"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, UNSAFE, WARNING, Diagnostic

FUNCTION = """\
prim_func @p(A: Buffer[(8, 16), float32], k: int64, B: Buffer[(8, 16), float32]) {{
  for i, j in grid(8, 16) {{
    B[i, j] = A[i, j] + cast(k, float32);
  }}
}}

def @main(
  x: Tensor[(b, s, 8), float32],
  y: Tensor[(b, s, 8), float32],
  i: Tensor[(b,), int64],
  w: Tensor[(8, 16), float32],
) -> Object {{
  {}
}}
"""
PRIM_FUNC = """\
prim_func @p(X: Buffer[(n, m), float32], k: int64, Y: Buffer[(n, m), float32]) {{
  for i, j in grid(n, m) {{
    {}
  }}
}}
"""

SUM = """\
prim_func @p(A: Buffer[(n,), float32], B: Buffer[(1,), float32]) {{
  for i in 0..n {{
    block b (v = reduce(i)) {{
      {}
      B[0] += A[v];
    }}
  }}
}}"""


def errors(text: str) -> list[Diagnostic]:
    return [one for one in api.check(text).diagnostics if one.severity == ERROR]


def is_mended(wrong: str, right: str, applicability: str) -> None:
    (found,) = errors(wrong)
    assert [fix.applicability for fix in found.fixes][:1] == [applicability]
    assert api.fix_text(wrong, unsafe=applicability == UNSAFE).text == right
    assert errors(right) == []


@pytest.mark.parametrize(
    ("wrong", "right", "applicability"),
    [
        ("x.sum(axis=1)", "sum(x, axis=1)", UNSAFE),
        ("x.mean(-1)", "mean(x, axis=-1)", UNSAFE),
        ("x.view(b, -1)", "reshape(x, shape(b, -1))", UNSAFE),
        ("x.reshape((b, s * 8))", "reshape(x, shape(b, s * 8))", UNSAFE),
        ("x.transpose(0, 2, 1)", "permute_dims(x, axes=[0, 2, 1])", UNSAFE),
        ("x.relu()", "nn.relu(x)", UNSAFE),
        ("x.max(y)", "maximum(x, y)", UNSAFE),
        ("x.T", "permute_dims(x)", UNSAFE),
        ("x.shape", "shape_of(x)", UNSAFE),
        ("x /* half */", "x # half", UNSAFE),
        ("99999999999", "const(99999999999, int64)", UNSAFE),
        ("const([1, 99999999999])", "const([1, 99999999999], int64)", UNSAFE),
        ("x.0", "take(x, 0, axis=0)", UNSAFE),
        ("max(x, y)", "maximum(x, y)", UNSAFE),
        ("min(x, 0.0)", "minimum(x, 0.0)", UNSAFE),
        ("concat(x, y)", "concat((x, y))", UNSAFE),
        ("stack(x, y, axis=1)", "stack((x, y), axis=1)", UNSAFE),
        ("sum(x, -1, True)", "sum(x, axis=-1, keepdims=true)", SAFE),
        ('zeros((b, s), "float32")', "zeros(shape(b, s), dtype=float32)", SAFE),
        ('full((b, s), 0, "float32")', "full(shape(b, s), 0, dtype=float32)", SAFE),
        ('einsum("bsd,de->bse", x, w)', 'einsum((x, w), subscripts="bsd,de->bse")', SAFE),
        ("const([1, 2, 3], dtype=int64)", "const([1, 2, 3], int64)", SAFE),
        (
            "call_tir(@p, (w,), b) -> Tensor[(8, 16), float32]",
            "call_tir(@p, (w,), shape(b)) -> Tensor[(8, 16), float32]",
            SAFE,
        ),
        (
            'call_tir("p", (w,), shape(b)) -> Tensor[(8, 16), float32]',
            "call_tir(@p, (w,), shape(b)) -> Tensor[(8, 16), float32]",
            UNSAFE,
        ),
    ],
)
def test_Y_7_in_functions(wrong: str, right: str, applicability: str) -> None:
    is_mended(FUNCTION.format(wrong), FUNCTION.format(right), applicability)


@pytest.mark.parametrize(
    ("wrong", "right", "applicability"),
    [
        ("Y[i, j] = cast(float32, k);", "Y[i, j] = cast(k, float32);", SAFE),
        ('Y[i, j] = cast("float32", k);', "Y[i, j] = cast(k, float32);", SAFE),
        ("Y[i, j] = k as float32;", "Y[i, j] = cast(k, float32);", SAFE),
        ("Y[i, j] = X[i, j] as float32;", "Y[i, j] = cast(X[i, j], float32);", SAFE),
        ("Y[i, j] = X[i, j].astype(float32);", "Y[i, j] = cast(X[i, j], float32);", SAFE),
        (
            'Y[i, j] = 1.0 + exp(X[i, j]).astype("float32");',
            "Y[i, j] = 1.0 + cast(exp(X[i, j]), float32);",
            SAFE,
        ),
        ("Y[i, j] = float(k);", "Y[i, j] = cast(k, float32);", UNSAFE),
        ("Y[i, j] = infinity(float32);", "Y[i, j] = float32(inf);", UNSAFE),
        ("Y[i, j] = X(i, j);", "Y[i, j] = X[i, j];", UNSAFE),
        (
            "let t = alloc((1,), float32);\n    t[0] = 1.0;\n    Y[i, j] = t[0];",
            "alloc t: Buffer[(1,), float32];\n    t[0] = 1.0;\n    Y[i, j] = t[0];",
            SAFE,
        ),
        (
            "var t: float32 = 0.0;\n    t += X[i, j];\n    Y[i, j] = t;",
            "alloc t: Buffer[(), float32];\n    t[()] = 0.0;\n    t[()] += X[i, j];\n    Y[i, j] = t[()];",
            UNSAFE,
        ),
    ],
)
def test_Y_7_in_prim_funcs(wrong: str, right: str, applicability: str) -> None:
    is_mended(PRIM_FUNC.format(wrong), PRIM_FUNC.format(right), applicability)


@pytest.mark.parametrize(
    ("wrong", "helped"),
    [
        (
            "repeat(x, b // 2, axis=1)",
            "`repeats` is given by name, as a literal: `repeats=…`, an integer of at least 0",
        ),
        ("one_hot(i, 10)", "missing: `off_value` and the attribute `depth=…`"),
        ("matmul(x, w, y)", ""),
        ("min(x, 1.0, 2.0)", ""),
        ("concat(x, y, 1)", "give the tensors as one tuple: `concat((a, b), …)`"),
        ("w.transpose(0, 1)", "write `permute_dims(w, axes=[…])`, with all axes in their new order"),
        ("(x + y).transpose(1, 2)", "write `permute_dims(…, axes=[…])`, with all axes in their new order"),
        (
            "if x > 0.0 { x } else { y }",
            "`where(c, a, b)` chooses element by element; `all(c)` and `any(c)` give one bool",
        ),
    ],
)
def test_Y_7_help_without_a_fix_in_functions(wrong: str, helped: str) -> None:
    (found,) = errors(FUNCTION.format(wrong))
    assert not found.fixes
    assert found.help == helped


@pytest.mark.parametrize(
    ("wrong", "helped"),
    [
        ("Y[i, :] = X[i, :];", "loop over the axis: `for k in 0..n { … }`, with `k` for the slice"),
        ("Y[i, j] = sum(X[i, 0:4]);", "loop over the axis: `for k in 0..n { … }`, with `k` for the slice"),
        (
            'vi, vk = T.axis.remap("SR", [i, j]); Y[vi, vk] = X[vi, vk];',
            "write `block b (vi = spatial(i), vk = reduce(j)) { … }`",
        ),
        ("Y[i, j] = (k + 1) as float32;", ""),
    ],
)
def test_Y_7_help_without_a_fix_in_prim_funcs(wrong: str, helped: str) -> None:
    (found,) = errors(PRIM_FUNC.format(wrong))
    assert not found.fixes
    assert found.help == helped


@pytest.mark.parametrize(
    ("wrong", "right", "applicability"),
    [
        (
            'prim_func @p(A: T.Buffer((n,), "float32")) { A[0] = 1.0; }',
            "prim_func @p(A: Buffer[(n,), float32]) { A[0] = 1.0; }",
            UNSAFE,
        ),
        (
            'prim_func @p(A: T.Buffer[(n,), "float32"]) { A[0] = 1.0; }',
            "prim_func @p(A: Buffer[(n,), float32]) { A[0] = 1.0; }",
            UNSAFE,
        ),
        (
            "prim_func @p(A: Buffer[n, m, float32]) { A[0, 0] = 1.0; }",
            "prim_func @p(A: Buffer[(n, m), float32]) { A[0, 0] = 1.0; }",
            UNSAFE,
        ),
        (
            "prim_func @p(A: Buffer[(n,), float32]) -> Buffer { A[0] = 1.0; }",
            "prim_func @p(A: Buffer[(n,), float32]) { A[0] = 1.0; }",
            UNSAFE,
        ),
        (
            "prim_func @p(A: Buffer[(n,), float32]) { for i in 0:n { A[i] = 1.0; } }",
            "prim_func @p(A: Buffer[(n,), float32]) { for i in 0..n { A[i] = 1.0; } }",
            SAFE,
        ),
        (
            SUM.format("with T.init() { B[0] = 0.0; }"),
            SUM.format("init { B[0] = 0.0; }"),
            SAFE,
        ),
        (
            '"""What it is.\n\nMore."""\ndef @main(x: Tensor) { x }',
            "## What it is.\n## More.\ndef @main(x: Tensor) { x }",
            UNSAFE,
        ),
    ],
)
def test_Y_7_in_items(wrong: str, right: str, applicability: str) -> None:
    is_mended(f"{wrong}\n", f"{right}\n", applicability)


def test_S_12_a_dimension_called_None() -> None:
    found = api.check("def @main(x: Tensor[(None, None), float32]) { x }").diagnostics
    assert [(one.slug, one.severity) for one in found] == [("none-as-dimension", WARNING)]


def test_G_1_a_dimension_without_parentheses() -> None:
    (found,) = errors("def @main(x: Tensor[n, float32]) { x }")
    assert found.help == "a dimension is written in parentheses: `(n,)`"


@pytest.mark.parametrize(
    "head", ["(A: Buffer[(n,), float32]) -> int32:", "(A: Buffer[(n,), float32]) attrs :", ":"]
)
def test_Y_7_a_colon_in_the_head_of_a_prim_func_is_not_a_slice(head: str) -> None:
    found = errors(f"prim_func @p{head} {{ A[0] = 1.0; }}")
    assert found
    assert not any("slices" in one.message for one in found)


def test_W_6_3_an_if_in_a_dataflow_block_is_one_mistake() -> None:
    text = FUNCTION.format("dataflow {\n    if b > 1 { let z = x; }\n    output z;\n  }\n  z")
    assert [one.slug for one in errors(text)] == ["if-in-dataflow"]


def test_Y_7_a_number_in_quotes() -> None:
    wrong = FUNCTION.format('full(shape(b, s), "1", dtype=float32)')
    is_mended(wrong, FUNCTION.format("full(shape(b, s), 1, dtype=float32)"), UNSAFE)


def test_Y_7_a_binding_with_a_colon_is_not_a_slice() -> None:
    (found,) = errors(PRIM_FUNC.format("Y[i, j] := X[i, j];"))
    assert found.help == "write `=`"


@pytest.mark.parametrize(
    "text",
    ["= 3", "def = 3", "def @ = 3", "module = 2", "prim_func = 3", "module attrs = 3", "module attrs { = 3"],
)
def test_an_equals_sign_near_the_beginning_is_a_mistake_as_any_other(text: str) -> None:
    assert api.parse(text).diagnostics


@pytest.mark.parametrize(
    ("wrong", "right", "applicability"),
    [
        ("cat((x, y), dim=0)", "concat((x, y), axis=0)", UNSAFE),
        ("softmax(x, dim=-1)", "nn.softmax(x, axis=-1)", UNSAFE),
        ("float16(x)", "astype(x, dtype=float16)", UNSAFE),
        ("float16(1)", "const(1, float16)", UNSAFE),
        ("tuple(x, y)", "(x, y)", UNSAFE),
        ("tuple(x)", "(x,)", UNSAFE),
        (
            "let v: Tensor[(k, m), float32] = match_cast(w); v",
            "let v = match_cast(w, Tensor[(k, m), float32]); v",
            SAFE,
        ),
        ("with dataflow { let a = x; output a; } a", "dataflow { let a = x; output a; } a", SAFE),
    ],
)
def test_Y_7_the_rest_of_the_call_changes_with_its_name(wrong: str, right: str, applicability: str) -> None:
    is_mended(FUNCTION.format(wrong), FUNCTION.format(right), applicability)


def test_Y_7_a_result_info_inside_of_a_call() -> None:
    head = "prim_func @p(A: Buffer[(n,), float32], B: Buffer[(n,), float32]) { for i in 0..n { B[i] = A[i]; } }\n"
    wrong = "def @main(x: Tensor[(4,), float32]) { call_tir(@p, (x,), Tensor[(4,), float32]) }"
    right = "def @main(x: Tensor[(4,), float32]) { call_tir(@p, (x,)) -> Tensor[(4,), float32] }"
    is_mended(head + wrong, head + right, SAFE)


@pytest.mark.parametrize("gap", ["", "  # and so on"])
def test_Y_7_a_line_without_its_semicolon_before_return(gap: str) -> None:
    wrong = f"def @main(x: Tensor) {{\n  z = x + x{gap}\n  return z\n}}\n"
    assert [one.message.partition(":")[0] for one in errors(wrong)] == [
        "a statement that binds a variable begins with `let`",
        "expected `;` after this statement",
        "there is no `return`",
    ]
    assert api.fix_text(wrong).text == f"def @main(x: Tensor) {{\n  let z = x + x;{gap}\n  z\n}}\n"


@pytest.mark.parametrize("result", ["Tensor", "Buffer[(n,), float32]", "Tensor[(n,), float32]"])
def test_Y_7_a_prim_func_returns_no_arrays(result: str) -> None:
    right = "prim_func @p(A: Buffer[(n,), float32]) { A[0] = 1.0; }"
    is_mended(right.replace(" {", f" -> {result} {{", 1), right, UNSAFE)


def test_Y_7_a_buffer_in_a_function_is_a_tensor() -> None:
    is_mended("def @f(A: Buffer[(n,), float32]) { A }", "def @f(A: Tensor[(n,), float32]) { A }", UNSAFE)


SCRIPT = """\
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")):
        with R.dataflow():
            lv = R.add(x, x)
            R.output(lv)
        return lv

"""


def test_Y_7_tvmscript_in_a_file_of_the_language_is_one_message() -> None:
    found = errors(SCRIPT + "def @f(x: Tensor) { y }")
    assert [one.message for one in found] == ["this is TVMScript", "`y` is not defined"]
    assert "`relax import`" in found[0].help


@pytest.mark.parametrize(
    "imports",
    [
        "from tvm.script import relax as R\n",
        "import tvm\nfrom tvm.script import ir as I\n\n# a model\n",
    ],
)
def test_Y_7_imports_before_tvmscript_belong_to_it(imports: str) -> None:
    (found,) = errors(imports + SCRIPT)
    assert found.message == "this is TVMScript"
    assert not found.fixes


def test_Y_7_a_result_info_as_an_attribute_goes_behind_the_call() -> None:
    wrong = 'def @main(x: Tensor[(4,), float32]) { extern "f"(x, sinfo_args=Tensor[(4,), float32]) }'
    right = 'def @main(x: Tensor[(4,), float32]) { extern "f"(x) -> Tensor[(4,), float32] }'
    is_mended(wrong, right, UNSAFE)
