"""The lines of Python that mistakes are about: where values were bound, and the errors that show those lines."""

from __future__ import annotations

from relax_lang.base.python_callers import line_of, span_of_line
from relax_lang.base.relax_error import RelaxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.python_callers import Place


class Places:
    """Where in Python the variables of a function were bound, and what else a mistake may point at.

    Nodes that are built have no place in a text: their offsets are negative, and number the bindings.
    """

    __slots__ = ("_made", "marks")

    def __init__(self) -> None:
        self._made: list[tuple[str, Place]] = []
        self.marks: dict[str, Place] = {}
        """Where the function was opened, and got its parameters and its result."""

    def note(self, name: str, place: Place) -> int:
        """Return the offset for nodes about a variable that is bound at a line; without a name, about an annotation."""
        self._made.append((name, place))
        return -1 - len(self._made)

    def at(self, offset: int) -> tuple[str, Place] | None:
        """Return the variable and the line that an offset is about."""
        return self._made[-2 - offset] if -1 - len(self._made) <= offset < -1 else None

    def line(self, offset: int) -> Place | None:
        """Return the line that an offset is about."""
        known = self.at(offset)
        return None if known is None else known[1]


def beside(error: RelaxError, place: Place | None, message: str) -> RelaxError:
    """Return an error that points at a second line as well: one of the same file, or a note about another."""
    (one,) = error.diagnostics
    if place is not None:
        source, span = line_of(place)
        if source.path != error.source.path:
            one.note(f"{place[0]}:{place[1]}: {message}")
        elif span != (one.pos, one.end):
            _label(one, span, message)
    return error


def error_at(place: Place, found: list[Diagnostic], places: Places | None = None) -> RelaxError:
    """Return the error for findings of the checker, at a line of Python.

    Labels are about the lines where operands were bound; they become notes where that line is of another file, or
    is the same, or is not known.
    """
    source, span = line_of(place)
    for one in found:
        one.pos, one.end = span
        one.fixes = []
        labels, one.labels = one.labels, []
        for label in labels:
            known = None if places is None else places.at(label.pos)
            message = label.message
            if known is not None and known[0] and f"`{known[0]}`" not in message:
                message = f"`{known[0]}`: {message}" if message else f"`{known[0]}` is bound here"
            if known is None or known[1] == place:
                if message and label.message not in one.message and message not in one.notes:
                    one.note(message)
            elif known[1][0] == place[0]:
                _label(one, span_of_line(source, known[1][1]), message)
            else:
                one.note(f"{known[1][0]}:{known[1][1]}: {message}")
    return RelaxError(source, found)


def _label(found: Diagnostic, span: tuple[int, int], message: str) -> None:
    """Add a label; what is said about one line is one label."""
    for label in found.labels:
        if (label.pos, label.end) == span:
            if message not in label.message:
                label.message += f"; {message}"
            return
    found.label(span, message)
