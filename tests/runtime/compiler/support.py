"""Programs as the compiled engine sees them."""

from __future__ import annotations

import re
from typing import Any

from relax_lang.runtime.compiler.program import Program, compile_module
from tests.runtime.harness import Session, session_of


def compiled(text: str) -> Program:
    """Compile a program that has no errors."""
    return compile_module(session_of(text, engine="interpreter")._module)


def code_of(text: str) -> str:
    """Return the Python functions of a program, without the remarks at their head."""
    return re.sub(r"\A(#.*\n)*\n*", "", compiled(text).text)


def both(text: str, *args: object, entry: str = "main", **options: Any) -> Any:
    """Run a program on both engines, with the same arguments; return the value, which is the same."""
    values = [
        session_of(text, engine=engine, **options).call(entry, args) for engine in ("interpreter", "compiled")
    ]
    assert repr(values[0]) == repr(values[1])
    return values[1]


__all__ = ["Session", "both", "code_of", "compiled"]
