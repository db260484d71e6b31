"""PrimFuncs as people write them who come from C, Triton, numba or Halide: one message for each mistake. (Y.7, Z.5)"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, UNSAFE, Diagnostic
from relax_lang.syntax.builders.foreign_prim_funcs.kernel_words import ADVICE
from relax_lang.syntax.vocabulary.foreign_functions import OTHER_FORMS
from relax_lang.tir.ir.intrinsics import COMPOSED, INTRINSICS

HEAD = "prim_func @k(A: Buffer[(n, m), float32], B: Buffer[(n, m), float32], S: Buffer[(n,), float32]) {{\n"
BODY = HEAD + "  {}\n}}\n"
PARAMS = "prim_func @k({}, S: Buffer[(n,), float32]) {{\n  for i in 0..n {{ S[i] = 1.0; }}\n}}\n"


def errors(text: str) -> list[Diagnostic]:
    return [one for one in api.check(text).diagnostics if one.severity == ERROR]


def is_mended(wrong: str, right: str, applicability: str) -> None:
    (found,) = errors(wrong)
    assert [fix.applicability for fix in found.fixes] == [applicability]
    assert api.fix_text(wrong, unsafe=True).text == right
    assert errors(right) == []


@pytest.mark.parametrize(
    ("wrong", "right", "applicability"),
    [
        (
            "float t[4];\n  for i in 0..n { t[0] = A[i, 0]; S[i] = t[0]; }",
            "alloc t: Buffer[(4,), float32];\n  for i in 0..n { t[0] = A[i, 0]; S[i] = t[0]; }",
            SAFE,
        ),
        (
            "for i in 0..n {\n    const float t[2][3];\n    t[0, 1] = A[i, 0]; S[i] = t[0, 1];\n  }",
            "for i in 0..n {\n    alloc t: Buffer[(2, 3), float32];\n    t[0, 1] = A[i, 0]; S[i] = t[0, 1];\n  }",
            SAFE,
        ),
        (
            "const float c = 2.0;\n  for i in 0..n { S[i] = c; }",
            "let c = 2.0;\n  for i in 0..n { S[i] = c; }",
            SAFE,
        ),
        ("for i in 0..n { S[i] = 1.0; }\n  return;", "for i in 0..n { S[i] = 1.0; }\n  ", SAFE),
        (
            "for i in 0..n { S[i] = fmaxf(A[i, 0], 0.0); }",
            "for i in 0..n { S[i] = max(A[i, 0], 0.0); }",
            UNSAFE,
        ),
        (
            "for i in 0..n { S[i] = cast<float>(i) * 2.0; }",
            "for i in 0..n { S[i] = cast(i, float32) * 2.0; }",
            SAFE,
        ),
        ("for i in prange(n) { S[i] = 1.0; }", "for parallel i in 0..n { S[i] = 1.0; }", SAFE),
        ("for i in numba.prange(n) { S[i] = 1.0; }", "for parallel i in 0..n { S[i] = 1.0; }", SAFE),
        ("for i in tl.static_range(4) { S[i] = 1.0; }", "for unrolled i in 0..4 { S[i] = 1.0; }", SAFE),
        ("for i in 0..n: { S[i] = 1.0; }", "for i in 0..n { S[i] = 1.0; }", SAFE),
        (
            "for i in 0..n { S[i] = tl.maximum(A[i, 0], 0.0); }",
            "for i in 0..n { S[i] = max(A[i, 0], 0.0); }",
            UNSAFE,
        ),
        ("for i in 0..n { T.evaluate(0); S[i] = 1.0; }", "for i in 0..n {  S[i] = 1.0; }", SAFE),
    ],
)
def test_Y_7_statements(wrong: str, right: str, applicability: str) -> None:
    is_mended(BODY.format(wrong), BODY.format(right), applicability)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("float* A", "A: Buffer[(n,), float32]"),
        ("const float *A", "A: Buffer[(n,), float32]"),
        ("A: double*", "A: Buffer[(n,), float64]"),
        ("A: float32[:, :]", "A: Buffer[(n, m), float32]"),
        ("A: Buffer<uint8, 2>", "A: Buffer[(n, m), uint8]"),
        ("A: float[n, 4]", "A: Buffer[(n, 4), float32]"),
        ("int k", "k: int32"),
        ("k: tl.constexpr", "k: int64"),
    ],
)
def test_Y_7_parameters(wrong: str, right: str) -> None:
    (found,) = errors(PARAMS.format(wrong))
    assert len(found.fixes) == 1
    assert api.fix_text(PARAMS.format(wrong), unsafe=True).text == PARAMS.format(right)
    assert errors(PARAMS.format(right)) == []


@pytest.mark.parametrize(
    ("wrong", "helped"),
    [
        ("let p = tl.program_id(0);\n  S[p] = 1.0;", "a loop runs over the elements: `for i in 0..n { … }`"),
        ("p = tl.program_id(axis=0);\n  S[p] = 1.0;", "a loop runs over the elements: `for i in 0..n { … }`"),
        ("for i in 0..n { tl.store(S + i, 1.0); }", "an element is stored to by `x[i] = …;`"),
        ("for i in 0..n { S[i] = 1.0; tl.atomic_add(S + i, 1.0); }", "a store may add: `x[i] += …;`"),
        ("for i in 0..n { S[i] = tl.load(A + i, mask=i < n); }", "an element is written `x[i]`"),
        ("S[0] = tl.sum(A, axis=0);", "a loop reduces: `for i in 0..n { s[()] += x[i]; }`"),
        (
            "let t = tl.zeros((16,), dtype=tl.float32);\n  S[0] = 1.0;",
            "memory is allocated by `alloc t: Buffer[(…), float32];`",
        ),
        ("t = np.zeros(4);\n  S[0] = 1.0;", "memory is allocated by `alloc t: Buffer[(…), float32];`"),
        (
            'T.func_attr({"global_symbol": "k", "tir.noalias": True});\n  S[0] = 1.0;',
            "attributes are written before the body: `attrs { … }`",
        ),
        ("RDom r(0, n);\n  S[0] = 1.0;", "a loop reduces: `for r in 0..n { s[()] += A[r]; }`"),
        ("Var x, y;\n  S[0] = 1.0;", "a loop binds its variables: `for x, y in grid(n, m) { … }`"),
        (
            "let i = 0;\n  while i < n { S[i] = 1.0; i++; }",
            "keep the value in an element of a buffer: `alloc i: Buffer[(), int64];`, then `i[()] += 1;`",
        ),
        ("for i in 0..n { S[i] = exp(x=A[i, 0]); }", "they are given by position"),
    ],
)
def test_Y_7_what_no_fix_can_mend_has_advice(wrong: str, helped: str) -> None:
    (found,) = errors(BODY.format(wrong))
    assert (found.help, found.fixes) == (helped, [])


FUNCTION = "def @main(x: Tensor[(2,), float32]) { y }\n"


@pytest.mark.parametrize(
    ("program", "language"),
    [
        ("void add(float* A, int n) {\n  for (int i = 0; i < n; i++) { A[i] = 1; }\n}\n", "C"),
        ("__global__ void add(float *A) {\n  A[0] = 1;\n}\n", "C"),
        ("@triton.jit\ndef add(x_ptr, n: tl.constexpr):\n    pid = tl.program_id(axis=0)\n", "Python"),
        (
            "@njit(parallel=True)\ndef add(A, B):\n    for i in range(A.shape[0]):\n        B[i] = A[i]\n",
            "Python",
        ),
        ("func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {\n  return %arg0\n}\n", "MLIR"),
        ("module {\n  func.func @main() {\n    func.return\n  }\n}\n", "MLIR"),
        ('Func blur("blur");\nVar x("x"), y("y");\nblur(x, y) = in(x, y) / 2;\n', "Halide"),
    ],
)
def test_Y_7_programs_of_other_languages(program: str, language: str) -> None:
    first, second = errors(program + FUNCTION)
    assert first.message == f"this is {language}"
    assert second.slug == "undefined-variable"  # the rest of the file is read


def test_what_is_advised_on_is_no_intrinsic() -> None:
    assert not ADVICE.keys() & {*INTRINSICS, *OTHER_FORMS, *COMPOSED}


@pytest.mark.parametrize(
    ("wrong", "right", "count"),
    [
        (
            "for i in 0..n { if (A[i, 0] > 0.0) S[i] = 1.0; else S[i] = 0.0; }",
            "for i in 0..n { if (A[i, 0] > 0.0) { S[i] = 1.0; } else { S[i] = 0.0; } }",
            2,
        ),
        (
            "for i in 0..n { if A[i, 0] > 0.0 S[i] = 1.0; else { S[i] = 0.0; } }",
            "for i in 0..n { if A[i, 0] > 0.0 { S[i] = 1.0; } else { S[i] = 0.0; } }",
            1,
        ),
        (
            "for i in 0..n\n    if A[i, 0] > 0.0\n      S[i] = 1.0;\n    else\n      S[i] = 0.0;",
            "for i in 0..n {\n    if A[i, 0] > 0.0 {\n      S[i] = 1.0; }\n    else {\n      S[i] = 0.0; } }",
            3,
        ),
    ],
)
def test_Y_7_a_body_without_braces_ends_where_its_statement_does(wrong: str, right: str, count: int) -> None:
    found = errors(BODY.format(wrong))
    assert [one.message for one in found] == ["expected `{`"] * count
    assert api.fix_text(BODY.format(wrong), unsafe=True).text == BODY.format(right)
    assert errors(BODY.format(right)) == []
