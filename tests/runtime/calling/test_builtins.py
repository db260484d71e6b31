"""Packed functions that every program finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.runtime.calling import builtins
from tests.runtime.harness import diagnostic_of, run_text

X = np.array([[2, 1], [1, 3]], np.float32)
MAIN = "def @main(x: Tensor[(n, n), float32]) {{ {} }}"


@pytest.mark.parametrize("name", builtins.names())
def test_every_name_is_there_and_callable(name: str):
    found = builtins.lookup(name)
    assert found is not None
    assert callable(found.function)
    assert found.pure == name.startswith("numpy.")


@pytest.mark.parametrize(
    "name", ["numpy.load", "numpy.os", "numpy.linalg", "numpy.", "load", "numpy.__init__", "numpy.add.at"]
)
def test_nothing_else_of_numpy_can_be_named(name: str):
    assert builtins.lookup(name) is None
    found = diagnostic_of(MAIN.format(f'extern "{name}"(x)'), X)
    assert found.slug == "extern-not-found"


def test_X_8_functions_of_numpy():
    inverse: Any = run_text(MAIN.format('extern "numpy.linalg.inv"(x) -> Tensor[(n, n), float32]'), X)
    np.testing.assert_allclose(inverse @ X, np.eye(2), atol=1e-6)
    assert inverse.dtype == np.float32
    q, r = run_text(MAIN.format('extern "numpy.linalg.qr"(x)'), X)
    np.testing.assert_allclose(q @ r, X, atol=1e-6)
    assert run_text(MAIN.format('extern "numpy.roll"(x, 1)'), X).tolist() == [[3, 2], [1, 1]]


def test_X_8_what_numpy_refuses_ends_the_program():
    found = diagnostic_of(MAIN.format('extern "numpy.linalg.inv"(x)'), np.zeros((2, 2), np.float32))
    assert found.slug == "extern-failed"
    assert "LinAlgError: Singular matrix" in found.message


def test_a_registered_function_comes_first():
    assert (
        run_text(MAIN.format('extern "print"(x)'), X, packed={"print": lambda x: 7 * x}).tolist()
        == (7 * X).tolist()
    )


def test_print(capsys: pytest.CaptureFixture[str]):
    assert run_text(MAIN.format('extern "print"(x, shape(n)); ()'), X) == ()
    assert capsys.readouterr().out == "Tensor[(2, 2), float32]\n  [[2. 1.]\n   [1. 3.]]\nshape(2)\n"


def test_assert():
    text = MAIN.format('extern "assert"(sum(x) == 7.0, x); x')
    assert run_text(text, X).tolist() == X.tolist()
    found = diagnostic_of(text, X + 1)
    assert found.slug == "assertion-failed"
    assert "[[3. 2.]" in found.notes[0]
    assert diagnostic_of(MAIN.format('extern "assert"(x); x'), X).slug == "assertion-failed"
