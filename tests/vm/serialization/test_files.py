"""Files and texts of executables: they read back as they were, and whatever else a file holds is refused."""

from __future__ import annotations

import json
import os
import random
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.runtime.calling.arguments import ArgumentsRefused
from relax_lang.runtime.session import Session
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.values import RunFailure, ShapeValue
from relax_lang.vm.compiler.exec_builder import ExecBuilder, as_python
from relax_lang.vm.machine.linked import Linked
from relax_lang.vm.serialization import container
from relax_lang.vm.serialization.container import MAGIC, OtherVersion, from_bytes, keep, to_bytes
from relax_lang.vm.serialization.text import BadAssembly, as_text, assemble
from relax_lang.vm.verify import BadExecutable
from tests.runtime.compiler.random_host import Host
from tests.runtime.compiler.random_programs import Program
from tests.vm.support import built, random_executable

NIGHTLY = pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")


def reads_back(seed: int) -> None:
    executable = random_executable(seed)
    data = to_bytes(executable)
    assert to_bytes(from_bytes(data)) == data, seed
    text = as_text(executable)
    assert to_bytes(assemble(text)) == data, seed
    assert as_text(assemble(text)) == text
    space: dict[str, Any] = {}
    exec(as_python(executable), space)
    assert to_bytes(space["build"](executable)) == data, seed


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_executables_read_back(start: int) -> None:
    for seed in range(start, start + 50):
        reads_back(seed)


@pytest.mark.slow
@NIGHTLY
def test_many_executables_read_back() -> None:
    for seed in range(1000, 11_000):
        reads_back(seed)


def test_constants_of_every_dtype_read_back() -> None:
    from relax_lang.ops.core.dtypes import named_dtype

    ib = ExecBuilder()
    values = [np.ones(shape, named_dtype(name)) for name in DTYPES for shape in ((), (0, 2), (3,))]
    with ib.code("main"):
        for value in values:
            ib.emit_call("vm.constant", [ib.emit_constant(value)], ib.r(0))
        ib.emit_call("vm.move", [ib.emit_constant(ShapeValue((1 << 70, 0)))], ib.r(0))
        ib.emit_ret(ib.r(0))
    executable = ib.get()
    read = from_bytes(to_bytes(executable))
    assert read == executable == assemble(as_text(executable))
    for value, found in zip(values, read.constants, strict=False):
        assert isinstance(found, np.ndarray)
        assert (found.dtype, found.shape) == (value.dtype, value.shape)
        assert not found.flags.writeable or not found.size


def test_prim_funcs_that_no_text_has_are_printed_behind_it() -> None:
    from relax_lang.base.source import SourceFile
    from relax_lang.vm.executable import Executable

    executable = built(PROGRAM)
    bare = Executable(executable.functions, executable.constants, executable.sites, SourceFile("# a note"))
    read = from_bytes(to_bytes(bare))
    assert read.source.text.startswith("# a note\n\nprim_func @relu(")
    assert read == bare
    assert np.array_equal(api.start_executable(read).call("main", [X]), [0, 4, 7])


PROGRAM = """
prim_func @relu(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = max(X[i], 0.0); }
}
def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
  let f = fn (y: Tensor) { add(y, x) };
  let q = f(const([1.0, 2.0, 3.0], float32));
  let r = match_cast(q, Tensor[(k,), float32]);
  call_tir(@relu, (r + x,)) -> Tensor[(n,), float32]
}
"""
X = np.array([-9, 1, 2], np.float32)


# Files that are none.


def test_an_empty_file_a_cut_one_and_one_of_another_version() -> None:
    data = to_bytes(built(PROGRAM))
    for cut in (0, 7, 8, 15, 40, 300, len(data) - 64):
        with pytest.raises(BadExecutable):
            from_bytes(data[:cut])
    with pytest.raises(OtherVersion, match="format 3"):
        from_bytes(MAGIC + struct.pack("<II", 3, 5) + data[16:])


def test_what_was_changed_is_named() -> None:
    data = bytearray(to_bytes(built(PROGRAM)))
    data[-1] ^= 1  # in the padding: nothing that anything reads
    from_bytes(bytes(data))
    at = data.index(b'"captures"') if b'"captures"' in data else data.index(b"max(X")
    data[at] ^= 1
    with pytest.raises(BadExecutable, match="section `source` was changed"):
        from_bytes(bytes(data))


def sections_of(data: bytes) -> dict[str, bytes]:
    return {name: bytes(view) for name, view in container._sections(data).items()}


def mutated(data: bytes, pick: random.Random) -> bytes:
    """Return a file with a few changes; mostly its checksums are right again."""
    kind = pick.random()
    if kind < 0.2:
        changed = bytearray(data)
        for _ in range(pick.randint(1, 4)):
            changed[pick.randrange(len(changed))] = pick.randrange(256)
        return bytes(changed[: pick.randint(0, len(changed)) if pick.random() < 0.2 else len(changed)])
    sections = sections_of(data)
    for _ in range(pick.randint(1, 3)):
        name = pick.choice(("manifest", "code", "code", "trees", "trees", "arrays", "source"))
        sections[name] = changed_section(name, sections[name], pick)
    ordered = {name: sections[name] for name in container.NAMES}
    return container._joined(ordered)


def changed_section(name: str, data: bytes, pick: random.Random) -> bytes:
    if not data:
        return data
    if name == "code":
        words = bytearray(data)
        at = pick.randrange(len(words) // 8) * 8
        word = struct.unpack_from("<q", words, at)[0]
        value = pick.choice(
            (word + 1, word - 1, 0, -1, 1 << 56, 2 << 56, 3 << 56, pick.getrandbits(62), 1 << 40)
        )
        struct.pack_into("<q", words, at, max(-(1 << 63), min(value, (1 << 63) - 1)))
        return bytes(words)
    if name in ("manifest", "trees"):
        tree = json.loads(data)
        change_json(tree, pick)
        return json.dumps(tree).encode()
    changed = bytearray(data)
    changed[pick.randrange(len(changed))] = pick.randrange(256)
    return bytes(changed)


def change_json(value: Any, pick: random.Random) -> None:
    """Change something somewhere in JSON data."""
    while True:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        if not keys:
            return
        key = pick.choice(keys)
        inner = value[key]
        if isinstance(inner, list | dict) and inner and pick.random() < 0.9:
            value = inner
            continue
        others = (
            None,
            0,
            -1,
            1,
            1 << 80,
            1.5,
            "",
            "n",
            "float32",
            "add",
            "Tensor",
            "Var",
            [],
            [0],
            True,
            float("nan"),
        )
        value[key] = (
            inner + pick.choice((-1, 1, 2))
            if type(inner) is int and pick.random() < 0.6
            else pick.choice(others)
        )
        return


def attack(seed: int) -> str:
    """Read and run a mutated file; return what came of it. Anything but a failure or a value is a defect."""
    pick = random.Random(seed)
    program = Program(seed % 40)
    data = CACHE.get(seed % 40) or CACHE.setdefault(seed % 40, to_bytes(built(program.text)))
    try:
        executable = from_bytes(mutated(data, pick))
    except BadExecutable:
        return "refused"
    host = Host()
    linked = Linked(executable)
    session = Session(
        linked.module,
        executable.source,
        packed=host.functions,
        write=host.write,
        max_calls=50,
        program=linked,
        max_bytes=1 << 20,
    )
    try:
        session.call("main", program.arguments())
    except ArgumentsRefused:
        return "arguments"
    except RunFailure as failure:
        session.diagnose(failure)
        return failure.slug
    assert as_text(executable)
    return "value"


CACHE: dict[int, bytes] = {}


@pytest.mark.parametrize("start", range(0, 2000, 500))
def test_mutated_files_give_diagnostics(start: int) -> None:
    found = [attack(seed) for seed in range(start, start + 500)]
    assert found.count("refused") > 250
    assert found.count("value") > 0


@pytest.mark.slow
@NIGHTLY
def test_many_mutated_files_give_diagnostics() -> None:
    for seed in range(10_000, 110_000):
        attack(seed)


@pytest.mark.parametrize("seed", range(200))
def test_mutated_texts_give_diagnostics(seed: int) -> None:
    pick = random.Random(seed)
    lines = as_text(built(Program(seed % 20).text)).split("\n")
    for _ in range(pick.randint(1, 3)):
        at = pick.randrange(len(lines))
        line = lines[at]
        if line:
            where = pick.randrange(len(line))
            lines[at] = line[:where] + pick.choice(("", "9", "%", "[", '"', " ", "x")) + line[where + 1 :]
    try:
        assemble("\n".join(lines))
    except (BadAssembly, BadExecutable):
        return


class Kept(dict[str, Any]):
    """A store of plain data."""

    def put(self, key: str, value: Any) -> None:
        self[key] = value


def test_what_was_read_before_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    data, kept = to_bytes(built(PROGRAM)), Kept()
    first = from_bytes(data, kept)
    monkeypatch.setattr("relax_lang.check.driver.check_source", None)
    assert from_bytes(data, kept) == first
    assert len(kept) == 1
    with pytest.raises(TypeError):  # other bytes are read anew
        from_bytes(data[:-1] + b"\1", kept)


def test_what_was_built_here_is_not_parsed_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    executable, kept = built(PROGRAM), Kept()
    data = to_bytes(executable)
    keep(data, executable, kept)
    assert len(kept) > 1  # the trees of PrimFuncs, and their code
    monkeypatch.setattr("relax_lang.check.driver.check_source", None)
    assert from_bytes(data, kept) == from_bytes(data, kept)
    assert to_bytes(from_bytes(data, kept)) == data


def test_devices_and_pipes_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.rlxe")
    for path in (tmp_path / "pipe.rlxe", Path("/dev/zero")):
        with pytest.raises(api.RelaxError, match="it is not a regular file"):
            api.read_executable(path)


def test_reading_takes_memory_for_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "p.rlxe"
    api.write_executable(path, api.build("def @main() { 1 }"))
    tracemalloc.start()
    try:
        api.read_executable(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()
