"""Reading, finding and writing programs."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from relax_lang.files import programs


def test_reads_text_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.rlx"
    path.write_bytes("\ufeffdef\r\n# ü\n".encode())
    source, problem = programs.read(str(path))
    assert problem is None
    assert source.text == "\ufeffdef\r\n# ü\n"
    assert source.path == str(path)


def test_missing_file() -> None:
    source, problem = programs.read("no/such.rlx")
    assert (source.text, source.path) == ("", "no/such.rlx")
    assert problem is not None
    assert problem.slug == "file-not-found"
    assert problem.message == "there is no file `no/such.rlx`"
    assert problem.pos == -1


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    problem = programs.read(str(tmp_path))[1]
    assert problem is not None
    assert problem.slug == "unreadable-file"
    assert "is a directory" in problem.message


def test_no_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> bytes:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(programs, "_read_bytes", refuse)
    problem = programs.read("secret.rlx")[1]
    assert problem is not None
    assert (problem.slug, problem.message) == (
        "unreadable-file",
        "cannot read `secret.rlx`: permission denied",
    )


def test_invalid_utf8_is_pointed_at(tmp_path: Path) -> None:
    path = tmp_path / "latin.rlx"
    path.write_bytes("# ü fine\nlet s = ".encode() + b"\xe9t\xe9;\nmore\n")
    source, problem = programs.read(str(path))
    assert problem is not None
    assert problem.slug == "not-utf8"
    assert source.position(problem.pos) == (2, 9)
    assert "byte 0xe9 at offset 18" in problem.message
    assert source.text.startswith("# ü fine\nlet s = \ufffdt")


@pytest.mark.parametrize("data", [b"\xff\xfed\x00e\x00f\x00", b"\x80", b"a\xf0\x9f", b"\xed\xa0\x80"])
def test_other_encodings(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.rlx"
    path.write_bytes(data)
    problem = programs.read(str(path))[1]
    assert problem is not None
    assert problem.slug == "not-utf8"


def test_nul(tmp_path: Path) -> None:
    path = tmp_path / "x.rlx"
    path.write_bytes(b"def\n\0@f")
    source, problem = programs.read(str(path))
    assert problem is not None
    assert problem.slug == "nul-in-text"
    assert source.position(problem.pos) == (2, 1)


def test_files_that_are_too_large_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MAX_BYTES", 10)
    path = tmp_path / "x.rlx"
    path.write_text("0123456789")
    assert programs.read(str(path))[1] is None
    path.write_text("0123456789a")
    source, problem = programs.read(str(path))
    assert problem is not None
    assert problem.slug == "file-too-large"
    assert source.text == ""


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device without end")
def test_endless_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MAX_BYTES", 1 << 16)
    problem = programs.read("/dev/zero")[1]
    assert problem is not None
    assert problem.slug == "file-too-large"


def make_tree(root: Path) -> None:
    for name in (
        "b.rlx",
        "a.rlx",
        "sub/z.rlx",
        "sub/deep/y.rlx",
        ".hidden/x.rlx",
        "sub/.git/x.rlx",
        "sub/notes.md",
    ):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def test_discover_sorts_and_skips_hidden_folders(tmp_path: Path) -> None:
    make_tree(tmp_path)
    files, problems = programs.discover([str(tmp_path)])
    assert [os.path.relpath(file, tmp_path) for file in files] == [
        "a.rlx",
        "b.rlx",
        "sub/deep/y.rlx",
        "sub/z.rlx",
    ]
    assert problems == []


def test_discover_from_the_current_folder_shows_short_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tree(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert programs.discover(["."])[0][:2] == ["a.rlx", "b.rlx"]


def test_discover_keeps_named_files_and_drops_repeats(tmp_path: Path) -> None:
    make_tree(tmp_path)
    named = str(tmp_path / "sub" / "notes.md")
    files, _ = programs.discover([named, "-", str(tmp_path / "a.rlx"), str(tmp_path)])
    assert files[:3] == [named, "-", str(tmp_path / "a.rlx")]
    assert len(files) == len(set(files)) == 6


def test_discover_takes_a_hidden_folder_that_is_named(tmp_path: Path) -> None:
    make_tree(tmp_path)
    assert len(programs.discover([str(tmp_path / ".hidden")])[0]) == 1


def test_discover_does_not_follow_links_in_circles(tmp_path: Path) -> None:
    make_tree(tmp_path)
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    assert len(programs.discover([str(tmp_path)])[0]) == 4


def test_a_folder_without_programs(tmp_path: Path) -> None:
    files, problems = programs.discover([str(tmp_path)])
    assert files == []
    ((path, problem),) = problems
    assert path == str(tmp_path)
    assert problem.slug == "no-programs"


def test_write_keeps_the_mode(tmp_path: Path) -> None:
    path = tmp_path / "x.rlx"
    path.write_text("old")
    path.chmod(0o751)
    assert programs.write(str(path), "new ü\n") is None
    assert path.read_text(encoding="utf-8") == "new ü\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert [one.name for one in tmp_path.iterdir()] == ["x.rlx"]


def test_write_follows_links(tmp_path: Path) -> None:
    target = tmp_path / "target.rlx"
    target.write_text("old")
    link = tmp_path / "folder" / "link.rlx"
    link.parent.mkdir()
    link.symlink_to(target)
    assert programs.write(str(link), "new") is None
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.parametrize("step", ["chmod", "replace", "fsync"])
def test_a_failing_write_leaves_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    path = tmp_path / "x.rlx"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    problem = programs.write(str(path), "new")
    assert problem is not None
    assert problem.slug == "cannot-write"
    assert problem.message == f"cannot write `{path}`: no space left on device"
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["x.rlx"]


def test_an_interrupted_write_leaves_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.rlx"
    path.write_text("old")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        programs.write(str(path), "new")
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["x.rlx"]


def test_a_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.rlx"
    path.write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    problem = programs.write(str(path), "new")
    assert problem is not None
    assert problem.slug == "cannot-write"
    assert path.read_text() == "old"


def test_a_link_that_leads_nowhere_is_named_with_its_target(tmp_path: Path) -> None:
    link = tmp_path / "p.rlx"
    link.symlink_to("gone.rlx")
    _, problem = programs.read(str(link))
    assert problem is not None
    assert problem.slug == "file-not-found"
    assert problem.notes == ["it is a link to `gone.rlx`"]


def test_a_folder_that_cannot_be_read_is_one_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> object:
        raise PermissionError(13, os.strerror(13), path)

    monkeypatch.setattr(os, "scandir", refuse)
    files, problems = programs.discover([str(tmp_path)])
    assert not files
    assert [one.slug for _, one in problems] == ["unreadable-file"]
