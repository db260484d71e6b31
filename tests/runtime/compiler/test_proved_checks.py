"""Checks that are proved to hold are left out, but not where a size in them may be a division by zero. [M.1] [X.O1]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api
from relax_lang.runtime.compiler.program import compile_module

SAME = "n + 0 * (1 // n)"
"""What is `n` wherever it has a value."""
X = np.zeros(0, np.float32)
COPY = f"""
prim_func @copy(X: Buffer[(n,), float32], Y: Buffer[({SAME},), float32]) {{ for i in 0..n {{ Y[i] = X[i]; }} }}
"""


@pytest.mark.parametrize("engine", ["interpreter", "compiled", "machine"])
@pytest.mark.parametrize(
    "text",
    [
        f"def @main(x: Tensor[(n,), float32]) {{ match_cast(x, Tensor[({SAME},)]); x }}",
        "def @main(x: Tensor[(n,), float32]) { let v = match_cast(x, Tensor[(max(1 // n, n),)]); x }",
        f"def @main(x: Tensor[(n,), float32]) {{ let v: Tensor[({SAME},), float32] = x; x }}",
        f"def @main(x: Tensor[(n,), float32]) {{ let v: (Tensor[({SAME},)], Object) = (x, x); x }}",
        f"def @main(x: Tensor[(n,), float32]) -> Tensor[({SAME},), float32] {{ x }}",
        f"def @main(x: Tensor[(n,)]) {{ @of(x, x) }} private def @of(a: Tensor[(n,)], b: Tensor[({SAME},)]) {{ a }}",
        f"def @main(x: Tensor[(n,), float32]) {{ let f = fn (y: Tensor[({SAME},)]) {{ y }}; f(x) }}",
        f"{COPY} def @main(x: Tensor[(n,), float32]) {{ call_tir(@copy, (x,)) -> Tensor[({SAME},), float32] }}",
    ],
)
def test_a_size_that_divides_by_zero_fails_in_a_check_that_holds(text: str, engine: str) -> None:
    session = api.start_executable(api.build(text)) if engine == "machine" else api.start(text, engine=engine)
    with pytest.raises(api.RelaxError) as caught:
        api.run_session(session, "main", [X])
    assert caught.value.diagnostics[0].slug == "dim-division-by-zero"


def test_checks_that_divide_by_numbers_are_left_out() -> None:
    def code(size: str) -> str:
        checked = api.check(f"def @main(x: Tensor[(n,), float32]) {{ match_cast(x, Tensor[({size},)]); x }}")
        return compile_module(checked.normal, proved=checked.inferred.proved).text.split("def main")[1]

    assert "match_cast" not in code("n * 2 // 2")
    assert "match_cast" in code(SAME)
