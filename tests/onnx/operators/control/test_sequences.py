"""Sequences of tensors that are put together and taken apart inside of a model."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import RelaxError, from_onnx
from tests.onnx.models import FLOAT, INT64, graph, node

X = np.arange(20, dtype=np.float32).reshape(4, 5)


def made(nodes, weights=(), shape=("n", 5)):
    """Return the program of nodes that compute `y` from `x`."""
    module = from_onnx(graph(nodes, [("x", FLOAT, list(shape))], [("y", FLOAT)], weights))
    assert module.warnings == []
    return module.main(X)


def number(value):
    return np.array(value, np.int64)


def test_what_was_put_in_is_taken_out():
    nodes = [
        node("Neg", "x", "a"), node("Exp", "x", "b"), node("SequenceEmpty", "", "s0"),
        node("SequenceInsert", "s0 a", "s1"), node("SequenceInsert", "s1 b", "s2"),
        node("SequenceInsert", "s2 x first", "s3"), node("SequenceInsert", "s3 x last", "s4"),
        node("SequenceErase", "s4", "s5"), node("SequenceErase", "s5 first", "s6"),
        node("SequenceAt", "s6 last", "y"),
    ]  # fmt: skip
    np.testing.assert_array_equal(made(nodes, {"first": number(0), "last": number(-1)}), X)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_tensors_are_stacked_along_a_new_axis(axis):
    nodes = [
        node("SequenceConstruct", "x x", "s"),
        node("ConcatFromSequence", "s", "y", axis=axis, new_axis=1),
    ]
    np.testing.assert_array_equal(made(nodes), np.stack([X, X], axis))


@pytest.mark.parametrize("sizes", [2, [4, 1], None])
@pytest.mark.parametrize("keepdims", [0, 1])
def test_pieces(sizes, keepdims):
    pieces = {"sizes": number(sizes)} if sizes is not None else {}
    nodes = [
        node("SplitToSequence", "x sizes" if pieces else "x", "s", axis=-1, keepdims=keepdims),
        node("SequenceAt", "s at", "y"),
    ]
    expected = [X[:, 2:4], X[:, 4:]] if isinstance(sizes, int) else [X[:, 4:]]
    expected = expected or [X[:, 4:]]
    found = made(nodes, {**pieces, "at": number(1)})
    whole = expected[0] if sizes is not None else X[:, 1:2]
    np.testing.assert_array_equal(found, whole if sizes is not None or keepdims else whole[:, 0])


def test_a_length_is_a_number_that_shapes_may_follow_from():
    nodes = [
        node("SplitToSequence", "x", "s", axis=1), node("SequenceLength", "s", "count"),
        node("Unsqueeze", "count zero", "one"), node("Concat", "one minus", "shape", axis=0),
        node("Reshape", "x shape", "y"),
    ]  # fmt: skip
    weights = {"zero": number([0]), "minus": number([-1])}
    np.testing.assert_array_equal(made(nodes, weights, (4, 5)), X.reshape(5, 4))


def refusal(nodes, weights=(), inputs=()):
    with pytest.raises(RelaxError) as caught:
        from_onnx(graph(nodes, [("x", FLOAT, ["n", 5]), *inputs], [("y", FLOAT)], weights))
    [found] = caught.value.diagnostics
    return found


def test_what_is_not_known_or_leaves_the_model_is_refused():
    pair = node("SequenceConstruct", "x x", "s")
    found = refusal([pair, node("SequenceAt", "s at", "y")], inputs=[("at", INT64, [])])
    assert found.data["inputs"] == ["at"]
    assert (
        "position 2 of a sequence of 2 tensors"
        in refusal([pair, node("SequenceAt", "s at", "y")], {"at": number(2)}).message
    )
    assert (
        "follows from the extent n"
        in refusal(
            [node("SplitToSequence", "x two", "s"), node("SequenceAt", "s at", "y")],
            {"at": number(0), "two": number(2)},
        ).message
    )
    assert "an operand is a sequence of tensors" in refusal([pair, node("Add", "s x", "y")]).message
    assert (
        "it is a sequence; a program returns tensors"
        in refusal([node("SequenceConstruct", "x x", "y")]).message
    )


@pytest.mark.parametrize("keepdims", [0, 1])
def test_places_of_an_axis_whose_extent_is_not_known(keepdims):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    split = node("SplitToSequence", "x", "s", axis=1, keepdims=keepdims)
    rest = [node("SequenceInsert", "s z", "more"), node("SequenceAt", "more at", "p"),
            node("SequenceLength", "more", "n"),
            node("ConcatFromSequence", "more", "q", axis=1, new_axis=1 - keepdims)]  # fmt: skip
    ports = [("x", FLOAT, [3, "n"]), ("z", FLOAT, [3, 1][: 1 + keepdims]), ("at", INT64, [])]
    module = from_onnx(graph([split, *rest], ports, [("p", FLOAT), ("n", INT64), ("q", FLOAT)]))
    assert module.warnings == []
    z = np.full([3, 1][: 1 + keepdims], -1, np.float32)
    whole = np.concatenate([x, np.full((3, 1), -1, np.float32)], 1)
    for at in (0, 2, -1, -3):
        piece, count, joined = module.main(x, z, np.array(at))
        np.testing.assert_array_equal(piece, whole[:, [at]] if keepdims else whole[:, at])
        np.testing.assert_array_equal(joined, whole)
        assert count == 5
    nodes = [
        node("SplitToSequence", "x", "s"),
        node("SequenceErase", "s", "t"),
        node("SequenceAt", "t at", "y"),
    ]
    found = refusal(nodes, {"at": number(0)})
    assert "follows from data, so none is put in or taken out" in found.message
