"""Scalars of Relax, direct calls of PrimFuncs, loops with steps, and values that parameters around a unit have."""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.source import PythonFile
from tests.tvmscript.harness import code, imported, script, statements, unit

SCALE = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def scale(A: T.Buffer((4,), "float32"), by: T.float32, B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] * by

    @R.function(pure=False)
    def main(A: R.Tensor((4,), "float32"), by: R.Prim("float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        B = R.call_tir(cls.scale, (A, by), out_ty=R.Tensor((4,), "float32"))
        C = R.call_tir(cls.scale, (B, R.prim_value(0.5)), out_ty=R.Tensor((4,), "float32"))
        D = R.builtin.alloc_tensor(R.shape([4]), "float32", 0)
        cls.scale(C, by, D)
        return D
"""


def test_scalars_and_direct_calls_of_prim_funcs() -> None:
    made = imported(SCALE)
    assert "by: Prim[float32]" in made
    assert "call_tir(@scale, (A, by)) ->" in made
    assert "call_tir(@scale, (B, prim_value(0.5))) ->" in made
    assert "  @scale(C, by, D);" in made
    assert api.check(PythonFile(script(SCALE), "model.py")).diagnostics == []


def test_what_is_read_is_exported_and_read_back() -> None:
    text = imported(SCALE)
    exported = api.to_tvmscript(text).text
    assert 'by: R.Prim("float32")' in exported
    assert "cls.scale(C, by, D)" in exported
    read = imported(exported.split("\n", 1)[1])
    assert api.to_tvmscript(read).text == exported


@pytest.mark.parametrize(
    ("python", "relax"),
    [
        ("y = R.prim_value(3)\nreturn (x, y)", "let y = prim_value(3);"),
        ("y = R.prim_value(T.int32(3))\nreturn (x, y)", "let y = prim_value(3, dtype=int32);"),
        ("y = R.prim_value(T.float64(0.5))\nreturn (x, y)", "let y = prim_value(0.5, dtype=float64);"),
        ('y: R.Prim("int32") = 2\nreturn (x, y)', "let y: Prim[int32] = prim_value(2, dtype=int32);"),
        ('y: R.Prim("bool") = True\nreturn (x, y)', "let y: Prim[bool] = prim_value(true);"),
        (
            'n = T.int64()\nz = R.match_cast(x, R.Tensor((n, 3), "float32"))\nreturn (z, n + 1)',
            "prim_value(n + 1)",
        ),
        ('_ = R.call_packed("f", x, 1, ty_args=R.Any)\nreturn x', 'extern "f"(x, prim_value(1)) -> Object;'),
    ],
)
def test_numbers_as_values(python: str, relax: str) -> None:
    assert relax in statements(python)


def test_a_scalar_is_no_size() -> None:
    found = unit('@R.function\ndef main(n: R.Prim("int64"), x: R.Tensor([n], "float32")):\n    return x\n')
    assert [one.slug for one in found.obstacles] == ["tvmscript-unsupported"]


def test_loops_with_steps() -> None:
    literal = code("for i in range(1, 8, 3):\n    A[i] = T.float32(0)")
    assert "for i_step in 0..3 attrs { range: [1, 8, 3] } {" in literal
    assert "let i = 1 + i_step * 3;" in literal
    symbolic = code(
        "for i in T.serial(0, n, step=2):\n    A[i] = T.float32(0)",
        'n: T.int64, A: T.Buffer((n,), "float32")',
    )
    assert "for i_step in 0..(n + 1) // 2" in symbolic
    assert "let i = i_step * 2;" in symbolic


def test_constants_in_memory_are_stored() -> None:
    text = """
    p = T.allocate_const([1.5, 2.5], "float32", [2])
    K = T.Buffer((2,), "float32", data=p)
    for i in range(2):
        A[i] = K[i]
    """
    made = code(text, 'A: T.Buffer((2,), "float32")')
    assert "alloc p: Buffer[(2,), float32];" in made
    assert "p[1] = 2.5;" in made
    assert "A[i] = p[i];" in made
    found = unit("@T.prim_func\ndef main():\n    p = T.allocate_const([1], 'int8', [3])\n")
    assert [one.slug for one in found.obstacles] == ["tvmscript-unsupported"]


@pytest.mark.parametrize(
    ("python", "relax"),
    [
        ("return n", "-> int32 attrs { s_tir: false } {\n  n\n}"),
        ("if n > 2:\n    return 1\nreturn 2", "if_then_else(n > 2, 1, 2)"),
        ("if n > 2:\n    return 1\nelse:\n    return n", "if_then_else(n > 2, 1, n)"),
        ("T.evaluate(T.ret(n))", "-> int32 attrs { s_tir: false } {"),
        ("for i in range(n):\n    if i > 3:\n        break\n    continue\nreturn 1", "break;"),
        ("while n > 2:\n    T.break_loop()\n    T.evaluate(T.continue_loop())\nreturn 1", "continue;"),
        ('T.evaluate(T.call_extern("int32", "f", "NHWC", 1))\nreturn 0', 'call_extern("f", "NHWC", 1);'),
    ],
)
def test_results_jumps_and_strings_of_prim_funcs(python: str, relax: str) -> None:
    body = "\n".join("    " + line for line in python.split("\n"))
    made = imported(f"@T.prim_func\ndef main(n: T.int32) -> T.int32:\n{body}\n")
    assert relax in made
    exported = api.to_tvmscript(made).text
    assert "-> T.int32:" in exported
    assert imported(exported.split("\n", 1)[1]).count("->") == made.count("->")


def test_a_result_in_the_middle_is_refused() -> None:
    text = "@T.prim_func\ndef main(n: T.int32) -> T.int32:\n    for i in range(n):\n        return i\n"
    assert [one.slug for one in unit(text).obstacles] == ["tvmscript-unsupported"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('16, "int32"', "(16,), int32"),
        ('(16,), "int32"', "(16,), int32"),
        ("4, 8", "(4, 8), float32"),
        ("16", "(16,), float32"),
    ],
)
def test_buffers_in_brackets(written: str, read: str) -> None:
    made = imported(f"@T.prim_func\ndef main(A: T.Buffer[{written}]):\n    T.evaluate(0)\n")
    assert f"A: Buffer[{read}]" in made


FACTORY = """
{before}
def make({given}):
    @R.function
    def main(x: R.Tensor((n, 4), dtype)) -> R.Tensor((n, 4), dtype):
        return x
    return main
{after}
"""


@pytest.mark.parametrize(
    ("before", "given", "after"),
    [
        ("", 'n=8, dtype="int8"', ""),
        ("", 'n, *, dtype="int8"', "made = make(8)"),
        ("", "n, dtype", 'kernels = [make(8, "int8"), make(16, "int32")]'),
        ('@pytest.mark.parametrize("n, dtype", [(8, "int8"), (16, "int32")])', "n, dtype", ""),
        ('@pytest.mark.parametrize("n", [8])\n@pytest.mark.parametrize("dtype", ["int8"])', "n, dtype", ""),
        ('n, dtype = tvm.testing.parameters((8, "int8"), (4, "int8"))', "n, dtype", ""),
    ],
)
def test_parameters_around_a_unit_have_one_of_their_values(before: str, given: str, after: str) -> None:
    text = FACTORY.format(before=before, given=given, after=after)
    assert "x: Tensor[(8, 4), int8]" in imported(text)
    slugs = [one.slug for one in unit(text).parsed.diagnostics]
    assert slugs.count("tvmscript-assumed-value") == 2
    assert "x: Tensor[(3, 4), int8]" in imported(text, n=3)


def test_the_last_assignment_before_a_unit_counts() -> None:
    text = """
    n = 4
    n = 5
    @R.function
    def main(x: R.Tensor((n,), "float")) -> R.Tensor((n,), "float32"):
        return x
    n = 6
    """
    assert "Tensor[(5,), float32]" in imported(text)


def test_a_number_keeps_its_dtype_before_a_cast() -> None:
    """Without one it would be of the dtype that it is cast to, where it may not fit."""
    text = 'A[0] = T.Cast("uint8", T.int64(300))\nA[1] = T.Cast("uint8", T.int32(7) + T.int32(300))'
    made = code(text, 'A: T.Buffer((8,), "uint8")')
    assert made.splitlines() == [
        "A[0] = cast(int64(300), uint8);",
        "A[1] = cast(int32(7) + int32(300), uint8);",
    ]


@pytest.mark.parametrize("value", ["s - const(1, int64)", "const(2, int64)", "x"])
def test_computed_scalars_have_no_form_in_tvm(value: str) -> None:
    text = f"""
def @main(s: Prim[int64], x: Tensor[(), int64]) -> Object {{
  let t = match_cast({value}, Prim[int64]);
  t
}}
"""
    with pytest.raises(api.RelaxError) as refused:
        api.to_tvmscript(text)
    (found,) = refused.value.diagnostics
    assert (found.slug, found.message) == (
        "not-exportable",
        "a `match_cast` of a tensor to a scalar has no form in TVMScript",
    )


def test_a_scalar_that_comes_as_an_object_is_matched() -> None:
    text = "def @main(o: Object) -> Object { let t = match_cast(o, Prim[int64]); t }"
    assert 't = R.match_cast(o, R.Prim("int64"))' in api.to_tvmscript(text).text
