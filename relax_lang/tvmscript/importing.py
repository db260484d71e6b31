"""Units of Python files as Relax text: `relax import`."""

from __future__ import annotations

from relax_lang.base.diagnostic import has_errors
from relax_lang.base.nested_text import parse_python_expression
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.format.printable import check_printable
from relax_lang.format.printer import Unprintable, format_parsed
from relax_lang.scope.hidden_operators import check_names
from relax_lang.syntax.parser import parse
from relax_lang.tvmscript.python.python_values import Environment, evaluate
from relax_lang.tvmscript.python.values import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.syntax.parsed import Parsed


def relax_text(parsed: Parsed) -> tuple[str, list[Diagnostic]]:
    """Return a unit as Relax text, with its comments, and what has no text form.

    What is written is read back before it is returned.
    """
    with deep_recursion():
        try:
            check_printable(parsed.tree)
            check_names(parsed.tree)
        except Unprintable as refused:
            return "", [refused.diagnostic()]
        text = format_parsed(parsed)
        again = parse(text)
    errors = [one for one in again.diagnostics if one.severity == "error"]
    if has_errors(errors):
        raise AssertionError(f"text of a unit that is not read back: {errors[0]}")
    return text, []


def read_define(word: str) -> tuple[str, object] | None:
    """Return the name and the value of `NAME=VALUE`; what is not a literal is a string. None if it is neither."""
    name, equals, value = word.partition("=")
    name = name.strip()
    if not equals or not name.isidentifier():
        return None
    try:
        return name, evaluate(parse_python_expression(value.strip()), Environment((), {}))
    except (SyntaxError, ValueError, Unknown):
        return (name, value.strip()) if value.strip() else None
