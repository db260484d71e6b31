"""Help for failures in a value of `select` that was not chosen. [TIR.13] [TIR.8]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import RelaxError, api
from relax_lang.tir.diagnostics.errors import BOTH_SIDES

PROGRAM = """\
prim_func @p(X: Buffer[(n,), float32], I: Buffer[(n,), int64], Y: Buffer[(n,), float32]) {{
  for i in 0..n {{
    Y[i] = {};
  }}
}}

def @main(x: Tensor[(n,), float32], i: Tensor[(n,), int64]) -> Tensor[(n,), float32] {{
  call_tir(@p, (x, i)) -> Tensor[(n,), float32]
}}
"""


@pytest.mark.parametrize("engine", ["compiled", "interpreter"])
@pytest.mark.parametrize(
    ("value", "slug", "helped"),
    [
        ("select(I[i] >= 0, X[I[i]], 0.0)", "tir-runtime-bounds", BOTH_SIDES),
        ("cast(select(I[i] != 0, i // I[i], 0), float32)", "tir-division-by-zero", BOTH_SIDES),
        ("select(X[I[i]] > 0.0, 1.0, 0.0)", "tir-runtime-bounds", ""),
        ("if_then_else(I[i] < 0, X[I[i]], 0.0)", "tir-runtime-bounds", ""),
    ],
)
def test_TIR_13_a_value_that_was_not_chosen(value: str, slug: str, helped: str, engine: str) -> None:
    arrays = np.ones(3, np.float32), np.array([0, -1, 2])
    with pytest.raises(RelaxError) as failed:
        api.run(PROGRAM.format(value), *arrays, engine=engine)
    (found,) = failed.value.diagnostics
    assert (found.slug, found.help) == (slug, helped)


def test_TIR_8_an_index_that_the_condition_does_not_guard() -> None:
    (found,) = api.check(PROGRAM.format("select(i > 0, X[i - 1], 0.0)")).diagnostics
    assert (found.slug, found.help) == ("tir-out-of-bounds", BOTH_SIDES)
    assert api.check(PROGRAM.format("if_then_else(i > 0, X[i - 1], 0.0)")).diagnostics == []
