"""Objects without a text: in the section of the file, or in the file that `--meta` names. [R.12]"""

from __future__ import annotations

import base64
import json
import struct

import numpy as np
import pytest

from relax_lang import api
from relax_lang.api.relay import read_metadata
from relax_lang.base.source import RelayFile
from relax_lang.relay.checking import analyse
from tests.docs.tools import relax

PROGRAM = "def @main() { meta[relay.Constant][0] + meta[relay.Constant][1] }\n"
ONE = np.array([1.0, 2.0], dtype=np.float32)
OTHER = np.array([[10.0], [20.0]], dtype=np.float32)


def encoded(array: np.ndarray, *, size: int | None = None, ndim: int | None = None) -> str:
    """An array as TVM writes it."""
    head = struct.pack(
        "<QQiiiBBH", 0xDD5E40F096B4A13F, 0, 1, 0, array.ndim if ndim is None else ndim, 2, 32, 1
    )
    extents = struct.pack(f"<{array.ndim}q", *array.shape)
    count = struct.pack("<q", array.nbytes if size is None else size)
    return base64.b64encode(head + extents + count + array.tobytes()).decode()


def section(*arrays: str) -> str:
    nodes = [{"type_key": ""}, {"type_key": "Map", "keys": ["relay.Constant"], "data": [2]}]
    nodes.append({"type_key": "Array", "data": list(range(3, 3 + len(arrays)))})
    nodes += [{"type_key": "relay.Constant", "attrs": {"data": str(i)}} for i in range(len(arrays))]
    return json.dumps({"root": 1, "nodes": nodes, "b64ndarrays": list(arrays)})


def files(folder, kind: str) -> str:
    path = folder / f"weights.{kind}"
    if kind == "json":
        path.write_text(section(encoded(ONE), encoded(OTHER)))
    elif kind == "txt":
        path.write_text("#[metadata]\n" + section(encoded(ONE), encoded(OTHER)))
    elif kind == "npz":
        np.savez(path, ONE, OTHER)
    else:
        numpy = pytest.importorskip("safetensors.numpy")
        numpy.save_file({"constant_0": ONE, "constant_1": OTHER}, path)
    return str(path)


@pytest.mark.parametrize("kind", ["json", "txt", "npz", "safetensors"])
def test_R_12_the_objects_may_be_in_another_file(kind, tmp_path, capsys):
    program = tmp_path / "model.relay"
    program.write_text(PROGRAM)
    weights = files(tmp_path, kind)
    assert relax(f"relax check {program}", capsys)[0] == 1
    for more in ("", "--no-cache", "-j 2"):
        assert relax(f"relax check {program} --meta {weights} {more}", capsys)[0] == 0
    for engine in ("relay", "compiled", "interpreter"):
        status, out, _ = relax(f"relax run {program} --meta {weights} --engine {engine} --json", capsys)
        assert status == 0
        assert "22" in out
    assert relax(f"relax import {program} --meta {weights} -o {tmp_path}/model.rlx", capsys)[0] == 0
    assert np.array_equal(np.load(tmp_path / "model.npz")["constant_1"], OTHER)
    assert relax(f"relax run {tmp_path}/model.rlx", capsys)[0] == 0


def test_R_12_the_section_of_the_file_comes_first(tmp_path):
    source = RelayFile(PROGRAM + "#[metadata]\n" + section(encoded(OTHER)))
    source.metadata = read_metadata(files(tmp_path, "npz"))
    value = api.run_session(api.start(source, engine="relay"), "main", ())
    assert np.array_equal(value, OTHER + OTHER)


def test_R_12_what_no_file_has_is_missing(tmp_path):
    source = RelayFile("def @main() { (meta[relay.Constant][2], meta[relay.attrs.X][0]) }")
    source.metadata = read_metadata(files(tmp_path, "npz"))
    found = analyse(source).diagnostics
    assert [one.slug for one in found] == ["relay-meta-missing"] * 2
    assert "index 2" in found[0].message


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.json", b"[1, 2]", "not JSON of the form"),
        ("b.json", b"\xff\xfe", "not a text in UTF-8"),
        ("c.npz", b"PK\x03\x04broken", ""),
        ("d.json", None, ""),
        ("e.npz", {"weight": ONE}, "an array is named `weight`"),
        ("f.npz", {"constant_0": np.array(["a"])}, ""),
        ("g.npz", {"constant_0": np.zeros(2, complex)}, ""),
    ],
)
def test_R_12_files_that_cannot_be_read(name, content, why, tmp_path, capsys):
    path = tmp_path / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        np.savez(path, **content)
    program = tmp_path / "model.relay"
    program.write_text(PROGRAM)
    for command in ("check", "run", "import"):
        status, _, err = relax(f"relax {command} {program} --meta {path}", capsys)
        assert status == 2
        assert f"`{path}` has no metadata that can be read" in err.replace("\n", " ")
        assert why in err


@pytest.mark.parametrize(
    "array",
    [
        encoded(ONE, size=1 << 60),
        encoded(ONE, ndim=33),
        encoded(ONE, ndim=-1),
        encoded(ONE)[:-8],
        "AAAA",
        "é",
    ],
)
def test_R_12_arrays_that_are_not_what_they_claim(array):
    found = analyse(
        RelayFile("def @main() { meta[relay.Constant][0] }\n#[metadata]\n" + section(array))
    ).diagnostics
    assert [one.slug for one in found] == ["relay-meta-invalid"]


def test_R_12_the_option_is_for_relay_alone(tmp_path, capsys):
    (tmp_path / "a.rlx").write_text("def @main() {\n  1\n}\n")
    (tmp_path / "a.py").write_text("")
    weights = files(tmp_path, "npz")
    for command in ("run a.rlx", "import a.py"):
        status, _, err = relax(f"relax {command} --meta {weights}".replace(" a.", f" {tmp_path}/a."), capsys)
        assert status == 2
        assert "`--meta` is for programs in Relay" in err


def test_R_38_a_report_lists_the_operators(tmp_path, capsys):
    path = tmp_path / "a.relay"
    path.write_text(
        "def @main(%x: Tensor[(2, 3), float32], %k: Tensor[(10), uint64]) {\n"
        "  (nn.relu(%x) + log2(%x) + copy(%x), random.threefry_generate(%k, out_shape=[4]), nn.adaptive_max_pool1d(\n"
        "    expand_dims(%x, axis=0), output_size=[2]))\n}\n"
    )
    status, out, _ = relax(f"relax import {path} --report", capsys)
    rows = [line.split(maxsplit=2) for line in out.splitlines()]
    assert rows[0] == ["operator", "calls", "in Relax"]
    found = {name: (int(calls), what) for name, calls, what in rows[1:]}
    assert found["add"] == (2, "add")
    assert found["log2"] == (1, "log, divide")
    assert found["copy"] == (1, "its argument")
    assert found["random.threefry_generate"] == (
        1,
        "PrimFunc @threefry_state, PrimFunc @threefry_bits, multiply, add, reshape",
    )
    assert status == 0
    path.write_text("def @main() { free_var %x: int32; %x + 1 }")
    status, out, err = relax(f"relax import {path} --report", capsys)
    assert (status, "add" in out, "relay-not-translated" in err) == (1, True, True)
    other = tmp_path / "a.py"
    other.write_text("")
    status, _, err = relax(f"relax import {other} --report", capsys)
    assert (status, "`--report` is for programs in Relay" in err) == (2, True)
