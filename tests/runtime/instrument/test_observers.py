"""Watching a program run: what observers are told, and what they make of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.base.source import SourceFile
from relax_lang.runtime.instrument.nan_check import Finite
from relax_lang.runtime.instrument.observer import Instrumentation, Observer
from relax_lang.runtime.instrument.profile import Profile
from relax_lang.runtime.instrument.recording import Compare, SaveAll, difference
from relax_lang.runtime.instrument.statistics import Statistics, is_finite
from relax_lang.runtime.instrument.trace import Trace, duration, summary
from relax_lang.values import ShapeValue
from tests.runtime.harness import diagnostic_of, run_text

TEXT = """
def @half(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
  let y = x * 0.5;
  log(y)
}
def @main(x: Tensor[(n,), float32]) {
  let a = @half(x);
  let t = (a, shape(n));
  print(a);
  let b = @half(a);
  (b, t)
}
"""
ONES = np.array([2, 8], np.float32)


class Keys(Observer):
    def __init__(self) -> None:
        self.keys: list[str] = []
        self.depths: list[int] = []

    def bound(self, moment: Any, value: object, scope: Any) -> None:
        assert moment.took >= 0
        assert moment.ended >= moment.began
        self.keys.append(moment.key)
        self.depths.append(moment.depth)


def watched(observer: Observer, text: str = TEXT, *args: object) -> Any:
    return run_text(text, *(args or (ONES,)), watch=Instrumentation([observer]), write=lambda _: None)


def test_X_10_every_binding_is_told_once_in_the_order_of_evaluation():
    keys = Keys()
    watched(keys)
    assert keys.keys == [
        "half.y",
        "half.gv",
        "main.a",
        "main.t",
        "main._",
        "half.y#2",
        "half.gv#2",
        "main.b",
    ]
    assert keys.depths == [1, 1, 0, 0, 0, 1, 1, 0]


def test_watching_changes_no_value():
    (b, (a, n)) = watched(Keys())
    (b2, (a2, n2)) = run_text(TEXT, ONES, write=lambda _: None)
    np.testing.assert_array_equal(b, b2)
    np.testing.assert_array_equal(a, a2)
    assert n == n2


def test_trace_has_a_line_for_each_binding():
    lines: list[str] = []
    watched(Trace(SourceFile(TEXT, "t.rlx"), lines.append))
    assert len(lines) == 8
    assert lines[0].startswith("    3    y: Tensor[(2,), float32]  min 1 mean 2.5 max 4  [")
    assert lines[3].startswith("    8  t: (Tensor[(2,), float32], shape(2))  [")
    assert "inf 1" in lines[6]  # the logarithm of 0


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (np.array([1, 2, 6], np.int32), "min 1 mean 3 max 6"),
        (np.array([True, False]), "min false mean 0.5 max true"),
        (np.array([], np.float32), "empty"),
        (np.array([np.nan, np.inf, -np.inf, 4], np.float32), "min 4 mean 4 max 4, nan 1, inf 2"),
        (np.array([np.nan], np.float16), "nan 1"),
        (np.array(60000, np.float16), "min 6e+04 mean 6e+04 max 6e+04"),
    ],
)
def test_statistics(value: Any, shown: str):
    assert str(Statistics(value)) == shown


def test_statistics_of_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    value = np.array([1.0, np.inf, np.nan], ml_dtypes.bfloat16)
    assert str(Statistics(value)) == "min 1 mean 1 max 1, nan 1, inf 1"
    assert not is_finite(value)
    assert is_finite(value[:1])


def test_values_that_are_no_tensors_are_described():
    assert summary(ShapeValue((2, 3))) == "shape(2, 3)"
    assert summary(()) == "()"
    assert summary((ShapeValue(()),)) == "(shape(),)"
    assert summary((1.5,) * 6).endswith("… 2 more)")


@pytest.mark.parametrize(
    ("nanoseconds", "shown"), [(900, "1 µs"), (12_345, "12 µs"), (3_400_000, "3.4 ms"), (1.2e9, "1.20 s")]
)
def test_durations(nanoseconds: int, shown: str):
    assert duration(int(nanoseconds)) == shown


def test_nan_ends_where_the_first_one_is_made_and_shows_the_operands():
    found = diagnostic_of(
        TEXT, np.array([8, 1], np.float32), watch=Instrumentation([Finite()]), write=lambda _: None
    )
    assert found.slug == "not-finite"
    assert found.message == "log makes 1 nan of 2 elements out of finite operands"
    first, operand = found.notes[0].splitlines()
    assert first.startswith("first at [1]: nan, where y = -0.346573")
    assert operand == "`y`: Tensor[(2,), float32]  min -0.3466 mean 0.1733 max 0.6931"
    assert "called from @main at line 10" in found.notes


@pytest.mark.parametrize(
    "body",
    [
        "const([nan, 1.0])",  # what the program says itself
        "let y = x * const([inf, 1.0]); y",  # not finite before
        "let y = (x, x); y[0]",
        "let y = astype(x, dtype=int32); y",
    ],
)
def test_nan_is_silent_about_what_is_not_made(body: str):
    run_text(f"def @main(x: Tensor[(2,), float32]) {{ {body} }}", ONES, watch=Instrumentation([Finite()]))


def test_nan_looks_into_results_of_packed_functions_and_tuples():
    text = 'def @main(x: Tensor[(2,), float32]) { let t = extern "f"((x, x)); t }'
    found = diagnostic_of(
        text,
        ONES,
        watch=Instrumentation([Finite()]),
        packed={"f": lambda t: (t[0], t[1] * np.float32(np.inf))},
    )
    assert found.message.startswith('extern "f" makes 2 infinite of 2 elements')


def test_what_was_saved_compares_equal_and_the_first_difference_ends_the_program():
    saved: dict[str, Any] = {}
    watched(SaveAll(lambda name, tensor: saved.__setitem__(name, tensor.copy())))
    assert sorted(saved) == [
        "half.gv",
        "half.gv#2",
        "half.y",
        "half.y#2",
        "main.a",
        "main.b",
        "main.t.0",
        "main.t.1",
    ]
    compare = Compare(saved)
    watched(compare)
    assert compare.compared == len(saved)
    saved["half.y#2"] = saved["half.y#2"] + 1
    found = diagnostic_of(TEXT, ONES, watch=Instrumentation([Compare(saved)]), write=lambda _: None)
    assert found.slug == "value-differs"
    assert "`y` differs from the recorded `half.y#2`: 2 of 2 elements, the first at [0]" in found.message


def test_records_may_name_bindings_without_their_function():
    compare = Compare({"a": np.log(ONES / 2)})
    watched(compare)
    assert compare.compared == 1


F32 = np.float32


@pytest.mark.parametrize(
    ("now", "before", "why"),
    [
        (np.array([1, 2]), np.array([1, 2]), ""),
        (np.array([1, 2]), np.array([1, 3]), "1 of 2 elements, the first at [1] 2, recorded 3"),
        (np.array(1, F32), np.array(1.5, F32), "it is 1.0, recorded 1.5 (allowed: 0.00015)"),
        (np.array([1e6, 1], F32), np.array([1e6, 1.5], F32), ""),  # relative to the largest
        (np.array([np.nan, np.inf], F32), np.array([np.nan, np.inf], F32), ""),
        (np.array([np.inf], F32), np.array([-np.inf], F32), "it is at [0] inf, recorded -inf (allowed: 0)"),
        (np.array([np.nan], F32), np.array([1], F32), "it is at [0] nan, recorded 1.0 (allowed: 0.0001)"),
        (np.ones(2, F32), np.ones(3, F32), "Tensor[(2,), float32], recorded Tensor[(3,), float32]"),
        (np.ones(2, F32), np.ones(2), "Tensor[(2,), float32], recorded Tensor[(2,), float64]"),
        (np.ones(0, F32), np.ones(0, F32), ""),
    ],
)
def test_differences(now: Any, before: Any, why: str):
    assert difference(now, before) == why


def test_profile_adds_up_and_keeps_events():
    profile = Profile(SourceFile(TEXT, "t.rlx"), keep_events=True)
    watched(profile)
    assert {name: calls for name, (calls, _) in profile.rows.items()} == {
        "multiply": 2,
        "log": 2,
        "@half": 2,
        "tuple": 1,
        "print": 1,
    }
    lines = profile.table()
    assert lines[0].split() == ["called", "calls", "time", "a", "call", "share"]
    assert len(lines) == 7
    trace: Any = profile.trace()
    events = trace["traceEvents"]
    assert len(events) == 8
    assert min(event["ts"] for event in events) == 0
    outer = next(event for event in events if event["args"]["binding"] == "main.a")
    inner = next(event for event in events if event["args"]["binding"] == "half.y")
    assert outer["ts"] <= inner["ts"]
    assert inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"] + 1e-2
    assert outer["args"] == {"binding": "main.a", "value": "Tensor[(2,), float32]", "line": 7}
