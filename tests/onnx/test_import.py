"""Models as programs: the text, the weights, the command line."""

from __future__ import annotations

import sys

import numpy as np
import pytest

pytest.importorskip("onnx")

from onnx import TensorProto, helper

from relax_lang import RelaxError, from_onnx, load
from tests.onnx.models import FLOAT, INT64, dense, graph, node


def text_of(model, **options):
    return from_onnx(model, **options).source.text


def refused(model, **options):
    with pytest.raises(RelaxError) as caught:
        from_onnx(model, **options)
    return [(one.slug, one.message) for one in caught.value.diagnostics]


def test_a_model_is_a_program():
    module = from_onnx(dense())
    assert "def @main(x: Tensor[(batch, 8), float32]) -> Tensor[(batch, 4), float32]" in module.source.text
    assert module.warnings == []
    np.testing.assert_array_equal(module.main(np.ones((2, 8), np.float32)), [[8, 9, 10, 11]] * 2)


def test_a_transposed_weight_is_stored_transposed():
    module = from_onnx(dense())
    assert "permute_dims" not in module.source.text
    assert [array.shape for array in module.source.arrays.values()] == [(8, 4)]


def test_shape_arithmetic_becomes_dimensions():
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "n"),
        node("Mul", "n two", "m"),
        node("Unsqueeze", "m zeros", "row"),
        node("Concat", "row minus", "shape", axis=0),
        node("Reshape", "x shape", "y"),
    ]
    weights = {
        "zero": np.array(0), "two": np.array(2), "zeros": np.array([0]), "minus": np.array([-1]),
    }  # fmt: skip
    text = text_of(graph(nodes, [("x", FLOAT, ["n", 6])], [("y", FLOAT)], weights))
    assert "reshape(x, shape(n * 2, 3))" in text
    assert "tensor_to_shape" not in text


def test_shapes_can_be_fixed():
    assert "x: Tensor[(3, 8), float32]" in text_of(dense(), shapes={"x": (3, 8)})
    assert "x: Tensor[(rows, 8), float32]" in text_of(dense(), shapes={"x": ("rows", 8)})
    assert refused(dense(), shapes={"z": (3,)}) == [("onnx-no-such-input", "the model has no input `z`")]


def test_a_value_that_shapes_follow_from_can_be_given():
    model = graph(
        [node("ReduceSum", "x axes", "y", keepdims=0)],
        [("x", FLOAT, [2, 3]), ("axes", INT64, [1])],
        [("y", FLOAT)],
    )
    [(slug, message)] = refused(model)
    assert slug == "onnx-needs-value"
    assert "`axes`" in message
    module = from_onnx(model, constants={"axes": [1]})
    np.testing.assert_array_equal(module.main(np.ones((2, 3), np.float32)), [3, 3])


def test_everything_unsupported_is_in_one_list():
    nodes = [
        node("StringConcat", "x x", "a"), node("ImageDecoder", "x", "b"), node("ImageDecoder", "x", "c"),
        node("Relu", "a", "d"), node("Add", "x missing", "e"),
    ]  # fmt: skip
    model = graph(
        nodes, [("x", FLOAT, [2])], [("d", FLOAT), ("b", FLOAT), ("c", FLOAT), ("e", FLOAT)], opset=20
    )
    found = refused(model)
    assert [slug for slug, _ in found] == ["onnx-unsupported", "onnx-unsupported", "onnx-invalid"]
    assert found[0][1] == "node 0 (StringConcat): StringConcat of opset 20 is not supported"
    assert "node 4 (Add): its input `missing`" in found[2][1]


def test_inputs_without_a_counterpart_are_in_the_list_with_nodes_that_do_not_read_them():
    foreign = helper.make_node("Foo", ["x"], ["c"], domain="own")
    nodes = [node("StringConcat", "s s", "a"), node("SequenceMap", "x", "b"), foreign]
    model = graph(
        nodes, [("x", FLOAT, [2]), ("s", TensorProto.STRING, [2])], [("a", FLOAT), ("b", FLOAT), ("c", FLOAT)]
    )
    model.opset_import.append(helper.make_opsetid("own", 3))
    found = [message for _, message in refused(model)]
    assert [message.split(":")[0] for message in found] == [
        "input `s`", "node 1 (SequenceMap)", "node 2 (Foo)",
    ]  # fmt: skip
    assert "own.Foo of opset 3" in found[2]


def branches(then, other):
    """Return the attributes of an If: each branch computes `y` by a node."""
    made = [
        helper.make_graph([one], "g", [], [helper.make_tensor_value_info("y", FLOAT, None)])
        for one in (then, other)
    ]
    return {"then_branch": made[0], "else_branch": made[1]}


def test_inputs_that_a_needed_value_is_computed_from_are_named():
    """The axes come from `size` by arithmetic; of `x` the shape matters; the image is not a list of numbers."""
    nodes = [
        node("Shape", "x", "own"),
        node("Mul", "size own", "both"),
        node("Gather", "both zero", "axes"),
        node("ReduceSum", "x axes", "y"),
    ]
    inputs = [("x", FLOAT, [1, 2]), ("size", INT64, [2])]
    model = graph(nodes, inputs, [("y", FLOAT)], {"zero": np.array([0])})
    with pytest.raises(RelaxError) as caught:
        from_onnx(model)
    [found] = caught.value.diagnostics
    assert found.data["inputs"] == ["size"]
    assert "it is computed from inputs of the model; give the value: `--const size=FILE.npy`" in str(
        found.help
    )
    module = from_onnx(model, constants={"size": [0, 1]})
    np.testing.assert_array_equal(module.main(np.ones((1, 2), np.float32)), [[1, 1]])


def test_a_needed_value_in_a_function_is_followed_to_the_inputs_of_its_call():
    body = [node("Neg", "a", "axes"), node("ReduceSum", "v axes", "w")]
    function = helper.make_function("own", "f", ["v", "a"], ["w"], body, [helper.make_opsetid("", 18)])
    call = helper.make_node("f", ["x", "k"], ["y"], domain="own")
    model = graph([call], [("x", FLOAT, [2, 3]), ("k", INT64, [1])], [("y", FLOAT)])
    model.functions.append(function)
    model.opset_import.append(helper.make_opsetid("own", 1))
    with pytest.raises(RelaxError) as caught:
        from_onnx(model)
    assert caught.value.diagnostics[0].data["inputs"] == ["k"]
    np.testing.assert_array_equal(
        from_onnx(model, constants={"k": [1]}).main(np.ones((2, 3), np.float32)), [[3], [3]]
    )


def test_branches_of_different_ranks_name_what_decides_between_them():
    choice = helper.make_node(
        "If", ["flag"], ["y"], **branches(node("Neg", "x", "y"), node("ReduceSum", "x", "y", keepdims=0))
    )
    model = graph([choice], [("x", FLOAT, [2]), ("flag", TensorProto.BOOL, [])], [("y", FLOAT)])
    with pytest.raises(RelaxError) as caught:
        from_onnx(model)
    [found] = caught.value.diagnostics
    assert found.data["inputs"] == ["flag"]
    x = np.ones(2, np.float32)
    np.testing.assert_array_equal(from_onnx(model, constants={"flag": np.array(False)}).main(x), 2)
    np.testing.assert_array_equal(from_onnx(model, constants={"flag": np.array(True)}).main(x), -x)


def test_a_node_inside_of_another_is_found_by_both():
    choice = helper.make_node(
        "If",
        ["flag"],
        ["y"],
        name="choice",
        **branches(node("Neg", "x", "y"), node("ImageDecoder", "x", "y")),
    )
    model = graph([choice], [("x", FLOAT, [2]), ("flag", TensorProto.BOOL, [])], [("y", FLOAT)], opset=20)
    [(_, message)] = refused(model)
    assert message.startswith("node 0 (ImageDecoder) in a graph of node 0 `choice` (If): ")


def test_squeeze_without_axes_keeps_extents_that_are_not_known_and_mentions_it():
    model = graph([node("Squeeze", "x", "y")], [("x", FLOAT, ["n", 1, 3])], [("y", FLOAT)])
    assert "# n: taken not to be 1, so not dropped by Squeeze without axes" in text_of(model)
    assert "taken" not in text_of(model, shapes={"x": (2, 1, 3)})


def test_squeeze_without_axes_asks_for_what_its_extents_follow_from():
    nodes = [node("Expand", "x size", "wide"), node("Squeeze", "wide", "y")]
    model = graph(nodes, [("x", FLOAT, [1]), ("size", INT64, [2])], [("y", FLOAT)])
    with pytest.raises(RelaxError) as caught:
        from_onnx(model)
    assert caught.value.diagnostics[0].data["inputs"] == ["size"]
    made = from_onnx(model, constants={"size": [1, 4]}).main(np.ones(1, np.float32))
    assert made.shape == (4,)


def test_the_command_writes_a_program_and_its_weights(relax, tmp_path):
    path, out = tmp_path / "model.onnx", tmp_path / "model.rlx"
    path.write_bytes(dense().SerializeToString())
    assert relax("import", str(path), "-o", str(out)).status == 0
    assert (tmp_path / "model.npz").exists()
    assert relax("check", str(out), str(path)).status == 0
    assert relax("fmt", "--check", str(out)).status == 0
    np.testing.assert_array_equal(load(str(out)).main(np.ones((1, 8), np.float32)), [[8, 9, 10, 11]])
    np.save(tmp_path / "x.npy", np.ones((1, 8), np.float32))
    assert "[ 8.  9. 10. 11.]" in relax("run", str(path), "--args", str(tmp_path / "x.npy")).out


def test_a_file_that_is_no_model_is_reported(relax, tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"not a model")
    found = relax("check", str(path))
    assert found.status == 2
    assert "onnx-unreadable" in found.out + found.err
    path.write_bytes(dense().SerializeToString()[:-40])
    assert relax("import", str(path)).status == 2


def normalized(*more):
    random = np.random.default_rng(0)
    weights = {name: random.random(4).astype(np.float32) + 0.5 for name in ("scale", "bias", "mean", "var")}
    weights["w"] = random.standard_normal((4, 3, 3, 3)).astype(np.float32)
    nodes = [node("Conv", "x w", "c"), node("BatchNormalization", "c scale bias mean var", "y"), *more]
    outputs = [("y", FLOAT), *[(one.output[0], FLOAT) for one in more]]
    return graph(nodes, [("x", FLOAT, ["n", 3, 8, 8])], outputs, weights)


def test_a_normalization_goes_into_the_convolution_before_it():
    module = from_onnx(normalized())
    assert "nn.batch_norm" not in module.source.text
    assert sorted(key for _, key in module.source.arrays) == ["y.weight"]
    x = np.random.default_rng(1).standard_normal((2, 3, 8, 8)).astype(np.float32)
    apart = from_onnx(normalized(node("Relu", "c", "z")))  # the result of the convolution has another reader
    assert "nn.batch_norm" in apart.source.text
    np.testing.assert_allclose(module.main(x), apart.main(x)[0], rtol=1e-4, atol=1e-5)


def activated(*more, opset=18):
    """A convolution whose channels are scaled and moved, and a hard swish with a learned factor, spelled out."""
    random = np.random.default_rng(0)
    weights = {
        "w": random.standard_normal((4, 3, 3, 3)).astype(np.float32), "b": random.random(4).astype(np.float32),
        "scale": random.random((1, 4, 1, 1)).astype(np.float32), "move": random.random((4, 1, 1)).astype(np.float32),
        "three": np.float32(3), "none": np.float32(0), "six": np.float32(6), "alpha": np.array([0.7], np.float32),
        "two": np.float32(2),
    }  # fmt: skip
    nodes = [
        node("Conv", "x w b", "c"), node("Mul", "scale c", "s"), node("Add", "s move", "m"),
        node("Div", "m two", "d"), node("Sub", "d three", "e"), node("Add", "e three", "t"),
        node("Clip", "t none six", "k"), node("Mul", "e k", "p"), node("Div", "p six", "q"),
        node("Mul", "alpha q", "y"), *more,
    ]  # fmt: skip
    outputs = [("y", FLOAT), *[(one.output[0], FLOAT) for one in more]]
    return graph(nodes, [("x", FLOAT, ["n", 3, 8, 8])], outputs, weights, opset=opset)


def test_numbers_go_into_what_they_scale():
    from relax_lang.onnx.conversion.program import import_model
    from relax_lang.onnx.reading.model import of_proto

    module = from_onnx(activated())
    lines = [line.strip() for line in module.source.text.splitlines() if line.startswith("  let")]
    made = [line.split(" = ")[1].split("(")[0] for line in lines]
    assert made == ["nn.conv2d", "add", "add", "clip", "multiply", "multiply"]
    apart = import_model(of_proto(activated(), None), fold=False)
    assert apart.text.count("multiply(") + apart.text.count("divide(") == 5
    # Whatever has another reader stays: each of these is read once more.
    x = np.random.default_rng(1).standard_normal((2, 3, 8, 8)).astype(np.float32)
    expected = module.main(x)
    for name in "csmdepq":
        found = from_onnx(activated(node("Identity", name, "z")))
        assert found.warnings == []
        np.testing.assert_allclose(found.main(x)[0], expected, rtol=1e-4, atol=1e-5)


def test_numbers_in_a_branch_stay_there():
    """What they scale is a binding of another block, and other nodes may read it."""
    scaled = [
        helper.make_graph(
            [node("Mul", "h c", "r")], name, [], [helper.make_tensor_value_info("r", FLOAT, None)]
        )
        for name in ("then", "else")
    ]
    choice = helper.make_node("If", ["flag"], ["y"], then_branch=scaled[0], else_branch=scaled[1])
    weights = {"c": np.float32(3), "half": np.float32(0.5)}
    inputs = [("x", FLOAT, ["n"]), ("flag", TensorProto.BOOL, [])]
    module = from_onnx(graph([node("Mul", "x half", "h"), choice], inputs, [("y", FLOAT)], weights))
    assert module.warnings == []
    x = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(module.main(x, np.array(True)), x * 1.5)


def test_numbers_in_the_body_of_a_function_that_reads_its_values_twice():
    """Names in a body are its own: that the graph reads a `p` once says nothing of them."""
    nodes = [node("Div", "x two", "p"), node("Mul", "p two", "q"), node("Add", "p q", "r")]
    two = helper.make_node("Constant", [], ["two"], value=helper.make_tensor("t", FLOAT, [], [2.0]))
    body = helper.make_function("own", "f", ["x"], ["r"], [two, *nodes], [helper.make_opsetid("", 18)])
    call = helper.make_node("f", ["p"], ["y"], domain="own")
    model = graph([node("Neg", "x", "p"), call], [("x", FLOAT, ["n"])], [("y", FLOAT)])
    model.functions.append(body)
    model.opset_import.append(helper.make_opsetid("own", 1))
    x = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(from_onnx(model).main(x), -1.5 * x)


def test_without_the_package_the_extra_is_named(relax, tmp_path, monkeypatch):
    path = tmp_path / "model.onnx"
    path.write_bytes(dense().SerializeToString())
    monkeypatch.setitem(sys.modules, "onnx", None)
    for command in ("check", "import", "run"):
        found = relax(command, str(path))
        assert found.status == 2
        assert "onnx-not-installed" in found.out + found.err
        assert "pip install 'relax-lang[onnx]'" in found.out + found.err


@pytest.mark.parametrize("trips", [3, 20])
def test_loops_are_written_out_or_call_themselves(trips):
    body = helper.make_graph(
        [node("Add", "s x", "next"), node("Identity", "c", "go"), node("Identity", "next", "row")],
        "body",
        [
            helper.make_tensor_value_info("i", INT64, []),
            helper.make_tensor_value_info("c", TensorProto.BOOL, []),
            helper.make_tensor_value_info("s", FLOAT, ["n"]),
        ],
        [
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", FLOAT, ["n"]),
            helper.make_tensor_value_info("row", FLOAT, ["n"]),
        ],
    )
    weights = {"trips": np.array(trips), "true": np.array(True)}
    model = graph(
        [node("Loop", "trips true x", "last rows", body=body)],
        [("x", FLOAT, ["n"])],
        [("last", FLOAT), ("rows", FLOAT)],
        weights,
    )
    module = from_onnx(model)
    assert module.warnings == []
    assert ("fn (" in module.source.text) == (trips > 8)
    x = np.array([1, 2], np.float32)
    last, rows = module.main(x)
    np.testing.assert_array_equal(last, x * (trips + 1))
    np.testing.assert_array_equal(rows, np.arange(2, trips + 2)[:, None] * x)


def test_options_of_the_command_for_models(relax, tmp_path):
    path = tmp_path / "m.onnx"
    sums = helper.make_node("ReduceSum", ["x", "axes"], ["s"], keepdims=0)
    scaled = helper.make_node("MatMul", ["s", "w"], ["y"])
    weights = {"w": np.ones((8, 3), np.float32)}
    inputs = [("x", FLOAT, ["n", "m", 8]), ("axes", INT64, [1])]
    made = graph([sums, scaled], inputs, [("y", FLOAT)], weights)
    path.write_bytes(made.SerializeToString())
    out = tmp_path / "m.rlx"
    assert "axes=FILE.npy" in relax("import", path, "-o", out).err
    words = ("--const", "axes=[1]", "--shape", "x=2,k,8", "--weights", "w.safetensors")
    assert relax("import", path, "-o", out, *words) == (0, "", "")
    assert "x: Tensor[(2, k, 8), float32]" in out.read_text()
    assert 'file("w.safetensors", "w")' in out.read_text()
    assert relax("check", out).status == 0
    x = np.arange(48, dtype=np.float32).reshape(2, 3, 8)
    np.save(tmp_path / "x.npy", x)
    assert relax("run", out, "--args", tmp_path / "x.npy", "--out", tmp_path / "y.npy").status == 0
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), x.sum(1) @ weights["w"])
    assert "ends in .npz or .safetensors" in relax("import", path, "-o", out, "--weights", "w.npy").err
    assert "are for models" in relax("import", tmp_path / "m.py", "--weights", "w.npz").err
