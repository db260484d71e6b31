"""What the tests of Relay share."""

from __future__ import annotations

from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import RelayFile
from relax_lang.relay.checking import Analysed, analyse
from relax_lang.relay.unification.printing import show


def checked(text: str) -> Analysed:
    with deep_recursion():
        return analyse(RelayFile(text, "model.relay"))


def slugs(text: str) -> list[str]:
    return [one.slug for one in checked(text).diagnostics]


def type_of(text: str, name: str = "main") -> str:
    """The type of a function of a program without errors, with its parameters."""
    found = checked(text)
    assert [one for one in found.diagnostics if one.severity == "error"] == []
    scheme = found.typed.functions[name]
    head = f"[{', '.join([one.name for one in scheme.quantified])}]" if scheme.quantified else ""
    return head + show(scheme.type)
