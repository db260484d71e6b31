"""`--meta FILE`: objects of the metadata that another file has for programs in Relay."""

from __future__ import annotations

from functools import lru_cache

from relax_lang.base.source import RelayFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.relay.syntax.metadata import Objects


@lru_cache(maxsize=1)
def _read(path: str) -> tuple[Objects | None, tuple[Diagnostic, ...]]:
    from relax_lang.api.programs import RelaxError
    from relax_lang.api.relay import read_metadata

    try:
        return read_metadata(path), ()
    except RelaxError as error:
        return None, tuple(error.diagnostics)


def give_metadata(source: SourceFile, path: str) -> list[Diagnostic]:
    """Let a program have the objects of a file, if one is named; return what is wrong with that."""
    if not path:
        return []
    if not isinstance(source, RelayFile):
        from relax_lang.check.diagnostics.toolchain import usage

        return [usage("`--meta` is for programs in Relay")]
    found, wrong = _read(path)
    source.metadata = found
    return list(wrong)


def wrong_metadata(path: str) -> list[Diagnostic]:
    """Return why a file cannot be read as metadata; nothing if it can."""
    return list(_read(path)[1])
