"""LSTM, GRU and RNN: the PrimFunc of all steps against onnxruntime, and against single steps as operators."""

from __future__ import annotations

import random

import numpy as np
import pytest

pytest.importorskip("onnx")

from relax_lang import api, from_onnx
from tests.onnx.models import FLOAT, graph, node

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
PLAIN = ["Sigmoid", "Tanh", "Relu", "Softplus", "Softsign"]
WITH_NUMBERS = ["Affine", "HardSigmoid", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "Elu"]


def drawn(seed):
    """Return the model of a cell with options drawn at random, as a function of the number of steps; and its inputs."""
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    kind = draw.choice(list(GATES))
    direction = draw.choice(["forward", "reverse", "bidirectional"])
    count = 2 if direction == "bidirectional" else 1
    batch, width, hidden, steps = (
        draw.randint(1, 3),
        draw.randint(1, 4),
        draw.randint(1, 5),
        draw.randint(2, 6),
    )
    attrs = {"direction": direction, "hidden_size": hidden}
    if draw.random() < 0.4:
        attrs["clip"] = draw.choice([0.5, 1.0, 3.0])
    if draw.random() < 0.5:
        each = {"LSTM": 3, "GRU": 2, "RNN": 1}[kind]
        attrs["activations"] = [draw.choice(PLAIN + WITH_NUMBERS[:1]) for _ in range(each)] * count
        numbers_of = attrs["activations"].count("Affine")
        attrs |= (
            {"activation_alpha": [0.75] * numbers_of, "activation_beta": [0.25] * numbers_of}
            if numbers_of
            else {}
        )
    if kind == "LSTM" and draw.random() < 0.3:
        attrs["input_forget"] = 1
    if kind == "GRU" and draw.random() < 0.5:
        attrs["linear_before_reset"] = 1

    def normal(*shape):
        return numbers.standard_normal(shape).astype(np.float32)

    gates = GATES[kind]
    weights = {"w": normal(count, gates * hidden, width), "r": normal(count, gates * hidden, hidden)}
    names = ["x", "w", "r", "", "", "", "", ""]
    if draw.random() < 0.6:
        weights["b"], names[3] = normal(count, 2 * gates * hidden), "b"
    if draw.random() < 0.4:
        lengths = [draw.randint(1, steps) for _ in range(batch)]
        weights["lengths"], names[4] = np.array(lengths, np.int32), "lengths"
    if kind == "LSTM" and draw.random() < 0.4:
        weights["p"], names[7] = normal(count, 3 * hidden), "p"
    states = ["h", "c"] if kind == "LSTM" else ["h"]
    names[5 : 5 + len(states)] = states
    ports = [("x", FLOAT, ["steps", batch, width]), *[(one, FLOAT, [count, batch, hidden]) for one in states]]
    results = [(name, FLOAT) for name in ["y", "last_h", "last_c"][: 1 + len(states)]]
    from onnx import helper

    cell = helper.make_node(
        kind, names[:8] if kind == "LSTM" else names[:6], [one for one, _ in results], **attrs
    )
    model = graph([cell], ports, results, weights, opset=14)
    return model, [normal(steps, batch, width), *[normal(count, batch, hidden) for _ in states]]


@pytest.mark.parametrize("seed", range(12))
def test_all_steps_are_those_of_onnxruntime(seed: int) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    model, arrays = drawn(seed)
    module = from_onnx(model)
    assert not module.warnings
    session = onnxruntime.InferenceSession(model.SerializeToString())
    names = [one.name for one in session.get_inputs()]
    expected = session.run(None, dict(zip(names, arrays, strict=True)))
    for own, other in zip(module.main(*arrays), expected, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", PLAIN + WITH_NUMBERS)
@pytest.mark.parametrize("kind", list(GATES))
def test_steps_as_operators_are_those_of_the_prim_func(kind: str, name: str) -> None:
    numbers = np.random.default_rng(0)
    gates, hidden, steps = GATES[kind], 3, 4
    weights = {
        "w": numbers.standard_normal((1, gates * hidden, 2)).astype(np.float32),
        "r": numbers.standard_normal((1, gates * hidden, hidden)).astype(np.float32),
        "b": numbers.standard_normal((1, 2 * gates * hidden)).astype(np.float32),
    }
    each = {"LSTM": 3, "GRU": 2, "RNN": 1}[kind]
    states = ["h", "c"] if kind == "LSTM" else ["h"]
    results = ["y", "last_h", "last_c"][: 1 + len(states)]

    def imported(extent: object) -> object:
        from onnx import helper

        given = ["x", "w", "r", "b", "", *states]
        cell = helper.make_node(kind, given, results, activations=[name] * each, hidden_size=hidden, clip=2.0)
        ports = [("x", FLOAT, [extent, 2, 2]), *[(one, FLOAT, [1, 2, hidden]) for one in states]]
        return from_onnx(graph([cell], ports, [(one, FLOAT) for one in results], weights, opset=14))

    whole, single = imported("steps"), imported(1)
    assert "prim_func" in whole.source.text
    assert "prim_func" not in single.source.text
    x = numbers.standard_normal((steps, 2, 2)).astype(np.float32)
    last = [np.zeros((1, 2, hidden), np.float32) for _ in states]
    rows, *expected = whole.main(x, *last)
    for at in range(steps):
        row, *last = single.main(x[at : at + 1], *last)
        np.testing.assert_allclose(row[0], rows[at], rtol=1e-4, atol=1e-6)
    for own, other in zip(last, expected, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-4, atol=1e-6)


def test_thousands_of_steps_are_one_call() -> None:
    """Neither a recursion as deep as the sequence nor a copy of all rows for each of them."""
    numbers = np.random.default_rng(0)
    weights = {
        "w": numbers.standard_normal((1, 8, 3)).astype(np.float32),
        "r": numbers.standard_normal((1, 8, 2)).astype(np.float32),
    }
    cell = node("LSTM", "x w r", "y", hidden_size=2)
    module = from_onnx(graph([cell], [("x", FLOAT, ["t", 1, 3])], [("y", FLOAT)], weights))
    assert module.source.text.count("@lstm") == 2
    assert module.main(numbers.standard_normal((5_000, 1, 3)).astype(np.float32)).shape == (5_000, 1, 1, 2)


def test_both_engines_and_two_cells_of_different_forms() -> None:
    numbers = np.random.default_rng(0)
    weights = {
        "w": numbers.standard_normal((1, 6, 3)).astype(np.float32),
        "r": numbers.standard_normal((1, 6, 2)).astype(np.float32),
    }
    nodes = [
        node("GRU", "x w r", "y", hidden_size=2),
        node("GRU", "x w r", "z", hidden_size=2, linear_before_reset=1),
        node("GRU", "x w r", "v", hidden_size=2),
        node("Add", "y z", "s"),
        node("Add", "s v", "out"),
    ]
    module = from_onnx(graph(nodes, [("x", FLOAT, ["t", "b", 3])], [("out", FLOAT)], weights))
    text = module.source.text
    assert [text.count(name) for name in ("prim_func @gru(", "prim_func @gru_1(", "prim_func @gru_2(")] == [
        1,
        1,
        0,
    ]
    x = numbers.standard_normal((4, 2, 3)).astype(np.float32)
    stepwise = api.run(module.source, x, engine="interpreter")
    np.testing.assert_allclose(module.main(x), stepwise, rtol=1e-5, atol=1e-6)


def test_the_interpreter_takes_weights_of_a_file() -> None:
    """Their dtype names the order of their bytes."""
    weights = {"w": np.ones((1, 400, 3), np.float32), "b": np.ones((1, 800), np.float32)}
    cell = node("LSTM", "x w r b", "y", hidden_size=100)
    weights["r"] = np.full((1, 400, 100), 0.01, np.float32)
    module = from_onnx(graph([cell], [("x", FLOAT, ["t", 1, 3])], [("y", FLOAT)], weights))
    x = np.ones((2, 1, 3), np.float32)
    np.testing.assert_allclose(module.main(x), api.run(module.source, x, engine="interpreter"), rtol=1e-5)
