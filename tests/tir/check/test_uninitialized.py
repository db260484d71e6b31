"""Elements that are read before they are written: what is reported is tried out on all small sizes. [TIR.18]"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relax_lang.api import check
from relax_lang.base.diagnostic import Diagnostic
from relax_lang.tir.analysis.memory_safety import uninitialized
from relax_lang.tir.analysis.references.access_sites import References
from relax_lang.tir.check.driver import Report
from relax_lang.tir.interp import interpreter
from relax_lang.tir.ir.symbols import Symbol
from tests.tir.random_programs.nests.small_nests import LIST
from tests.tir.support import outcome, prim_func

HEAD = (
    "X: Buffer[(n,), float32], I: Buffer[(n,), int64], P: Buffer[(n, m), float32], Y: Buffer[(n,), float32]"
)
ALLOC = "alloc T: Buffer[(n,), float32];"


def found(statements: str) -> list[Diagnostic]:
    report = Report(prim_func(f"prim_func @f({HEAD}) {{ {statements} }}"))
    return [one for one in report.diagnostics if one.slug == "tir-uninitialized-read"]


@pytest.mark.parametrize(
    ("statements", "element", "when"),
    [
        (f"{ALLOC} for i in 1..n {{ T[i] = X[i]; }} for i in 0..n {{ Y[i] = T[i]; }}", "T[0]", "i = 0"),
        (f"{ALLOC} for i in 0..n - 1 {{ T[i] = X[i]; }} for i in 0..n {{ Y[i] = T[i]; }}", "T[n - 1]", "i = n - 1"),
        (f"{ALLOC} T[1] = 0.0; for i in 1..n {{ T[i] = T[i - 1] + X[i]; }} Y[0] = T[2];", "T[0]", "i = 1"),
        (f"{ALLOC} for i in 0..n {{ if i != 0 {{ T[i] = X[i]; }} Y[i] = T[i]; }}", "T[0]", "i = 0"),
        (f"{ALLOC} for i in 0..n {{ if i == 0 || i > 2 {{ T[i + 1] = X[i]; }} Y[i] = T[i]; }}", "T[0]", "i = 0"),
        (f"{ALLOC} for i in 0..n - 1 {{ T[i] = X[i]; Y[i] = T[i + 1]; }}", "T[1]", "i = 0"),
        (f"{ALLOC} for i in 0..n {{ T[i] = X[i]; if i == 0 {{ Y[i] = T[n]; }} }} Y[0] = T[1];", "T[n]", "i = 0"),
        (
            "alloc T: Buffer[(n + 2,), float32]; for i in 0..n { T[i + 1] = X[i]; } for i in 0..n { Y[i] = T[i]; }",
            "T[0]",
            "i = 0",
        ),
        (
            "for j in 0..m { alloc T: Buffer[(n,), float32]; for i in 0..n { Y[i] = T[i] + P[i, j]; } T[j] = 0.0; }",
            "T",
            "",
        ),
    ],
)  # fmt: skip
def test_TIR_18_an_element_that_no_store_gets_to_before(statements: str, element: str, when: str) -> None:
    (diagnostic,) = found(statements)
    assert diagnostic.message == f"`{element}` is read before anything was stored to it"
    assert diagnostic.primary == "nothing is there yet" + (f" for {when}" if when else "")


@pytest.mark.parametrize(
    "statements",
    [
        f"{ALLOC} for i in 0..n {{ T[n - 1 - i] = X[i]; }} for i in 0..n {{ Y[i] = T[i]; }}",
        f"{ALLOC} T[0] = 0.0; for i in 1..n {{ T[i] = T[i - 1] + X[i]; }} Y[0] = T[0];",
        f"{ALLOC} for i in 0..n {{ T[I[i]] = X[i]; }} for i in 0..n {{ Y[i] = T[i]; }}",
        f'{ALLOC} T[0] = 0.0; call_extern("fill", T); for i in 0..n {{ Y[i] = T[i]; }}',
        f"{ALLOC} for i in 0..n {{ if i > 0 {{ Y[i] = T[i - 1]; }} T[i] = X[i]; }}",
        f"{ALLOC} for i in 1..n {{ T[i] = X[i]; }} for i in 0..n {{ Y[i] = select(i > 0, T[i], 0.0); }}",
        f"{ALLOC} for i in 1..n {{ T[i] = X[i]; }} for i in 0..n {{ if X[i] > 0.0 {{ Y[i] = T[i]; }} }}",
        f"{ALLOC} for i in 1..n {{ T[i] = X[i]; }} while X[0] > 0.0 {{ Y[0] = T[0]; X[0] = 0.0; }}",
        f"{ALLOC} for i, j in grid((n + 3) // 4, 4) {{ if i * 4 + j < n {{ T[i * 4 + j] = X[i]; }} }} Y[1] = T[1];",
        f"{ALLOC} for i in 0..n {{ for j in 0..2 {{ if j == 1 {{ Y[i] = T[i]; }} T[i] = X[i]; }} }}",
    ],
)  # fmt: skip
def test_TIR_18_elements_that_may_have_been_written(statements: str) -> None:
    assert found(statements) == []


def test_O_2_elements_of_results() -> None:
    text = "prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {{ {} }}"
    for first, is_read in (("Y[0] = X[0];", False), ("Y[1] = X[1];", True)):
        func = prim_func(text.format(f"{first} for i in 1..n {{ Y[i] = Y[i - 1] + X[i]; }}"))
        report = Report(func)
        assert (report.read_first(func.params[1]) is not None) is is_read


def test_uninitialized_reads_of_a_buffer_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call asks for those of a result, and the check of the PrimFunc for those of a block that reduces into it."""
    asked: list[str] = []
    looked_for = uninitialized._uninitialized_read

    def counted(found: References, symbol: Symbol, *rest: Any) -> uninitialized.Uninitialized | None:
        asked.append(symbol.name)
        return looked_for(found, symbol, *rest)

    monkeypatch.setattr(uninitialized, "_uninitialized_read", counted)
    reduction = (
        "for i, j in grid(n, m) { block b (vi = spatial(i), vj = reduce(j)) { T[vi] = T[vi] + P[vi, vj]; } }"
    )
    text = f"""prim_func @f(P: Buffer[(n, m), float32], T: Buffer[(n,), float32]) {{ {reduction} }}
    def @g(x: Tensor[(n, m), float32]) -> Tensor[(n,), float32] {{
      let y = call_tir(@f, (x,)) -> Tensor[(n,), float32];
      call_tir(@f, (x,)) -> Tensor[(n,), float32]
    }}"""
    assert [one.slug for one in check(text).diagnostics] == ["tir-reduce-without-init"]
    assert asked == ["T"]


INDICES = LIST(
    ["i", "j", "i + j", "i + 1", "j + 1", "n - 1 - i", "i * 2", "i * 2 + 1", "i // 2", "0", "1", "min(i, j)"]
)
BOUNDS = LIST(
    [("0", "n"), ("0", "m"), ("1", "n"), ("0", "n - 1"), ("0", "i"), ("i", "m"), ("0", "2"), ("1", "m + 1")]
)
CONDITIONS = LIST(["", "", "", "i != j", "i < j", "i == 0 || j > 1", "j > 0", "i + j < n"])


@st.composite
def bodies(draw) -> str:
    """Draw stores to T and reads of it, in nests of two loops; `S` becomes NaN once a read is too early."""
    parts: list[str] = []
    for _ in range(draw(st.integers(1, 2))):
        low, stop = draw(BOUNDS.filter(lambda bounds: "i" not in bounds))
        inner = draw(BOUNDS)
        statements: list[str] = []
        for kind in draw(LIST(["s", "r", "sr", "rs", "ss", "srs"])):
            one = "T[{0}] = 1.0;" if kind == "s" else "R[0] = 1; S[()] += T[{0}];"
            condition = draw(CONDITIONS)
            one = one.format(draw(INDICES))
            statements.append(f"if {condition} {{ {one} }}" if condition and kind == "s" else one)
        parts.append(
            f"for i in {low}..{stop} {{ for j in {inner[0]}..{inner[1]} {{ {' '.join(statements)} }} }}"
        )
    return " ".join(parts)


@settings(max_examples=200, deadline=None)
@given(bodies())
def test_TIR_18_what_is_reported_happens_for_all_small_sizes(body: str) -> None:
    func = prim_func(
        "prim_func @f(A: Buffer[(n, m), float32], R: Buffer[(1,), int32], S: Buffer[(), float32]) "
        f"{{ S[()] = 0.0; alloc T: Buffer[(n * 3 + m * 3 + 3,), float32]; {body} }}"
    )
    report = Report(func)
    early = [one for one in report.diagnostics if one.slug == "tir-uninitialized-read"]
    if not early or body.count("R[0]") > 1:
        return

    def unwritten(shape: tuple[int, ...], dtype: str) -> np.ndarray:
        return np.full(shape, np.nan, dtype)

    for n, m in product(range(5), repeat=2):
        arrays = [np.zeros((n, m), np.float32), np.zeros(1, np.int32), np.zeros((), np.float32)]
        failure, (_, reached, total) = outcome(
            lambda *args: interpreter.run(func, args, allocate=unwritten), arrays
        )
        assert failure or not reached[0] or np.isnan(total), (n, m, body, early)
