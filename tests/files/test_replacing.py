"""Files are replaced in one step, through a temporary file that cannot have been planted."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from relax_lang.files import programs
from relax_lang.files.arrays import array_files as arrays
from relax_lang.files.replacing import is_same_file, replace_file


def saved(path: Path) -> None:
    arrays.save(str(path), np.zeros(2, np.float32))


def written(path: Path) -> None:
    assert programs.write(str(path), "def @f() { 1 }\n", create=True) is None


@pytest.mark.parametrize("writer", [saved, written])
def test_links_at_predictable_temporary_names_are_not_followed(writer, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    for name in (f"y.npy.{os.getpid()}.tmp", f".y.npy.{os.getpid()}.tmp"):
        (tmp_path / name).symlink_to("victim")
    writer(tmp_path / "y.npy")
    assert (tmp_path / "victim").read_text() == "precious"
    assert (tmp_path / "y.npy").stat().st_size > 0


@pytest.mark.parametrize("writer", [saved, written])
def test_a_temporary_file_of_a_killed_process_blocks_nobody(writer, tmp_path: Path) -> None:
    for name in (f"y.npy.{os.getpid()}.tmp", f".y.npy.{os.getpid()}.tmp"):
        (tmp_path / name).write_text("left over")
    writer(tmp_path / "y.npy")
    assert (tmp_path / f".y.npy.{os.getpid()}.tmp").read_text() == "left over"


@pytest.mark.parametrize("writer", [saved, written])
def test_a_link_stays_and_its_target_is_replaced(writer, tmp_path: Path) -> None:
    (tmp_path / "target").write_text("old")
    (tmp_path / "target").chmod(0o640)
    (tmp_path / "y.npy").symlink_to("target")
    writer(tmp_path / "y.npy")
    assert (tmp_path / "y.npy").is_symlink()
    assert (tmp_path / "target").read_bytes() != b"old"
    assert stat.S_IMODE((tmp_path / "target").stat().st_mode) == 0o640


def test_a_failure_leaves_the_old_contents_and_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")

    def fail(_file: object) -> None:
        raise OSError(28, "no space left")

    with pytest.raises(OSError, match="no space left"):
        replace_file(str(tmp_path / "a"), fail, create=False)
    assert [one.name for one in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_what_is_not_a_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        replace_file(str(tmp_path / "pipe"), lambda file: file.write(b""), create=True)


def test_the_same_file_by_other_names(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    (tmp_path / "link").symlink_to("a")
    assert is_same_file(str(tmp_path / "a"), str(tmp_path / "." / "link"))
    assert not is_same_file(str(tmp_path / "a"), str(tmp_path / "none"))


def test_a_pipe_as_ignore_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".relaxignore")
    (tmp_path / "a.rlx").write_text("")
    files, problems = programs.discover([str(tmp_path)])
    assert files == [str(tmp_path / "a.rlx")]
    assert problems == []


def test_sizes_that_no_array_has(tmp_path: Path) -> None:
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (" + str(10**30).encode() + b", 0), }\n"
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    with pytest.raises(arrays.ArrayFileError, match=r"a size above 2\*\*63"):
        arrays.load(str(tmp_path / "a.npy"))


def test_an_interrupt_right_after_the_replacement_stays_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def interrupted(here: str, there: str) -> None:
        replace(here, there)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file(str(tmp_path / "new"), lambda file: file.write(b"whole"), create=True)
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("new", b"whole")]


@pytest.mark.skipif(os.name == "nt", reason="there is no such request on Windows")
def test_a_process_that_is_asked_to_end_leaves_no_temporary_file(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\n"
        "from relax_lang.files.replacing import replace_file\n"
        "def fill(file):\n"
        "    file.write(b'half')\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "replace_file(sys.argv[1], fill, create=True)\n"
    )
    (tmp_path / "a").write_bytes(b"old")
    ended = subprocess.run([sys.executable, "-c", program, str(tmp_path / "a")], check=False, timeout=600)
    assert ended.returncode == -signal.SIGTERM
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("a", b"old")]


def test_the_handler_of_the_caller_stays(tmp_path: Path) -> None:
    asked: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: asked.append(number))
    try:
        replace_file(str(tmp_path / "a"), lambda file: signal.raise_signal(signal.SIGTERM), create=True)
        assert asked == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)
    replace_file(str(tmp_path / "a"), lambda file: file.write(b"new"), create=True)
    assert signal.getsignal(signal.SIGTERM) == before
