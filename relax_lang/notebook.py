"""Results and errors in notebooks. Modules show themselves; results are NumPy arrays, which do not.

After `%load_ext relax_lang.notebook` they do, and errors show their diagnostics instead of Python's traceback;
`show(result)` shows one result.
"""

from __future__ import annotations

from relax_lang.html import diagnostics_html, result_html

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.check.driver import Checked


class Result:
    """What a program returned, for a notebook to show."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        from relax_lang.runtime.values.display import show_value

        return "\n".join(show_value(self.value))

    def _repr_html_(self) -> str:
        return result_html(self.value)


def show(value: object) -> Result:
    """Return a result as something that a notebook shows: a tensor as a table, with its struct info."""
    return Result(value)


def load_ipython_extension(shell: Any) -> None:
    """Let a notebook show tensors, shapes and tuples of them, and the diagnostics of errors. IPython calls this."""
    from relax_lang.api import RelaxError
    from relax_lang.check.driver import Checked
    from relax_lang.values import ShapeValue

    formatter = shell.display_formatter.formatters["text/html"]
    formatter.for_type_by_name("numpy", "ndarray", result_html)
    formatter.for_type(ShapeValue, result_html)
    formatter.for_type(tuple, _tuple_html)
    formatter.for_type(Checked, _checked_html)
    shell.set_custom_exc((RelaxError,), _show_error)


def _show_error(
    shell: Any, _kind: type, error: Any, _traceback: object, tb_offset: int | None = None
) -> None:
    """Show the diagnostics of an error; `%tb` still shows where in Python it was raised."""
    del tb_offset
    html = diagnostics_html(error.source, error.diagnostics)
    shell.display_pub.publish({"text/html": html, "text/plain": str(error)})


def _checked_html(checked: Checked) -> str:
    return diagnostics_html(checked.source, checked.diagnostics) or "<div>No problems found.</div>"


def _tuple_html(value: tuple[object, ...]) -> str | None:
    """Leave tuples alone that hold nothing of a program."""
    import numpy as np

    from relax_lang.values import ShapeValue

    return result_html(value) if [one for one in value if isinstance(one, np.ndarray | ShapeValue)] else None
