"""Running results that each begin with one some places before, however far that is. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.runtime_library.scans import running


@pytest.mark.parametrize("combine", [np.add, np.maximum])
@pytest.mark.parametrize("dtype", ["int8", "int64", "float64"])
@pytest.mark.parametrize("length", [1, 73, 1500])
def test_TIR_21_running_results_from_some_places_before(length: int, dtype: str, combine: np.ufunc) -> None:
    for step in {1, 2, 3, 9, 10, 36, 37, 72, 73, 511, 512, 700} & {*range(1, length + 1)}:
        for rows in ((), (3,)):
            values = np.random.default_rng(step).integers(-9, 9, (*rows, length)).astype(dtype)
            found, wanted = values.copy(), values.copy()
            for at in range(step, length):
                combine(wanted[..., at - step], wanted[..., at], out=wanted[..., at])
            running(combine, found[..., step:], found[..., step:], found[..., :step])
            np.testing.assert_array_equal(found, wanted, f"{step} {rows}")
