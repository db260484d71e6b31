"""Networks whose operators are PrimFuncs: results that are written over operands hold the same values. [X.O4]"""

from __future__ import annotations

import os
import tracemalloc

import numpy as np
import pytest

from relax_lang import api, transform
from relax_lang.ops.calls import overwriting
from relax_lang.runtime.session import Session
from relax_lang.tir import planned
from tests.runtime.compiler.random_host import plain
from tests.transform.same_meaning.outcomes import after_passes, close, sound_program
from tests.transform.same_meaning.random_networks import Network


def hold(seed: int) -> bool:
    """Call a random network several times, with operators and without, on both engines; return whether there is one.

    The third call is the first that may write over what it does not need any more.
    """
    made = sound_program(seed, Network)
    if made is None:
        return False
    network, operators = made
    lowered = after_passes(seed, ("LegalizeOps",), Network)
    reference, *others = [
        Session(
            typed.module,
            typed.source,
            engine=engine,
            proved=typed.inferred.proved if engine == "compiled" else frozenset(),
        )
        for typed, engine in ((operators, "interpreter"), (lowered, "interpreter"), (lowered, "compiled"))
    ]
    expected = plain(reference.call("main", network.arguments()))
    for session in others:
        results: list[object] = []
        for _ in range(4):
            arguments = network.arguments()
            before = plain(tuple(arguments))
            results.append(session.call("main", arguments))
            assert plain(tuple(arguments)) == before, f"seed {seed}\n{network.text}"
        for found in results:
            assert close(plain(found), expected), f"seed {seed}\n{network.text}"
    return True


@pytest.fixture
def small_arrays_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planned, "LARGE", 0)
    monkeypatch.setattr(overwriting, "LARGE", 1)


@pytest.mark.usefixtures("small_arrays_too")
def test_random_networks() -> None:
    assert sum(hold(seed) for seed in range(40_000, 40_008)) > 4


@pytest.mark.usefixtures("small_arrays_too", "single_rows")
def test_random_networks_row_by_row() -> None:
    assert sum(hold(seed) for seed in range(40_000, 40_004)) > 2


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")
@pytest.mark.usefixtures("small_arrays_too")
def test_many_random_networks() -> None:
    for seed in range(50_000, 50_500):
        hold(seed)


GATE = """def @main(x: Tensor[(n, 64), float32], w: Tensor[(64, 64), float32]) {
  dataflow {
    let gate = matmul(x, w);
    let y = gate * sigmoid(gate) * matmul(x, w);
    output y;
  }
  y
}
"""


def test_a_gate_needs_two_arrays_and_leaves_its_arguments_alone() -> None:
    typed = transform.LegalizeOps()(api.typed(GATE))
    session = Session(typed.module, typed.source, proved=typed.inferred.proved)
    numbers = np.random.default_rng(0)
    x, w = [numbers.standard_normal(shape).astype(np.float32) for shape in ((4096, 64), (64, 64))]
    kept = x.copy(), w.copy()
    gate = x @ w
    wanted = gate / (1 + np.exp(-gate)) * gate
    most = 0
    for _ in range(3):
        tracemalloc.start()
        found = np.asarray(session.call("main", [x, w]))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    assert most < 2.2 * gate.nbytes
    assert np.array_equal(x, kept[0])
    assert np.array_equal(w, kept[1])


STEPS = """def @main(x: Tensor[(4, 256), float32], b: Tensor[(4, 256), float32]) {
  let y = x + b;
  let y = nn.relu(y) * b;
  let y = exp(y) - b;
  y
}
"""


def test_small_arrays_of_certain_shapes_are_written_over_too() -> None:
    typed = transform.LegalizeOps()(api.typed(STEPS))
    session = Session(typed.module, typed.source, proved=typed.inferred.proved)
    x, b = np.full((4, 256), 0.5, np.float32), np.full((4, 256), 0.25, np.float32)
    most = 0
    for _ in range(5):
        tracemalloc.start()
        found = np.asarray(session.call("main", [x, b]))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        np.testing.assert_allclose(found, np.exp((x + b) * b) - b, rtol=1e-6)
        assert (x == 0.5).all()
        assert (b == 0.25).all()
    assert most < 1.8 * x.nbytes, "one array of the size of the result, and what Python needs"
