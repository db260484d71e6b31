"""What `.gitignore` leaves out is not found in folders."""

from pathlib import Path

import pytest

from relax_lang.files.programs import discover


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    for name in ("a.rlx", "build/b.rlx", "src/c.rlx", "src/d.gen.rlx", "src/keep.gen.rlx", "src/deep/e.rlx"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("def @main() { 1 }\n")
    (tmp_path / ".gitignore").write_text("# made\nbuild/\n*.gen.rlx\n!keep.gen.rlx\n")
    (tmp_path / "src" / ".gitignore").write_text("/deep\n")
    return tmp_path


def found(folder: Path, root: Path) -> list[str]:
    files, problems = discover([str(folder)])
    assert problems == []
    return [str(Path(path).relative_to(root)) for path in files]


def test_patterns_of_all_folders_above_count(repository: Path) -> None:
    assert found(repository, repository) == ["a.rlx", "src/c.rlx", "src/keep.gen.rlx"]
    assert found(repository / "src", repository) == ["src/c.rlx", "src/keep.gen.rlx"]


def test_what_is_named_is_never_left_out(repository: Path) -> None:
    assert found(repository / "build", repository) == ["build/b.rlx"]
    assert found(repository / "src" / "d.gen.rlx", repository) == ["src/d.gen.rlx"]
    assert found(repository / "src" / "deep", repository) == ["src/deep/e.rlx"]


def test_outside_of_a_repository_such_files_mean_nothing(repository: Path) -> None:
    (repository / ".git").rmdir()
    assert len(found(repository, repository)) == 6


def test_both_kinds_of_ignore_files_count(repository: Path) -> None:
    (repository / ".relaxignore").write_text("a.rlx\n")
    assert found(repository, repository) == ["src/c.rlx", "src/keep.gen.rlx"]
