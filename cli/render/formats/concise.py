"""One line a diagnostic: `mlp.rlx:4:23: error[RLX0201 undefined-variable] message`, as compilers do."""

from __future__ import annotations

from ..width import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile

    from ..style import Style


def render(source: SourceFile, diagnostic: Diagnostic, style: Style) -> str:
    """Return one diagnostic as one line."""
    place = visible(source.path)
    if diagnostic.pos >= 0:
        line, column = source.position(diagnostic.pos)
        place += f":{line}:{column}"
    code = style.paint(f"{diagnostic.severity}[{diagnostic.code} {diagnostic.slug}]", diagnostic.severity)
    return f"{place}{': ' if place else ''}{code} {visible(diagnostic.message)}\n"
