"""Results as a person reads them."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.runtime.values.display import show_value
from relax_lang.values import PackedFunc, ShapeValue
from tests.runtime.harness import body, f32, run_text


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        (np.asarray(7), ["Tensor[(), int64] 7"]),
        (np.arange(3, dtype=np.int32), ["Tensor[(3,), int32] [0 1 2]"]),
        (np.arange(360) % 10, ["Tensor[(360,), int64] [0 1 2 ... 7 8 9]"]),
        (f32(2, 3), ["Tensor[(2, 3), float32]", "  [[0. 1. 2.]", "   [3. 4. 5.]]"]),
        (np.zeros((0, 3), np.float32), ["Tensor[(0, 3), float32] []"]),
        (ShapeValue((2, 3)), ["shape(2, 3)"]),
        ((), ["()"]),
        (PackedFunc("my.f", print), ['extern "my.f"']),
        (3, ["Object (int)"]),
        (
            (ShapeValue((1,)), (f32(1), ())),
            [
                "tuple of 2",
                "  [0] shape(1)",
                "  [1] tuple of 2",
                "    [0] Tensor[(1,), float32] [0.]",
                "    [1] ()",
            ],
        ),
    ],
)
def test_summary(value: object, lines: list[str]) -> None:
    assert show_value(value) == lines


def test_closures_show_their_type() -> None:
    value = run_text(body("fn (a: Tensor[(n,), float32]) -> Shape { shape(n) }"))
    assert show_value(value) == ["fn(Tensor[(n,), float32]) -> Shape"]


def test_full_prints_everything() -> None:
    lines = show_value(np.arange(1000), "full")
    assert "..." not in " ".join(lines)
    assert " ".join(lines).split()[-1] == "999]"
    assert max(map(len, lines)) <= 100
    assert len(show_value(tuple(range(100)), "full")) == 101


def test_none_prints_nothing() -> None:
    assert show_value(f32(2), "none") == []


def test_long_tuples_are_cut() -> None:
    lines = show_value(tuple(range(100)))
    assert lines[0] == "tuple of 100"
    assert lines[-1] == "  ... 84 more"


@pytest.mark.parametrize("mode", ["summary", "full"])
def test_deep_tuples_are_no_problem(mode: str) -> None:
    value: object = ()
    for _ in range(3_000):
        value = (value,)
    assert show_value(value, mode)[0] == "tuple of 1"


def test_objects_are_never_asked_for_their_repr() -> None:
    class Rude:
        def __repr__(self) -> str:
            raise AssertionError

    assert show_value(Rude())[0].startswith("Object (")
