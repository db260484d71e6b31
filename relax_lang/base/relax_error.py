"""The one exception that mistakes of users raise in Python: diagnostics, and the text that they are about."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Concatenate, ParamSpec

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile

    P = ParamSpec("P")


class RelaxError(Exception):
    """A program that cannot be used as asked, or that failed while running; says why with diagnostics.

    >>> from relax_lang.api import run
    >>> try:
    ...     run("def @main() { y }")
    ... except RelaxError as error:
    ...     print(error)
    <text>:1:15: error[RLX0201 undefined-variable] `y` is not defined
    """

    def __init__(self, source: SourceFile, diagnostics: Iterable[Diagnostic]) -> None:
        self.source = source
        self.diagnostics = list(diagnostics)
        super().__init__("\n".join([_line(source, one) for one in self.diagnostics]))
        several = len(self.diagnostics) > 1
        # What a traceback shows below the message: other places, facts, and what to do.
        self.__notes__ = [
            f"{_place(source, one.pos)}: {detail}" if several else detail
            for one in self.diagnostics
            for detail in _details_of(source, one)
        ]

    def __reduce__(self) -> tuple[type[RelaxError], tuple[SourceFile, list[Diagnostic]]]:
        """Say how it is made again, in another process."""
        return type(self), (self.source, self.diagnostics)

    def _repr_html_(self) -> str:
        """Show the diagnostics in a notebook."""
        from importlib import import_module

        html: Any = import_module("relax_lang.html")  # of a higher floor; only notebooks ask for it
        return html.diagnostics_html(self.source, self.diagnostics)


RelaxError.__module__ = "relax_lang.api"  # where users find it


def _line(source: SourceFile, one: Diagnostic) -> str:
    return f"{_place(source, one.pos)}: {one.severity}[{one.code} {one.slug}] {one.message}"


def _place(source: SourceFile, offset: int) -> str:
    if offset < 0:
        return source.path
    line, column = source.position(offset)
    return f"{source.path}:{line}:{column}"


def _details_of(source: SourceFile, one: Diagnostic) -> list[str]:
    """Return the lines about other places, facts and help of one diagnostic."""
    lines = [f"{_place(source, label.pos)}: {label.message}" for label in one.labels]
    lines += [f"note: {note}" for note in one.notes]
    return [*lines, f"help: {one.help}"] if one.help else lines


def refused(
    make: Callable[Concatenate[tuple[int, int], P], Diagnostic], *args: P.args, **kwargs: P.kwargs
) -> RelaxError:
    """Return the error for a mistake in a Python call of this package: a diagnostic at the caller's line."""
    from relax_lang.base.python_callers import calling_line, line_of  # only for mistakes

    source, place = line_of(calling_line())
    return RelaxError(source, [make(place, *args, **kwargs)])
