"""Plans of memory, simulated: no two live tensors overlap, and what is planned is near what lives at once.

The simulation follows names by rules of its own, and takes for kept what any function but a PrimFunc was given.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from relax_lang import api
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.transform.catalogue import PIPELINES, parse_passes
from relax_lang.transform.lowering import static_plan_block_memory
from relax_lang.transform.lowering.places import Life, Storage, placed
from relax_lang.typed import Typed
from tests.transform.lowering.simulated_memory import Found, simulate
from tests.transform.same_meaning.outcomes import sound_program
from tests.transform.same_meaning.random_networks import Network

NIGHTLY = "RELAX_NIGHTLY" in os.environ
SAMPLES = sorted([*Path("samples").glob("*.rlx"), *Path("samples/models").glob("*.rlx")])
BEFORE = ", ".join(PIPELINES["build"][: PIPELINES["build"].index("AllocateWorkspace")])
EAGER = f"{BEFORE}, AllocateWorkspace(least=0), StaticPlanBlockMemory(least=0)"


def planned(typed: Typed, seed: int, passes: str = EAGER) -> Found:
    """Return the simulation of a program with a plan, for random sizes."""
    made = parse_passes(passes)(typed)
    draw = random.Random(seed)
    names = sorted({node.name for node in walk(made.module) if isinstance(node, tree.PrimVar)})
    return simulate(made, {name: draw.randrange(1, 50) for name in names})


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_no_two_live_tensors_of_samples_overlap(path: Path) -> None:
    for seed in range(3):
        found = planned(api.typed(api.read(str(path))), seed)
        assert not found.wrong
        assert found.planned <= found.total


@pytest.mark.parametrize("kind", [None, Network], ids=["programs", "networks"])
@pytest.mark.parametrize("start", range(27_000, 28_500 if NIGHTLY else 27_030, 15))
def test_no_two_live_tensors_of_random_programs_overlap(start: int, kind: Any) -> None:
    tensors = 0
    for seed in range(start, start + 15):
        sound = sound_program(seed, kind) if kind else sound_program(seed)
        if sound is not None:
            found = planned(sound[1], seed)
            assert not found.wrong, seed
            assert found.planned <= found.total, seed
            tensors += found.tensors
    assert tensors


def test_the_simulation_sees_plans_that_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def at_zero(lives: list[Life]) -> list[Storage]:
        return [Storage(one.unit, one.units, dict.fromkeys(one.offsets, 0)) for one in placed(lives)]

    monkeypatch.setattr(static_plan_block_memory, "placed", at_zero)
    text = "def @main(x: Tensor[(n, 8), float32]) { let a = exp(x); let b = exp(a); exp(add(a, b)) }"
    assert planned(api.typed(text), 0).wrong


MODELS = {
    "convnet": 256,
    "transformer_block": 256,
    "mlp": 1024,
    "attention": 256,
}
WRITTEN = {
    "mlp": """def @main(x: Tensor[(n, 64), float32], w: Tensor[(64, 64), float32]) -> Tensor {
      let a = nn.gelu(matmul(x, w)); let b = nn.relu(add(matmul(a, w), a)); let c = nn.softmax(matmul(b, w));
      sum(multiply(c, b), axis=[1])
    }""",
    "attention": """def @main(x: Tensor[(b, s, 4, 8), float32]) {
      let a = nn.attention(x, x, x, causal_mask="TopLeft"); let c = nn.attention(a, x, a); exp(add(a, c))
    }""",
}


@pytest.mark.parametrize("name", MODELS)
def test_plans_of_models_are_at_most_1_25_of_what_lives_at_once(name: str) -> None:
    typed = api.typed(WRITTEN.get(name) or api.read(f"samples/models/{name}.rlx"))
    infos = [param.struct_info_annotation for function in typed.functions for param in function.params]
    dims = {node.name for info in infos if info for node in walk(info) if isinstance(node, tree.PrimVar)}
    sizes = dict.fromkeys(sorted(dims), MODELS[name]) | ({"b": 1} if name == "attention" else {})
    bound = ", ".join([f"{dim}={size}" for dim, size in sizes.items() if dim in dims])
    found = planned(
        typed, 0, f"BindSymbolicVars({bound}), {BEFORE}, AllocateWorkspace, StaticPlanBlockMemory"
    )
    assert not found.wrong
    assert found.total > 1_000_000
    assert found.planned <= 1.25 * found.peak
    assert found.planned <= found.total
