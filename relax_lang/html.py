"""Programs, diagnostics and results as HTML for notebooks: self-contained, readable on light and dark pages."""

from __future__ import annotations

from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile

_COLORS = {"error": "#c0392b", "warning": "#b9770e", "hint": "#2471a3", "off": "#808b96"}


_MOST_ROWS = 12  # of a table; a larger tensor shows its edges
_EDGE = 4


def result_html(value: object) -> str:
    """Return a value of a program: tensors of rank 1 and 2 as tables, fields of tuples below each other."""
    from relax_lang.runtime.values.display import show_value, tensor_type
    from relax_lang.runtime.values.tensors import is_of_language, is_tuple

    if is_tuple(value) and value:
        items = "".join([f"<li>{_field_html(field)}</li>" for field in value])
        return f'<div>tuple of {len(value)}<ol start="0">{items}</ol></div>'
    if is_of_language(value) and value.ndim in (1, 2) and value.size:
        return f"<div><code>{escape(tensor_type(value))}</code>{_table(value)}</div>"
    return f"<pre>{escape(chr(10).join(show_value(value)))}</pre>"


def _field_html(value: object) -> str:
    """Return a field of a tuple; tuples in it as text, which knows how deep to go."""
    from relax_lang.runtime.values.display import show_value

    if isinstance(value, tuple):
        return f"<pre>{escape(chr(10).join(show_value(value)))}</pre>"  # pyright: ignore[reportUnknownArgumentType]
    return result_html(value)


def _table(tensor: np.ndarray[Any, Any]) -> str:
    rows = tensor.reshape(1, -1) if tensor.ndim == 1 else tensor
    body: list[str] = []
    for row in _some(rows.shape[0]):
        cells = [
            "…" if row is None or column is None else _cell(rows[row, column])
            for column in _some(rows.shape[1])
        ]
        body.append("<tr>" + "".join([f"<td>{escape(cell)}</td>" for cell in cells]) + "</tr>")
    return f"<table>{''.join(body)}</table>"


def _cell(element: Any) -> str:
    plain = element.item()
    return f"{plain:.6g}" if isinstance(plain, float) else str(plain).lower()


def _some(count: int) -> list[int | None]:
    """Return the indices that are shown, None for those that are left out."""
    if count <= _MOST_ROWS:
        return list(range(count))
    return [*range(_EDGE), None, *range(count - _EDGE, count)]


def program_html(source: SourceFile, text: str, warnings: list[Diagnostic]) -> str:
    """Return a program, as the formatter laid it out, and its warnings."""
    found = diagnostics_html(source, warnings) if warnings else ""
    return f"<div><b>{escape(source.path)}</b><pre>{escape(text)}</pre>{found}</div>"


def diagnostics_html(source: SourceFile, diagnostics: list[Diagnostic]) -> str:
    """Return diagnostics: each with its place, its line with the place marked, notes and help."""
    return "".join([_diagnostic(source, one) for one in diagnostics])


def _diagnostic(source: SourceFile, one: Diagnostic) -> str:
    color = _COLORS.get(one.severity, "inherit")
    head = f"{one.severity}[{one.code} {one.slug}]: {one.message}"
    parts = [f'<div style="color:{color}"><b>{escape(head)}</b></div>']
    if one.pos >= 0:
        line, column = source.position(one.pos)
        parts.append(f"<div>{escape(source.path)}:{line}:{column}</div>{_marked(source, one, color)}")
    parts += [f"<div>note: {escape(note)}</div>" for note in one.notes]
    if one.help:
        parts.append(f"<div>help: {escape(one.help)}</div>")
    return f'<div style="margin:0.5em 0">{"".join(parts)}</div>'


def _marked(source: SourceFile, one: Diagnostic, color: str) -> str:
    """Return the line of a diagnostic with its place underlined, and the label beside it."""
    start = source.text.rfind("\n", 0, one.pos) + 1
    stop = source.text.find("\n", one.pos)
    stop = len(source.text) if stop < 0 else stop
    end = min(max(one.end, one.pos + 1), stop)
    marked = f'<u style="text-decoration-color:{color}"><b>{escape(source.text[one.pos : end]) or "&nbsp;"}</b></u>'
    label = f' <i style="color:{color}">{escape(one.primary)}</i>' if one.primary else ""
    return f"<pre>{escape(source.text[start : one.pos])}{marked}{escape(source.text[end:stop])}{label}</pre>"
