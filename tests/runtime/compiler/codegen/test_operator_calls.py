"""Operators in compiled programs: with shapes written out, where plans are made while the program is compiled, and with
names for all extents, where they are made at the first call. [X.9.1] [OP.9]
"""

from __future__ import annotations

import re
import tracemalloc
from typing import Any

import numpy as np
import pytest

from relax_lang.ops.calls.call_cache import bind
from relax_lang.ops.core.operator import Operator
from relax_lang.ops.core.signature import show_value
from relax_lang.values import RunFailure, ShapeValue
from tests.ops.calls.test_specialized_kernels import PLANNED, others, outcome, same
from tests.ops.strategies import spoil
from tests.ops.test_reference import drawn
from tests.runtime.compiler.support import code_of
from tests.runtime.harness import failure_of, run_text, session_of

SEEDS = 6


class Text:
    """A program with one call of an operator; its tensors are the parameters."""

    def __init__(self, operator: Operator, args: list[Any], attrs: dict[str, Any], named: bool) -> None:
        self._named = named
        self.params: list[str] = []
        self.tensors: list[Any] = []
        given = [self._atom(arg) for arg in args] + [
            f"{key}={show_value(each)}" for key, each in attrs.items()
        ]
        call = f"{operator.name}({', '.join(given)})"
        self.text = f"def @main({', '.join(self.params)}) {{\n  let y = {call};\n  y\n}}\n"

    def _atom(self, arg: Any) -> str:
        if isinstance(arg, np.ndarray):
            at = len(self.tensors)
            self.tensors.append(arg)
            sizes = [f"n{at}_{axis}, " if self._named else f"{size}, " for axis, size in enumerate(arg.shape)]
            self.params.append(f"x{at}: Tensor[({''.join(sizes)}), {arg.dtype.name}]")
            return f"x{at}"
        if arg is None:
            return "()"
        if isinstance(arg, tuple):
            return f"({''.join([self._atom(field) + ', ' for field in arg])})" if arg else "()"
        return repr(arg) if isinstance(arg, ShapeValue) else show_value(arg)


def _can_be_written(operator: Operator, args: list[Any]) -> bool:
    """Tell whether all arguments are of their kind: a number where a tensor belongs is a tensor in a program."""
    for param, arg in zip(operator.params, args, strict=False):
        fields = arg if isinstance(arg, tuple) else (arg,)
        scalars = [field for field in fields if isinstance(field, bool | int | float)]
        if arg is not None and bool(scalars) != (param.kind in ("prim", "prims")) and fields:
            return False
    return len(args) <= len(operator.params)


def _session_outcome(text: str, tensors: list[Any]) -> Any:
    try:
        return session_of(text).call("main", tensors)
    except RunFailure as failure:
        return failure


@pytest.mark.parametrize("named", [False, True], ids=["written", "named"])
@pytest.mark.parametrize("operator", PLANNED, ids=repr)
def test_X_9_1_compiled_as_called(operator: Operator, named: bool) -> None:
    for seed in range(SEEDS):
        draw, (args, attrs) = drawn(operator, seed)
        if seed % 2:
            args, attrs = spoil(draw, operator, args, attrs)
        try:
            call = bind(operator, operator.options(attrs))
            operator.check_arity(len(args))
        except RunFailure:
            continue
        if not _can_be_written(operator, args):
            continue
        text = Text(operator, args, attrs, named)
        for given in (args, [others(draw, arg) for arg in args]):
            expected = outcome(call, given)
            found = _session_outcome(text.text, Text(operator, given, attrs, named).tensors)
            if isinstance(expected, RunFailure):
                assert isinstance(found, RunFailure), text.text
                assert (found.slug, found.message) == (expected.slug, expected.message), text.text
                assert found.node is not None
            else:
                same(found, expected)


STATIC = "def @main(x: Tensor[(4, 6), float32]) {{ {} }}"


def test_X_9_1_what_is_known_is_not_looked_at() -> None:
    code = code_of(STATIC.format("let a = tile(x, repeats=[2, 1]); let b = tile(a, repeats=[2, 1]); b"))
    assert re.search(r"a = tile\(x\)\n.*b = tile_1\(a\)", code, re.DOTALL)


def test_X_9_1_the_target_of_a_reshape() -> None:
    code = code_of(
        "def @main(x: Tensor[(4, 6), float32], y: Tensor[(n, 4), float32]) {"
        " let a = reshape(x, shape(2, -1)); let b = reshape(y, shape(-1, n)); let c = reshape(y, shape(n * 2, 2));"
        " (a, b, c) }"
    )
    assert "reshape_2(y, ((n * 2), 2), n)" in code
    assert "interpret(" not in code
    x, y = np.arange(24, dtype=np.float32).reshape(4, 6), np.arange(12, dtype=np.float32).reshape(3, 4)
    text = (
        "def @main(x: Tensor[(4, 6), float32], y: Tensor[(n, 4), float32]) {"
        " let a = reshape(x, shape(2, -1)); let b = reshape(y, shape(-1, n)); let c = reshape(y, shape(n * 2, 2));"
        " (a, b, c) }"
    )
    a, b, c = run_text(text, x, y)
    assert (a.shape, b.shape, c.shape) == ((2, 12), (4, 3), (6, 2))


@pytest.mark.parametrize("size", ["4", "n"])
def test_X_O5_the_limit_holds_for_plans(size: str) -> None:
    text = f"def @main(x: Tensor[({size},), float32]) {{ tile(x, repeats=[100000]) }}"
    x = np.zeros(4, np.float32)
    limit = 1_000_000
    failures = [failure_of(text, x, engine=engine, max_bytes=limit) for engine in ("compiled", "interpreter")]
    assert [failure.slug for failure in failures] == ["out-of-memory"] * 2
    assert failures[0].message == failures[1].message
    assert failures[0].node is not None
    assert run_text(text, x, max_bytes=limit * 2).shape == (400_000,)


@pytest.mark.parametrize("call", ["tril(x, k=true)", "eye(3, k=true)", "eye(3, 3, true)", "triu(x, k=1.5)"])
def test_OP_3_a_number_of_another_kind_is_refused(call: str) -> None:
    x = np.zeros((4, 6), np.float32)
    failures = [failure_of(STATIC.format(call), x, engine=engine) for engine in ("compiled", "interpreter")]
    assert [failure.slug for failure in failures] == ["op-argument"] * 2
    assert failures[0].message == failures[1].message


@pytest.mark.parametrize(
    "call",
    [
        "image.resize2d(x, shape(1000000000, 1))",
        "nn.adaptive_avg_pool2d(x, output_size=[1000000000, 1])",
        "nn.pad(x, pad_width=[0, 0, 0, 0, 0, 1000000000, 0, 0])",
    ],
)
def test_X_O5_nothing_large_is_made_before_it_is_needed(call: str) -> None:
    text = f"def @main(x: Tensor[(1, 1, 1, 1), float32], p: Tensor[(), bool]) {{ if p {{ {call} }} else {{ x }} }}"
    x = np.zeros((1, 1, 1, 1), np.float32)
    tracemalloc.start()
    try:
        assert run_text(text, x, np.array(False)).shape == x.shape
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()
    assert failure_of(text, x, np.array(True), max_bytes=1 << 20).slug == "out-of-memory"


def test_a_plan_that_is_refused_ends_the_program_when_it_gets_there() -> None:
    written: list[str] = []
    text = STATIC.format("print(1); nn.pad(x, pad_width=[1, 1])")
    failure = failure_of(text, np.zeros((4, 6), np.float32), write=written.append)
    assert failure.slug == "op-attribute"
    assert written == ["1\n"]
