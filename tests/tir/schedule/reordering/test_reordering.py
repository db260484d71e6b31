"""Affine schedules, index sets that are split, buffers that are expanded, triangles as rectangles. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.check.driver import analyse
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.lower.lower import lowered
from relax_lang.tir.schedule.pipeline import PASSES, scheduled
from relax_lang.tir.schedule.plan import Kernel, Sequential
from tests.tir.support import assert_same_outcome, checked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.schedule.plan import Node

BUFFERS = "A: Buffer[(n, n), int64], B: Buffer[(n, m), int64], x: Buffer[(n,), int64]"


def program(body: str) -> str:
    return f"prim_func @f({BUFFERS}) {{ {body} }}"


PATHS = program("for k, i, j in grid(n, n, n) { A[i, j] = min(A[i, j], A[i, k] + A[k, j]); }")
LU = program(
    "for i in 0..n { for j in 0..i { for k in 0..j { A[i, j] -= A[i, k] * A[k, j]; } A[i, j] = A[i, j] + A[j, j]; }"
    " for j in i..n { for k in 0..i { A[i, j] -= A[i, k] * A[k, j]; } } }"
)
SEIDEL = program(
    "for i in 1..n - 1 { for j in 1..m - 1 {"
    " B[i, j] = B[i - 1, j + 1] + B[i - 1, j] + 2 * B[i, j - 1] + B[i + 1, j - 1] + B[i, j]; } }"
)
SCALAR = program(
    "alloc t: Buffer[(), int64]; for i, j in grid(n, m) { t[()] = 0;"
    " for k in 0..n { t[()] += A[i, k] * 2; } B[i, j] = t[()] - B[i, j]; }"
)
ROW = program(
    "alloc t: Buffer[(m,), int64]; for i in 0..n { for j in 0..m { t[j] = B[i, m - 1 - j]; }"
    " for j in 0..m { B[i, j] = t[j]; } }"
)
INSIDE = program(
    "alloc t: Buffer[(), int64]; for i in 1..n - 1 { for j in 2..m { t[()] = 0;"
    " for k in 0..n { t[()] += A[i, k] * 2; } B[i, j] = t[()] - B[i, j]; } }"
)
SHARED = program(
    "alloc t: Buffer[(2,), int64]; for i in 0..n { for j in 0..2 { t[j] = B[i, 0] + j; } for j in 0..2 {"
    " x[B[i, 1] % n] += t[j] * 2; x[B[i, 2] % n] -= t[j] * 2; } }"
)
SEARCH = program(
    "alloc t: Buffer[(2,), int64]; for i, j in grid(n, m) { t[0] = 0; t[1] = n; while t[0] < t[1] {"
    " if x[(t[0] + t[1]) / 2] < B[i, j] { t[0] = (t[0] + t[1]) / 2 + 1; } else { t[1] = (t[0] + t[1]) / 2; } }"
    " B[i, j] = t[0]; }"
)
COUNTED = program(
    "alloc t: Buffer[(), int64]; alloc u: Buffer[(1,), int64]; alloc v: Buffer[(), int64];"
    " for i, j in grid(n, m) { t[()] = 0; v[()] = abs(B[i, j]); while v[()] > 0 {"
    " u[0] = v[()] / 2; t[()] += v[()] - u[0] * 2; v[()] = u[0]; } B[i, j] = t[()]; }"
)
FILLED = COUNTED.replace("for i", "for k in 0..1 { u[k] = 0; } for i", 1)
PLACE = program(
    "alloc t: Buffer[(), int64]; for i, j in grid(n, m) { t[()] = B[i, j]; if t[()] < 0 { t[()] = 0; }"
    " if t[()] >= n { t[()] = n - 1; } B[i, j] = x[t[()]]; }"
)
TRIANGLE = program("for i in 0..n { for j in 0..i + 1 { for k in 0..m { A[i, j] += B[i, k] * B[j, k]; } } }")
UPPER = program("for i in 0..n { for j in i + 1..n { A[i, j] = x[i] * 2; } }")
LOWER = program("for i, j in grid(n, m) { for k in i + 1..n { B[i, j] += A[k, i] * B[k, j]; } }")
ALL = {
    "index-set-splitting": [PATHS],
    "affine-scheduling": [LU, SEIDEL],
    "expansion": [SCALAR, ROW, INSIDE, SHARED, SEARCH, COUNTED, PLACE],
    "triangles": [TRIANGLE, UPPER, LOWER],
}
CASES = [(name, text) for name, texts in ALL.items() for text in texts]
NAMES = [f"{name} {at}" for name, texts in ALL.items() for at, _ in enumerate(texts)]


def steps(text: str, without: tuple[str, ...] = ()) -> tuple[int, bool]:
    """Return how many loops are nested in each other at most, and whether a step computes scalars only."""
    nodes, _ = scheduled(lowered(analyse(checked(text))), without)

    def depth(nodes: Sequence[Node]) -> int:
        return max([1 + depth(node.body) for node in nodes if isinstance(node, Sequential)], default=0)

    def scalars(nodes: Sequence[Node], inside: bool = False) -> bool:
        return any(
            scalars(node.body, True)
            if isinstance(node, Sequential)
            else inside and isinstance(node, Kernel) and not (node.kept or node.reduced or node.decides)
            for node in nodes
        )

    return depth(nodes), scalars(nodes)


@pytest.mark.parametrize(("name", "text"), CASES, ids=NAMES)
def test_less_runs_step_by_step(name: str, text: str) -> None:
    assert name in PASSES
    depth, scalars = steps(text)
    assert depth <= 1
    assert not scalars
    assert steps(text, (name,)) > (depth, scalars)


@pytest.mark.parametrize(("name", "text"), CASES, ids=NAMES)
@pytest.mark.parametrize("sizes", [(0, 0), (0, 3), (3, 0), (1, 1), (2, 5), (6, 4)], ids=str)
def test_TIR_21_reordered_programs_mean_the_same(name: str, text: str, sizes: tuple[int, int]) -> None:
    n, m = sizes
    numbers = np.random.default_rng(n)
    args = [numbers.integers(-9, 9, shape) for shape in ((n, n), (n, m), (n,))]
    func = checked(text)
    assert_same_outcome(func, args)
    args[0] = numbers.integers(-9, 9, (n, 2 * n))[:, ::2]
    args[1] = np.asfortranarray(args[1])
    assert_same_outcome(func, args)
    if n == m:
        assert_same_outcome(func, [args[0], args[0], args[2]])


KEPT = {
    "what an iteration left is read by the next one": SCALAR.replace(
        "t[()] = 0;", "if j == 0 { t[()] = 0; }"
    ),
    "elements that were not stored are read": ROW.replace("0..m { t[j] =", "0..min(m, i) { t[j] ="),
    "what a step of a `while` stores is read by the next one": FILLED.replace(
        "u[0] = v[()] / 2; t[()] += v[()] - u[0] * 2; v[()] = u[0];",
        "t[()] += u[0]; u[0] = v[()] % 3; v[()] = v[()] / 2;",
    ),
    "a `while` may not store what is read after it": FILLED.replace("= t[()]; }", "= t[()] + u[0]; }"),
    "another element is read, by the same index": program(
        "alloc t: Buffer[(n,), int64]; for k in 0..n { t[k] = k; } for i in 0..n - 1 {"
        " x[0] = i; t[x[0]] = i * 5; x[0] += 1; for j in 0..m { B[i, j] = t[x[0]]; } }"
    ),
    "a later row is read": LU.replace("A[i, k] * A[k, j]", "A[i, k] * A[n - 1 - k, j]"),
    "all that is before is read": PATHS.replace("A[i, k] + A[k, j]", "A[j, i] + A[k, j]"),
    "what is outside of the triangle need not be there": TRIANGLE.replace("A[i, j] +=", "A[i, i - j] +="),
}


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_TIR_21_what_may_not_be_reordered_stays(name: str, n: int) -> None:
    func = checked(KEPT[name])
    numbers = np.random.default_rng(n)
    arrays = [numbers.integers(-9, 9, shape) for shape in ((n, n), (n, n), (n,))]
    compiled = compile_prim_func(func)
    assert any(remark.strategy in ("loop", "scalar") for remark in compiled.remarks), compiled.source
    if "not stored" not in name:  # those have any value
        assert_same_outcome(func, arrays)


def test_nan_and_negative_zero_go_through_shortest_paths() -> None:
    text = PATHS.replace("int64", "float64")
    numbers = np.random.default_rng(0)
    values = numbers.choice(np.array([np.nan, np.inf, -np.inf, 0.0, 1.5, -2.0]), (6, 6))
    with np.errstate(all="ignore"):
        assert_same_outcome(checked(text), [values, np.zeros((6, 2)), np.zeros(6)])


MASKED = {
    "first": LOWER,
    "second": program(
        "for i, j in grid(m, n) { for k in 0..j { B[j, i] -= B[n - 1, i] * A[j, k] * x[k]; } }"
    ),
    "rows above": program("for i, j in grid(n, m) { for k in 0..i { B[k, j] += A[i, k] * B[i, j]; } }"),
    "condition": program(
        "for i, j, k in grid(n, m, n) { if k <= i { B[i, j] += A[i, k] * B[k, j] * 0.5; } }"
    ),
}


@pytest.mark.parametrize("name", MASKED)
@pytest.mark.parametrize("seed", range(6))
def test_what_a_triangle_leaves_out_takes_no_part_in_sums(name: str, seed: int) -> None:
    """0 times infinity would be NaN."""
    func = checked(MASKED[name].replace("int64", "float64"))
    numbers = np.random.default_rng(seed)
    special = np.array([np.nan, np.inf, -np.inf])
    args = [numbers.integers(-3, 4, shape).astype(float) for shape in ((5, 5), (5, 3), (5,))]
    for array in args:
        array.flat[numbers.integers(0, array.size)] = special[seed % 3]
    with np.errstate(all="ignore"):
        assert_same_outcome(func, args)


def test_an_expanded_buffer_is_not_larger_than_an_array_of_the_program() -> None:
    text = program(
        "alloc t: Buffer[(), int64]; for i, j, k in grid(n, n, m) { t[()] = A[i, j]; x[i] += t[()] * B[j, k]; }"
    )
    lowering = lowered(analyse(checked(text)))
    scheduled(lowering)
    assert [len(one.sizes) for one in lowering.allocated] == [2]


STEPS = (
    "alloc t: Buffer[(n,), int64]; alloc u: Buffer[(n,), int64]; for s in 0..5 { for i in 0..n { t[i] = 0;"
    " for k in 0..n { t[i] += A[i, k] * x[k]; } u[i] = B[i, s]; } for i in 0..n { x[i] = t[i] + u[i]; } }"
)


def test_a_buffer_that_each_step_of_a_sequential_loop_fills_is_not_expanded() -> None:
    """`u` is, as it is filled before the loop, from what no step changes."""
    lowering = lowered(analyse(checked(program(STEPS))))
    nodes, _ = scheduled(lowering)
    sizes = {one.name.split("_")[0]: [str(size) for size in one.sizes] for one in lowering.allocated}
    assert sizes == {"t": ["n"], "u": ["5", "n"]}
    assert any(isinstance(node, Sequential) for node in nodes)
    numbers = np.random.default_rng(0)
    for n, m in ((0, 5), (1, 5), (4, 6), (3, 2)):
        args = [numbers.integers(-9, 9, shape) for shape in ((n, n), (n, m), (n,))]
        assert_same_outcome(checked(program(STEPS)), args)


NUMBERED = "for r in 0..2 { t[r] = x[i] * r; } B[i, j] += t[0] - t[1];"
BY_LOOP = "for r in 0..2 { t[r] = x[i] * r; } for r in 0..2 { B[i, j] += t[r]; }"


@pytest.mark.parametrize(("step", "lie_together"), [(NUMBERED, True), (BY_LOOP, False)])
def test_copies_of_elements_that_numbers_name_lie_together(step: str, lie_together: bool) -> None:
    text = program(f"alloc t: Buffer[(2,), int64]; for i, j in grid(n, m) {{ {step} }}")
    lowering = lowered(analyse(checked(text)))
    scheduled(lowering)
    (copies,) = [one for one in lowering.allocated if len(one.sizes) > 1]
    assert (copies.sizes[0].value == 2, copies.sizes[-1].value == 2) == (lie_together, not lie_together)
    numbers = np.random.default_rng(3)
    for n, m in ((0, 2), (1, 1), (4, 3)):
        a, b, x = [numbers.integers(-9, 9, shape) for shape in ((n, n), (n, m), (n,))]
        assert_same_outcome(checked(text), [a, b, x])


VARIABLES = {
    "sums": (
        "t[0] = 0; t[1] = 1; for k in 0..n { t[0] += A[i, k]; t[1] += A[k, i] * x[k]; } B[i, j] = t[0] - t[1];",
        True,
    ),
    "filled by a loop": ("for r in 0..2 { t[r] = x[i]; } t[1] += t[0]; B[i, j] += t[1];", True),
    "different elements by a loop": (NUMBERED, False),
    "a loop that does more": ("for r in 0..2 { t[r] = x[i]; x[i] += 1; } B[i, j] += t[1];", False),
    "one that data choose": ("t[0] = 1; t[1] = 2; if x[i] >= 0 && x[i] < 2 { B[i, j] += t[x[i]]; }", False),
    "one that a loop chooses": ("t[0] = 1; t[1] = 2; B[i, j] += t[j % 2];", False),
}


@pytest.mark.parametrize("name", VARIABLES)
def test_TIR_21_elements_that_are_variables_have_a_buffer_each(name: str) -> None:
    step, are_split = VARIABLES[name]
    text = program(f"alloc t: Buffer[(2,), int64]; for i, j in grid(n, m) {{ {step} }}")
    lowering = lowered(analyse(checked(text)))
    scheduled(lowering)
    assert any(size.value == 2 for one in lowering.allocated for size in one.sizes) != are_split
    numbers = np.random.default_rng(4)
    for n, m in ((0, 2), (1, 1), (4, 3)):
        a, b, x = [numbers.integers(-3, 9, shape) for shape in ((n, n), (n, m), (n,))]
        assert_same_outcome(checked(text), [a, b, x])


def test_elements_that_are_variables_start_from_constants() -> None:
    """A constant that is stored to one of them is the initial value of what it accumulates."""
    text = program(f"alloc t: Buffer[(2,), int64]; for i, j in grid(n, m) {{ {VARIABLES['sums'][0]} }}")
    nodes, _ = scheduled(lowered(analyse(checked(text))))
    kernels = [node for node in nodes if isinstance(node, Kernel)]
    assert len([kernel for kernel in kernels if kernel.initial is not None]) == 2


WRAPPED = {
    "next row": "Y[i, j] = X[(i + 1) % n, j];",
    "rows and columns": "Y[i, j] = X[(i + n - 1) % n, (j + 1) % m] + X[i, (j + m - 1) % m];",
    "under a condition": "if i > j { Y[i, j] += X[(i + 1) % n, j]; }",
    "the array itself": "Y[i, j] = Y[(i + 1) % n, j];",
}


@pytest.mark.parametrize("name", WRAPPED)
@pytest.mark.parametrize("shape", [(0, 0), (0, 2), (1, 1), (1, 3), (2, 2), (5, 4)], ids=str)
def test_TIR_21_an_index_that_wraps_around_is_slices(name: str, shape: tuple[int, int]) -> None:
    params = "X: Buffer[(n, m), float64], Y: Buffer[(n, m), float64]"
    func = checked(f"prim_func @f({params}) {{ for i, j in grid(n, m) {{ {WRAPPED[name]} }} }}")
    source = compile_prim_func(func).source.split("@np.errstate")[-1]
    assert ("%" in source) == (name == "the array itself")
    numbers = np.random.default_rng(0)
    first, second = numbers.random(shape), numbers.random(shape)
    assert_same_outcome(func, [first, second])
    assert_same_outcome(func, [first, first])


BETWEEN = {
    "the one that is stored over": ("C", "for d in 0..31 { for i in 0..n", "d", "31"),
    "the one that is summed over": ("x", "for i in 0..n { for d in 0..31", "d", "31"),
    "of unknown ones the one that is summed over": ("x", "for i in 0..n { for d in 0..m", "d", "m"),
}


@pytest.mark.parametrize("name", BETWEEN)
def test_the_shorter_of_two_loops_in_a_condition_stays_a_loop(name: str) -> None:
    target, loops, index, extent = BETWEEN[name]
    text = (
        f"prim_func @f({BUFFERS}, C: Buffer[(31,), int64]) {{ {loops} {{ if i + d - 15 >= 0 && i + d - 15 < n {{"
        f" {target}[{'d' if target == 'C' else 'i'}] += A[0, i] * A[1, i + d - 15]; }} }} }} }}"
    )
    (node,), _ = scheduled(lowered(analyse(checked(text))))
    assert isinstance(node, Sequential)
    assert node.loop.name.startswith(index)
    assert str(node.loop.extent) == extent
    numbers = np.random.default_rng(0)
    for n, m in ((2, 3), (20, 40), (40, 2)):
        shapes = ((n, n), (n, m), (n,), (31,))
        assert_same_outcome(checked(text), [numbers.integers(-9, 9, shape) for shape in shapes])
