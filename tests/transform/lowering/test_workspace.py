"""AllocateWorkspace: what callers allocate for PrimFuncs, which arrays are one, and what stays inside."""

from __future__ import annotations

import random
import tracemalloc

import numpy as np
import pytest

from relax_lang import api
from relax_lang.syntax import tree
from relax_lang.transform.catalogue import parse_passes, pipeline
from relax_lang.transform.lowering.memory_report import MemoryReport
from relax_lang.transform.pass_manager.context import PassContext
from relax_lang.transform.pass_manager.instruments import Explain
from relax_lang.vm.machine.linked import MODES

ATTENTION = """
def @main(q: Tensor[(1, s, 4, 8), float32], k: Tensor[(1, s, 4, 8), float32], v: Tensor[(1, s, 4, 8), float32]) {
  nn.attention(q, k, v, causal_mask="TopLeft")
}
"""
TWO = """
prim_func @f(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  alloc A: Buffer[(n, m), float32];
  alloc B: Buffer[(n, m), float32];
  for i, j in grid(n, m) { A[i, j] = X[n - 1 - i, j] * 2.0; }
  for i, j in grid(n, m) { B[i, j] = FIRST; }
  for i, j in grid(n, m) { Y[i, j] = SECOND; }
}
force_pure def @main(x: Tensor[(n, 3), float32]) -> Tensor[(n, 3), float32] {
  let y = builtin.alloc_tensor(shape(n, 3), 0, dtype=float32);
  @f(x, y);
  y
}
"""


def taking(text: str) -> tree.PrimFunc:
    """Return the PrimFunc that takes its workspace in what the pass makes of a program with one."""
    typed = parse_passes("AllocateWorkspace(least=0)")(api.typed(text))
    return list(typed.prim_funcs.values())[-1]


@pytest.mark.parametrize(
    ("first", "second", "params"),
    [
        ("A[i, j] + 1.0", "B[n - 1 - i, j]", ["X", "Y", "A"]),  # where it is read last
        ("A[n - 1 - i, j] + 1.0", "B[n - 1 - i, j]", ["X", "Y", "A", "B"]),  # another element is read later
        ("A[i, j] + 1.0", "B[n - 1 - i, j] + A[n - 1 - i, j]", ["X", "Y", "A", "B"]),  # it is read later
    ],
)
def test_arrays_share_a_parameter_that_hold_nothing_at_the_same_time(
    first: str, second: str, params: list[str]
) -> None:
    text = TWO.replace("FIRST", first).replace("SECOND", second)
    made = taking(text)
    assert [param.name for param in made.params] == params
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    lowered = str(parse_passes("AllocateWorkspace(least=0)")(api.typed(text)))
    for engine in ("interpreter", "compiled"):
        expected = api.start(text, engine="interpreter").call("main", [x])
        assert np.array_equal(api.start(lowered, engine=engine).call("main", [x]), expected)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("alloc A: Buffer[(n, m), float32];", 'alloc A: Buffer[(n, m), float32] in "local";'),
        ("alloc A: Buffer[(n, m), float32];", "alloc A: Buffer[(n, m), float32] attrs { align: 64 };"),
    ],
)
def test_memory_of_a_kind_of_its_own_stays_inside(before: str, after: str) -> None:
    text = TWO.replace("FIRST", "A[n - 1 - i, j]").replace("SECOND", "B[n - 1 - i, j]")
    assert [param.name for param in taking(text.replace(before, after)).params] == ["X", "Y", "B"]


def test_a_public_prim_func_keeps_its_signature() -> None:
    text = TWO.replace("FIRST", "A[n - 1 - i, j]").replace("SECOND", "B[n - 1 - i, j]")
    made = parse_passes("AllocateWorkspace(least=0)")(api.typed(text)).prim_funcs
    assert {name: len(func.params) for name, func in made.items()} == {"f": 2, "f_in_workspace": 4}
    private = parse_passes("AllocateWorkspace(least=0)")(api.typed("private " + text.strip())).prim_funcs
    assert {name: len(func.params) for name, func in private.items()} == {"f": 4}


def test_small_arrays_stay_inside() -> None:
    text = TWO.replace("n, m", "4, 3").replace("n - 1", "3").replace("(n, 3)", "(4, 3)")
    text = text.replace("FIRST", "A[3 - i, j]").replace("SECOND", "B[3 - i, j]")
    typed = api.typed(text.replace("shape(n, 3)", "shape(4, 3)"))
    assert parse_passes("AllocateWorkspace")(typed) is typed
    assert parse_passes("AllocateWorkspace(least=48)")(typed) is not typed


def test_what_is_made_in_blocks_of_rows_stays_inside() -> None:
    text = "def @main(x: Tensor[(n, 64), float32]) -> Tensor[(n, 64), float32] { nn.softmax(x) }"
    remarks = Explain()
    with PassContext(instruments=[remarks]):
        made = parse_passes("LegalizeOps, CallTIRRewrite, AllocateWorkspace")(api.typed(text))
    assert [len(func.params) for func in made.prim_funcs.values()] == [2]
    assert any("`powers` is never made as a whole" in message for *_, message in remarks.remarks)


def test_the_plan_of_a_function_has_the_workspace_of_its_calls() -> None:
    report = MemoryReport()
    with PassContext(instruments=[report]):
        pipeline("build")(api.typed(ATTENTION))
    tensors = {name: size for one in report.functions["@main"] for name, _, size in one.tensors}
    assert tensors == {"products": "s * s * 16", "most": "s * 16", "attention_1": "s * 128"}


def test_attention_keeps_one_array_of_all_pairs() -> None:
    """It was four: the scores, their powers, and two on the way."""
    numbers = np.random.default_rng(0)
    given = [numbers.standard_normal((1, 256, 4, 8)).astype(np.float32) for _ in range(3)]
    pairs = 4 * 256 * 256 * 4
    session = api.start(str(pipeline("build")(api.typed(ATTENTION))))
    for _ in range(2):
        session.call("main", given)
    tracemalloc.start()
    try:
        session.call("main", given)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert pairs < most < 1.5 * pairs


def test_interpreter_engine_and_machine_agree_on_attention() -> None:
    numbers = np.random.default_rng(1)
    given = [numbers.standard_normal((1, 12, 4, 8)).astype(np.float32) for _ in range(3)]
    expected = api.start(ATTENTION).call("main", given)
    lowered = parse_passes(
        "LegalizeOps, ToNonDataflow, CallTIRRewrite, AllocateWorkspace(least=0), StaticPlanBlockMemory(least=0), "
        "LowerAllocTensor, KillAfterLastUse, LowerRuntimeBuiltin, VMShapeLower"
    )(api.typed(ATTENTION))
    text = str(lowered)
    assert "products" in text
    for engine in ("interpreter", "compiled"):
        assert np.allclose(api.start(text, engine=engine).call("main", given), expected, atol=1e-5)
    executable = api.build(text)
    for mode in MODES:
        assert np.allclose(
            api.start_executable(executable, mode=mode).call("main", given), expected, atol=1e-5
        )


def random_prim_func(seed: int) -> str:
    """Return a PrimFunc that works in arrays of its own, and a function that calls it."""
    draw = random.Random(seed)
    names = [f"T{at}" for at in range(draw.randrange(2, 6))]
    dims = {
        name: draw.choice(("n, m", "n, m", "n, m", "m, n", "n, m * 2", "n + 2, m", "1, m")) for name in names
    }
    dims["X"] = dims["Y"] = "n, m"
    lines = [f"  alloc {name}: Buffer[({dims[name]}), float32];" for name in names]
    ready = ["X"]
    for name in (*names, *draw.sample(names, draw.randrange(2)), "Y"):
        rows, columns = dims[name].split(", ")
        loads: list[str] = []
        for source in draw.choices(ready[-2:], k=draw.randrange(1, 3)):
            own = dims[source].split(", ")
            same = own == [rows, columns]
            index = draw.choice(("i, j", "i, j", "I, j", "i, J")) if same else "i % A, j % B"
            index = index.replace("I", f"{rows} - 1 - i").replace("J", f"{columns} - 1 - j")
            loads.append(f"{source}[{index.replace('A', f'({own[0]})').replace('B', f'({own[1]})')}]")
        if draw.random() < 0.3:
            loop = f"  for i, j, k in grid({rows}, {columns}, 3) {{ {name}[i, j] += {loads[0]} * 0.25; }}"
            lines.append(f"  for i, j in grid({rows}, {columns}) {{ {name}[i, j] = 0.0; }}")
        else:
            loop = f"  for i, j in grid({rows}, {columns}) {{ {name}[i, j] = {' - '.join(loads)}; }}"
        lines.append(loop)
        ready.append(name)
    head = "private prim_func @f(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {"
    return "\n".join(
        [
            head,
            *lines,
            "}",
            "def @main(x: Tensor[(a, b), float32]) -> Tensor[(a, b), float32] {",
            "  let u = call_tir(@f, (x,)) -> Tensor[(a, b), float32];",
            "  add(call_tir(@f, (u,)) -> Tensor[(a, b), float32], x)",
            "}",
        ]
    )


SHAPES = """
prim_func @f(X: Buffer[(n, 16), float32], Y: Buffer[(n, 16), float32]) {
  alloc A: Buffer[(16, 16), float32];
  alloc B: Buffer[(n + 16, 16), float32];
  alloc C: Buffer[(16,), float32];
  for i, j in grid(16, 16) { A[i, j] = cast(i, float32); }
  for i, j in grid(n, 16) { Y[i, j] = X[i, 15 - j] * A[j, 15 - j]; }
  for i, j in grid(n + 16, 16) { B[i, j] = cast(i, float32); }
  for i, j in grid(n, 16) { Y[i, j] += B[n + 15 - i, 15 - j]; }
  for j in 0..16 { C[j] = cast(j, float32); }
  for i, j in grid(n, 16) { Y[i, j] += C[15 - j]; }
}
force_pure def @main(x: Tensor[(n, 16), float32]) -> Tensor[(n, 16), float32] {
  let y = builtin.alloc_tensor(shape(n, 16), 0, dtype=float32);
  @f(x, y);
  y
}
"""


@pytest.mark.parametrize("n", [0, 1, 5])
def test_arrays_of_fewer_rows_are_views_of_the_first_rows_of_others(n: int) -> None:
    typed = parse_passes("AllocateWorkspace(least=0)")(api.typed(SHAPES))
    made = typed.prim_funcs["f_in_workspace"]
    assert [param.name for param in made.params] == ["X", "Y", "B"]
    text = str(typed)
    assert "let A: Buffer[(16, 16), float32] = B[0..16, 0..16];" in text
    assert "let C: Buffer[(16,), float32] = B[0, 0..16];" in text
    x = np.arange(n * 16, dtype=np.float32).reshape(n, 16)
    expected = api.start(SHAPES, engine="interpreter").call("main", [x])
    for engine in ("interpreter", "compiled"):
        assert np.array_equal(api.start(text, engine=engine).call("main", [x]), expected)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("C: Buffer[(16,), float32]", "C: Buffer[(16,), int32]"),  # of another dtype
        ("C: Buffer[(16,)", "C: Buffer[(17,)"),  # longer than a row
        ("Y[i, j] += C[15 - j]", "Y[i, j] += C[15 - j] + B[n + i, j]"),  # both live
    ],
)
def test_arrays_are_no_views_of_others_that_they_do_not_fit(before: str, after: str) -> None:
    text = SHAPES.replace(before, after)
    text = text.replace("cast(j, float32)", "cast(j, int32)") if "int32" in after else text
    text = text.replace("+= C[15 - j]", "+= cast(C[15 - j], float32)") if "int32" in after else text
    made = parse_passes("AllocateWorkspace(least=0)")(api.typed(text)).prim_funcs["f_in_workspace"]
    assert {param.name for param in made.params} == {"X", "Y", "B", "C"}


def test_rows_of_unknown_numbers_are_no_views() -> None:
    text = SHAPES.replace("A: Buffer[(16, 16)", "A: Buffer[(18, 16)").replace(
        "C: Buffer[(16,)", "C: Buffer[(17,)"
    )
    made = parse_passes("AllocateWorkspace(least=0)")(api.typed(text)).prim_funcs["f_in_workspace"]
    assert {param.name for param in made.params} == {"X", "Y", "A", "B", "C"}


@pytest.mark.parametrize("start", range(0, 45, 15))
def test_random_prim_funcs_compute_the_same_in_a_workspace(start: int) -> None:
    lowering = parse_passes(
        "LegalizeOps, CallTIRRewrite, AllocateWorkspace(least=0), StaticPlanBlockMemory(least=0), LowerAllocTensor, "
        "KillAfterLastUse, LowerRuntimeBuiltin, VMShapeLower"
    )
    shared = 0
    for seed in range(start, start + 15):
        text = random_prim_func(seed)
        typed = api.typed(text)
        made = lowering(typed)
        shared += "workspace" in str(made) or len(made.prim_funcs["f"].params) > 2
        x = np.random.default_rng(seed).integers(-4, 5, (4, 3)).astype(np.float32)
        expected = api.start(text, engine="interpreter").call("main", [x])
        sessions = [api.start(str(made), engine=engine) for engine in ("interpreter", "compiled")]
        sessions.append(api.start_executable(api.build(str(made)), mode=MODES[seed % len(MODES)]))
        for session in sessions:
            assert np.array_equal(session.call("main", [x]), expected, equal_nan=True), seed
    assert shared


def test_attention_with_a_symbolic_batch_keeps_one_array_of_all_pairs() -> None:
    """It works on blocks of the batch; the arrays of a block were four."""
    numbers = np.random.default_rng(0)
    given = [numbers.standard_normal((1, 256, 4, 8)).astype(np.float32) for _ in range(3)]
    pairs = 4 * 256 * 256 * 4
    session = api.start(str(pipeline("build")(api.typed(ATTENTION.replace("(1, s", "(b, s")))))
    for _ in range(2):
        session.call("main", given)
    tracemalloc.start()
    try:
        session.call("main", given)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert pairs < most < 1.5 * pairs
