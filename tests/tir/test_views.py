"""Views: buffers whose elements are elements of another buffer. [TIR.22]"""

from __future__ import annotations

import os

import numpy as np
import pytest

from relax_lang import api
from relax_lang.analysis.effects import stored_to
from relax_lang.format.safe import format_text
from relax_lang.tir.check.driver import Report, check_prim_func
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from tests.tir.random_programs.programs import Program
from tests.tir.random_programs.test_random_programs import native
from tests.tir.support import assert_same_outcome, checked, outcome, prim_func, slugs

SEEDS = 20_000 if os.environ.get("RELAX_NIGHTLY") else 60

ROWS = """prim_func @rows(A: Buffer[(n, m), float32], B: Buffer[(n * m,), float32]) {
  let flat: Buffer[(n * m,), float32] = A;
  for i in 0..n {
    let row: Buffer[(m,), float32] = A[i, 0..m];
    for j in 0..m {
      B[i * m + j] = row[j] + flat[i * m];
    }
  }
}
"""
TILES = """prim_func @tiles(A: Buffer[(8, 8), float32], B: Buffer[(8, 8), float32]) {
  for i, j in grid(2, 2) {
    block t (vi = spatial(i), vj = spatial(j)) writes [B[vi * 4..vi * 4 + 4, vj * 4..vj * 4 + 4]] {
      let a: Buffer[(4, 4), float32] = A[vi * 4..vi * 4 + 4, vj * 4..vj * 4 + 4];
      let b: Buffer[(4, 4), float32] = B[vi * 4..vi * 4 + 4, vj * 4..vj * 4 + 4];
      for p, q in grid(4, 4) {
        b[p, q] = a[q, p] * 2.0;
      }
    }
  }
}
"""
PART = """prim_func @part(A: Buffer[(n,), float32], B: Buffer[(m,), float32], k: int64) {
  let v: Buffer[(4,), float32] = A[k..k + 4];
  for p in 0..m {
    B[p] = v[p];
  }
}
"""


def floats(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


@pytest.mark.parametrize("text", [ROWS, TILES, PART])
def test_TIR_22_views_are_written_as_they_are_read(text: str) -> None:
    assert format_text(text).text == text
    assert api.check(text).diagnostics == []
    told = text.replace("= A[k..k + 4];", "= A[k..k + 4] attrs { offset_factor: 1 };")
    assert format_text(told).text == told


@pytest.mark.parametrize(
    "array", [floats(3, 5), np.asfortranarray(floats(3, 5)), floats(3, 10)[:, ::2], floats(0, 5)]
)
def test_TIR_22_rows_and_all_elements_in_order(array: np.ndarray) -> None:
    func = checked(ROWS)
    made = np.zeros(array.size, np.float32)
    assert compile_prim_func(func).vectorized
    assert_same_outcome(func, [array, made])
    interpreter.run(func, (array, made))
    np.testing.assert_array_equal(made.reshape(array.shape), array + array[:, :1])


def test_TIR_22_what_is_stored_to_a_view_is_in_its_source() -> None:
    func = checked(TILES)
    assert stored_to(func) >= {"B"}
    assert set(Report(func).stores) == {"B"}
    a, b = floats(8, 8), np.zeros((8, 8), np.float32)
    compile_prim_func(func).run(a, b)
    expected = a.reshape(2, 4, 2, 4).transpose(0, 3, 2, 1).reshape(8, 8) * 2
    np.testing.assert_array_equal(b, expected)
    assert_same_outcome(func, [a, b])


def test_TIR_22_views_of_views_and_single_elements() -> None:
    text = """prim_func @p(A: Buffer[(4, 6), float16], B: Buffer[(4,), float16]) {
      for i in 0..4 {
        let row: Buffer[(6,), float16] = A[i, 0..6];
        let square: Buffer[(2, 3), float16] = row;
        let last: Buffer[(), float16] = square[1, 2];
        last[()] += 1.0;
        B[i] = square[1, 2];
      }
    }"""
    func = checked(text)
    a, b = floats(4, 6).astype(np.float16), np.zeros(4, np.float16)
    assert_same_outcome(func, [a, b])
    interpreter.run(func, (a, b))
    assert b.tolist() == [6, 12, 18, 24]


@pytest.mark.parametrize(
    ("k", "m", "message"),
    [
        (0, 4, ""),
        (12, 4, ""),
        (-1, 4, "tir-runtime-bounds: range -1..3 outside dimension 0 of `A` (0..16)"),
        (13, 4, "tir-runtime-bounds: range 13..17 outside dimension 0 of `A` (0..16)"),
        (2, 5, "tir-runtime-bounds: index 4 outside dimension 0 of `v` (0..4)"),
    ],
)
def test_TIR_22_elements_are_inside_of_the_view_and_the_view_of_its_source(
    k: int, m: int, message: str
) -> None:
    func = checked(PART)
    arguments = [floats(16), np.zeros(m, np.float32), k]
    assert_same_outcome(func, arguments)
    assert outcome(compile_prim_func(func).run, arguments)[0] == message


def test_TIR_22_sizes_that_only_a_run_knows() -> None:
    func = checked(
        "prim_func @p(A: Buffer[(n,), float32], B: Buffer[(m,), float32]) {"
        " let v: Buffer[(m,), float32] = A; for i in 0..m { B[i] = v[i]; } }"
    )
    assert_same_outcome(func, [floats(4), np.zeros(4, np.float32)])
    assert_same_outcome(func, [floats(5), np.zeros(4, np.float32)])
    failure, _ = outcome(compile_prim_func(func).run, [floats(5), np.zeros(4, np.float32)])
    assert failure == "tir-view: `v` has 4 elements, `A` has 5"


def test_TIR_22_names_that_hide_those_of_a_view() -> None:
    text = """prim_func @p(A: Buffer[(n, m), float32], B: Buffer[(n,), float32]) {
      for i in 0..n {
        let row: Buffer[(m,), float32] = A[i, 0..m];
        for i in 0..m {
          alloc A: Buffer[(1,), float32];
          A[0] = row[i];
          B[0] += A[0];
        }
      }
    }"""
    func = prim_func(text)
    assert not check_prim_func(func)
    assert_same_outcome(func, [floats(3, 4), np.zeros(3, np.float32)])


def test_TIR_22_a_packed_function_gets_the_elements() -> None:
    text = """prim_func @p(A: Buffer[(4, 4), float32]) {
      let v: Buffer[(4,), float32] = A[0..4, 1];
      call_extern("double", v);
    }"""

    def double(array: np.ndarray) -> None:
        array *= 2

    a = floats(4, 4)
    compile_prim_func(checked(text)).run(a, packed={"double": double})
    assert a[:, 1].tolist() == [2, 10, 18, 26]
    assert a[:, 0].tolist() == [0, 4, 8, 12]


HEAD = "prim_func @p(A: Buffer[(8, 16), float32], B: Buffer[(n,), float32], k: int64) {"


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("let v: Buffer[(8,), float32] = A[k, 0..16];", ["tir-view"]),
        ("let v: Buffer[(n,), float32] = B[0..n + 1];", ["tir-view", "tir-out-of-bounds"]),
        ("let v: Buffer[(100,), float32] = A;", ["tir-view"]),
        ("let v: Buffer[(8, 16), float32] = A[k, 0..16];", ["tir-view"]),
        ("let v: Buffer[(16,), int32] = A[k, 0..16];", ["tir-dtype-mismatch"]),
        ("let v: Buffer[(16,), float32] = A[0..16];", ["tir-rank-mismatch"]),
        ("let v: Buffer[(16,), float32] = A[8, 0..16];", ["tir-out-of-bounds"]),
        ("let v: Buffer[(4,), float32] = A[0, 13..17];", ["tir-out-of-bounds"]),
        ("let v: Buffer[(16,), float32] = A[0, 0..16]; v[16] = 0.0;", ["tir-out-of-bounds"]),
        ("let v: Buffer[(4,), float32] = k;", ["tir-buffer-use"]),
        ("let v: Buffer[(4,), float32] = C[0..4];", ["tir-undefined-variable"]),
        ("let v: Buffer[(8,), float32] = A[0..8, 0]; v[0, 0] = 1.0;", ["tir-rank-mismatch"]),
    ],
)
def test_TIR_22_mistakes(statements: str, expected: list[str]) -> None:
    found = slugs(f"{HEAD} {statements} }}")
    assert sorted(set(found)) == sorted(set(expected)) or found == expected[:1], found


def test_TIR_22_the_size_of_the_range_is_the_fix() -> None:
    (found,) = check_prim_func(prim_func(f"{HEAD} let v: Buffer[(8,), float32] = A[k, 4..16]; }}"))
    assert found.message == "dimension 0 of `v` is 8, the range `4..16` has 12"
    assert [edit.text for fix in found.fixes for edit in fix.edits] == ["12"]


def test_TIR_22_iterations_that_meet_through_a_view() -> None:
    text = """prim_func @p(A: Buffer[(n, 4), float32]) {
      for parallel i in 0..n {
        let row: Buffer[(4,), float32] = A[0, 0..4];
        row[0] = cast(i, float32);
      }
    }"""
    (found,) = Report(prim_func(text)).diagnostics
    assert found.slug == "tir-race"
    assert found.message == "two iterations of the parallel loop over `i` write the same element of `A`"


def test_TIR_22_a_block_stores_through_views_of_what_it_lists() -> None:
    text = TILES.replace("writes [B[vi * 4..vi * 4 + 4, vj * 4..vj * 4 + 4]]", "writes [A[0, 0]]")
    assert slugs(text) == ["tir-store-to-undeclared"]


def test_TIR_22_what_a_view_leaves_out_is_not_written() -> None:
    program = """prim_func @half(A: Buffer[(8,), float32], B: Buffer[(8,), float32]) {
      let v: Buffer[(4,), float32] = B[0..4];
      for i in 0..4 { v[i] = A[i]; }
    }
    def @main(a: Tensor[(8,), float32]) -> Tensor[(8,), float32] { call_tir(@half, (a,)) -> Tensor[(8,), float32] }
    """
    assert [one.slug for one in api.check(program).diagnostics] == ["tir-output-partly-written"]


class WithViews(Program):
    """A random program with views of what is in scope."""

    def statement(self, depth: int) -> list[str]:
        return self.view() if self.chance(0.3) else super().statement(depth)

    def view(self) -> list[str]:
        """Return a view, of rows, of parts or of everything."""
        source = self.pick(*self.buffers)
        shape, dtype = self.buffers[source]
        name = self.fresh("V")
        if self.chance(0.4) or not shape:
            dims = [" * ".join([self.paren(dim) for dim in shape]) or "1"]
            dims = list(shape) if self.chance(0.3) else dims
            region = ""
        else:
            dims, places = [], []
            for dim in shape:
                if self.chance(0.4):
                    places.append(self.within(dim, 1))
                    continue
                start = self.pick("0", "0", "1", *self.loops)
                dims.append(self.pick("1", "2", *([dim] if start == "0" else [])))
                places.append(f"{start}..{start} + {self.paren(dims[-1])}")
            region = f"[{', '.join(places)}]"
        self.buffers[name] = (dims, dtype)
        shown = f"({', '.join(dims)}{',' if len(dims) == 1 else ''})"
        return [f"let {name}: Buffer[{shown}, {dtype}] = {source}{region};"]


@pytest.mark.parametrize("first", range(0, SEEDS, 20))
def test_TIR_22_interpreter_and_compiled_form_agree(first: int) -> None:
    for seed in range(first, first + 20):
        program = WithViews(seed)
        func = prim_func(program.text)
        if any(found.severity == "error" for found in check_prim_func(func)):
            continue
        values = native(program.arguments())
        expected = outcome(lambda *given, func=func: interpreter.run(func, given), values)
        found = outcome(compile_prim_func(func).run, values)
        assert found[0] == expected[0], (seed, program.text)
        for have, want in zip(found[1], expected[1], strict=True):
            kept = have.astype(np.float64), want.astype(np.float64)
            np.testing.assert_allclose(*kept, rtol=1e-3, atol=1e-3, err_msg=f"seed {seed}\n{program.text}")
        assert format_text(format_text(program.text).text).text == format_text(program.text).text
