"""Every operator against its page: shapes, dtypes, values, refusals, on concrete and symbolic sizes. [OP.3-OP.9] [D.13]

An error of the checker fails at all sizes; what is clean never fails by its extents; what is inferred is what runs. A
short run everywhere, with RELAX_NIGHTLY=1 a long one. `python -m tests.fuzz.test_operators FIRST COUNT [OPERATOR…]`
tries seeds and prints those that fail.
"""

from __future__ import annotations

import os
import sys

import pytest

from relax_lang.ops.registry import all_operators
from tests.fuzz.operators import FAMILIES
from tests.fuzz.operators.trial import Trial, problem

SEEDS = 2_000 if os.environ.get("RELAX_NIGHTLY") else 6

CALLING = "calls a function, and has the result that `->` declares; whole programs and modules draw it"
LEFT_OUT = dict.fromkeys(
    (
        "call_builtin_with_ctx", "call_dps_packed", "call_inplace_packed", "call_pure_packed", "call_py_func",
        "call_tir", "call_tir_inplace", "call_tir_with_grad", "dist.call_tir_local_view", "invoke_closure",
        "invoke_pure_closure", "make_closure", "vm.call_tir_dyn",
    ),
    CALLING,
)  # fmt: skip


def test_every_operator_is_drawn() -> None:
    names = {operator.name for operator in all_operators()}
    assert names - set(FAMILIES) == set(LEFT_OUT)
    assert set(FAMILIES) <= names


@pytest.mark.parametrize("word", sorted(FAMILIES))
def test_OP_6_an_operator_does_what_its_page_says(word: str) -> None:
    assert [found for seed in range(SEEDS) if (found := problem(word, seed))] == []


def test_the_calls_are_worth_trying() -> None:
    """Both right and wrong calls are drawn, of constant and of symbolic extents, and some wait for their sizes."""
    trials = [Trial(word, seed) for word in sorted(FAMILIES)[::5] for seed in range(8)]
    wrong = sum(bool(one.errors) for one in trials)
    assert len(trials) / 20 < wrong < len(trials) / 2
    assert sum("n" in one.text.split("{")[1] or "Tensor[(n" in one.text for one in trials) > len(trials) / 10
    assert sum(any(doubt.slug == "operands-may-differ" for doubt in one.doubts) for one in trials) > 3


def main(first: int, count: int, *words: str) -> None:
    """Print the seeds that fail."""
    for word in words or sorted(FAMILIES):
        for seed in range(first, first + count):
            found = problem(word, seed)
            if found:
                sys.stdout.write(f"{found}\n\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
