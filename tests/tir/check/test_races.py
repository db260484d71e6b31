"""Races of parallel loops: what is told is looked up among the accesses of all iterations. [TIR.15]"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relax_lang.arith import case_split
from relax_lang.base.diagnostic import Diagnostic
from relax_lang.tir.check.driver import Report
from tests.tir.random_programs.nests.small_nests import Nest, nests
from tests.tir.support import prim_func, slugs

HEAD = (
    "X: Buffer[(n,), float32], P: Buffer[(n, m), float32], I: Buffer[(n,), int64], "
    "S: Buffer[(), float32], Y: Buffer[(n,), float32]"
)


def races(statements: str) -> list[Diagnostic]:
    told = Report(prim_func(f"prim_func @f({HEAD}) {{ {statements} }}")).diagnostics
    return [one for one in told if one.slug == "tir-race"]


@pytest.mark.parametrize(
    ("statements", "what"),
    [
        ("for parallel i in 0..n { S[()] = X[i]; }", "write the same element of `S`"),
        ("for parallel i in 0..n { S[()] += X[i]; }", "update the same element of `S`"),
        ("for parallel i in 1..n { Y[i] = Y[i - 1]; }", "meet in `Y`: one reads what the other writes"),
        ("for parallel i in 0..n - 3 { Y[i + 3] = Y[i]; }", "meet in `Y`: one reads what the other writes"),
        ("for parallel i in 0..n { for j in 0..m { Y[j] = P[i, j]; } }", "write the same element of `Y`"),
        ("for parallel i, j in grid(n, m) { Y[i] += P[i, j]; }", "update the same element of `Y`"),
        ("for k in 0..n { for parallel i in 0..n { Y[k] += X[i]; } }", "update the same element of `Y`"),
        ("for parallel i in 0..n { for j in 0..2 { Y[i + j] = 0.0; } }", "write the same element of `Y`"),
        (
            "for parallel i in 0..n { block b (v = spatial(0), r = reduce(i)) { init { Y[v] = 0.0; } Y[v] += X[r]; } }",
            "update the same element of `Y`",
        ),
        ("for parallel i in 0..n { if n > 3 { S[()] = X[i]; } }", "write the same element of `S`"),
        ("for parallel i in 0..n { let k = i * 0; Y[k] = X[i]; }", "write the same element of `Y`"),
        ("for parallel i in 1..n { Y[min(i, 1)] = X[i]; }", "write the same element of `Y`"),
        ("for k in I[0]..n { for parallel i in 0..n { Y[k] = X[i]; } }", "write the same element of `Y`"),
        (
            "for parallel i in 0..n { for j in 0..m { Y[i * 2 + j * 2] = 0.0; } }",
            "write the same element of `Y`",
        ),
        ("for parallel i in 0..n { Y[i // 2] = X[i]; }", None),
    ],
)
def test_TIR_15_races(statements: str, what: str | None) -> None:
    told = races(statements)
    if what is None:
        assert told == []
        return
    assert (
        told[0].message
        == f"two iterations of the parallel loop over `{told[0].message.split('`')[1]}` {what}"
    )


def test_TIR_15_a_race_between_two_nests() -> None:
    told = races(
        "for parallel i in 0..n - 1 { for j in 0..m { P[i, j] = 0.0; } for k in 0..m { Y[i] = P[i + 1, k]; } }"
    )
    assert [one.message.partition("over `i` ")[2] for one in told] == [
        "meet in `P`: one reads what the other writes"
    ]


@pytest.mark.parametrize(
    "statements",
    [
        "for parallel i in 0..n { Y[i] = X[i]; }",
        "for parallel i in 0..n { Y[n - 1 - i] = Y[n - 1 - i] + 1.0; }",
        "for parallel i in 0..n { for j in 0..m { Y[i] += P[i, j]; } }",
        "for i in 0..n { for parallel j in 0..m { P[i, j] = P[i, j] * 2.0; } S[()] = X[i]; }",
        "for i in 0..n { S[()] = X[i]; }",
        "for vectorized i in 0..n { S[()] = X[i]; }",
        "for parallel i in 0..n { alloc T: Buffer[(), float32]; T[()] = X[i]; Y[i] = T[()]; }",
        "for parallel i in 0..n { if i == 3 { S[()] = X[i]; } }",
        "for parallel i in 0..n { Y[I[i]] = X[i]; }",
        "for parallel i in 0..1 { S[()] = X[i]; }",
        "for k in 0..n { for parallel i in k..1 { S[()] = X[i]; } }",
        "for parallel i in 0..n { Y[i] = X[0] + S[()]; }",
        "for parallel i in 0..2 { Y[i] = Y[i + 2]; }",
        "for parallel i in 0..n { for j in 0..2 { Y[i * 2 + j] = 0.0; } }",
        "for parallel i in 0..n { for j in 0..i { S[()] = X[j]; } }",
        'for parallel i in 0..n { call_extern("f", Y); }',
    ],
)
def test_TIR_15_no_race_that_is_proved(statements: str) -> None:
    assert races(statements) == []


def test_TIR_15_the_loop_is_put_in_order() -> None:
    text = f"prim_func @f({HEAD}) {{ for parallel i in 0..n {{ S[()] = X[i]; }} }}"
    (diagnostic,) = races("for parallel i in 0..n { S[()] = X[i]; }")
    (edit,) = diagnostic.fixes[0].edits
    assert (text[: edit.pos] + edit.text + text[edit.end :]).endswith("{ for i in 0..n { S[()] = X[i]; } }")
    assert diagnostic.notes == ["iteration `i + 1` writes the `S[()]` of iteration `i`"]


def meet(nest: Nest, load: list[str] | None, env: dict[str, int]) -> bool:
    """Tell whether two iterations of the first loop meet in one element, one of them writing."""
    name = nest.loops[0][0]
    written: dict[tuple[int, ...], set[int]] = {}
    read: dict[tuple[int, ...], set[int]] = {}
    reading = Nest(nest.loops, nest.guards, load, nest.dims) if load else None
    for iteration in nest.iterations(env):
        written.setdefault(nest.element(iteration), set()).add(iteration[name])
        if reading is not None:
            read.setdefault(reading.element(iteration), set()).add(iteration[name])
    return any(len(those | read.get(element, set())) > 1 for element, those in written.items())


@settings(max_examples=250, deadline=None)
@given(nests(guarded=False, kind="parallel"), st.data())
def test_TIR_15_what_is_told_is_a_race(nest: Nest, data) -> None:
    names = [one[0] for one in nest.loops]
    load = None
    if data.draw(st.booleans()):
        load = [
            data.draw(st.sampled_from([index, f"{index} + 1", f"{index} - 1", *names]))
            for index in nest.indices
        ]
    value = f"X[{', '.join(load)}]" if load else "1.0"
    text = nest.program(f"X[{{0}}] = {value};").replace("R[0] = 1; ", "")
    told = [one for one in Report(prim_func(text)).diagnostics if one.slug == "tir-race"]
    if told:
        # The loops may have to run a few times, so that large sizes count.
        assert any(meet(nest, load, env) for env in ({"n": 7, "m": 6, "v": 1}, {"n": 6, "m": 9, "v": 1})), (
            text
        )


@settings(max_examples=100, deadline=None)
@given(nests(guarded=False, affine=True, kind="parallel"))
def test_TIR_15_equal_elements_are_found_where_no_index_depends_on_the_loop(nest: Nest) -> None:
    text = nest.program("X[{0}] = 1.0;").replace("R[0] = 1; ", "")
    told = any(one.slug == "tir-race" for one in Report(prim_func(text)).diagnostics)
    env = {"n": 3, "m": 4, "v": 0}
    if told:
        assert meet(nest, None, env), text
    elif all("i" not in index for index in nest.indices):
        assert not meet(nest, None, env), text


def test_proofs_by_cases_have_a_budget(monkeypatch) -> None:
    """Fifty constraints, of which each case leaves as many: three thousand assumptions before there was one."""
    assumed: list[object] = []
    assume = case_split.assume
    monkeypatch.setattr(case_split, "assume", lambda *args: assumed.append(args) or assume(*args))
    assert not slugs(
        "prim_func @f(A: Buffer[(n, max(n, n)), float32], B: Buffer[(n, n, n // 2, n + n), bool], s: int64) {"
        " for parallel i, j, k in grid(n, n, 2) { for p in 1..n { for q in 0..max(n, n) { for r in 0..n // 2 {"
        " block b (u = opaque(q), v = scan(r, 0..n // 2), w = spatial(k)) {"
        " B[max(min(p | 5, n - 1), 0), n - 1 - p, min(r + 1, n // 2 - 1), 0] ="
        " !B[max(min(i, n - 1), 0), i, v, select(s <= p, n + p, n + p) % (n + n)];"
        " A[p, min(u + 1, max(n, n) - 1)] -= A[u % (n), min(u + 1, max(n, n) - 1)];"
        " B[i, (p + 1) % (n), (v + 1) % (n // 2), k % (n + n)] ="
        " B[n - 1 - p, n - 1 - p, (v + 1) % (n // 2), (u / (abs(u) + 1) >> 3) % (n + n)]"
        " || B[j, n - 1 - p, u - k, max(min(p, n + n - 1), 0)]"
        " || B[j, i, max(min(k, n // 2 - 1), 0), max(min(u, n + n - 1), 0)]; } } } } } }"
    )
    assert 0 < len(assumed) < 1_000
