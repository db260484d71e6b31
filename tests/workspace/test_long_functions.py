"""Statements of a long function are kept apart: an edit costs a few of them, and finds what a fresh check finds."""

import random
import re

import pytest

from relax_lang.base.cancellation import Cancelled, stoppable
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.workspace.incremental.analysis import Analysis
from relax_lang.workspace.incremental.function_state import FunctionState
from relax_lang.workspace.text import slots
from relax_lang.workspace.text.pieces import read
from relax_lang.workspace.text.slots import Sizes
from tests.workspace.long_functions import edited_inside, program
from tests.workspace.random_edits import analyse, analysed, edited, fresh, names_and_tokens
from tests.workspace.test_analysis import Countdown

EDITS = 40


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut functions of a few statements as if they were long."""
    monkeypatch.setattr(slots, "SIZES", Sizes(8, 3, 48))


@pytest.mark.parametrize("seed", range(24))
def test_after_edits_in_a_long_function_the_findings_and_infos_are_those_of_a_fresh_check(seed: int) -> None:
    rng = random.Random(seed)
    first = text = before = program(rng, rng.choice((20, 40, 70)))
    lints = () if seed % 3 else ("lints",)
    analysis = None
    for step in range(EDITS):
        analysis = analyse(text, analysis)
        assert analysed(analysis, lints) == fresh(text, lints), (seed, step, text)
        if step % 8 == 7:
            assert names_and_tokens(analysis) == names_and_tokens(analyse(text, None)), (seed, step, text)
        choice = rng.random()
        if choice < 0.6:
            new = edited_inside(text, rng)
        elif choice < 0.7:
            new = edited(text, rng, [first])
        else:
            new = before if choice < 0.93 else first
        before, text = text, new[:20_000]


def straight(count: int) -> str:
    """Return a function whose statements each use the one before and its parameter."""
    lines = [f"  let v{i} = multiply(v{i - 1}, exp(x));\n" for i in range(1, count)]
    return (
        "def @long(x: Tensor[(n, 4), float32]) {\n  let v0 = exp(x);\n"
        + "".join(lines)
        + f"  v{count - 1}\n}}\n"
    )


def work(analysis: Analysis) -> tuple[int, int, int]:
    """Return of how many stretches a long function consists, and how many were resolved and derived again."""
    (state,) = analysis.functions.values()
    assert isinstance(state, FunctionState)
    long, inference = state.scope.long, state.inference
    assert long is not None
    assert inference is not None
    assert inference.memory is not None
    count = len(long.parts)
    return count, count - len(long.resolving.kept), count - inference.memory.kept


@pytest.mark.parametrize(
    ("what", "old", "new", "resolved", "derived"),
    [
        ("another operator", "v50 = multiply", "v50 = subtract", 2, 2),
        ("a longer statement", "v50 = multiply(v49,", "v50 = multiply(add(v49, v49),", 2, 2),
        ("a comment", "  let v50 ", "  # words\n  let v50 ", 2, 2),
        ("a new statement", "  let v50 ", "  let w = exp(x);\n  let v50 ", 6, 6),
        (
            "another shape, which all that follow have",
            "v50 = multiply(v49,",
            "v50 = multiply(sum(v49),",
            2,
            2,
        ),
        (
            "another dtype, which all that follow are wrong for",
            "v50 = multiply(v49, exp(x))",
            "v50 = 1",
            2,
            18,
        ),
        ("an undefined name", "v50 = multiply(v49,", "v50 = multiply(v,", 2, 18),
        ("an unfinished statement", "v50 = multiply(v49, exp(x));", "v50 = nn.", 5, 20),
        ("what the first statement binds", "  let v0 = exp(x);", "  let v0 = sin(x);", 2, 2),
    ],
)
def test_an_edit_of_a_statement_costs_what_it_changes(
    what: str, old: str, new: str, resolved: int, derived: int
) -> None:
    text = straight(100)
    before = analyse(text, None)
    assert work(before) == (33, 33, 33)
    changed = text.replace(old, new, 1)
    after = analyse(changed, before)
    count, *counts = work(after)
    assert count >= 31, what
    assert counts[0] <= resolved, what
    assert counts[1] <= derived, what
    assert analysed(after, ()) == fresh(changed, ())
    again = analyse(text, after)
    assert work(again)[1] <= resolved, "what was known before the mistake is known still"
    assert analysed(again, ()) == fresh(text, ())


def test_an_edit_in_one_of_many_short_blocks_leaves_the_others_alone() -> None:
    lines = ["def @long(x: Tensor[(n, 4), float32]) {", "  let v0 = exp(x);"]
    for i in range(1, 100, 5):
        lines += ["  dataflow {", *[f"    let v{j} = multiply(v{j - 1}, exp(x));" for j in range(i, i + 5)]]
        lines += [f"    output v{i + 4};", "  }"]
    text = "\n".join([*lines, "  v100", "}", ""])
    after = analyse(text.replace("v52 = multiply", "v52 = subtract"), analyse(text, None))
    stretches, resolved, derived = work(after)
    assert stretches >= 20
    assert resolved <= 4
    assert derived <= 4
    assert analysed(after, ()) == fresh(after.layout.text, ())


def test_a_name_used_far_away_is_renamed() -> None:
    text = straight(60).replace("v59 = multiply(v58,", "v59 = multiply(v3,")
    before = analyse(text, None)
    changed = re.sub(r"\bv3\b", "other", text)
    assert analysed(analyse(changed, before), ()) == fresh(changed, ())
    half = text.replace("let v3 ", "let other ", 1)
    assert analysed(analyse(half, before), ()) == fresh(half, ())


def test_addresses_in_a_long_function_are_the_same_places() -> None:
    rng = random.Random(5)
    text = program(rng, 40)
    analysis = None
    for _ in range(40):
        analysis = analyse(text, analysis)
        layout = analysis.layout
        assert any(piece.slots is not None for piece in layout.pieces)
        for offset in range(0, len(text), 3):
            assert layout.to_document(layout.to_address(offset)) == offset
            assert layout.padded[layout.to_address(offset)] == text[offset]
        text = edited_inside(text, rng)


def test_stopped_at_any_checkpoint_of_a_long_function_the_next_analysis_is_as_a_fresh_one() -> None:
    text = straight(40)
    changed = text.replace("v20 = multiply(v19,", "v20 = multiply(undefined,")
    expected, unchanged = fresh(changed, ()), fresh(text, ())
    before = analyse(text, None)
    stopped = 0
    for n in range(400):
        try:
            with deep_recursion(), stoppable(Countdown(n).check):
                Analysis(read(changed, before.layout), before, None)
            break
        except Cancelled:
            stopped += 1
        if n % 4 == 0:
            assert analysed(analyse(changed, before), ()) == expected
            assert analysed(analyse(text, before), ()) == unchanged
    assert stopped > 10
