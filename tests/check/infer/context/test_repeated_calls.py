"""Calls of operators that were inferred before give the infos, the places and the findings of calls that were not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from relax_lang import api
from relax_lang.base.node import same, walk
from relax_lang.check.driver import Checked
from relax_lang.check.infer.context.repeated_calls import RepeatedCalls
from relax_lang.check.infer.rules import prim_func_calls
from relax_lang.struct_info.calls import apply
from relax_lang.syntax import tree

SAMPLES = Path(__file__).parents[4] / "samples"


def seen(checked: Checked) -> tuple[list[object], list[object]]:
    findings: list[object] = [(one.slug, one.pos, one.end, one.message) for one in checked.diagnostics]
    infos = checked.inferred.infos
    return findings, [(getattr(var, "name_hint", ""), info) for var, info in infos.items()]


def places(info: object) -> list[tuple[str, int, int]]:
    return [(type(node).__name__, node.pos, node.end) for node in walk(info)]  # type: ignore[arg-type]


def compare(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found, known = seen(api.check(text))
    with monkeypatch.context() as patch:
        patch.setattr(RepeatedCalls, "key", lambda *_: None)
        expected, infos = seen(api.check(text))
    assert found == expected
    assert len(known) == len(infos)
    for (name, info), (other, wanted) in zip(known, infos, strict=True):
        assert name == other
        assert same(info, wanted), name  # type: ignore[arg-type]
        assert places(info)[0] == places(wanted)[0]


@pytest.mark.parametrize("folder", [".", "bad", "models"])
def test_samples(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in sorted((SAMPLES / folder).glob("*.rlx")):
        compare(path.read_text(encoding="utf-8"), monkeypatch)


LAYERS = """def @main(x: Tensor[(n, 4), float32], y: Tensor[(m, 4), float32], z: Tensor[(4,), float32]) {
  let a = add(x, z);
  let b: Tensor[(n, 4), float32] = add(a, z);
  let c = add(b, z);
  let d = add(y, z);
  let e = concat((a, b), axis=0);
  let f = concat((b, c), axis=0);
  let g = concat((a, y), axis=0);
  let h = reshape(a, shape(4, n));
  let i = reshape(b, shape(4, n));
  let j = reshape(c, shape(n, 2, 2));
  let k = sum(a, axis=[0]);
  let l = sum(b, axis=[1]);
  let p = sum(c, axis=[0], keepdims=true);
  let q = astype(a, dtype="float16");
  let r = astype(b, dtype="int32");
  let s = match_cast(y, Tensor[(n, 4), float32]);
  let t = add(s, x);
  let u = add(y, x);
  (d, e, f, g, h, i, j, k, l, p, q, r, t, u)
}
"""


@pytest.mark.parametrize(
    "change", [("", ""), ("add(y, x)", "add(y, z) + k"), ("add(b, z)", "add(b, y)"), ("(n, 2, 2)", "(n, 3)")]
)
def test_shapes_attributes_dtypes_and_facts_tell_calls_apart(
    change: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compare(LAYERS.replace(*change) if change[0] else LAYERS, monkeypatch)


def test_repeated_layers_are_inferred_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from relax_lang.check.infer.rules import calls

    count: list[str] = []
    real = calls.infer_call

    def infer_call(operator, call, *rest):  # type: ignore[no-untyped-def]
        count.append(operator.name)
        return real(operator, call, *rest)

    monkeypatch.setattr(calls, "infer_call", infer_call)
    lines = "\n".join(["  let x = nn.relu(add(x, y));" for _ in range(50)])
    checked = api.check(
        f"def @main(x: Tensor[(n, 4), float32], y: Tensor[(n, 4), float32]) {{\n{lines}\n  x\n}}\n"
    )
    assert not checked.diagnostics
    assert sorted(count) == ["add", "nn.relu"]


def test_calls_of_prim_funcs_are_proved_once_and_forgotten_with_the_facts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    applied: list[tree.FuncStructInfo] = []

    def counting(info: tree.FuncStructInfo, *rest: Any) -> Any:
        applied.append(info)
        return apply(info, *rest)

    monkeypatch.setattr(prim_func_calls, "apply", counting)
    head = "prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) { for i in 0..n { Y[i] = X[i]; } }\n"
    call = "let v{0} = call_tir(@f, (x,)) -> Tensor[(n,), float32];\n"
    calls = "".join([call.format(at) for at in range(5)])
    text = f"{head}def @main(x: Tensor[(n,), float32], y: Tensor[(m,), float32]) {{\n{calls}v4\n}}\n"
    checked = api.check(text)
    assert not checked.diagnostics
    assert len(applied) == 1
    proved = [node for node in checked.inferred.proved if isinstance(node, tree.Call)]
    assert len(proved) == 5
    other = text.replace("v4\n", "call_tir(@f, (y,)) -> Tensor[(n,), float32]\n")
    assert [one.slug for one in api.check(other).diagnostics] == ["possibly-incompatible"]
    wrong = text.replace("v4\n", "call_tir(@f, (x,)) -> Tensor[(n + 1,), float32]\n")
    assert [one.severity for one in api.check(wrong).diagnostics] == ["error"]
