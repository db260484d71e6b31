"""Programs that are large in some way: no exception, no hang. [Y.9] [D.13]"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.check.infer.harness import check

DOUBLE = "def @double(a: Tensor[(n,), float32]) -> Tensor[(n + n,), float32] { concat((a, a), axis=0) }\n"
SQUARE = (
    "def @square(a: Tensor[(n,), float32]) -> Tensor[(n * n + 1,), float32] "
    "{ zeros(shape(n * n + 1), dtype=float32) }\n"
)
BETWEEN = (
    "def @between(a: Tensor[(n, m), float32]) -> Tensor[(min(n, m) + 1, max(n, m + 2)), float32] "
    "{ zeros(shape(min(n, m) + 1, max(n, m + 2)), dtype=float32) }\n"
)


def chain(step: str, times: int, rank: int = 1, head: str = "") -> str:
    """Return a program of steps, each from the value of the one before, whose result does not fit."""
    dims = "k, " if rank == 1 else "k, j"
    lines = [f"let x{i + 1} = {step.format(f'x{i}')};" for i in range(times)]
    start = f"def @main(x0: Tensor[({dims}), float32]) -> Tensor[({dims}), float32] {{"
    return head + "\n".join([start, *lines, f"x{times} }}"])


@pytest.mark.parametrize(
    "program",
    [
        lambda times: chain("@double({0})", times, head=DOUBLE),
        lambda times: chain("@square({0})", times, head=SQUARE),
        lambda times: chain("@between({0})", times, 2, BETWEEN),
        lambda times: chain("concat(({0}, {0}), axis=0)", times),
        lambda times: chain("flatten(expand_dims({0}, axis=0) * expand_dims({0}, axis=1))", times),
    ],
    ids=["double", "square", "between", "concat", "outer"],
)
@pytest.mark.parametrize("times", [12, 70, 400])
def test_D_13_dimensions_that_grow(program: Callable[[int], str], times: int) -> None:
    # Without bounds it would take longer than the universe lasts.
    found = check(program(times)).diagnostics
    assert found
    assert max(len(one.message) for one in found) < 10_000


def pairs(count: int, result: str, name: str = "p") -> str:
    lines = [f"let {name}{i + 1} = ({name}{i}, {name}{i});" for i in range(count)]
    return "\n".join([f"def @main(x: Tensor[(n,), float32]) {{ let {name}0 = (x, x);", *lines, result, "}"])


@pytest.mark.parametrize("result", ["p20000", "p20000[0]", "(p19999, x)"])
def test_Y_9_D_4_infos_as_deep_as_the_program_is_long(result: str) -> None:
    assert check(pairs(20_000, result)).diagnostics == []


def test_E_10_infos_that_share_parts() -> None:
    text = pairs(300, "let z = p300[1]; let y: Object = z; @same(z)")
    head = (
        "def @same(a: Object) -> Object { a }\ndef @again(x: Tensor[(k,), float32]) { let r = @main(x); r }\n"
    )
    assert check(head + text).diagnostics == []
    (one,) = check(text.replace("@same(z)", "let w: Tensor = z; w")).diagnostics
    assert one.slug == "annotation-mismatch"
    assert len(one.message) < 1_000


def test_many_parameters_and_functions() -> None:
    count = 1_000
    params = ", ".join([f"a{i}: Tensor[(n{i}, n{(i + 1) % count}), float32]" for i in range(count)])
    call = f"def @main(x: Tensor[(m, m), float32]) {{ @wide({', '.join(['x'] * count)}) }}"
    assert check(f"def @wide({params}) {{ matmul(a0, a1) }}\n{call}").diagnostics == []
    functions = [f"def @f{i}(x: Tensor[(n,), float32]) {{ @f{i + 1}(x) }}" for i in range(3_000)]
    text = "\n".join([*functions, "def @f3000(x: Tensor[(n,), float32]) { exp(x) }"])
    assert check(text).diagnostics == []
