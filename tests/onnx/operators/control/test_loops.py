"""Loops that stay loops: how often, what they stack, and in which memory."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
from onnx import helper

from relax_lang import RelaxError, api, from_onnx
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


def test_rounds_that_a_condition_ends_are_written_into_what_doubles_its_size():
    module = from_onnx(sums(condition="Less"))
    assert module.warnings == []
    assert api.format_text(module.source.text) == module.source.text
    x = np.array([1, 2], np.float32)
    holds(module.main(x, np.array(30)), x, 12)
    for trips in (0, 1, 5):
        holds(module.main(x, np.array(trips)), x, trips)
        holds(api.run(module.source, x, np.array(trips), engine="interpreter"), x, trips)


@pytest.mark.parametrize("trips", [15, 16, 17, 32, 33, 100])
def test_rows_are_copied_only_where_there_is_no_room(relax, tmp_path, trips):
    model = sums(condition="Less")
    for one in model.graph.initializer:
        if one.name == "most":
            one.CopyFrom(onnx.numpy_helper.from_array(np.array(trips - 1), "most"))
    holds(from_onnx(model).main(np.array([1, 2], np.float32), np.array(1_000)), np.array([1, 2]), trips)
    onnx.save(model, tmp_path / "m.onnx")
    words = ("run", "m.onnx", "--args", "[1.0, 2.0]", str(1_000), "--print", "none")
    assert relax(*words, "--profile", "--profile-out", "p.json").status == 0
    calls = [one["name"] for one in json.loads((tmp_path / "p.json").read_text())["traceEvents"]]
    assert calls.count("concat") == 2 * sum(size < trips for size in (16, 32, 64))


def appending(inserts=("next",), *, start=(), count=20, reads="", result="SequenceLength"):
    """Return a loop that puts what it computes at the end of a sequence, and what is done with the sequence."""
    body = helper.make_graph(
        [
            node("Add", "state x", "next"),
            node("Neg", "next", "negative"),
            node("Identity", "c", "on"),
            *([node("SequenceAt", f"list {reads}", "read")] if reads else []),
            *[
                node(
                    "SequenceInsert",
                    f"list{at or ''} {one}",
                    f"list{at + 1}" if at + 1 < len(inserts) else "longer",
                )
                for at, one in enumerate(inserts)
            ],
        ],
        "body",
        [info("i", INT64, []), info("c", BOOL, []), info("state", FLOAT, ["n"]), sequence("list")],
        [info("on", BOOL, []), info("next", FLOAT, ["n"]), sequence("longer")],
    )
    begin = node("SequenceConstruct", " ".join(start), "s") if start else node("SequenceEmpty", "", "s")
    results = {
        "SequenceLength": node("SequenceLength", "all", "y"),
        "SequenceAt": node("SequenceAt", "all at", "y"),
        "stack": node("ConcatFromSequence", "all", "y", axis=1, new_axis=1),
        "concat": node("ConcatFromSequence", "all", "y", axis=0),
    }
    weights = {"true": np.array(True), "at": np.array(-2), "zero": np.array(0)}
    ports = [("x", FLOAT, ["n"]), ("count", INT64, [])]
    if count is not None:
        weights["count"] = np.array(count)
        ports.pop()
    return graph(
        [begin, node("Loop", "count true x s", "last all", body=body), results[result]],
        ports,
        [("y", FLOAT)],
        weights,
    )


def sequence(name):
    return helper.make_tensor_sequence_value_info(name, FLOAT, None)


@pytest.mark.parametrize("start", [(), ("x",), ("x", "x")])
@pytest.mark.parametrize("inserts", [("next",), ("next", "negative")])
@pytest.mark.parametrize("trips", [3, 20, None])
def test_sequences_that_a_loop_makes_longer_are_stacked(start, inserts, trips):
    x, count = np.array([1, 2, 3], np.float32), trips or 5
    rows = [*[x for _ in start]]
    for at in range(count):
        rows += [x * (at + 2), -x * (at + 2)][: len(inserts)]
    wanted = {
        "SequenceLength": len(rows), "SequenceAt": rows[-2], "stack": np.stack(rows, 1), "concat": np.concatenate(rows),
    }  # fmt: skip
    for result, expected in wanted.items():
        module = from_onnx(appending(inserts, start=start, count=trips, result=result))
        assert module.warnings == []
        arguments = (x,) if trips else (x, np.array(count))
        np.testing.assert_array_equal(module.main(*arguments), expected)
        np.testing.assert_array_equal(api.run(module.source, *arguments, engine="interpreter"), expected)


def test_a_sequence_that_a_condition_ends_and_one_of_the_places_of_an_axis():
    """PyTorch writes `for row in x: rows.append(...)` so."""
    body = helper.make_graph(
        [node("SequenceAt", "parts i", "part"), node("ReduceSum", "part", "sum", keepdims=0),
         node("Less", "sum most", "on"), node("SequenceInsert", "list part", "longer")],
        "body",
        [info("i", INT64, []), info("c", BOOL, []), sequence("list")],
        [info("on", BOOL, []), sequence("longer")],
    )  # fmt: skip
    nodes = [
        node("SplitToSequence", "x", "parts", axis=0, keepdims=0), node("SequenceEmpty", "", "s"),
        node("SequenceLength", "parts", "count"), node("Loop", "count true s", "all", body=body),
        node("ConcatFromSequence", "all", "y", axis=0, new_axis=1),
    ]  # fmt: skip
    weights = {"true": np.array(True), "most": np.array(100, np.float32)}
    module = from_onnx(graph(nodes, [("x", FLOAT, ["n", 2])], [("y", FLOAT)], weights))
    assert module.warnings == []
    x = np.arange(80, dtype=np.float32).reshape(40, 2)
    np.testing.assert_array_equal(module.main(x), x[:26])
    np.testing.assert_array_equal(module.main(x[:7]), x[:7])
    np.testing.assert_array_equal(api.run(module.source, x, engine="interpreter"), x[:26])


def test_what_a_loop_may_not_do_with_a_sequence_is_said():
    with pytest.raises(RelaxError) as caught:
        from_onnx(appending(reads="zero"))
    assert "can only get tensors at its end; hand on as a state what a round reads" in str(caught.value)
    model = appending()
    body = model.graph.node[1].attribute[0].g
    body.node.append(node("SequenceConstruct", "next", "other"))
    body.output[2].name = "other"
    with pytest.raises(RelaxError) as caught:
        from_onnx(model)
    assert "a round of the loop replaces a sequence; it may put tensors at its end only" in str(caught.value)


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
