"""The directory of an archive is read once for all constants of a program, and again when the file changed."""

from __future__ import annotations

import os
import zipfile

import numpy as np
import pytest

from relax_lang import RelaxError, load
from relax_lang.files.arrays import array_files as arrays
from relax_lang.files.arrays.archives import Archives


def test_many_constants_open_their_archive_a_bounded_number_of_times(tmp_path, monkeypatch):
    count = 60
    np.savez(tmp_path / "w.npz", **{f"w{at}": np.full(20, at, np.float32) for at in range(count)})
    lines = "".join([f'  let x{at + 1} = x{at} + const(file("w.npz", "w{at}"));\n' for at in range(count)])
    text = f"def @main(x0: Tensor[(20,), float32]) -> Tensor[(20,), float32] {{\n{lines}  x{count}\n}}\n"
    (tmp_path / "many.rlx").write_text(text)
    opened = []
    read = zipfile.ZipFile._RealGetContents

    def counted(self):
        opened.append(self.filename)
        return read(self)

    monkeypatch.setattr(zipfile.ZipFile, "_RealGetContents", counted)
    module = load(str(tmp_path / "many.rlx"))
    total = sum(range(count))
    np.testing.assert_array_equal(module.main(np.zeros(20, np.float32)), np.full(20, total, np.float32))
    assert len(opened) <= 4


def test_an_archive_that_changed_is_opened_again(tmp_path):
    path = str(tmp_path / "w.npz")
    archives = Archives()
    np.savez(path, a=np.arange(3))
    assert archives.read_header(path, "a").shape == (3,)
    np.savez(path, a=np.arange(5), b=np.arange(2))
    os.utime(path, ns=(1, 1))
    assert archives.load(path, "a", 1 << 20).shape == (5,)
    assert archives.read_header(path, "b").shape == (2,)
    with pytest.raises(arrays.NoSuchArrayError):
        archives.load(path, "c", 1 << 20)
    with pytest.raises(arrays.ArrayFileError):
        archives.load(path, "a", 8)


def test_a_damaged_member_is_an_array_file_error(tmp_path):
    path = tmp_path / "w.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", b"nothing")
    with pytest.raises(arrays.ArrayFileError):
        Archives().read_header(str(path), "a")
    (tmp_path / "x.rlx").write_text('def @main() -> Tensor { const(file("w.npz", "a")) }')
    with pytest.raises(RelaxError):
        load(str(tmp_path / "x.rlx"))
