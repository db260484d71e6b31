"""Whether many arrays share memory is found by the bounds of their bytes, not pair by pair. [TIR.21]"""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.runtime_library.guards import are_apart
from tests.tir.support import assert_same_outcome, checked
from tests.work import executed_lines


def chain(buffers: int) -> str:
    """Return a PrimFunc that stores to all of its buffers but the first one, which it reads backwards."""
    params = ", ".join([f"B{i}: Buffer[(n,), float32]" for i in range(buffers)])
    stores = "\n".join([f"    B{i}[i] = B{i - 1}[i] + {i}.0;" for i in range(2, buffers)])
    return f"prim_func @f({params}) {{\n  for i in 0..n {{\n    B1[i] = B0[n - 1 - i];\n{stores}\n  }}\n}}\n"


def test_the_work_and_the_text_grow_with_the_buffers() -> None:
    funcs = [checked(chain(buffers)) for buffers in (40, 80)]
    few, many = (executed_lines(lambda func=func: compile_prim_func(func)) for func in funcs)
    assert many <= 2.5 * few
    few, many = (len(compile_prim_func(func).source) for func in funcs)
    assert many <= 2.3 * few


@pytest.mark.parametrize("buffers", [4, 40])
def test_arrays_that_share_memory_are_seen_at_every_call(buffers: int) -> None:
    func = checked(chain(buffers))
    memory = np.zeros(7 * buffers, np.float32)
    apart = [memory[7 * i : 7 * i + 7] for i in range(buffers)]
    assert_same_outcome(func, [*apart])
    for at in (1, buffers - 2):
        assert_same_outcome(func, [*apart[:at], memory[7 * at + 3 : 7 * at + 10], *apart[at + 1 :]])
    assert_same_outcome(func, [*apart[:-1], apart[0]])
    assert_same_outcome(func, [memory[::-1][:7], *apart[1:]])
    assert_same_outcome(func, [one[:0] for one in apart])
    compiled = compile_prim_func(func)
    owned = [np.zeros(5, np.float32) for _ in range(buffers)]
    for _ in range(4):
        compiled.run(*owned)
    owned[-1] = owned[0]
    compiled.run(*owned)
    rest = sum(range(2, buffers))
    assert owned[0].tolist() == [rest, rest, rest, 2 * rest, 2 * rest]  # as the interpreter runs, row by row


def test_bounds_say_what_numpy_says_of_each_pair() -> None:
    rng = random.Random(7)
    answers = {True: 0, False: 0}
    for _ in range(2_000):
        memory = np.zeros(240, rng.choice((np.int8, np.float32)))
        arrays: list[np.ndarray] = []
        for _ in range(rng.randint(1, 5)):
            first, last = sorted(rng.sample(range(241), 2))
            view = memory[first : min(last, first + rng.randint(0, 60)) : rng.choice((1, 3))]
            arrays.append(view[:: rng.choice((1, -1))] if rng.random() < 0.8 else np.zeros(4))
        stored, others = arrays[: (cut := rng.randint(0, len(arrays)))], arrays[cut:]
        pairs = [*combinations(stored, 2), *[(one, other) for one in stored for other in others]]
        wanted = not any(np.may_share_memory(one, other) for one, other in pairs)
        assert are_apart(stored, others) is wanted
        answers[wanted] += 1
    assert min(answers.values()) > 300
