"""Results of `call_tir`: written, wholly, and not read before. [O.2] [O.4] [TIR.20]"""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from relax_lang import api
from relax_lang.base.diagnostic import Diagnostic
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.tir.check.driver import Report
from tests.tir.random_programs.nests.small_nests import Nest, nests
from tests.tir.support import prim_func

HEAD = "prim_func @p(X: Buffer[(n, 4), float32], C: Buffer[(), bool], Y: Buffer[(n, 4), float32])"
MAIN = (
    "def @main(x: Tensor[(n, 4), float32], c: Tensor[(), bool]) -> Tensor[(n, 4), float32] "
    "{{ {}call_tir(@p, (x, c)) -> Tensor[(n, 4), float32] }}"
)
USE = 'assert C[()] || X[0, 0] > 0.0, "";'


def found(body: str, before: str = "") -> list[Diagnostic]:
    text = f"{HEAD} {{ {USE} {body} }}\n{MAIN.format(before)}"
    return check_source(SourceFile(text)).diagnostics


def slugs(body: str) -> list[str]:
    return [one.slug for one in found(body)]


FILL = "for i, j in grid(n, 4) { Y[i, j] = X[i, j]; }"


@pytest.mark.parametrize(
    "body",
    [
        FILL,
        'call_extern("fill", X, Y);',
        "for i, j in grid(n, 4) { if C[()] { Y[i, j] = X[i, j]; } else { Y[i, j] = 0.0; } }",
        "for i, j in grid(n, 4) { Y[n - 1 - i, 3 - j] = X[i, j]; }",
        "for i, j in grid(n, 2) { Y[i, j] = X[i, j]; Y[i, j + 2] = X[i, j]; }",
        "for i in 0..n * 4 { Y[i // 4, i % 4] = 1.0; }",
        "for i, j in grid(n, 4) { Y[i, cast(X[i, j], int64)] = 1.0; }",
        "for i, j in grid(n, 4) { block b (v = spatial(i), w = spatial(j)) { Y[v, w] = X[v, w]; } }",
        "for i, j in grid((n + 3) // 4 * 4, 4) { if i < n { Y[i, j] = X[i, j]; } }",
        f"{FILL} for i in 1..n {{ Y[i, 0] += Y[i - 1, 0]; }}",
        "for i, j in grid(n, 4) { Y[i, j] = X[i, j]; Y[i, j] *= 2.0; }",
        (
            "for i, j in grid(n, 4) { for k in 0..i // 8 { block b (v = spatial(i), w = spatial(j), r = reduce(k)) {"
            " init { Y[v, w] = 0.0; } Y[v, w] += X[v, r]; } } }"
        ),
    ],
)
def test_O_4_results_that_are_written(body: str) -> None:
    assert slugs(body) == []


@pytest.mark.parametrize("body", ["", 'alloc Y: Buffer[(1,), float32]; Y[0] = 1.0; assert Y[0] > 0.0, "";'])
def test_O_4_a_result_that_nobody_writes(body: str) -> None:
    (diagnostic,) = found(body)
    assert (diagnostic.slug, diagnostic.severity) == ("tir-output-not-written", "error")
    assert diagnostic.message == "`@p` never writes `Y`, a result of this call"
    assert [label.message for label in diagnostic.labels] == ["never stored to"]


@pytest.mark.parametrize(
    ("body", "element"),
    [
        ("for i in 0..n { Y[i, 0] = 1.0; }", "Y[n - 1, 3]"),
        ("for i, j in grid(n - 1, 4) { Y[i, j] = X[i, j]; }", "Y[n - 1, 3]"),
        ("for i, j in grid(n, 3) { Y[i, j + 1] = X[i, j]; }", "Y[0, 0]"),
        ("for i, j in grid(n, 4) { if i > 0 { Y[i, j] = X[i, j]; } }", "Y[0, 0]"),
        ("for i, j in grid(n, 2) { Y[i, j] = 1.0; Y[i, j + 1] = 1.0; }", "Y[n - 1, 3]"),
        ("for i, j in grid(n, 4) { if i + j < n { Y[i, j] = 1.0; } }", "Y[n - 1, 3]"),
    ],
)
def test_O_4_a_result_that_is_partly_written(body: str, element: str) -> None:
    (diagnostic,) = found(body)
    assert (diagnostic.slug, diagnostic.severity) == ("tir-output-partly-written", "warning")
    assert diagnostic.message == f"`@p` never writes `{element}`, an element of a result of this call"


def test_O_2_a_result_that_is_read_first() -> None:
    (diagnostic,) = found("for i, j in grid(n, 4) { Y[i, j] += X[i, j]; }")
    assert diagnostic.slug == "tir-uninitialized-read"
    assert [label.message for label in diagnostic.labels] == [
        "a result: its contents are undefined at first",
        "made by this call",
    ]


def test_Z_5_a_reduction_without_start_is_told_once() -> None:
    body = "for i, j in grid(n, 4) { block b (v = spatial(i), w = spatial(j), r = reduce(0)) { Y[v, w] += X[v, w]; } }"
    assert slugs(body) == ["tir-reduce-without-init"]


def test_Z_5_many_calls_of_one_prim_func_tell_it_once() -> None:
    before = "call_tir(@p, (x, c)) -> Tensor[(n, 4), float32]; " * 3
    assert [one.slug for one in found("", before)] == ["tir-output-not-written"]


def test_O_4_in_place_calls_make_no_results() -> None:
    text = (
        f"{HEAD} {{ {USE} for i in 0..n {{ Y[i, 0] += X[i, 0]; }} }}\n"
        "impure def @main(x: Tensor[(n, 4), float32], c: Tensor[(), bool]) -> Object "
        "{ call_tir_inplace(@p, (x, c, x), inplace_indices=[2]) -> Tensor[(n, 4), float32] }"
    )
    assert [
        one.slug for one in check_source(SourceFile(text)).diagnostics if one.slug.startswith("tir-")
    ] == []


@settings(max_examples=150, deadline=None)
@given(nests())
def test_TIR_20_an_element_that_is_told_is_never_written(nest: Nest) -> None:
    func = prim_func(nest.program("X[{0}] = 1.0;").replace("R[0] = 1; ", ""))
    element = Report(func).unwritten_element(func.params[-1])
    if element is None:
        return
    parts = element.removeprefix("X[").removesuffix("]").split(", ")
    for env in nest.sizes():
        place = tuple(eval(part, {}, env) for part in parts)
        exists = all(0 <= at < size for at, size in zip(place, nest.shape(env), strict=True))
        for iteration in nest.iterations(env) if exists else ():
            assert not nest.reached(iteration) or nest.element(iteration) != place, (env, nest)


@pytest.mark.parametrize(
    ("body", "reported"),
    [
        ("for i in 0..n { let y = X[i] * 2.0; }", True),
        ("alloc T: Buffer[(n,), float32]; for i in 0..n { T[i] = X[i]; }", True),
        ("for i in 0..n { Y[i] = X[i]; }", False),
        ("for i in 0..n { X[i] += 1.0; }", False),
        ('assert n > 1, "too small";', False),
        ('call_extern("f", X[0]);', False),
        ("while X[0] > 1.0 { let y = X[0]; }", False),
        ("", False),
    ],
)
def test_TIR_20_statements_without_effect(body: str, reported: bool) -> None:
    text = f"prim_func @k(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {{\n  {body}\n}}\n"
    assert ("tir-no-effect" in [one.slug for one in api.check(text).diagnostics]) == reported


def test_Z_5_a_call_that_misses_its_result_says_it_all() -> None:
    text = (
        "prim_func @k(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) { for i in 0..n { let y = X[i]; } }\n"
        "def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] "
        "{ call_tir(@k, (x,)) -> Tensor[(n,), float32] }\n"
    )
    slugs = [one.slug for one in api.check(text).diagnostics if one.severity != "hint"]
    assert "tir-output-not-written" in slugs
    assert "tir-no-effect" not in slugs


@pytest.mark.parametrize(
    ("body", "reported"),
    [
        ("alloc T: Buffer[(8,), float32]; for i in 0..4 { T[2 * i] = 1.0; } Y[0] = T[1];", "T[1]"),
        ("alloc T: Buffer[(2 * n,), float32]; for i in 0..n { T[2 * i] = 1.0; } Y[0] = T[1];", "T[1]"),
        (
            "alloc T: Buffer[(9,), float32]; for i, j in grid(2, 2) { T[6 * i + 3 * j] = 1.0; } Y[0] = T[4];",
            "T[4]",
        ),
        (
            "alloc T: Buffer[(9,), float32]; for i, j in grid(2, 2) { T[6 * i + 3 * j] = 1.0; } Y[0] = T[6];",
            None,
        ),
        (
            "alloc T: Buffer[(8,), float32]; for i in 0..4 { T[2 * i] = 1.0; T[2 * i + 1] = 0.0; } Y[0] = T[1];",
            None,
        ),
        ("alloc T: Buffer[(8,), float32]; for i in 0..8 { T[i * i % 8] = 1.0; } Y[0] = T[2];", None),
    ],
)
def test_TIR_18_elements_that_a_stride_leaves_out(body: str, reported: str | None) -> None:
    text = f"prim_func @k(X: Buffer[(n,), float32], Y: Buffer[(1,), float32]) {{\n  {body}\n}}\n"
    read = [one for one in api.check(text).diagnostics if one.slug == "tir-uninitialized-read"]
    assert [one.message for one in read] == (
        [] if reported is None else [f"`{reported}` is read before anything was stored to it"]
    )


@pytest.mark.parametrize(
    ("dims", "loops", "index", "reported"),
    [
        ("2 * n + 1", "i in 0..n + 1", "2 * i", "Y[1]"),
        ("n, 3 * n + 1", "i, j in grid(n, n + 1)", "i, 3 * j", "Y[0, 1]"),
        ("2 * n + 1", "i in 0..2 * n + 1", "i", None),
    ],
)
def test_TIR_20_a_result_of_which_stores_step_over_elements(
    dims: str, loops: str, index: str, reported: str | None
) -> None:
    shape = f"({dims}{'' if ',' in dims else ','}), float32"
    text = (
        f"prim_func @k(X: Buffer[(n,), float32], Y: Buffer[{shape}]) {{ for {loops} {{ Y[{index}] = 0.0; }} }}\n"
        f"def @main(x: Tensor[(n,), float32]) -> Tensor[{shape}] {{ call_tir(@k, (x,)) -> Tensor[{shape}] }}\n"
    )
    partly = [one for one in api.check(text).diagnostics if one.slug == "tir-output-partly-written"]
    assert [f"`{reported}`" in one.message for one in partly] == ([] if reported is None else [True])
