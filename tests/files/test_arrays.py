"""Array files from anywhere: what is read, and what is refused with words of ours. [CF.1] [CF.2] [RUN.2]"""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.base.source import SourceFile
from relax_lang.files.arrays import safetensors
from relax_lang.files.arrays.archives import Archives
from relax_lang.files.arrays.array_files import (
    MAGIC,
    ArrayFileError,
    NoSuchArrayError,
    load,
    load_archive,
    read_header,
    read_limited,
)

X = np.arange(6, dtype=np.float32).reshape(2, 3)
HUGE = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000, 1000), }"


def npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def header_only(text: str) -> bytes:
    data = text.encode().ljust(118 - 1) + b"\n"
    return MAGIC + b"\x01\x00" + len(data).to_bytes(2, "little") + data


def archive(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> str:
    with zipfile.ZipFile(path, "w", method) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return str(path)


METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


@pytest.mark.parametrize("method", METHODS)
def test_archives(tmp_path: Path, method: int) -> None:
    path = archive(tmp_path / "a.npz", {"x.npy": npy(X), "k.npy": npy(X.astype(">i4"))}, method)
    np.testing.assert_array_equal(load(path, "x"), X)
    loaded = load_archive(path)
    assert list(loaded) == ["x", "k"]
    assert loaded["k"].dtype == np.int32
    assert loaded["k"].dtype.isnative
    with pytest.raises(NoSuchArrayError):
        load(path, "y")
    with pytest.raises(NoSuchArrayError):
        load(path)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("place", [0.1, 0.5, 0.7])
def test_RUN_2_damaged_archives(tmp_path: Path, method: int, place: float) -> None:
    array = np.random.default_rng(0).random(50_000).astype(np.float32)
    path = archive(tmp_path / "a.npz", {"x.npy": npy(array)}, method)
    data = bytearray(Path(path).read_bytes())
    start = int(len(data) * place)
    data[start : start + 40] = b"\x55" * 40
    Path(path).write_bytes(data)
    for read in (lambda: load(path, "x"), lambda: load_archive(path)):
        with pytest.raises(ArrayFileError, match="the archive is damaged"):
            read()


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({"x.npy": header_only(HUGE)}, "it is cut off"),
        ({"x.npy": npy(np.array([{}], object))}, "pickled objects"),
        ({"x.npy": npy(X + 1j)}, "none of the language"),
        ({"x.npy": b"no array"}, "does not start as a .npy file does"),
        ({"x.npy": npy(X), "x": b""}, "does not start as a .npy file does"),
    ],
)
def test_RUN_2_members_that_are_no_arrays(tmp_path: Path, members: dict[str, bytes], why: str) -> None:
    with pytest.raises(ArrayFileError, match=f"`x`: .*{why}"):
        load_archive(archive(tmp_path / "a.npz", members))


def test_an_empty_archive(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.npz", {})
    assert load_archive(path) == {}
    with pytest.raises(ArrayFileError, match="the archive is empty"):
        load(path)


@pytest.mark.parametrize("data", [b"", b"PK", npy(X)[:40], npy(X)[:-1], header_only(HUGE)])
def test_RUN_2_files_that_are_no_arrays(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(data)
    for read in (read_header, load, load_archive):
        with pytest.raises(ArrayFileError):
            read(str(path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    path = str(tmp_path / "x.npy")
    os.mkfifo(path)
    for read in (read_header, load, load_archive):
        with pytest.raises(ArrayFileError, match="not a regular file"):
            read(path)


@pytest.mark.parametrize("method", METHODS)
def test_X_O5_arrays_larger_than_the_limit_are_not_read(tmp_path: Path, method: int) -> None:
    zeros = npy(np.zeros(100_000, np.float32))
    one = archive(tmp_path / "one.npz", {"x.npy": zeros}, method)
    (tmp_path / "x.npy").write_bytes(zeros)
    for path in (one, str(tmp_path / "x.npy")):
        with pytest.raises(ArrayFileError, match="it takes 400000 bytes, the limit is 399999"):
            load(path, None, 399_999)
        assert load(path, None, 400_000).shape == (100_000,)
    with pytest.raises(ArrayFileError, match="`x`: it takes 400000 bytes"):
        load_archive(one, 399_999)


def test_X_O5_archives_unpack_to_their_own_size_or_to_the_limit(tmp_path: Path) -> None:
    member = npy(np.zeros(100_000, np.float32))
    members = {f"x{i}.npy": member for i in range(5)}
    packed = archive(tmp_path / "packed.npz", members, zipfile.ZIP_DEFLATED)
    with pytest.raises(ArrayFileError, match="`x2`: the archive unpacks to 1200000 bytes or more"):
        load_archive(packed, 1_000_000)
    assert len(load_archive(packed, 2_000_000)) == 5
    assert len(load_archive(archive(tmp_path / "plain.npz", members), 400_000)) == 5


def test_X_O5_a_stream_is_read_up_to_the_limit() -> None:
    assert read_limited(io.BytesIO(b"12345"), 5) == b"12345"
    with pytest.raises(ArrayFileError, match="it has more than 4 bytes, the limit"):
        read_limited(io.BytesIO(b"12345"), 4)


def test_X_O5_tensors_of_safetensors_are_limited(tmp_path: Path) -> None:
    numpy_files = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "w.safetensors"
    numpy_files.save_file({"x": np.zeros(1_000, np.float32)}, path)
    with pytest.raises(ArrayFileError, match="`x`: it takes 4000 bytes, the limit is 3999"):
        load(str(path), "x", 3_999)
    assert load(str(path), "x", 4_000).shape == (1_000,)


def test_CF_1_constants_in_safetensors_are_read_one_by_one(tmp_path: Path) -> None:
    """What the library writes is read here, and the other way round; constants of a program are found there."""
    numpy_files = pytest.importorskip("safetensors.numpy")
    arrays = {
        "a": np.arange(6, dtype=np.float32).reshape(2, 3),
        "b": np.array([True, False]),
        "c": np.array(7, np.int64),
        "d": np.zeros((0, 3), np.float16),
        "e": np.arange(4, dtype=">i4"),
    }
    numpy_files.save_file({name: arrays[name] for name in "abcd"}, tmp_path / "theirs.safetensors")
    safetensors.save(str(tmp_path / "ours.safetensors"), arrays)
    assert sorted(numpy_files.load_file(tmp_path / "ours.safetensors")) == list("abcde")
    archives = Archives()
    for name in ("ours", "theirs"):
        path = str(tmp_path / f"{name}.safetensors")
        for key in "abcd":
            header = archives.read_header(path, key)
            assert (header.dtype, header.shape) == (arrays[key].dtype.name, arrays[key].shape)
            np.testing.assert_array_equal(archives.load(path, key, 1 << 20), arrays[key])
    np.testing.assert_array_equal(archives.load(str(tmp_path / "ours.safetensors"), "e", 99), arrays["e"])
    with pytest.raises(NoSuchArrayError):
        archives.read_header(path, "z")
    with pytest.raises(ArrayFileError, match="it takes 24 bytes, the limit is 23"):
        archives.load(path, "a", 23)
    text = 'def @main() { const(file("theirs.safetensors", "a")) + const(file("ours.safetensors", "a")) }'
    source = SourceFile(text, str(tmp_path / "model.rlx"))
    np.testing.assert_array_equal(api.run(source), arrays["a"] * 2)


@pytest.mark.parametrize(
    ("directory", "message"),
    [
        ({"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}, "is outside of the file"),
        ({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 8]}}, "has 8 bytes for a shape of"),
        ({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}, "is outside of the file"),
        ({"a": {"dtype": "F8_E4M3", "shape": [8], "data_offsets": [0, 8]}}, "its dtype `F8_E4M3` is none of"),
        ({"a": {"dtype": "F32"}}, "its directory is damaged"),
        (["a"], "its directory is damaged"),
    ],
)
def test_X_O5_damaged_safetensors_are_refused(tmp_path: Path, directory: object, message: str) -> None:
    text = json.dumps(directory).encode()
    path = tmp_path / "w.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"\0" * 8)
    with pytest.raises(ArrayFileError, match=message):
        Archives().read_header(str(path), "a")
    for data in (b"", b"\xff" * 40, (1 << 40).to_bytes(8, "little")):
        path.write_bytes(data)
        with pytest.raises(ArrayFileError, match="it does not start as"):
            Archives().read_header(str(path), "a")


def test_a_stream_is_read_in_parts() -> None:
    class Stream(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            assert size is not None
            assert 0 < size <= 1 << 24
            return super().read(size)

    assert read_limited(Stream(b"x" * 100), 1 << 33) == b"x" * 100
    assert len(read_limited(Stream(bytes((1 << 24) + 5)))) == (1 << 24) + 5
