"""The passes over the array IR: what each of them does, and that leaving one out changes no result."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.text import lines_of
from relax_lang.tir.check.driver import analyse
from relax_lang.tir.codegen.function import generate
from relax_lang.tir.codegen.passes.pipeline import DEAD_CODE, NAMES, PASSES, SELECTION
from relax_lang.tir.codegen.printer.module import module_text
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.lower.lower import lowered
from relax_lang.tir.schedule.pipeline import scheduled
from relax_lang.tir.vectorize import dump_passes
from tests.tir.support import assert_same_outcome, checked, outcome

CHAIN = """prim_func @f(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32], Z: Buffer[(n,), int8]) {
  for i, j in grid(n, m) { Y[i, j] = min(max(X[i, j] * 2.0 + Y[i, j], 0.0), 3.5) / (X[i, j] + 4.0); }
  for i in 0..n { Z[i] = cast(round(min(max(X[i, 0] * 50.0, -100.0), 100.0)), int8); }
}"""
STEPS = """prim_func @f(X: Buffer[(n, 7), float32], Y: Buffer[(n, 7), float32], Z: Buffer[(n,), int8]) {
  for i in 0..n { for j in 0..7 {
    Y[i, j] = if_then_else(i > 0, Y[i - 1, j], 0.0) * 0.5
      + exp(cast(Z[0], float32) + X[0, j]) * (Y[i, j] - X[i, j] * 3.0);
  } }
  for i in 0..n { Z[i] = int8(3) << cast(i % 4, int8); }
}"""
GATHERS = """prim_func @f(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32], Z: Buffer[(n,), int8]) {
  for i, j in grid(n, m) { Y[i, j] = select(X[cast(Z[i], int64), j] > 0.5, X[cast(Z[i], int64), j] * 2.0, -1.0); }
  for i, j in grid(n, m) { Y[i, j] = select(Y[i, j] > 1.0, Y[i, j], Y[i, j]) + 1.0; }
}"""
PROGRAMS = {"chain": CHAIN, "steps": STEPS, "gathers": GATHERS}


def arguments() -> list[np.ndarray]:
    """Return arrays for the programs."""
    numbers = np.random.default_rng(1)
    return [
        numbers.standard_normal((5, 7)).astype(np.float32),
        numbers.standard_normal((5, 7)).astype(np.float32),
        np.array([3, 0, 1, 4, 2], np.int8),
    ]


def code(text: str, without: tuple[str, ...] = ()):
    """Compile a PrimFunc without some passes; return the function and the statements."""
    func = checked(text)
    lowering = lowered(analyse(func))
    nodes, _ = scheduled(lowering, without)
    made = generate(lowering, nodes, {}, without)
    namespace: dict = {"__name__": "f"}
    exec(module_text([(func, made, ())]), namespace)
    return namespace[made.name], made.body


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("name", [name for name in (*PASSES, DEAD_CODE) if name != "naming"])
def test_a_pass_that_is_left_out_changes_no_result(name: str, text: str) -> None:
    wanted = outcome(compile_prim_func(checked(text)).run, arguments())
    found = outcome(code(text, (name,))[0], arguments())
    for one, other in zip(wanted[1], found[1], strict=True):
        np.testing.assert_array_equal(one, other)


def after(text: str, *names: str) -> list[str]:
    """Return the lines of a PrimFunc after passes, one after the other."""
    return [line.strip() for _, lines in dump_passes(checked(text), names) for line in lines]


def test_every_pass_can_be_looked_at() -> None:
    assert [name for name, _ in dump_passes(checked(CHAIN), NAMES)] == [*NAMES]
    assert [name for name, _ in dump_passes(checked(CHAIN), (DEAD_CODE, SELECTION))] == [SELECTION, DEAD_CODE]


def test_peephole() -> None:
    found = "\n".join(after(CHAIN, "peephole"))
    assert "clip((t * 2.0) + Y[start +: rows, :], 0.0, 3.5)" in found
    assert (
        "cast(round(clip(X[start +: rows, 0] * 50.0, -100.0, 100.0)), int32)" in found
    )  # a store converts the rest
    byte = "prim_func @f(X: Buffer[(n,), int8]) { for i in 0..n { X[i] = X[i] << int8(3); } }"
    assert after(byte, "peephole")[-1] == "store X = X * 8"


def test_values_are_numbered_within_a_kernel_until_something_changes() -> None:
    found = after(GATHERS, "value-numbering")
    assert sum("inside(" in line for line in found) == 1
    store = "for i in 0..n { Y[i] += X[cast(Z[i], int64)]; }"
    twice = f"{store} for i in 0..n {{ Z[i] = int8(0); }} {store}"
    params = "X: Buffer[(n,), float32], Y: Buffer[(n,), float32], Z: Buffer[(n,), int8]"
    assert sum("inside(" in line for line in after(f"prim_func @f({params}) {{ {twice} }}", "naming")) == 2


SMALL = """prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n, m), float32], Z: Buffer[(n, m), float32], a: float32) {
  for i, j in grid(n, m) {
    let at: float32 = cast(j, float32) * a;
    let place: float32 = at * at + X[i];
    if cast(place, int64) < m { Y[i, j] = Z[i, cast(place, int64)] + place; } else { Y[i, j] = 0.0; }
  }
}"""


def test_small_values_have_one_name_in_a_kernel_so_that_what_is_made_of_them_is_numbered() -> None:
    found = after(SMALL, "value-numbering")
    assert sum("float32(a)" in line for line in found) == 1
    assert sum("+ X" in line for line in found) == 1


def test_invariants_move_before_the_loop_under_its_condition() -> None:
    found = after(STEPS, "invariant-motion")
    loop = found.index("for i in 1..n")
    assert found[loop - 2 : loop] == ["if n > 1", "same: float32[7] = exp(cast(Z[0], float32) + X[0, :])"]
    assert not any("exp(" in line for line in found[loop:])
    assert "number = array(float32(0.5))" in found[:loop]


RELAXATION = """prim_func @f(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32], a: float32, steps: int64) {
  for t in 0..steps {
    for i in 1..n - 1 { for j in 0..m { X[i, j] = (Y[i - 1, j] + Y[i + 1, j]) * (a * a / float32(2)); } }
    for i in 1..n - 1 { for j in 0..m { Y[i, j] = X[i, j] * 0.5; } }
  }
}"""


def test_a_condition_that_no_step_changes_is_tested_before_the_loop() -> None:
    found = dict(dump_passes(checked(RELAXATION), ["unswitching", "invariant-motion"]))
    lines = [line.strip() for line in found["unswitching"]]
    loop = next(at for at, line in enumerate(lines) if line.startswith("for t"))
    assert lines[loop - 1].startswith("if ")
    assert not any(line.startswith("if ") for line in lines[loop:])
    lines = [line.strip() for line in found["invariant-motion"]]
    loop = next(at for at, line in enumerate(lines) if line.startswith("for t"))
    assert any("a" in line and "/" in line for line in lines[:loop]), lines


@pytest.mark.parametrize("sizes", [(0, 3, 2), (2, 3, 2), (1, 0, 1), (6, 5, 0), (6, 5, 3)], ids=str)
def test_TIR_21_conditions_before_loops_mean_the_same(sizes: tuple[int, int, int]) -> None:
    n, m, steps = sizes
    numbers = np.random.default_rng(0)
    arrays = [numbers.integers(-8, 8, (n, m)).astype(np.float32) for _ in range(2)]
    assert_same_outcome(checked(RELAXATION), [*arrays, 2.0, steps])


def test_what_the_loop_stores_does_not_move() -> None:
    found = after(STEPS.replace("X[0, j]", "Y[0, j]"), "invariant-motion")
    assert any("exp(" in line and "Y[0, :]" in line for line in found[found.index("for i in 1..n") :])


def test_destinations() -> None:
    found = after(CHAIN, "destination-passing")
    assert [line for line in found if line.startswith(("into", "store Y", "%"))] == [
        "%1: float32[rows, m] = t * 2.0",  # what Y holds is needed yet
        "into %1 = %1 + Y[start +: rows, :]",
        "into %1 = clip(%1, 0.0, 3.5)",
        "into Y[start +: rows, :] = t + 4.0",
        "into Y[start +: rows, :] = %1 / Y[start +: rows, :]",
        "%5: float32[rows] = X[start +: rows, 0] * 50.0",
        "into %5 = clip(%5, -100.0, 100.0)",
        "into %5 = round(%5)",
    ]


def test_the_target_is_not_written_to_before_a_guard() -> None:
    body = "for i in 0..n { Y[i] = (Z[i] + 1) * X[cast(Z[i], int64)]; }"
    params = "X: Buffer[(n,), int64], Y: Buffer[(n,), int64], Z: Buffer[(n,), int64]"
    func = checked(f"prim_func @f({params}) {{ {body} }}")
    assert "except (NotVectorized" not in compile_prim_func(func).source


def test_results_share_arrays_that_are_free() -> None:
    store = "for i, j in grid(n, m) {{ Y[i, j] = (X[i, j] + {0}.0) * (X[i, j] - {0}.0); }}"
    body = "".join([store.format(at) for at in range(3)])
    params = "X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]"
    _, statements = code(f"prim_func @f({params}) {{ {body} }}", ("tiling",))
    made = [one for one in statements if isinstance(one, ir.Define) and isinstance(one.value, ir.Elementwise)]
    assert len(made) == 1, lines_of(statements)


def test_workspaces_are_made_before_loops() -> None:
    _, statements = code(STEPS)
    text = [line.strip() for line in lines_of(statements)]
    loop = next(at for at, line in enumerate(text) if line.startswith("for i in 1..n"))
    made = [at for at, line in enumerate(text[:loop]) if line.startswith("workspace ")]
    assert loop - made[-1] == 1
    assert not any(line.startswith("workspace ") for line in text[loop : loop + 7])


def test_rows() -> None:
    assert any("in rows of" in line for line in after(STEPS, "row-iteration"))
    assert "for i in 1..n" in after(STEPS, "workspace-reuse")


def test_a_prim_func_that_the_interpreter_runs_has_a_reason() -> None:
    body = 'for i in 0..n { call_extern("f", X); X[i] = X[i] // X[0]; }'
    found = dump_passes(checked(f"prim_func @f(X: Buffer[(n,), int32]) {{ {body} }}"), (SELECTION, DEAD_CODE))
    assert found[-1][0] == "interpreter"


@pytest.mark.parametrize(
    "body",
    [
        "for i in 0..n { Y[i] = 0; for j in 0..m { Y[i] += X[i, j]; } }",
        "for i in 0..n { for j in 0..m { Y[i] = max(Y[i], X[i, j]); } }",
        "for i, j in grid(n, m) { Z[i, j] = 0; for k in 0..m { Z[i, j] += X[i, k] * W[k, j]; } }",
        "for i in 0..n { Y[i] = 0; for j in 0..3 { Y[i] += V[i + j]; } }",
    ],
)
def test_destinations_of_reductions_products_and_windows_are_decided_by_the_pass(body: str) -> None:
    buffers = "X: Buffer[(n, m), float64], W: Buffer[(m, m), float64], V: Buffer[(n + 2,), float64]"
    text = f"prim_func @f({buffers}, Y: Buffer[(n,), float64], Z: Buffer[(n, m), float64]) {{ {body} }}"
    dumped: dict[str, list[str]] = dict(dump_passes(checked(text), ("linearization", "destination-passing")))
    assert not any(line.lstrip().startswith("into ") for line in dumped["linearization"])
    assert any(line.lstrip().startswith("into ") for line in dumped["destination-passing"])


def test_TIR_21_an_array_that_a_condition_took_in_one_loop_is_free_once_in_the_next() -> None:
    text = """
    prim_func @f(
      X: Buffer[(n, m), float16], Z: Buffer[(n, m), float16], Y: Buffer[(n, m), float16], V: Buffer[(n, m), float16],
      w: Buffer[(m,), float16]
    ) {
      for i in 1..n {
        for j in 0..m {
          if X[i, j] == 2 {
            V[i, j] += Y[i - 1, j] * (Z[i, j] - V[i - 1, j]);
          } else {
            V[i, j] = X[i, j] + if_then_else(i < 2, X[0, j], Y[i - 2, j]);
          }
          Y[i, j] = w[j] + (X[i, j] - Y[i - 1, j]);
        }
      }
    }
    """
    numbers = np.random.default_rng(0)
    arrays = [numbers.integers(-2, 3, (6, 3)).astype(np.float16) for _ in range(4)]
    assert_same_outcome(checked(text), [*arrays, np.array([1, -2, 2], np.float16)])


@pytest.mark.parametrize("size", [0, 1, 3, 6])
def test_TIR_21_what_is_repeated_may_be_too_short_where_the_loop_does_not_run(size: int) -> None:
    text = """
    prim_func @f(X: Buffer[(n, m), float16], Z: Buffer[(m,), float16], Y: Buffer[(n, m), float16]) {
      for i, j in grid(n, m // 2) {
        Y[i, j] = 0;
        for q, r in grid(1, 3) { Y[i, j] += X[i + q, j * 2 + r] * Z[r]; }
      }
    }
    """
    arrays = [np.ones(shape, np.float16) for shape in ((5, size), (size,), (5, size))]
    assert_same_outcome(checked(text), arrays)
