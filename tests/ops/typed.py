"""What the checker says of one call, through everything that stands between the text and the rule."""

from __future__ import annotations

from relax_lang.base.source import SourceFile
from relax_lang.check.driver import Checked, check_source
from relax_lang.format.printer import show


def _checked(params: str, call: str) -> tuple[Checked, SourceFile]:
    source = SourceFile(f"def @main({params}) {{\n  let y = {call};\n  y\n}}\n")
    return check_source(source), source


def typed(params: str, call: str) -> str:
    """Return what is known of the result of a call that is right."""
    checked, source = _checked(params, call)
    assert not checked.has_errors, checked.diagnostics
    info = checked.inferred.at(source.text.index("y ="))
    assert info is not None
    return show(info)


def rejected(params: str, call: str) -> list[str]:
    """Return the slugs and messages of a call that is wrong."""
    checked, _ = _checked(params, call)
    assert checked.has_errors
    return [f"{one.rule.slug}: {one.message}" for one in checked.diagnostics if one.severity == "error"]
