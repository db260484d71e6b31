"""Finding what options name: functions of the module, parameters."""

from __future__ import annotations

from relax_lang.base.names import nearest
from relax_lang.format.lexemes import global_name
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.transform.core.passes import Run


def function_named(run: Run, name: str) -> tree.Function:
    """Return a function of the module, with or without `@`. Raises PassRefused if there is none."""
    plain = name.removeprefix("@")
    function = run.typed.items.get(plain)
    if not isinstance(function, tree.Function):
        near = nearest(plain, [one.name.name_hint for one in run.typed.functions if one.name is not None])
        run.refuse(None, f"there is no function `{plain}`", f"did you mean `{near}`?" if near else "")
    return function


def parameter_named(run: Run, function: tree.Function, name: str) -> tree.Var:
    """Return a parameter of a function. Raises PassRefused if there is none."""
    known = {param.name_hint: param for param in function.params}
    found = known.get(name)
    if found is None:
        near = nearest(name, list(known))
        shown = "" if function.name is None else global_name(function.name.name_hint)
        help_ = f"did you mean `{near}`?" if near else ""
        run.refuse(function.name, f"{shown} has no parameter `{name}`", help_)
    return found
