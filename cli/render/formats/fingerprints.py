"""Marks by which other tools recognize a finding after the text around it has changed."""

from __future__ import annotations

from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile


def fingerprint(source: SourceFile, one: Diagnostic, seen: dict[str, int]) -> str:
    """Return a mark that stays when lines are added above: code and text of the line, and which one."""
    line = source.line(source.position(one.pos)[0]).strip() if one.pos >= 0 else ""
    digest = f"{crc32(f'{one.code} {line}'.encode('utf-8', 'surrogatepass')):08x}"
    seen[digest] = seen.get(digest, 0) + 1
    return f"{digest}:{seen[digest]}"
