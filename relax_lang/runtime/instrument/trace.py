"""`--trace`: one line for each binding, when it has its value."""

from __future__ import annotations

from relax_lang.format.lexemes import local_name
from relax_lang.runtime.instrument.observer import Observer
from relax_lang.runtime.instrument.statistics import Statistics
from relax_lang.runtime.values.display import show_brief
from relax_lang.runtime.values.tensors import is_of_language, is_tuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.base.source import SourceFile
    from relax_lang.runtime.instrument.observer import Moment
    from relax_lang.runtime.interpreter.machine import Scope

_FIELDS = 4  # of a tuple; more are not listed


class Trace(Observer):
    """Writes `line  name: struct info with numbers  min … mean … max …  time` for each binding."""

    __slots__ = ("_source", "_write")

    def __init__(self, source: SourceFile, write: Callable[[str], object]) -> None:
        self._source = source
        self._write = write

    def bound(self, moment: Moment, value: object, scope: Scope) -> None:
        """Write the line of one binding."""
        del scope
        pos = moment.binding.pos
        line = self._source.position(pos)[0] if pos >= 0 else 0
        name = f"{local_name(moment.name)}: " if moment.name else ""
        shown = f"{line:>5}  {'  ' * min(moment.depth, 20)}{name}{summary(value)}"
        self._write(f"{shown}  [{duration(moment.took)}]\n")


def summary(value: object) -> str:
    """Return the struct info of a value with its numbers, and what a tensor holds."""
    if is_of_language(value):
        return f"{show_brief(value)}  {Statistics(value)}"
    if is_tuple(value) and value:
        fields = [show_brief(field) for field in value[:_FIELDS]]
        more = [f"… {len(value) - _FIELDS} more"] if len(value) > _FIELDS else []
        return f"({', '.join([*fields, *more])}{',' if len(value) == 1 else ''})"
    return show_brief(value)


def duration(nanoseconds: int) -> str:
    """Show a time in the unit that suits it: `12 µs`, `3.4 ms`, `1.20 s`."""
    if nanoseconds < 1_000_000:
        return f"{nanoseconds / 1e3:.0f} µs"
    if nanoseconds < 1_000_000_000:
        return f"{nanoseconds / 1e6:.1f} ms"
    return f"{nanoseconds / 1e9:.2f} s"
