"""Statements of TVMScript, Halide and Python in PrimFuncs and functions: one message with what is written. (Y.7)"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, UNSAFE, Diagnostic

PRIM_FUNC = """\
prim_func @k(A: Buffer[(8, 8), float32], B: Buffer[(8,), float32], D: Buffer[(8,), float32],
             E: Buffer[(n,), float32]) {{
  {}
}}
"""
FUNCTION = """\
def @main(x: Tensor[(n, 4), float32]) -> Object {{
  {}
}}
"""
REDUCTION = """\
for i, k in grid(8, 8) {{
    block s (vi = spatial(i), vk = reduce(k)) {{
      {}
      B[vi] += A[vi, vk];
    }}
  }}"""


def errors(text: str) -> list[Diagnostic]:
    return [one for one in api.check(text).diagnostics if one.severity == ERROR]


def is_mended(wrong: str, right: str, applicability: str) -> None:
    (found,) = errors(wrong)
    assert [fix.applicability for fix in found.fixes] == [applicability]
    assert api.fix_text(wrong, unsafe=applicability == UNSAFE).text == right
    assert errors(right) == []


@pytest.mark.parametrize(
    ("wrong", "right", "applicability"),
    [
        ("T.init() { B[vi] = 0.0; }", "init { B[vi] = 0.0; }", SAFE),
        ("init() { B[vi] = 0.0; }", "init { B[vi] = 0.0; }", SAFE),
        ("with T.init() { B[vi] = 0.0; }", "init { B[vi] = 0.0; }", SAFE),
        ("with T.init():\n        B[vi] = 0.0", "init {\n        B[vi] = 0.0; }", UNSAFE),
        (
            "with T.init():  # first\n        B[vi] = 0.0;  # zero",
            "init {  # first\n        B[vi] = 0.0; }  # zero",
            UNSAFE,
        ),
        ("init: B[vi] = 0.0;", "init { B[vi] = 0.0; }", UNSAFE),
    ],
)
def test_Y_7_init_of_tvmscript(wrong: str, right: str, applicability: str) -> None:
    is_mended(
        PRIM_FUNC.format(REDUCTION.format(wrong)), PRIM_FUNC.format(REDUCTION.format(right)), applicability
    )


@pytest.mark.parametrize(
    ("wrong", "right", "applicability"),
    [
        ('T.block("b") { B[0] = 1.0; }', "block b { B[0] = 1.0; }", SAFE),
        ('with T.block("b") { B[0] = 1.0; }', "block b { B[0] = 1.0; }", SAFE),
        ('with T.sblock("a b"):\n    B[0] = 1.0', "block `a b` {\n    B[0] = 1.0; }", UNSAFE),
        ("produce f { B[0] = 1.0; }", "block f { B[0] = 1.0; }", UNSAFE),
        ("consume f { B[0] = 1.0; }", "block f { B[0] = 1.0; }", UNSAFE),
        ("for i in range(8): B[i] = 1.0", "for i in 0..8 { B[i] = 1.0; }", UNSAFE),
        (
            "for i in 0..8:\n    B[i] = 1.0\n    D[i] = 2.0",
            "for i in 0..8 {\n    B[i] = 1.0;\n    D[i] = 2.0; }",
            UNSAFE,
        ),
        ("for i, x in enumerate(B) { D[i] = x; }", "for i in 0..8 { let x = B[i]; D[i] = x; }", UNSAFE),
        ("for i, x in enumerate(E) { E[i] = -x; }", "for i in 0..n { let x = E[i]; E[i] = -x; }", UNSAFE),
        ("for x in B { D[0] += x; }", "for i in 0..8 { let x = B[i]; D[0] += x; }", UNSAFE),
        (
            "for b, d in zip(B, D) { E[0] = b * d; }",
            "for i in 0..8 { let b = B[i]; let d = D[i]; E[0] = b * d; }",
            UNSAFE,
        ),
        (
            "for i, j in np.ndindex(8, 8) { B[i] = A[i, j]; }",
            "for i, j in grid(8, 8) { B[i] = A[i, j]; }",
            SAFE,
        ),
        (
            "for i, j in product(range(8), range(4)) { B[i] = A[i, j]; }",
            "for i, j in grid(8, 4) { B[i] = A[i, j]; }",
            SAFE,
        ),
        (
            'for i in T.thread_binding(0, 8, "threadIdx.x") { B[i] = 1.0; }',
            'for thread("threadIdx.x") i in 0..8 { B[i] = 1.0; }',
            SAFE,
        ),
    ],
)
def test_Y_7_blocks_and_loops(wrong: str, right: str, applicability: str) -> None:
    is_mended(PRIM_FUNC.format(wrong), PRIM_FUNC.format(right), applicability)


SIZE = "n = T.int64()"


@pytest.mark.parametrize(
    "written", [SIZE, f"{SIZE};", f"let {SIZE};", 'n = tir.Var("n", "int64");', "n, m = T.int64(), T.int64()"]
)
def test_Y_7_a_size_is_bound_by_a_dimension_of_a_buffer(written: str) -> None:
    rest = "\n  for i in 0..n { E[i] = 1.0; }"
    (found,) = errors(PRIM_FUNC.format(written + rest))
    assert found.message == "a size is bound where a dimension first names it: `A: Buffer[(n,), float32]`"
    if "Var" not in written:
        assert api.fix_text(PRIM_FUNC.format(written + rest), unsafe=True).text == PRIM_FUNC.format(
            rest[3:]
        ).replace("{\n  for", "{\n  for")


@pytest.mark.parametrize("written", [SIZE, f"{SIZE};", f"let {SIZE};", 'let n = T.var("int64");'])
def test_Y_7_a_size_is_bound_by_a_dimension_of_a_tensor(written: str) -> None:
    (found,) = api.check(FUNCTION.format(f"{written}\n  reshape(x, shape(n * 4))")).diagnostics
    assert found.message == "a size is bound where a dimension first names it: `x: Tensor[(n,), float32]`"
    fixed = api.fix_text(FUNCTION.format(f"{written}\n  reshape(x, shape(n * 4))"), unsafe=True).text
    assert fixed == FUNCTION.format("reshape(x, shape(n * 4))")


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        ("T.where(n > 1);", "the condition of a block comes before its body: `block b (…) where c { … }`"),
        ('T.func_attr({"tir.noalias": True})', "attributes are written before the body: `attrs { … }`"),
        (
            'T.evaluate(T.call_extern("int32", "foo", A.data))',
            'a packed function is called by the statement `call_extern("name", A);`',
        ),
    ],
)
def test_Y_7_statements_without_a_form(wrong: str, advice: str) -> None:
    (found,) = errors(PRIM_FUNC.format(wrong))
    assert (found.help, found.fixes) == (advice, [])


@pytest.mark.parametrize(
    "head", ["with R.dataflow()", "R.dataflow()", "dataflow()", "with relax.dataflow() :"]
)
def test_Y_7_dataflow_of_tvmscript(head: str) -> None:
    body = "{ let y = x * 2.0; output y; }\n  y"
    is_mended(FUNCTION.format(f"{head} {body}"), FUNCTION.format(f"dataflow {body}"), SAFE)


@pytest.mark.parametrize("head", ["with R.dataflow():", "R.dataflow():", "dataflow:"])
def test_Y_7_a_body_of_dataflow_after_a_colon(head: str) -> None:
    wrong = FUNCTION.format(f"{head}\n    let y = x * 2.0\n    output y\n  y")
    is_mended(wrong, FUNCTION.format("dataflow {\n    let y = x * 2.0;\n    output y; }\n  y"), UNSAFE)


def test_Y_7_output_of_tvmscript() -> None:
    wrong = "dataflow { let y = x * 2.0; let z = y + y; R.output(y, z); }\n  (y, z)"
    right = "dataflow { let y = x * 2.0; let z = y + y; output y, z; }\n  (y, z)"
    is_mended(FUNCTION.format(wrong), FUNCTION.format(right), SAFE)


@pytest.mark.parametrize(
    ("wrong", "right", "applicability"),
    [
        ("affine.for %i = 0 to 8 { B[i] = 1.0; }", "for i in 0..8 { B[i] = 1.0; }", SAFE),
        (
            "B[0] = 2.0; affine.parallel %i = 0 to 8 { B[i] = 1.0; }",
            "B[0] = 2.0; for parallel i in 0..8 { B[i] = 1.0; }",
            SAFE,
        ),
        ("scf.for %i = %c0 to %n step %c1 { E[i] = 1.0; }", "for i in 0..n { E[i] = 1.0; }", UNSAFE),
        (
            "affine.for %i = 0 to 8 step 2 { B[i] = 1.0; }",
            "for i_step in 0..9 // 2 { let i = i_step * 2; B[i] = 1.0; }",
            SAFE,
        ),
        (
            "let t: float32[4]; t[0] = 1.0; B[0] = t[0];",
            "alloc t: Buffer[(4,), float32]; t[0] = 1.0; B[0] = t[0];",
            SAFE,
        ),
        ("B[0] = D.load(1);", "B[0] = D[1];", UNSAFE),
        ("for i in 0..8: B[i] = 1.0;", "for i in 0..8 { B[i] = 1.0; }", UNSAFE),
        ("while n > 0 { B[0] = 1.0; break }", "while n > 0 { B[0] = 1.0; break; }", SAFE),
        (
            "for i in 0..8 { if i > 3 { continue } B[i] = 1.0; }",
            "for i in 0..8 { if i > 3 { continue; } B[i] = 1.0; }",
            SAFE,
        ),
    ],
)
def test_Y_7_loops_of_mlir_arrays_of_c_and_loads(wrong: str, right: str, applicability: str) -> None:
    is_mended(PRIM_FUNC.format(wrong), PRIM_FUNC.format(right), applicability)


def test_Y_7_a_body_on_one_line_ends_before_the_brace_that_closes_what_is_around_it() -> None:
    head = "prim_func @k(B: Buffer[(8,), float32]) { for i in 0..8"
    is_mended(f"{head}: B[i] = 1.0; }}", f"{head} {{ B[i] = 1.0; }} }}", UNSAFE)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("do i = 0, n { B[i] = 1.0; }", "a loop is written `for i in 0..n { … }`, in a prim_func"),
        ("for i in 0..8 { B[i] = @g(D[i]); }", "a function of the module is not a number"),
        ("let i = threadIdx.x; B[i] = 1.0;", "the threads of a GPU are a loop here"),
        (
            "block s { vi = spatial(0); B[vi] = 1.0; }",
            "the axes of a block are in its head, before the brace",
        ),
    ],
)
def test_Y_7_what_has_no_edit_has_one_message(wrong: str, message: str) -> None:
    (found,) = errors(PRIM_FUNC.format(wrong))
    assert (found.message, found.fixes) == (message, [])
