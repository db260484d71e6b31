"""Reading TVMScript in tests: units as text, and what is found in them."""

from __future__ import annotations

import re
from textwrap import dedent, indent

from relax_lang import api
from relax_lang.base.source import PythonFile
from relax_lang.format.printer import print_tree
from relax_lang.tvmscript.importing import relax_text
from relax_lang.tvmscript.script import ReadUnit, read_script

HEADER = "from tvm.script import ir as I, relax as R, tirx as T\n"


def script(text: str) -> str:
    """Return a text with the imports that it needs."""
    return HEADER + dedent(text)


def unit(text: str, **defines: object) -> ReadUnit:
    """Return the only unit of a text."""
    read = read_script(script(text), defines, comments=True)
    assert read.diagnostics == []
    (found,) = read.units
    return found


def imported(text: str, **defines: object) -> str:
    """Return the only unit of a text as Relax text; it must be whole."""
    found = unit(text, **defines)
    assert found.obstacles == []
    made, unprintable = relax_text(found.parsed)
    assert unprintable == []
    return made


def unbroken(text: str) -> str:
    """Return a Python text with a blank for each break of its lines, and none beside brackets."""
    text = re.sub(r",?\n\s*(?=[)\]}])", "", text.strip())
    text = re.sub(r"(?<=[(\[{])\n\s*", "", text)
    return re.sub(r"\n\s*", " ", text)


def statements(text: str, params: str = "x: R.Tensor((2, 3), 'float32')") -> str:
    """Return the body of a Relax function as Relax text."""
    whole = f"@R.function\ndef main({params}):\n{indent(dedent(text).strip(), '    ')}\n"
    return _body(imported(whole))


def code(text: str, params: str = 'A: T.Buffer((8,), "float32")') -> str:
    """Return the body of a PrimFunc as Relax text."""
    whole = f"@T.prim_func(s_tir=True)\ndef main({params}):\n{indent(dedent(text).strip(), '    ')}\n"
    return _body(imported(whole))


def _body(text: str) -> str:
    lines = text[text.index("{\n") + 2 : text.rindex("}")].splitlines()
    return dedent("\n".join(lines)).strip()


def obstacles(text: str, **defines: object) -> list[tuple[str, str]]:
    """Return slug and place, as text, of everything that cannot be read."""
    found = unit(text, **defines)
    return [(one.slug, script(text)[one.pos : one.end]) for one in found.obstacles]


def findings(text: str) -> list[tuple[str, str]]:
    """Return slug and place, as text, of everything that a check finds."""
    source = PythonFile(script(text), "model.py")
    return [(one.slug, source.text[one.pos : one.end]) for one in api.check(source).diagnostics]


__all__ = [
    "code",
    "findings",
    "imported",
    "obstacles",
    "print_tree",
    "script",
    "statements",
    "unbroken",
    "unit",
]
