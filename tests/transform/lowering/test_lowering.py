"""Lowering to explicit memory: what the plan promises, what it must not share, and one result after every prefix."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relax_lang import api, transform
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.transform.catalogue import PIPELINES, parse_passes, passes
from relax_lang.transform.lowering import static_plan_block_memory
from relax_lang.transform.lowering.places import Life, Storage, life, placed
from relax_lang.transform.pass_manager.sequence import Sequential
from relax_lang.typed import Typed
from relax_lang.values import RunFailure
from relax_lang.vm.machine.linked import MODES
from tests.runtime.compiler.random_host import Host, plain
from tests.transform.same_meaning.outcomes import close, sound_program

PREFIXES = range(len(PIPELINES["build"]) + 1)
SAMPLES = sorted([*Path("samples").glob("*.rlx"), *Path("samples/models").glob("*.rlx")])
RELU = """
prim_func @relu(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n {
    Y[i] = max(X[i], 0.0);
  }
}
"""


def random_lives(seed: int) -> list[Life]:
    """Return tensors as a network has them: most live for a few statements, some for long."""
    draw = random.Random(seed)
    found: list[Life] = []
    for at in range(draw.randrange(2, 40)):
        long = draw.random() < 0.15
        last = at + draw.randrange(1, 30 if long else 4)
        element = draw.choice((1, 2, 4, 4, 4, 8))
        units = element * draw.choice((1, 16, 64, 256, 1024, draw.randrange(1, 2000)))
        found.append(Life(f"t{at}", at, last, element, units, ONE))
    return found


ONE = Polynomial.constant(1)


@pytest.mark.parametrize("start", range(0, 1000, 250))
def test_no_two_live_tensors_overlap(start: int) -> None:
    near = []
    for seed in range(start, start + 250):
        lives = random_lives(seed)
        (storage,) = placed(lives)
        for one in lives:
            at = storage.offsets[one.name]
            assert at % one.element == 0
            assert at + one.units <= storage.units
            for other in lives:
                if other is not one and one.first <= other.last and other.first <= one.last:
                    there = storage.offsets[other.name]
                    assert at + one.units <= there or there + other.units <= at, (seed, one, other)
        assert storage.units <= sum(one.units for one in lives), seed
        peak = max(sum(one.units for one in lives if one.first <= at <= one.last) for at in range(80))
        near.append(storage.units / peak)
    assert sum(near) / len(near) <= 1.1
    assert max(near) <= 1.6


def test_sizes_with_a_common_factor_share_a_storage() -> None:
    n, four = tree.PrimVar("n"), tree.IntImm(4)
    sizes = [tree.Mul(n, four), tree.Mul(four, tree.Mul(tree.IntImm(3), n)), tree.Mul(n, n), tree.IntImm(64)]
    lives = [life(f"t{at}", (at, at), 4, size) for at, size in enumerate(sizes)]
    groups = [set(storage.offsets) for storage in placed([one for one in lives if one is not None])]
    assert groups == [{"t0", "t1"}, {"t2"}, {"t3"}]


def lowered(body: str, params: str = "x: Tensor[(n,), float32]") -> str:
    text = f"{RELU}\nforce_pure def @main({params}) -> Object {{\n{body}\n}}\n"
    return str(parse_passes("StaticPlanBlockMemory")(api.typed(text)))


A = "let a = builtin.alloc_tensor(shape(n), 0, dtype=float32); @relu(x, a); "
B = "let b = builtin.alloc_tensor(shape(n), 0, dtype=float32); "


@pytest.mark.parametrize(
    ("body", "planned"),
    [
        (A + "exp(a)", 1),
        (A + B + "@relu(a, b); exp(b)", 2),
        (A + "a", 0),
        (A + "(a, x)", 0),
        (A + "let v = reshape(a, shape(1, n)); v", 0),
        (A + 'extern "keep"(a); exp(x)', 0),
        (A + 'let v = reshape(a, shape(1, n)); extern "keep"((v, x)); exp(x)', 0),
        (A + "let f = fn (y: Tensor) { add(a, y) }; f", 0),
        (A + "if true { a } else { x }", 0),
        (A + "if true { exp(a) } else { x }", 1),
        ("if true { " + A + "exp(a) } else { x }", 1),
        ("if true { " + A + "a } else { x }", 0),
    ],
)
def test_only_memory_that_nothing_else_reaches_is_planned(body: str, planned: int) -> None:
    assert lowered(body).count("memory.alloc_tensor(") == planned


def test_memory_of_a_live_alias_is_not_used_again() -> None:
    text = lowered(A + "let v = reshape(a, shape(1, n)); " + B + "@relu(x, b); add(v, b)")
    assert "memory.alloc_storage(shape(n * 8), 0)" in text
    text = lowered(A + "let v = reshape(a, shape(1, n)); let e = exp(v); " + B + "@relu(x, b); add(e, b)")
    assert "memory.alloc_storage(shape(n * 4), 0)" in text


def test_upper_bounds_are_checked_at_entry() -> None:
    text = f"""{RELU}
def @main(x: Tensor[(n,), float32], y: Tensor[(m,), float32]) -> (Tensor[(n,), float32], Tensor[(m,), float32]) {{
  let a = builtin.alloc_tensor(shape(n), 0, dtype=float32);
  @relu(x, a);
  let u = exp(a);
  let b = builtin.alloc_tensor(shape(m), 0, dtype=float32);
  @relu(y, b);
  (u, exp(b))
}}
"""
    typed = parse_passes('StaticPlanBlockMemory(least=0, upper_bounds=["n=4", "m=8", "k=2"])')(
        api.typed(text)
    )
    assert "memory.alloc_storage(shape(32), 0)" in str(typed)
    session = api.start(str(typed))
    x, y = np.ones(4, np.float32), np.ones(8, np.float32)
    assert [one.size for one in session.call("main", [x, y])] == [4, 8]
    with pytest.raises(RunFailure) as caught:
        session.call("main", [np.ones(5, np.float32), y])
    assert (caught.value.slug, caught.value.message) == (
        "assertion-failed",
        "n is 5, but memory is planned for at most 4",
    )
    with pytest.raises(transform.PassError):
        parse_passes('StaticPlanBlockMemory(upper_bounds=["n"])')(api.typed(text))


def test_a_kill_is_no_call() -> None:
    """Its variable is deleted at its last use by engine and machine anyway."""
    text = "force_pure def @main(x: Tensor[(n,), float32]) { let y = exp(x); memory.kill_tensor(y); x }"
    assert "kill" not in api.compile_functions(text)
    assert "memory.kill_tensor" not in [row.name for row in api.build(text).functions]
    for engine in ("interpreter", "compiled"):
        assert api.start(text, engine=engine).call("main", [np.ones(2, np.float32)]).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("purity", "lowered_to"),
    [("", "force_pure "), ("pure ", "force_pure "), ("force_pure ", "force_pure "), ("impure ", "impure ")],
)
def test_functions_stay_as_pure_as_they_were(purity: str, lowered_to: str) -> None:
    text = f"{purity}def @main(x: Tensor[(n,), float32]) {{ exp(nn.relu(x)) }}"
    typed = parse_passes("LegalizeOps, CallTIRRewrite, StaticPlanBlockMemory, KillAfterLastUse")(
        api.typed(text)
    )
    assert not typed.checked().has_errors
    assert f"\n{lowered_to}def @main(" in f"\n{typed}"


def prefix(length: int) -> Sequential:
    return Sequential([passes()[name]() for name in PIPELINES["build"][:length]])


def results(typed: Typed, arguments: list[object]) -> list[object]:
    """Return what the interpreter and the machine, in both modes, make of a program and tell the host."""
    executable = api.build(typed.checked())
    found: list[object] = []
    for mode in ("", *MODES):
        host = Host()
        options: dict[str, Any] = {"packed": host.functions, "write": host.write}
        session = (
            api.start_executable(executable, mode=mode, **options)
            if mode
            else api.start(typed.checked(), engine="interpreter", **options)
        )
        given = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
        try:
            value = plain(session.call("main", given))
        except RunFailure as failure:
            value = failure.slug
        found.append((value, host.told))
    return found


MLP = """
def @main(x: Tensor[(n, 64), float32]) -> Tensor[(n, 32), float32] {
  dataflow {
    let w = full(shape(64, 64), 0.01, dtype=float32);
    let h = nn.relu(matmul(x, w));
    let g = add(nn.relu(matmul(h, w)), h);
    let y = nn.softmax(matmul(g, ones(shape(64, 32), dtype=float32)));
    output y;
  }
  y
}
"""


@pytest.mark.parametrize("length", PREFIXES)
def test_every_prefix_gives_one_result(length: int) -> None:
    x = np.linspace(-1, 1, 5 * 64, dtype=np.float32).reshape(5, 64)
    expected: Any = results(api.typed(MLP), [x])[0]
    made = prefix(length)(api.typed(MLP))
    assert not made.checked().has_errors
    found: Any
    for found in results(made, [x]):
        assert close(expected[0], found[0])


@pytest.mark.parametrize("seed", range(27_000, 27_040))
def test_every_prefix_of_random_programs_gives_one_result_in_the_machine(seed: int) -> None:
    sound = sound_program(seed)
    if sound is None:
        pytest.skip("the checker finds that it must fail")
    program, typed = sound
    length = 3 + seed % (len(PREFIXES) - 3)
    interpreted, *machines = results(prefix(length)(typed), program.arguments())
    assert machines == [interpreted, interpreted]


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_prefix_of_samples_builds(path: Path) -> None:
    typed = api.typed(api.read(str(path)))
    for length in PREFIXES:
        api.build(prefix(length)(typed).checked())


@pytest.mark.parametrize("name", ["convnet", "transformer_block"])
def test_the_plan_of_models_is_near_what_lives_at_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = api.typed(api.read(f"samples/models/{name}.rlx"))
    infos = [param.struct_info_annotation for function in typed.functions for param in function.params]
    dims = {node.name for info in infos if info for node in walk(info) if isinstance(node, tree.PrimVar)}
    planned: list[list[Life]] = []

    def recorded(lives: list[Life]) -> list[Storage]:
        planned.append(lives)
        return placed(lives)

    monkeypatch.setattr(static_plan_block_memory, "placed", recorded)
    lowering = ", ".join(PIPELINES["build"][:7])
    parse_passes(f"BindSymbolicVars({', '.join([f'{dim}=256' for dim in sorted(dims)])}), {lowering}")(typed)
    found = [lives for lives in planned if sum(one.units for one in lives) > 1_000_000]
    assert found
    for lives in found:
        (storage,) = placed(lives)
        peak = max(sum(one.units for one in lives if one.first <= at <= one.last) for at in range(1000))
        assert storage.units <= 1.25 * peak
        assert storage.units <= sum(one.units for one in lives)
