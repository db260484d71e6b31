"""`relax check --jobs N` reports what one process reports, in the same order."""

from pathlib import Path

import pytest

from tests.cli.harness import Relax


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(12):
        body = "x" if number % 3 else f"undefined_{number}"
        (tmp_path / f"p{number:02}.rlx").write_text(f"def @main(x: Tensor) {{\n  {body}\n}}\n")
    (tmp_path / "q.rlx").write_bytes(b"\xff")
    (tmp_path / "relax.toml").write_text('extend-select = ["lints"]\nnonsense = 1\n')
    return tmp_path


@pytest.mark.parametrize("form", ["text", "json", "sarif", "concise"])
def test_the_report_is_that_of_one_process(relax: Relax, folder: Path, form: str) -> None:
    alone = relax("check", str(folder), "--output-format", form)
    assert alone[0] == 2
    assert relax("check", str(folder), "--output-format", form, "--jobs", "3") == alone
    assert relax("check", str(folder), "--output-format", form, "-j", "auto") == alone


@pytest.mark.parametrize("word", ["0", "-1", "many", "65", "1.5"])
def test_numbers_of_processes_that_make_no_sense(relax: Relax, folder: Path, word: str) -> None:
    status, out, err = relax("check", str(folder), f"--jobs={word}")
    assert (status, out) == (2, "")
    assert "`--jobs` takes a number from 1 to 64" in err
