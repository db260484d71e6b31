"""Programs as models of ONNX: import(export(p)) and onnxruntime compute what p does; the rest is listed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import relax_lang
from relax_lang import api
from relax_lang.base.source import SourceFile
from relax_lang.ops.core.dtypes import name_of
from relax_lang.ops.core.signature import show_value
from relax_lang.values import ShapeValue
from tests.ops.random_calls import all_calls
from tests.ops.strategies import Draw

onnx = pytest.importorskip("onnx")

from relax_lang.onnx.exporting.call import EXPORTS  # noqa: E402
from relax_lang.onnx.exporting.module import export_function  # noqa: E402, F401 - loads the rules

if TYPE_CHECKING:
    from tests.cli.harness import Relax

SEEDS, ENOUGH = 80, 5


CALLS = all_calls()


class _Program:
    """A random call as a program, whose tensors are parameters."""

    def __init__(self, name: str, args: list[Any], attrs: dict[str, Any]) -> None:
        self.values: list[Any] = []
        shown = [self._shown(arg) for arg in args if arg is not None]
        shown += [f"{key}={show_value(value)}" for key, value in attrs.items()]
        params = [
            f"p{at}: Tensor[({''.join([f'{size}, ' for size in one.shape])}), {name_of(one.dtype)}]"
            for at, one in enumerate(self.values)
        ]
        self.text = f"def @main({', '.join(params)}) {{\n  let y = {name}({', '.join(shown)});\n  y\n}}\n"

    def _shown(self, arg: Any) -> str:
        if isinstance(arg, np.ndarray):
            self.values.append(arg)
            return f"p{len(self.values) - 1}"
        if isinstance(arg, tuple):
            fields = [self._shown(field) for field in arg]
            return f"({', '.join(fields)}{',' if len(fields) == 1 else ''})"
        if isinstance(arg, ShapeValue):
            return f"shape({', '.join(map(str, arg.values))})"
        return show_value(arg)


def _flat(value: Any) -> list[Any]:
    return [one for field in value for one in _flat(field)] if isinstance(value, tuple) else [value]


def same(found: Any, expected: Any, text: str) -> None:
    for one, other in zip(_flat(found), _flat(expected), strict=True):
        assert one.shape == other.shape, text
        assert name_of(one.dtype) == name_of(other.dtype), text
        loose = 2e-2 if other.dtype.itemsize == 2 and other.dtype.kind not in "iu" else 1e-4
        np.testing.assert_allclose(
            one.astype(np.float64), other.astype(np.float64), rtol=loose, atol=loose, err_msg=text
        )


def by_onnxruntime(model: Any, values: list[Any]) -> Any:
    """Return what onnxruntime computes; None if it has no kernel for it, or is not installed."""
    try:
        import onnxruntime
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    providers = ["CPUExecutionProvider"]
    try:  # its kernels have fewer dtypes, ranks and sizes than the standard
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)
        names = [one.name for one in session.get_inputs()]
        return session.run(None, dict(zip(names, values, strict=True)))
    except Exception:
        return None


def _run_one(draw: Draw, name: str) -> bool:
    """Compare one call, if it runs and can be written; return whether it was."""
    args, attrs = draw.one_of(*CALLS[name])(draw) if isinstance(CALLS[name], tuple) else CALLS[name](draw)
    program = _Program(name, args, attrs)
    if any(value.dtype.name == "bfloat16" for value in program.values):
        return False
    try:
        expected = api.run(program.text, *program.values)
        model = api.to_onnx(program.text, opset=draw.one_of(18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28))
    except relax_lang.RelaxError:
        return False
    onnx.checker.check_model(model, full_check=True)
    again = relax_lang.from_onnx(model)
    same(again["main"](*program.values), expected, program.text)
    other = by_onnxruntime(model, program.values)
    if other is not None:
        same(tuple(other), expected, program.text)
    return True


BELOW = {"nn.instance_norm", "nn.group_norm", *[f"nn.adaptive_avg_pool{n}d" for n in (1, 2, 3)]}
"""Operators of which random calls are seldom of the form that can be written."""


@pytest.mark.parametrize("name", sorted((set(EXPORTS) & set(CALLS)) - BELOW))
def test_round_trip_of_random_calls(name: str) -> None:
    found = 0
    for seed in range(SEEDS):
        found += _run_one(Draw(seed), name)
        if found == ENOUGH:
            break
    assert found, f"no random call of {name} is written"


def test_every_rule_is_of_an_operator_that_is_drawn() -> None:
    assert set(EXPORTS) <= set(CALLS)


@pytest.mark.parametrize("opset", [18, 20, 23, 25, 28])
def test_models_with_symbolic_shapes(opset: int) -> None:
    text = """def @main(x: Tensor[(n, m, 4), float32], w: Tensor[(4, 6), float32], c: Tensor[(), bool]) {
      let heads = reshape(@layer(x, w), shape(n, m, 2, 3));
      let turned = reshape(permute_dims(heads, axes=[0, 2, 1, 3]), shape(n * 2, m, 3));
      let scores = nn.softmax(matmul(turned, permute_dims(turned, axes=[0, 2, 1])));
      let mask = broadcast_to(arange(0, m), shape(n * 2, m, m));
      let chosen = if c { where(less(mask, const(2, int64)), scores, zeros(shape(n * 2, m, m), dtype=float32)) }
                   else { nn.gelu(scores) };
      (chosen, sum(chosen, axis=2), split(turned, indices_or_sections=3, axis=2)[1])
    }
    def @layer(y: Tensor[(a, b, k), float32], v: Tensor[(k, l), float32]) {
      nn.relu(matmul(y, v)) + full(shape(b, l), 0.5)
    }"""
    model = api.to_onnx(text, opset=opset)
    onnx.checker.check_model(model, full_check=True)
    assert [dim.dim_param for dim in model.graph.input[0].type.tensor_type.shape.dim] == ["n", "m", ""]
    again = relax_lang.from_onnx(model)
    numbers = np.random.default_rng(0)
    w = numbers.standard_normal((4, 6)).astype(np.float32)
    for n, m, c in ((2, 5, True), (3, 1, False)):
        values = [numbers.standard_normal((n, m, 4)).astype(np.float32), w, np.array(c)]
        expected = api.run(text, *values)
        same(again["main"](*values), expected, "import")
        other = by_onnxruntime(model, values)
        if other is not None:
            same(tuple(other), expected, "onnxruntime")


@pytest.mark.parametrize(
    "call",
    [
        "nn.instance_norm(x, const([1.0, 2.0, 0.5]), const([0.0, 1.0, 2.0]), channel_axis=1, axes=[2, 3])",
        "nn.adaptive_avg_pool2d(x, output_size=1)",
        "nn.group_norm(x, const([1.0, 2.0, 0.5]), const([0.0, 1.0, 2.0]), num_groups=3, channel_axis=1, axes=[2, 3])",
        "nn.group_norm(x, const([1.0, 2.0, 0.5]), const([0.0, 1.0, 2.0]), num_groups=1, channel_axis=1, axes=[2, 3])",
        "repeat(x, repeats=3, axis=2)",
        "quantize(x, const([0.5, 1.0, 0.25]), const([1, 0, -3], int8), axis=1)",
        "nn.adaptive_avg_pool1d(reshape(x, shape(2, 3, 20)), output_size=[1])",
        "nn.adaptive_avg_pool3d(reshape(x, shape(2, 3, 5, 2, 2)), output_size=[1, 1, 1])",
    ],
)
@pytest.mark.parametrize("opset", [18, 21, 28])
def test_forms_that_random_calls_seldom_have(call: str, opset: int) -> None:
    text = f"def @main(x: Tensor[(2, 3, 4, 5), float32]) {{ {call} }}"
    x = np.random.default_rng(0).standard_normal((2, 3, 4, 5)).astype(np.float32)
    model = api.to_onnx(text, opset=opset)
    same(relax_lang.from_onnx(model)["main"](x), api.run(text, x), text)
    other = by_onnxruntime(model, [x])
    if other is not None:
        same(tuple(other), api.run(text, x), text)


@pytest.mark.parametrize("mask", ["TopLeft", "BottomRight"])
def test_attention_with_a_window(mask: str) -> None:
    text = f"""def @main(q: Tensor[(1, s, 2, 3), float32], k: Tensor[(1, t, 2, 3), float32]) {{
      nn.attention(q, k, k, causal_mask="{mask}", window_size=2)
    }}"""
    model = api.to_onnx(text)
    onnx.checker.check_model(model, full_check=True)
    random = np.random.default_rng(0)
    for s, t in ((4, 4), (3, 6)):
        values = [random.standard_normal((1, rows, 2, 3)).astype(np.float32) for rows in (s, t)]
        expected = api.run(text, *values)
        same(relax_lang.from_onnx(model)["main"](*values), expected, text)
        other = by_onnxruntime(model, values)
        if other is not None:
            same(tuple(other), expected, text)


@pytest.mark.parametrize("opset", [18, 21])
def test_halves_are_computed_in_float32_and_rounded_once(opset: int) -> None:
    program = """def @main(
      q: Tensor[(1, 5, 4, 8), float16], k: Tensor[(1, 5, 2, 8), float16], x: Tensor[(2, 4, 3, 3), float16],
      g: Tensor[(4,), float16]
    ) {
      let y = nn.attention(q, k, k, causal_mask="TopLeft");
      (y, nn.group_norm(x, g, g, num_groups=2, channel_axis=1, axes=[2, 3]))
    }"""
    numbers = np.random.default_rng(0)
    shapes = [(1, 5, 4, 8), (1, 5, 2, 8), (2, 4, 3, 3), (4,)]
    values = [numbers.standard_normal(shape).astype(np.float16) for shape in shapes]
    expected, model = api.run(program, *values), api.to_onnx(program, opset=opset)
    onnx.checker.check_model(model, full_check=True)
    found = [relax_lang.from_onnx(model)["main"](*values), by_onnxruntime(model, values)]
    for one in [results for results in found if results is not None]:
        for result, wanted in zip(one, expected, strict=True):
            assert result.dtype == np.float16
            np.testing.assert_allclose(result, wanted, rtol=2e-3, atol=2e-3)


def test_attention_of_sizes_that_are_not_known() -> None:
    text = """def @main(q: Tensor[(b, s, 4, 3), float32], k: Tensor[(b, t, 2, 3), float32]) {
      let hidden = nn.attention(q, k, k, causal_mask="BottomRight");
      (hidden, repeat(k, repeats=2, axis=1), nn.attention(hidden, k, k, scale=0.5))
    }"""
    model = api.to_onnx(text)
    onnx.checker.check_model(model, full_check=True)
    random = np.random.default_rng(0)
    for b, s, t in ((2, 3, 5), (1, 4, 4)):
        values = [random.standard_normal(shape).astype(np.float32) for shape in ((b, s, 4, 3), (b, t, 2, 3))]
        expected = api.run(text, *values)
        same(relax_lang.from_onnx(model)["main"](*values), expected, text)
        other = by_onnxruntime(model, values)
        if other is not None:
            same(tuple(other), expected, text)


def test_a_network_with_weights_in_files(tmp_path: Path) -> None:
    weights = {"w1": np.ones((64, 8), np.float32), "b1": np.arange(8, dtype=np.float32)}
    np.savez(tmp_path / "w.npz", **weights)
    text = """def @main(x: Tensor[(n, 64), float32]) {
      nn.relu(matmul(x, const(file("w.npz", "w1"))) + const(file("w.npz", "b1")))
    }"""
    source = SourceFile(text, str(tmp_path / "model.rlx"))
    model = api.to_onnx(source)
    assert [one.name for one in model.graph.initializer] == ["w1", "b1"]
    x = np.ones((3, 64), np.float32)
    same(relax_lang.from_onnx(model)["main"](x), x @ weights["w1"] + weights["b1"], "weights")


def test_weights_beside_the_model(relax: Relax, tmp_path: Path) -> None:
    w = np.arange(64 * 8, dtype=np.float32).reshape(64, 8)
    np.savez(tmp_path / "w.npz", w1=w, w2=w.T.copy())
    (tmp_path / "model.rlx").write_text("""def @main(x: Tensor[(n, 64), float32]) {
      let h = matmul(matmul(x, const(file("w.npz", "w1"))), const(file("w.npz", "w2")));
      h + const([0.5])
    }""")
    assert relax("export", "model.rlx", "-o", "model.onnx", "--weights", "model.bin") == (0, "", "")
    assert len((tmp_path / "model.onnx").read_bytes()) < 1000
    assert len((tmp_path / "model.bin").read_bytes()) == 2 * w.nbytes
    onnx.checker.check_model(str(tmp_path / "model.onnx"), full_check=True)
    x = np.ones((2, 64), np.float32)
    same(relax_lang.from_onnx(str(tmp_path / "model.onnx")).main(x), x @ w @ w.T + np.float32(0.5), "beside")
    for name, why in (("a/b.bin", "a file beside the model"), ("model.onnx", "different names")):
        assert why in relax("export", "model.rlx", "-o", "model.onnx", "--weights", name).err
    assert "are for models" in relax("export", "model.rlx", "--weights", "w.bin").err
    (tmp_path / "new").mkdir()
    assert "different names" in relax("export", "model.rlx", "-o", "new/m.onnx", "--weights", "m.onnx").err


def test_a_convolutional_network() -> None:
    text = """def @main(
      x: Tensor[(n, 1, 16, 16), float32], w: Tensor[(4, 1, 3, 3), float32], d: Tensor[(10, 256), float32]
    ) {
      let conv = nn.conv2d(x, w, padding=[1, 1]);
      let ones = const([1.0, 1.5, 2.0, 0.5]);
      let norm = nn.batch_norm(conv, ones, ones, ones, ones, axis=1)[0];
      let pool = nn.max_pool2d(nn.relu(norm), pool_size=[2, 2], strides=[2, 2]);
      let large = image.resize2d(pool, shape(16, 16), method="nearest_neighbor", rounding_method="floor");
      let small = nn.avg_pool2d(large, pool_size=2, strides=2);
      nn.softmax(linear(reshape(small, shape(n, 256)), d))
    }"""
    numbers = np.random.default_rng(0)
    values = [
        numbers.standard_normal(shape).astype(np.float32)
        for shape in ((2, 1, 16, 16), (4, 1, 3, 3), (10, 256))
    ]
    model = api.to_onnx(text)
    expected = api.run(text, *values)
    same(relax_lang.from_onnx(model)["main"](*values), expected, "convnet")
    other = by_onnxruntime(model, values)
    if other is not None:
        same(tuple(other), expected, "convnet")


def test_everything_without_counterpart_is_listed(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "model.rlx").write_text(
        "prim_func @relu(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {\n"
        "  for i in 0..n {\n    Y[i] = max(X[i], 0.0);\n  }\n}\n\n"
        "def @main(x: Tensor[(n,), float32]) {\n"
        "  let a = call_tir(@relu, (x,)) -> Tensor[(n,), float32];\n"
        "  let b = median(x);\n"
        "  let c = median(a);\n"
        "  let d = mod(x, a);\n"
        "  (b, c, power(astype(d, dtype=int32), const(2)))\n"
        "}\n"
    )
    done = relax("export", "model.rlx", "-o", "model.onnx", "--color", "never", "--ascii")
    assert done.status == 1
    assert [line for line in done.err.splitlines() if line.startswith("error")] == [
        "error[RLX1108 onnx-no-counterpart]: `call_tir` has no counterpart in ONNX",
        "error[RLX1108 onnx-no-counterpart]: `median` has no counterpart in ONNX",
    ]
    assert not (tmp_path / "model.onnx").exists()


def test_the_command(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "model.rlx").write_text("def @main(x: Tensor[(n,), float32]) {\n  exp(x)\n}\n")
    assert relax("export", "model.rlx", "-o", "model.onnx", "--opset", 20) == (0, "", "")
    assert onnx.load(tmp_path / "model.onnx").opset_import[0].version == 20
    assert relax("check", "model.onnx").status == 0
    assert "name a file with `--output`" in relax("export", "model.rlx", "--format", "onnx").err
    assert "`--opset` is one of 18 to 28" in relax("export", "model.rlx", "-o", "m.onnx", "--opset", 9).err
    assert "there is no function @f" in relax("export", "model.rlx", "-o", "m.onnx", "--entry", "f").err
    assert "are for models" in relax("export", "model.rlx", "--opset", 20).err
