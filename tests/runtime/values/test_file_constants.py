"""Constants in files have the dtypes and shapes of the start of a session, which compiled code relies on. [CF.1]"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

from relax_lang.api import start
from relax_lang.base.source import SourceFile
from relax_lang.runtime.compiler import program
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from relax_lang.runtime.session import Session

TEXT = """def @main(x: Tensor[(n, 2), float32]) {
  let y = matmul(x, const(file("w.npy")));
  y + const(file("b.npz", "b"))
}
"""
X = np.ones((3, 2), np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    np.save(tmp_path / "w.npy", np.full((2, 4), 2, np.float32))
    np.savez(tmp_path / "b.npz", b=np.full((4,), 1, np.float32))
    return tmp_path


def session_in(folder: Path, text: str = TEXT, **options: Any) -> Session:
    return start(SourceFile(text, str(folder / "main.rlx")), **options)


def value(session: Session, *args: object) -> Any:
    return session.call("main", args)


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what was compiled."""
    found: list[str] = []
    written = program._written

    def noted(*given: Any) -> Any:
        made = written(*given)
        found.append(made.text)
        return made

    monkeypatch.setattr(program, "_written", noted)
    monkeypatch.setattr(program, "_CACHE", OrderedDict())
    return found


def test_operators_on_them_are_numpys_own(folder: Path, texts: list[str]) -> None:
    session = session_in(folder)
    assert value(session, X).tolist() == [[5.0] * 4] * 3
    (text,) = texts
    assert "np.add(" in text, text


def test_the_same_text_beside_other_files_is_other_code(folder: Path, texts: list[str]) -> None:
    session_in(folder)
    session_in(folder)
    assert len(texts) == 1
    np.savez(folder / "b.npz", b=np.full((2, 1, 4), 1, np.float32))
    assert value(session_in(folder), X).shape == (2, 3, 4)
    np.savez(folder / "b.npz", b=np.full((4,), 1, np.float64))
    with pytest.raises(Exception, match="float64"):
        value(session_in(folder), X)


def test_other_elements_are_read_when_they_are_needed(folder: Path) -> None:
    session = session_in(folder)
    np.savez(folder / "b.npz", b=np.full((4,), 7, np.float32))
    assert value(session, X).tolist() == [[11.0] * 4] * 3


@pytest.mark.parametrize("engine", ["compiled", "interpreter"])
@pytest.mark.parametrize(
    "array", [np.ones(1, np.float32), np.ones(4, np.float64), np.ones((1, 4), np.float32)]
)
def test_another_dtype_or_shape_than_at_the_start_fails(folder: Path, engine: str, array: Any) -> None:
    session = session_in(folder, engine=engine)
    np.savez(folder / "b.npz", b=array)
    with pytest.raises(RunFailure) as caught:
        value(session, X)
    assert caught.value.slug == "constant-file-invalid"
    assert caught.value.message == (
        "the array file `b.npz` has another dtype or shape than when the program was started"
    )


@pytest.mark.parametrize("engine", ["compiled", "interpreter"])
def test_a_file_that_is_gone_is_reported_where_it_is_needed(folder: Path, engine: str) -> None:
    text = TEXT.replace("let y", 'let _ = if const(false) { const(file("w.npy")) } else { x };\n  let y')
    session = session_in(folder, text, engine=engine)
    (folder / "b.npz").unlink()
    with pytest.raises(RunFailure) as caught:
        value(session, X)
    assert caught.value.slug == "constant-file-missing"


def test_arrays_in_another_order_of_bytes_or_elements(folder: Path) -> None:
    expected = value(session_in(folder), X).tolist()
    np.save(folder / "w.npy", np.asfortranarray(np.full((2, 4), 2, ">f4")))
    session = session_in(folder)
    for _ in range(3):
        assert value(session, X).tolist() == expected
