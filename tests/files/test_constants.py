"""Constants in files: where they may lie, what their headers say, what is never loaded. [CF.1-CF.4]"""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from relax_lang.base.diagnostic import Diagnostic
from relax_lang.files.arrays import array_files as arrays
from relax_lang.files.arrays.constants import ConstantFiles
from relax_lang.syntax.tree import FileLit


@pytest.fixture
def files(tmp_path: Path) -> ConstantFiles:
    folder = tmp_path / "program"
    (folder / "sub").mkdir(parents=True)
    np.save(tmp_path / "outside.npy", np.zeros(2))
    np.save(folder / "w.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    np.save(folder / "sub" / "w.npy", np.zeros((), dtype=np.bool_))
    np.savez(folder / "two.npz", fc1=np.zeros((2, 0), np.int8), fc2=np.ones(3, ">f8"))
    np.savez(folder / "one.npz", only=np.zeros(4, np.uint16))
    np.savez_compressed(folder / "packed.npz", only=np.zeros((1000, 1000), np.float16))
    return ConstantFiles(str(folder))


def problem(files: ConstantFiles, path: str, key: str | None = None) -> Diagnostic:
    found = files.check(FileLit(path, key, 3, 9))
    assert found is not None
    assert (found.pos, found.end) == (3, 9)
    return found


@pytest.mark.parametrize(
    ("path", "key", "dtype", "shape"),
    [
        ("w.npy", None, "float32", (2, 3)),
        ("sub/w.npy", None, "bool", ()),
        ("./w.npy", None, "float32", (2, 3)),
        ("two.npz", "fc1", "int8", (2, 0)),
        ("two.npz", "fc2", "float64", (3,)),
        ("one.npz", None, "uint16", (4,)),
        ("one.npz", "only", "uint16", (4,)),
        ("packed.npz", "only", "float16", (1000, 1000)),
    ],
)
def test_CF_1_headers_and_arrays_agree(
    files: ConstantFiles, path: str, key: str | None, dtype: str, shape: tuple[int, ...]
) -> None:
    literal = FileLit(path, key)
    assert isinstance(files.check(literal), arrays.Header)
    header = files.header(literal)
    assert (header.dtype, header.shape) == (dtype, shape)
    array = files.load(literal)
    assert (array.dtype.name, array.shape) == (dtype, shape)
    assert array.dtype.isnative


@pytest.mark.parametrize("dtype", list(arrays.DTYPES.values()))
@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_CF_1_every_dtype_and_version(tmp_path: Path, dtype: str, version: tuple[int, int]) -> None:
    path = tmp_path / "a.npy"
    with path.open("wb") as file:
        np.lib.format.write_array(file, np.zeros((3, 1), dtype), version=version)
    header = arrays.read_header(str(path))
    assert (header.dtype, header.shape) == (dtype, (3, 1))


@pytest.mark.parametrize("written", ["../outside.npy", "sub/../../outside.npy", "{absolute}"])
def test_CF_3_folders_that_are_allowed(files: ConstantFiles, tmp_path: Path, written: str) -> None:
    path = written.format(absolute=tmp_path / "outside.npy")
    assert problem(files, path).slug == "constant-file-outside"
    assert "--allow-path" in problem(files, path).help
    opened = ConstantFiles(files.folder, [str(tmp_path)])
    assert isinstance(opened.check(FileLit(path, None)), arrays.Header)
    assert opened.load(FileLit(path, None)).shape == (2,)
    elsewhere = ConstantFiles(files.folder, [str(tmp_path / "program2"), files.folder])
    assert problem(elsewhere, path).slug == "constant-file-outside"


def test_CF_3_links_out_of_an_allowed_folder_are_refused(files: ConstantFiles, tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    (allowed / "link.npy").symlink_to(tmp_path / "outside.npy")
    opened = ConstantFiles(files.folder, [str(allowed)])
    assert problem(opened, "../allowed/link.npy").slug == "constant-file-outside"


def test_CF_1_missing(files: ConstantFiles) -> None:
    found = problem(files, "gone.npy")
    assert (found.slug, found.message) == ("constant-file-missing", "there is no file `gone.npy`")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "neither a .npy file nor a .npz archive"),
        (b"hello", "neither a .npy file nor a .npz archive"),
        (b"\x93NUMPY\x09\x00\x10\x00", "does not start as a .npy file does"),
        (b"\x93NUMPY\x01\x00\x10\x00{", "cut off"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", "header is too long"),
        (b"\x93NUMPY\x01\x00\x05\x00{'a'}", "header is damaged"),
        (b"\x93NUMPY\x01\x00\x05\x00(((((", "header is damaged"),
        (b"PK\x03\x04 this is not an archive", "archive is damaged"),
    ],
)
def test_CF_1_damaged_files(files: ConstantFiles, data: bytes, why: str) -> None:
    Path(files.folder, "bad.npy").write_bytes(data)
    found = problem(files, "bad.npy")
    assert found.slug == "constant-file-invalid"
    assert why in found.message


def header_of(fields: str) -> bytes:
    text = fields.encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "pickled objects, which are never loaded"),
        ("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "dtype `<c8` is none of the language"),
        ("{'descr': '<U3', 'fortran_order': False, 'shape': (1,)}", "dtype `<U3` is none of the language"),
        ("{'descr': '<M8[s]', 'fortran_order': False, 'shape': (1,)}", "is none of the language"),
        ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "its elements are records"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "header is damaged"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (True,)}", "header is damaged"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': [1]}", "header is damaged"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (9,)}", "cut off"),
        (
            f"{{'descr': '<f4', 'fortran_order': False, 'shape': {(0,) * 65}}}",
            "65 dimensions, more than the 64",
        ),
        (f"{{'descr': '<f4', 'fortran_order': False, 'shape': {(0,) * 5000}}}", "header is too long"),
        ("__import__('os').getcwd()", "header is damaged"),
    ],
)
def test_CF_1_headers_that_are_refused(files: ConstantFiles, fields: str, why: str) -> None:
    Path(files.folder, "bad.npy").write_bytes(header_of(fields) + b"\0" * 32)
    found = problem(files, "bad.npy")
    assert found.slug == "constant-file-invalid"
    assert why in found.message
    with pytest.raises(arrays.ArrayFileError):
        files.load(FileLit("bad.npy"))


def test_CF_1_pickles_are_never_run(files: ConstantFiles) -> None:
    array = np.array([Bomb()], dtype=object)
    np.save(Path(files.folder, "p.npy"), array, allow_pickle=True)
    np.savez(Path(files.folder, "p.npz"), allow_pickle=True, x=array)
    assert problem(files, "p.npy").slug == "constant-file-invalid"
    assert problem(files, "p.npz", "x").slug == "constant-file-invalid"
    for literal in (FileLit("p.npy"), FileLit("p.npz", "x")):
        with pytest.raises(arrays.ArrayFileError):
            files.load(literal)


class Bomb:
    def __reduce__(self) -> tuple[object, ...]:
        return pytest.fail, ("a pickle was run",)


def test_CF_2_keys(files: ConstantFiles) -> None:
    found = problem(files, "two.npz", "fc3")
    assert found.slug == "constant-key-missing"
    assert found.message == "`two.npz` has no array `fc3`; it has `fc1`, `fc2`"
    assert found.help == "the nearest name is `fc2`"
    assert problem(files, "two.npz").message == "`two.npz` has several arrays; name one of `fc1`, `fc2`"
    assert problem(files, "w.npy", "fc1").slug == "constant-key-missing"


@pytest.mark.parametrize(
    "path",
    [
        "../outside.npy",
        "sub/../../outside.npy",
        "sub/../w.npy",
        "/etc/passwd",
        "",
        "..",
        "sub\\..\\..\\outside.npy",
        "C:\\w.npy",
    ],
)
def test_CF_3_paths_that_leave(files: ConstantFiles, path: str) -> None:
    found = problem(files, path)
    assert found.slug == "constant-file-outside"
    assert found.message == f"`{path}` lies outside the folder of this program"


def test_CF_3_links_that_leave(files: ConstantFiles) -> None:
    folder = Path(files.folder)
    (folder / "link.npy").symlink_to(folder.parent / "outside.npy")
    (folder / "up").symlink_to(folder.parent)
    (folder / "inside.npy").symlink_to(folder / "w.npy")
    assert problem(files, "link.npy").slug == "constant-file-outside"
    assert problem(files, "up/outside.npy").slug == "constant-file-outside"
    assert isinstance(files.check(FileLit("inside.npy")), arrays.Header)


def test_CF_3_a_folder_whose_name_starts_alike_is_outside(files: ConstantFiles) -> None:
    folder = Path(files.folder)
    sibling = folder.with_name("program-2")
    sibling.mkdir()
    np.save(sibling / "w.npy", np.zeros(1))
    (folder / "l").symlink_to(sibling)
    assert problem(files, "l/w.npy").slug == "constant-file-outside"


def test_CF_1_a_folder_is_no_array(files: ConstantFiles) -> None:
    found = problem(files, "sub")
    assert found.slug == "constant-file-invalid"
    assert "is a directory" in found.message


def test_CF_4_every_load_is_a_new_array(files: ConstantFiles) -> None:
    first = files.load(FileLit("w.npy"))
    first[:] = 9
    assert files.load(FileLit("w.npy")).sum() == 15


def test_CF_4_headers_are_read_without_numpy(files: ConstantFiles) -> None:
    code = (
        "import sys; from relax_lang.files.arrays import array_files as arrays\n"
        f"print(arrays.read_header({files.folder + '/w.npy'!r}).shape, 'numpy' in sys.modules)\n"
        f"print(arrays.read_header({files.folder + '/two.npz'!r}, 'fc2').shape, 'numpy' in sys.modules)\n"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "(2, 3) False\n(3,) False\n"


def test_an_archive_in_an_archive_is_read_to_its_header_only(files: ConstantFiles) -> None:
    # A header that promises more than the member holds is refused before anything is allocated.
    path = Path(files.folder, "lie.npz")
    buffer = io.BytesIO()
    buffer.write(header_of("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}"))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", buffer.getvalue())
    assert "cut off" in problem(files, "lie.npz", "x").message


def test_save_and_load(tmp_path: Path) -> None:
    array = np.arange(3, dtype=np.int16)
    arrays.save(str(tmp_path / "a.npy"), array)
    arrays.save(str(tmp_path / "b.npz"), {"x": array, "y": array[:1]})
    assert (arrays.load(str(tmp_path / "a.npy")) == array).all()
    loaded = arrays.load_archive(str(tmp_path / "b.npz"))
    assert list(loaded) == ["x", "y"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npy", "b.npz"]
