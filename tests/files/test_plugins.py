"""Plugins: operators that users declare, loaded because settings name the file, and what is wrong with some."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from relax_lang import api, register_op
from relax_lang.files.settings import plugins
from relax_lang.files.settings.search import Configs
from relax_lang.ops import registry
from relax_lang.ops.calls.call_cache import bind
from tests.docs.tools import ROOT, relax, transcripts
from tests.files.plugin_projects import GOOD, HEAD, found, project

pytestmark = pytest.mark.usefixtures("only_our_operators")


def test_O_11_an_operator_of_a_plugin_is_one_like_any_other(tmp_path: Path) -> None:
    assert found(project(tmp_path, GOOD)) == []
    operator = registry.lookup("my.same")
    assert operator is not None
    assert operator.signature == "my.same(x: tensor)"
    assert "my.same" in registry.names()
    assert api.run("def @main(x: Tensor[(n,), int32]) { my.same(x) }", [1, 2]).tolist() == [1, 2]  # type: ignore[attr-defined]
    checked = api.check("def @main(x: Shape) { my.same(x) }")
    assert [one.slug for one in checked.diagnostics] == ["op-argument"]
    checked = api.check("def @main(x: Tensor[(n, 2), int32]) -> Tensor[(n, 3), int32] { my.same(x) }")
    assert [one.slug for one in checked.diagnostics] == ["return-mismatch"]


def test_O_11_a_planned_kernel_is_called_again_with_what_it_gave(tmp_path: Path) -> None:
    text = (
        f"{HEAD}plans = []\n"
        '@register_op("my.op", "x: tensor", "by: int = 2", planned=True, infer=like, example="my.op(1)")\n'
        'def op(x, by):\n    "It."\n    plans.append(x.shape)\n    assert len(plans) < 3\n    return lambda x: by * x\n'
    )
    assert found(project(tmp_path, text)) == []
    operator = registry.lookup("my.op")
    assert operator is not None
    assert operator.planned
    call = bind(operator, operator.options({"by": 3}))
    assert [call(np.full((1,), value))[0] for value in (1, 2, 3)] == [
        3,
        6,
        9,
    ]  # the example made one plan, this another


def test_a_plugin_is_run_once_and_only_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = f"with open({str(tmp_path / 'runs')!r}, 'a') as file:\n    file.write('.')\n"
    project(tmp_path, GOOD + count, plugins=False)
    assert found(Configs(plugins=True).of(str(tmp_path / "a.rlx"))) == []
    assert (tmp_path / "runs").read_text() == "."
    monkeypatch.setattr(plugins, "_loaded", {})
    assert Configs().of(str(tmp_path / "a.rlx")).plugins[0][0] == "my_ops.py"  # as `relax fmt` does
    monkeypatch.setenv("RELAX_NO_PLUGINS", "1")
    Configs(plugins=True).of(str(tmp_path / "a.rlx"))
    assert (tmp_path / "runs").read_text() == "."


def test_a_plugin_imports_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "my_helper_of_plugins.py").write_text("NAME = 'my.named'\n")
    text = HEAD + "from my_helper_of_plugins import NAME\n"
    text += 'register_op(NAME, "x: tensor", infer=like, example="my.named(1)")(kernel)\n'
    assert found(project(tmp_path, text)) == []
    assert registry.lookup("my.named") is not None


def test_register_op_without_settings() -> None:
    def rule(call):  # type: ignore[no-untyped-def]
        return call.tensor_of((), "int64")

    @register_op("my.count", "x: tensor", infer=rule, example="my.count(const([1, 2]))")
    def count(x):  # type: ignore[no-untyped-def]
        """Count the elements."""
        return np.asarray(x.size, np.int64)

    assert api.run("def @main() { my.count(const([1, 2, 3])) }") == 3

    @register_op("my.count", "x: tensor", infer=rule, example="my.count(const([1, 2]))")
    def again(x):  # type: ignore[no-untyped-def]
        """Count the elements, and one more."""
        return np.asarray(x.size + 1, np.int64)

    assert api.run("def @main() { my.count(const([1, 2, 3])) }") == 4, again
    with pytest.raises(ValueError, match=r"^operator my\.none: it has no struct info rule \(`infer=`\)$"):
        register_op("my.none", "x: tensor")(count)


def test_a_rule_that_fails_for_some_calls_is_reported_there(tmp_path: Path) -> None:
    text = HEAD.replace("x = call.tensor(0)", "x = call.tensor(0)\n    x.dims[0]")
    text += 'register_op("my.first", "x: tensor", infer=like, example="my.first(const([1]))")(kernel)\n'
    assert found(project(tmp_path, text)) == []
    checked = api.check("def @main(x: Tensor) { my.first(x) }")
    assert [f"{one.slug}: {one.message}" for one in checked.diagnostics] == [
        "rule-failed: my.first: its struct info rule failed: TypeError: 'NoneType' object is not subscriptable"
    ]


def test_commands_use_the_plugins_of_a_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path, GOOD, plugins=False)
    (tmp_path / "a.rlx").write_text("def @main() { my.same(const([1, 2])) }\n")
    monkeypatch.chdir(tmp_path)
    assert "my.same" not in relax("relax ops --markdown", capsys)[1]
    assert relax("relax check a.rlx", capsys) == (0, "No problems found in 1 file.\n", "")
    assert relax("relax run a.rlx", capsys) == (0, "Tensor[(2,), int32] [1 2]\n", "")
    for command in ("normalize a.rlx", "graph a.rlx", "test a.rlx", "ops", "ops my.same"):
        status, out, err = relax(f"relax {command}", capsys)
        assert (status, err) == (0, ""), command
        assert out


def test_commands_say_what_is_wrong_with_plugins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path, "1 // 0", plugins=False)
    (tmp_path / "a.rlx").write_text("def @main() { 1 }\n")
    (tmp_path / "uses.rlx").write_text("def @main() { my.op(1) }\n")
    monkeypatch.chdir(tmp_path)
    for command in ("check a.rlx", "run a.rlx", "normalize a.rlx", "test uses.rlx", "ops"):
        status, out, err = relax(f"relax {command}", capsys)
        assert status == 2, command
        assert "plugin-failed" in out + err
    assert relax("relax fmt a.rlx", capsys)[0] == 0


def test_the_page(tmp_path: Path) -> None:
    page = (ROOT / "docs/plugins.md").read_text(encoding="utf-8")
    [settings] = re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)
    [scale, rule, crop] = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    text = f"{scale}\nimport numpy as np\n\n{rule}\n{crop}\n"
    text += (
        '@register_op("my.distances", "a: tensor(2-d float), b: tensor(2-d float)", infer=infer_distances,\n'
    )
    text += '             example="my.distances(const([[0.0, 0.0]]), const([[3.0, 4.0]]))")\n'
    text += (
        'def distances(a, b):\n    "Distances."\n    return np.sqrt(((a[:, None] - b) ** 2).sum(axis=2))\n'
    )
    assert found(project(tmp_path, text, settings)) == []
    assert api.run("def @main() { my.scale(const([1.0]), by=3.0) }") == 3.0
    cropped = api.run(
        "def @main(x: Tensor[(n, m), int32]) { my.crop(x) }", np.arange(20, dtype=np.int32).reshape(4, 5)
    )
    np.testing.assert_array_equal(cropped, [[6, 7, 8], [11, 12, 13]])
    [shown] = re.findall(r"^error\[.*", page, re.M)
    wrong = text.replace("x * x.dtype.type(by)", "x.astype('float64')")
    (tmp_path / "again").mkdir()
    for name in ("my.scale", "my.distances", "my.crop"):
        operator = registry.lookup(name)
        assert operator is not None
        registry.forget(operator)
    [one] = project(tmp_path / "again", wrong, settings).diagnostics
    assert f"error[{one.code} {one.slug}]: {one.message}" == shown


def test_the_sample(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    path = ROOT / "samples/plugin/neighbours.rlx"
    assert relax("relax check samples/plugin", capsys) == (0, "No problems found in 1 file.\n", "")
    assert relax("relax fmt --check samples/plugin", capsys)[0] == 0
    [(command, shown)] = transcripts(path.read_text(encoding="utf-8"))
    assert relax(command, capsys) == (0, "\n".join(shown) + "\n", "")
    wrong = "def @f(q: Tensor[(n, 2), float32], p: Tensor[(m, 3), float32]) { my.distances(q, p) }"
    assert [one.slug for one in api.check(wrong).diagnostics] == ["op-shape-mismatch"]
    text = "def @main(q: Tensor[ndim=2, float32], p: Tensor[ndim=2, float32]) { my.distances(q, p) }"
    with pytest.raises(api.RelaxError, match="different numbers of coordinates"):
        api.run(text, np.zeros((1, 2), np.float32), np.zeros((1, 3), np.float32))


def test_without_plugins_nothing_of_them_is_imported(tmp_path: Path) -> None:
    (tmp_path / "relax.toml").write_text("strict = true\n")
    (tmp_path / "a.rlx").write_text("def @main() -> Object { 1 }\n")
    code = (
        "import sys; from relax_lang import _main; _main.main(['check', 'a.rlx', '-q']);"
        "print([name for name in sys.modules if 'plugins' in name and name.startswith('relax_lang')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "[]\n", done.stdout + done.stderr
