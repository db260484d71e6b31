"""Files that lie: a diagnostic each, nothing read that was not named, nothing raised."""

from __future__ import annotations

import os
import random
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import helper  # noqa: E402

from relax_lang import RelaxError, from_onnx  # noqa: E402
from relax_lang.files import models  # noqa: E402
from relax_lang.files.models import import_file  # noqa: E402
from relax_lang.onnx.reading import wire  # noqa: E402
from tests.onnx.models import FLOAT, dense, graph, node  # noqa: E402


def found(path):
    made = import_file(str(path))
    return [made.message] if not hasattr(made, "diagnostics") else [one.message for one in made.diagnostics]


def saved(tmp_path, model):
    path = tmp_path / "model.onnx"
    path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
    return path


def test_a_file_that_was_cut_off(tmp_path):
    data = dense().SerializeToString()
    for length in range(0, len(data) - 1, 7):
        assert found(saved(tmp_path, data[:length]))


def test_a_weight_whose_bytes_are_not_those_of_its_shape(tmp_path):
    model = dense()
    model.graph.initializer[0].dims[0] = 1 << 40
    [message] = found(saved(tmp_path, model))
    assert "`fc.weight` of shape (1099511627776, 8) and dtype float32 takes" in message
    model.graph.initializer[0].dims[0] = -4
    assert "has the shape (-4, 8)" in found(saved(tmp_path, model))[0]


def test_nodes_in_a_cycle(tmp_path):
    nodes = [node("Relu", "b", "a"), node("Relu", "a", "b")]
    [message] = found(saved(tmp_path, graph(nodes, [("x", FLOAT, [2])], [("b", FLOAT)])))
    assert "node 0 (Relu): its input `b`: a later node computes it" in message


def external(model, location, offset=0, length=None):
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = 1
    facts = {"location": location, "offset": str(offset)}
    if length is not None:
        facts["length"] = str(length)
    for key, value in facts.items():
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    return model


def test_data_beside_a_model_is_read(tmp_path):
    np.ones((4, 8), np.float32).tofile(tmp_path / "weights.bin")
    made = import_file(str(saved(tmp_path, external(dense(), "weights.bin", 0, 128))))
    assert made.diagnostics == []
    assert [array.shape for array in made.weights.values()] == [(8, 4)]


@pytest.mark.parametrize(
    "location", ["../secret.bin", "/etc/passwd", "", "a/../../secret.bin", "a\0b", "link.bin"]
)
def test_data_outside_of_the_folder_is_not_read(tmp_path, location):
    folder = tmp_path / "inside"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(bytes(128))
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    [message] = found(saved(folder, external(dense(), location, 0, 128)))
    assert "outside of its folder" in message


def test_data_that_is_missing_or_too_short(tmp_path):
    assert "there is no file `none.bin`" in found(saved(tmp_path, external(dense(), "none.bin")))[0]
    (tmp_path / "short.bin").write_bytes(bytes(100))
    assert "has 100 bytes" in found(saved(tmp_path, external(dense(), "short.bin")))[0]
    assert "names 7" not in found(saved(tmp_path, external(dense(), "short.bin", 0, 7)))[0]
    assert "takes 128 bytes, 7" in found(saved(tmp_path, external(dense(), "short.bin", 0, 7)))[0]
    assert found(saved(tmp_path, external(dense(), "short.bin", -1, 128)))


def field(number, data):
    """One length-delimited field of a message."""
    length, head = len(data), bytearray([number << 3 | 2])
    while length >= 128:
        head.append(length & 127 | 128)
        length >>= 7
    head.append(length)
    return bytes(head) + data


@pytest.mark.parametrize("large", [False, True])
def test_ten_thousand_graphs_inside_of_each_other(tmp_path, monkeypatch, large):
    if large:  # weights are left in the file, by a reader of its own
        monkeypatch.setattr(models, "_LARGE", 0)
        monkeypatch.setattr(wire, "LARGE", 16)
    inner = b""
    for _ in range(10_000):  # graph { node { attribute { g { … } } } }
        inner = field(1, field(5, field(6, inner)))
    [message] = found(saved(tmp_path, field(7, inner)))
    assert "damaged" in message


def test_operands_that_an_operator_does_not_take(tmp_path):
    nodes = [
        node("Transpose", "x", "a", perm=[0, 0]), node("Concat", "x x", "b", axis=9), node("Gemm", "x x", "c"),
        node("Reshape", "x", "d"), node("Conv", "x x", "e", strides=[0]), node("Split", "x", "f", num_outputs=1 << 60),
        node("LRN", "x", "g", size=1 << 60), node("Softmax", "x", "h", axis="one"),
    ]  # fmt: skip
    outputs = [(name, FLOAT) for name in "abcdefgh"]
    messages = found(saved(tmp_path, graph(nodes, [("x", FLOAT, [2])], outputs)))
    assert len(messages) == len(nodes)


def test_bytes_that_were_changed(tmp_path):
    rng = random.Random(17)
    data = dense().SerializeToString()
    for _ in range(150):
        changed = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        import_file(str(saved(tmp_path, bytes(changed))))


def test_functions_that_call_each_other_without_end():
    opsets = [helper.make_opsetid("own", 1), helper.make_opsetid("", 18)]
    calls = [helper.make_node(name, ["a"], ["b"], domain="own") for name in "fg"]
    model = graph([helper.make_node("f", ["x"], ["y"], domain="own")], [("x", FLOAT, [2])], [("y", FLOAT)])
    model.functions.extend(
        [
            helper.make_function("own", "f", ["a"], ["b"], [calls[1]], opsets),
            helper.make_function("own", "g", ["a"], ["b"], [calls[0]], opsets),
        ]
    )
    model.opset_import.append(opsets[0])
    with pytest.raises(RelaxError) as caught:
        from_onnx(model)
    [found] = caught.value.diagnostics
    expected = "node 0 (f): own.f of opset 1 is not supported: its functions call each other without end"
    assert found.message == expected


def test_devices_and_pipes_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.onnx")
    (tmp_path / "zero.onnx").symlink_to("/dev/zero")
    for name in ("pipe.onnx", "zero.onnx"):
        with pytest.raises(RelaxError, match="it is not a regular file"):
            from_onnx(tmp_path / name)
