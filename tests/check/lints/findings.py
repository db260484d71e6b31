"""What lints find in a program, and the program as they repair it."""

from __future__ import annotations

from relax_lang import api


def found(text: str, *lints: str) -> list[tuple[str, str]]:
    """Return what the named lints find in a program without errors, each with the text that it marks."""
    checked = api.check(text, lints=lints)
    assert not checked.has_errors, checked.diagnostics
    return [(one.slug, text[one.pos : one.end]) for one in checked.diagnostics if one.slug in lints]


def f(*statements: str, params: str = "x: Tensor", head: str = "") -> str:
    return "\n".join([head + f"def @f({params}) {{", *[f"  {one}" for one in statements], "}", ""])


def fixed(text: str, *lints: str, unsafe: bool = False) -> str:
    """Return what the fixes of the named lints, and of those that are on, make of a program."""
    return api.fix_text(text, unsafe=unsafe, lints=lints, want=list).text
