"""Results and errors in notebooks. IPython is not needed: what it calls is called here."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import relax_lang
from relax_lang import api, notebook
from relax_lang.values import ShapeValue


def cells(html: str) -> list[list[str]]:
    return [[cell.text or "" for cell in row] for row in ET.fromstring(html).iter("tr")]


def test_a_tensor_is_a_table():
    html = notebook.show(np.array([[1.5, np.nan], [-np.inf, 0.1]], np.float32))._repr_html_()
    assert "Tensor[(2, 2), float32]" in html
    assert cells(html) == [["1.5", "nan"], ["-inf", "0.1"]]
    assert cells(notebook.result_html(np.array([True, False]))) == [["true", "false"]]


def test_a_large_tensor_shows_its_edges():
    rows = cells(notebook.result_html(np.arange(10_000).reshape(100, 100)))
    assert len(rows) == 9
    assert rows[0] == ["0", "1", "2", "3", "…", "96", "97", "98", "99"]
    assert rows[-1][-1] == "9999"


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (np.array(3, np.int32), "Tensor[(), int32] 3"),
        (np.zeros((0, 3), np.float32), "Tensor[(0, 3), float32]"),
        (np.zeros((2, 2, 2), np.float32), "Tensor[(2, 2, 2), float32]"),
        (ShapeValue((2, 3)), "shape(2, 3)"),
        ((), "()"),
        ((np.ones(2, np.float32), (ShapeValue((1,)),)), "tuple of 2"),
    ],
)
def test_other_values(value: object, part: str):
    html = notebook.result_html(value)
    ET.fromstring(html)
    assert part in html
    assert repr(notebook.show(value))


def test_deep_tuples_and_hostile_objects():
    value: object = ()
    for _ in range(50_000):
        value = (value,)
    ET.fromstring(notebook.result_html(value))

    class Hostile:
        def __repr__(self) -> str:
            raise AssertionError

    Hostile.__qualname__ = "<script>"
    assert "<script>" not in notebook.result_html(Hostile())


class Shell:
    """What IPython hands to an extension, as far as it is used."""

    def __init__(self) -> None:
        self.shown: dict[object, Any] = {}
        self.formatters = {"text/html": self}
        self.handlers: dict[type, Any] = {}
        self.published: list[dict[str, str]] = []
        self.display_formatter = self
        self.display_pub = self

    def for_type(self, kind: type, function: Any) -> None:
        self.shown[kind] = function

    def for_type_by_name(self, module: str, name: str, function: Any) -> None:
        self.shown[f"{module}.{name}"] = function

    def set_custom_exc(self, kinds: tuple[type, ...], handler: Any) -> None:
        self.handlers |= dict.fromkeys(kinds, handler)

    def publish(self, data: dict[str, str]) -> None:
        self.published.append(data)


def test_the_extension():
    shell = Shell()
    notebook.load_ipython_extension(shell)
    shown = shell.shown
    assert "Tensor[(1,), int64]" in shown["numpy.ndarray"](np.array([7]))
    assert "shape(2, 3)" in shown[ShapeValue](ShapeValue((2, 3)))
    assert shown[tuple]((1, 2)) is None
    assert "tuple of 1" in shown[tuple]((np.array([7]),))
    checked = api.check("def @main() { y }")
    assert "undefined-variable" in shown[type(checked)](checked)
    assert shown[type(checked)](api.check("def @main() { 1 }")) == "<div>No problems found.</div>"
    with pytest.raises(relax_lang.RelaxError) as caught:
        relax_lang.loads("def @main() { y }")
    handler = shell.handlers[relax_lang.RelaxError]
    handler(shell, relax_lang.RelaxError, caught.value, None, tb_offset=None)
    assert "undefined-variable" in shell.published[0]["text/html"]
    assert "undefined-variable" in shell.published[0]["text/plain"]
