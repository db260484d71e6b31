"""What an import joins: layer normalization that is spelled out, and numbers; and what keeps operators apart."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx")

from onnx import helper

from relax_lang import from_onnx
from tests.onnx.models import BOOL, FLOAT, INT64, graph, node

WEIGHTS = {
    "g": np.linspace(0.5, 1.5, 20, dtype=np.float32),
    "b": np.linspace(-1, 1, 20, dtype=np.float32),
    "two": np.float32(2),
    "one": np.float32(1),
    "eps": np.float32(1e-5),
}
PYTORCH = [
    "ReduceMean x m",
    "Sub x m d",
    "Pow d two q",
    "ReduceMean q v",
    "Add v eps e",
    "Sqrt e s",
    "Div d s n",
]
END = ["Mul n g h", "Add h b y"]


def imported(lines, outputs="y", axis=-1, **weights):
    nodes = []
    for line in lines:
        op, *names = line.split()
        attrs = {"axes": [axis], "keepdims": 1} if op == "ReduceMean" else {}
        nodes.append(node(op, " ".join(names[:-1]), names[-1], **attrs))
    results = [(name, FLOAT) for name in outputs.split()]
    return from_onnx(graph(nodes, [("x", FLOAT, ["n", 3, 20])], results, {**WEIGHTS, **weights}, opset=13))


def expected(x):
    wide = x.astype(np.float64)
    spread = np.sqrt(wide.var(-1, keepdims=True) + 1e-5)
    return (wide - wide.mean(-1, keepdims=True)) / spread * WEIGHTS["g"] + WEIGHTS["b"]


@pytest.mark.parametrize(
    "lines",
    [
        [*PYTORCH, *END],
        [*PYTORCH, "Mul g n h", "Add b h y"],
        ["ReduceMean x m", "Sub x m d", "Sub x m c", "Mul c c q", *PYTORCH[3:], *END],
        [*PYTORCH[:4], "Add eps v e", "Sqrt e s", "Reciprocal s r", "Mul d r n", *END],
        [*PYTORCH[:6], "Div one s r", "Mul r d n", *END],
    ],
)
def test_forms(lines) -> None:
    module = imported(lines)
    assert not module.warnings
    assert module.source.text.count("let ") == 1
    assert "nn.layer_norm(" in module.source.text
    x = np.random.default_rng(0).standard_normal((2, 3, 20)).astype(np.float32)
    np.testing.assert_allclose(module.main(x), expected(x), rtol=1e-4, atol=1e-5)


def _inside(lines):
    nodes = []
    for line in lines:
        op, *names = line.split()
        attrs = {"axes": [-1], "keepdims": 1} if op == "ReduceMean" else {}
        nodes.append(node(op, " ".join(names[:-1]), names[-1], **attrs))
    return nodes


def test_in_a_branch() -> None:
    branches = [
        helper.make_graph(_inside(lines), out, [], [helper.make_tensor_value_info(out, FLOAT, None)])
        for lines, out in (([*PYTORCH, *END], "y"), (["Neg x z"], "z"))
    ]
    choice = helper.make_node("If", ["c"], ["w"], then_branch=branches[0], else_branch=branches[1])
    ports = [("x", FLOAT, ["n", 3, 20]), ("c", BOOL, [])]
    module = from_onnx(graph([choice], ports, [("w", FLOAT)], WEIGHTS, opset=13))
    assert not module.warnings
    assert "nn.layer_norm(" in module.source.text
    assert "sqrt" not in module.source.text
    x = np.random.default_rng(0).standard_normal((2, 3, 20)).astype(np.float32)
    np.testing.assert_allclose(module.main(x, np.array(True)), expected(x), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(module.main(x, np.array(False)), -x)


def test_in_a_loop() -> None:
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [*_inside([*PYTORCH, *END]), node("Identity", "c", "go")],
        "body",
        [info("i", INT64, []), info("c", BOOL, []), info("x", FLOAT, ["n", 20])],
        [info("go", BOOL, []), info("y", FLOAT, ["n", 20])],
    )
    loop = node("Loop", "trips true x0", "last", body=body)
    weights = {**WEIGHTS, "trips": np.array(9), "true": np.array(True)}
    module = from_onnx(graph([loop], [("x0", FLOAT, ["n", 20])], [("last", FLOAT)], weights, opset=13))
    assert not module.warnings
    assert module.source.text.count("nn.layer_norm(") == 1
    x = wanted = np.random.default_rng(0).standard_normal((3, 20)).astype(np.float32)
    for _ in range(9):
        wanted = expected(wanted)
    np.testing.assert_allclose(module.main(x), wanted, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("lines", "options"),
    [
        ([*PYTORCH, *END], {"outputs": "y v"}),
        ([*PYTORCH, *END[:1], "Add h b y0", "Add y0 d y"], {}),
        ([*PYTORCH, *END], {"axis": 1}),
        ([*PYTORCH, *END], {"g": np.ones((3, 20), np.float32)}),
        ([*PYTORCH, *END], {"two": np.float32(3)}),
        (["ReduceMean x m", "Sub m x d", *PYTORCH[2:], *END], {}),
        (["Add x x z", "ReduceMean z m", *PYTORCH[1:], *END], {}),
    ],
)
def test_what_is_no_layer_normalization(lines, options) -> None:
    assert "layer_norm" not in imported(lines, **options).source.text


def test_comparison_operator_by_operator(relax, tmp_path) -> None:
    """`--no-fold` leaves what is spelled out as it is."""
    import onnx

    lines = [*PYTORCH, *END]
    nodes = []
    for line in lines:
        op, *names = line.split()
        attrs = {"axes": [-1], "keepdims": 1} if op == "ReduceMean" else {}
        nodes.append(node(op, " ".join(names[:-1]), names[-1], **attrs))
    model = graph(nodes, [("x", FLOAT, ["n", 20])], [("y", FLOAT)], WEIGHTS, opset=13)
    assert "layer_norm" not in from_onnx(model, fold=False).source.text
    onnx.save(model, tmp_path / "m.onnx")
    args = ["import", str(tmp_path / "m.onnx"), "-o", str(tmp_path / "m.rlx")]
    for more, expected in (([], 1), (["--no-fold"], 9)):
        assert relax(*args, *more).status == 0
        assert (tmp_path / "m.rlx").read_text().count("let ") == expected


def test_a_number_before_a_convolution_goes_into_its_weight() -> None:
    """As after a hard swish that is spelled out; not if something else reads the product, or the weight."""
    from onnx import helper

    weights = {"w": np.ones((4, 3, 1, 1), np.float32), "six": np.float32(6)}
    first = [node("Div", "x six", "d"), node("Conv", "d w", "y")]
    x = np.random.default_rng(0).standard_normal((2, 3, 5, 5)).astype(np.float32)
    for nodes, divides in (
        (first, False),
        ([*first[:1], node("Conv", "d w", "c"), node("Conv", "x w", "e"), node("Add", "c e", "y")], True),
        (
            [
                *first[:1],
                node("Conv", "d w", "c"),
                helper.make_node("ReduceSum", ["d"], ["s"]),
                node("Add", "c s", "y"),
            ],
            True,
        ),
    ):
        model = graph(nodes, [("x", FLOAT, ["n", 3, 5, 5])], [("y", FLOAT)], weights, opset=13)
        module, apart = from_onnx(model), from_onnx(model, fold=False)
        assert ("divide(" in module.source.text) == divides
        assert "divide(" in apart.source.text
        np.testing.assert_allclose(module.main(x), apart.main(x), rtol=1e-4, atol=1e-5)


def test_what_nothing_reads_is_not_written() -> None:
    lines = ["Exp x e", "Mul e e f", "Pow x two y"]
    assert imported(lines).source.text.count("let ") == 1
    assert "multiply(x, x)" in imported(lines).source.text
