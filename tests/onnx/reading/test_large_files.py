"""Weights of large files are read one by one, and are in memory once."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import helper, numpy_helper  # noqa: E402

from relax_lang.files import models  # noqa: E402
from relax_lang.onnx import dims  # noqa: E402
from relax_lang.onnx.reading import wire  # noqa: E402
from tests.onnx.models import FLOAT, dense, graph, node  # noqa: E402

ROOT = Path(__file__).parents[3]


@pytest.fixture
def every_file_is_large(monkeypatch):
    monkeypatch.setattr(models, "_LARGE", 0)
    monkeypatch.setattr(wire, "LARGE", 16)


def with_constant():
    """A model whose weights are in the graph and in a node."""
    value = numpy_helper.from_array(np.arange(8, dtype=np.float32))
    nodes = [
        helper.make_node("Constant", [], ["c"], value=value),
        node("MatMul", "x w", "h"),
        node("Add", "h c", "y"),
    ]
    weights = {"w": np.arange(64, dtype=np.float32).reshape(8, 8)}
    return graph(nodes, [("x", FLOAT, ["n", 8])], [("y", FLOAT)], weights)


@pytest.mark.usefixtures("every_file_is_large")
@pytest.mark.parametrize("model", [dense(), with_constant()])
def test_the_program_is_the_same(model, tmp_path, monkeypatch):
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    found = models.import_file(str(path))
    monkeypatch.setattr(models, "_LARGE", 1 << 60)
    whole = models.import_file(str(path))
    assert found.text == whole.text
    assert found.weights.keys() == whole.weights.keys()
    for key, array in found.weights.items():
        np.testing.assert_array_equal(array, whole.weights[key])


def taken_out(model):
    """Return what is parsed of a model, and what is taken out of it."""
    data = model.SerializeToString()
    return wire.take_out(data, lambda start, length: data[start : start + length])


def test_what_is_taken_out_is_all_that_is_large():
    assert taken_out(with_constant()) is None
    large = {"w": np.ones((64, 64), np.float32)}
    skeleton, taken = taken_out(graph([node("Relu", "w", "y")], [], [("y", FLOAT)], large))
    assert len(skeleton) < 200
    assert [len(one) for one in taken.values()] == [4 * 64 * 64]
    assert onnx.load_from_string(skeleton).graph.node[0].op_type == "Relu"


@pytest.mark.usefixtures("every_file_is_large")
def test_bytes_that_were_changed(tmp_path):
    rng, path = random.Random(3), tmp_path / "model.onnx"
    data = with_constant().SerializeToString()
    for length in range(0, len(data) - 1, 11):
        path.write_bytes(data[:length])
        models.import_file(str(path))
    for _ in range(150):
        changed = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        path.write_bytes(changed)
        models.import_file(str(path))


@pytest.mark.usefixtures("every_file_is_large")
def test_weights_stay_when_the_file_changes(tmp_path):
    """While a model is imported its file is mapped; what comes out of it is not."""
    path = tmp_path / "model.onnx"
    path.write_bytes(with_constant().SerializeToString())
    found = models.import_file(str(path))
    before = {key: array.copy() for key, array in found.weights.items()}
    with path.open("r+b") as file:
        file.write(bytes(path.stat().st_size))
    assert before
    for key, array in found.weights.items():
        np.testing.assert_array_equal(array, before[key])


@pytest.mark.usefixtures("every_file_is_large")
def test_a_file_that_becomes_shorter_while_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "model.onnx"
    path.write_bytes(with_constant().SerializeToString())
    owned = models._Map.owned

    def cut(self, arrays):
        path.write_bytes(path.read_bytes()[:40])
        return owned(self, arrays)

    monkeypatch.setattr(models._Map, "owned", cut)
    assert "shorter" in models.import_file(str(path)).message


def test_little_is_remembered_of_dimensions(tmp_path):
    """A chain of convolutions has new dimensions in each step; few of them are kept, and none afterwards."""
    weights = {"w": np.ones((1, 1, 3, 3), np.float32)}
    nodes = [node("Conv", f"h{at} w", f"h{at + 1}") for at in range(40)]
    path = tmp_path / "model.onnx"
    model = graph(nodes, [("h0", FLOAT, ["n", 1, "h", "w"])], [("h40", FLOAT)], weights)
    path.write_bytes(model.SerializeToString())
    most = 0
    known = dims.NO_FACTS.known

    class Counting(dict):
        def __setitem__(self, key, value):
            nonlocal most
            super().__setitem__(key, value)
            most = max(most, len(self))

    before, known.polynomials = known.polynomials, Counting()
    try:
        found = models.import_file(str(path))
        assert found.text.count("nn.conv2d") == 40
        assert 0 < most < 200
        assert len(known.polynomials) < 100
    finally:
        known.polynomials = before


IMPORT = """
import re, sys
from relax_lang._main import main
sys.argv = ["relax", "import", sys.argv[1], "-o", sys.argv[2]]
try:
    main()
except SystemExit as end:
    assert not end.code
print(re.search("VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])
"""
"""`ru_maxrss` would not do: it is at least what the process had that started this one."""


def peak(model, folder):
    """Return the most memory that an import takes, in bytes."""
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    command = [sys.executable, "-c", IMPORT, str(path), str(folder / "model.rlx")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return int(done.stdout) * 1024


def chain(folds):
    """Products with large weights, or convolutions whose weights change as normalizations go into them."""
    names, count, n, weights, nodes = ["scale", "bias", "mean", "var"], 6 if folds else 12, 512, {}, []
    for at in range(count):
        if not folds:
            weights[f"w{at}"] = np.ones((4 * n, n), np.float32) if at % 2 else np.ones((n, 4 * n), np.float32)
            nodes.append(node("MatMul", f"h{at} w{at}", f"h{at + 1}"))
            continue
        weights[f"w{at}"] = np.ones((n, n, 3, 3), np.float32)
        weights.update({f"{name}{at}": np.ones(n, np.float32) for name in names})
        nodes += [
            node("Conv", f"h{at} w{at}", f"c{at}"),
            node(
                "BatchNormalization", " ".join([f"c{at}", *[f"{name}{at}" for name in names]]), f"h{at + 1}"
            ),
        ]
    inputs = [("h0", FLOAT, ["n", n, 16, 16] if folds else ["n", n])]
    return graph(nodes, inputs, [(f"h{count}", FLOAT)], weights), sum(
        [one.nbytes for one in weights.values()]
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux says what a process had at most")
@pytest.mark.parametrize("folds", [False, True])
def test_peak_memory_is_little_more_than_the_weights(folds, tmp_path):
    model, size = chain(folds)
    before = peak(dense(), tmp_path)
    assert (peak(model, tmp_path) - before) / size < 1.3
