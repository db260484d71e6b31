"""Loops that stay loops: how often, what they stack, and in which memory."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx")

from onnx import helper

from relax_lang import api, from_onnx
from tests.onnx.models import BOOL, FLOAT, INT64, graph, node

info = helper.make_tensor_value_info


def sums(*, trips=None, condition="Identity"):
    """Return a loop that adds x to its state, and stacks the state and the sum of it."""
    go = node("Less", "i most", "go") if condition == "Less" else node("Identity", "c", "go")
    if condition == "false":
        go = helper.make_node("Constant", [], ["go"], value=helper.make_tensor("v", BOOL, [], [False]))
    body = helper.make_graph(
        [node("Add", "s x", "next"), go, node("ReduceSum", "next", "sum", keepdims=0)],
        "body",
        [info("i", INT64, []), info("c", BOOL, []), info("s", FLOAT, ["n"])],
        [
            info("go", BOOL, []),
            info("next", FLOAT, ["n"]),
            info("next", FLOAT, ["n"]),
            info("sum", FLOAT, []),
        ],
    )
    weights = {
        "true": np.array(True),
        "most": np.array(11),
        **({} if trips is None else {"trips": np.array(trips)}),
    }
    inputs = [("x", FLOAT, ["n"]), *([("trips", INT64, [])] if trips is None else [])]
    loop = node("Loop", "trips true x", "last rows sums", body=body)
    return graph([loop], inputs, [("last", FLOAT), ("rows", FLOAT), ("sums", FLOAT)], weights)


def holds(found, x, trips):
    last, rows, totals = found
    expected = np.arange(2, trips + 2, dtype=np.float32)[:, None] * x
    np.testing.assert_array_equal(last, x * (trips + 1))
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_array_equal(totals, expected.sum(1))


def test_rows_are_written_into_what_has_the_final_size():
    module = from_onnx(sums(trips=20))
    assert module.warnings == []
    text = module.source.text
    assert text.count("call_tir_inplace(") == 2
    assert "concat" not in text
    assert ": Tensor[(20, n), float32]" in text
    assert "-> (Tensor[(n,), float32], Tensor[(20, n), float32], Tensor[(20,), float32])" in text
    for x in (np.array([1, 2], np.float32), np.array([3], np.float32)):
        holds(module.main(x), x, 20)
        first = module.main(x)
        holds(module.main(x * 2), x * 2, 20)
        holds(first, x, 20)  # each call has arrays of its own
        holds(api.run(module.source, x, engine="interpreter"), x, 20)


@pytest.mark.parametrize("trips", [0, 1, 3_000])
def test_a_number_of_rounds_that_follows_from_data(trips):
    module = from_onnx(sums())
    x = np.array([1, 2], np.float32)
    assert "concat" not in module.source.text
    holds(module.main(x, np.array(trips)), x, trips)
    if trips == 0:
        holds(module.main(x, np.array(-3)), x, 0)


def test_rounds_that_a_condition_ends_are_joined_one_by_one():
    module = from_onnx(sums(condition="Less"))
    x = np.array([1, 2], np.float32)
    holds(module.main(x, np.array(30)), x, 12)
    holds(module.main(x, np.array(5)), x, 5)


def test_a_condition_that_is_false_ends_a_loop_after_its_first_round():
    x = np.array([1, 2], np.float32)
    holds(from_onnx(sums(trips=20, condition="false")).main(x), x, 1)
    holds(from_onnx(sums(condition="false")).main(x, np.array(20)), x, 1)


@pytest.mark.parametrize("kind", ["float16", "bool", "int8"])
def test_rows_of_any_dtype_and_rank(kind):
    to = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    body = helper.make_graph(
        [node("Add", "s x", "next"), node("Cast", "x", "row", to=to)],
        "body",
        [info("s", FLOAT, [2, 3]), info("x", FLOAT, [2, 3])],
        [info("next", FLOAT, [2, 3]), info("row", to, [2, 3])],
    )
    scan = node("Scan", "s x", "last rows", body=body, num_scan_inputs=1, scan_output_directions=[1])
    ports = [("s", FLOAT, [2, 3]), ("x", FLOAT, ["t", 2, 3])]
    module = from_onnx(graph([scan], ports, [("last", FLOAT), ("rows", to)]))
    assert module.warnings == []
    s, x = np.ones((2, 3), np.float32), np.arange(72, dtype=np.float32).reshape(12, 2, 3) % 5
    last, rows = module.main(s, x)
    np.testing.assert_array_equal(last, s + x.sum(0))
    np.testing.assert_array_equal(rows, x.astype(kind)[::-1])


def test_extents_that_follow_from_data_are_those_that_the_model_declares():
    body = helper.make_graph(
        [
            node("Identity", "c", "go"),
            node("Add", "i one", "end"),
            node("Unsqueeze", "i axes", "first"),
            node("Unsqueeze", "end axes", "last"),
            node("Slice", "values first last", "part"),
            node("Add", "s part", "next"),
        ],
        "body",
        [info("i", INT64, []), info("c", BOOL, []), info("s", FLOAT, [1])],
        [info("go", BOOL, []), info("next", FLOAT, [1]), info("next", FLOAT, [1])],
    )
    weights = {"one": np.array(1), "axes": np.array([0]), "values": np.arange(40, dtype=np.float32)}
    inputs = [("trips", INT64, []), ("c", BOOL, []), ("s", FLOAT, [1])]
    loop = node("Loop", "trips c s", "last rows", body=body)
    module = from_onnx(graph([loop], inputs, [("last", FLOAT), ("rows", FLOAT)], weights))
    assert module.warnings == []
    _, rows = module.main(np.array(10), np.array(True), np.array([1], np.float32))
    np.testing.assert_array_equal(rows[:, 0], 1 + np.arange(10).cumsum())
