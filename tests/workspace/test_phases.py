"""An editor runs every phase that `relax check` runs: of lowered programs, of explicit memory, of computed shapes."""

import random
from pathlib import Path

import pytest

from tests.workspace.random_edits import analyse, analysed, edited, fresh

SAMPLES = Path(__file__).parents[2] / "samples"
EXPLICIT = [
    text
    for path in sorted([*SAMPLES.glob("bad/*.rlx"), *SAMPLES.glob("lowered/*.rlx")])
    if "memory." in (text := path.read_text("utf-8")) or "vm." in text
]
SIZES = """\
prim_func @sizes(H: Buffer[(2,), int64]) { H[1] = H[0] * 2; }

impure def @main(x: Tensor[ndim=1, float32]) -> Shape[ndim=1] {
  let heap = vm.alloc_shape_heap(size=2);
  vm.match_shape(x, heap, codes=["store"], operands=[0]);
  @sizes(heap);
  vm.make_shape(heap, codes=["slot"], operands=[1])
}
"""


@pytest.mark.parametrize("text", EXPLICIT)
def test_explicit_memory_is_looked_at_as_by_a_check(text: str) -> None:
    assert analysed(analyse(text, None), ("lints",)) == fresh(text, ("lints",))


def codes(found: list[object]) -> list[str]:
    return [one[0] for one in found if isinstance(one, tuple)]


def test_a_use_after_a_kill_is_found_when_it_is_typed_and_gone_when_it_is_gone() -> None:
    right = (SAMPLES / "lowered" / "mlp.rlx").read_text("utf-8")
    wrong = right.replace("@dense(a, v, s);", "@dense(h, v, s);")
    before = analyse(right, None)
    assert analysed(before, ())[0] == []
    after = analyse(wrong, before)
    assert codes(analysed(after, ())[0]) == ["RLX1406"]
    assert analysed(after, ()) == fresh(wrong, ())
    assert analysed(analyse(right, after), ())[0] == []


def test_a_function_is_looked_at_again_if_the_function_of_sizes_that_it_calls_is_another() -> None:
    before = analyse(SIZES, None)
    assert analysed(before, ()) == fresh(SIZES, ())
    assert analysed(before, ())[0] == []
    changed = SIZES.replace("H[1] = H[0] * 2", "H[0] = H[1] * 2")
    after = analyse(changed, before)
    assert after.counts.resolved == 1
    assert codes(analysed(after, ())[0]) == ["RLX1407"]
    assert analysed(after, ()) == fresh(changed, ())


def test_an_error_elsewhere_hides_findings_of_explicit_memory_until_it_is_gone() -> None:
    wrong = SIZES.replace("H[1] = H[0] * 2", "H[0] = H[1] * 2")
    broken = wrong + "\ndef @other() { add(1) }\n"
    first = analyse(wrong, None)
    second = analyse(broken, first)
    assert analysed(second, ()) == fresh(broken, ())
    third = analyse(wrong, second)
    assert analysed(third, ()) == analysed(first, ()) == fresh(wrong, ())


def test_a_computed_shape_has_no_effects_in_an_editor_either() -> None:
    text = "def @main(s: Shape[ndim=2], x: Tensor[s]) { let v: Tensor[print(s), float32] = x; v }\n"
    found = analysed(analyse(text, None), ())
    assert found == fresh(text, ())
    assert len(found[0]) == 1


@pytest.mark.parametrize("seed", range(6))
def test_after_random_edits_of_lowered_programs_the_findings_are_those_of_a_fresh_check(seed: int) -> None:
    rng = random.Random(seed)
    texts = [*EXPLICIT, SIZES]
    text = before = rng.choice(texts) + "\n" + rng.choice(texts).replace("@main", "@second")
    analysis = None
    for _ in range(16):
        analysis = analyse(text, analysis)
        assert analysed(analysis, ()) == fresh(text, ()), text
        new = edited(text, rng, texts) if rng.random() > 0.5 else before
        before, text = text, new[:8_000]
