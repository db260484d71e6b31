"""Finding functions of the module and their parameters: what options name, what may change its signature."""

from __future__ import annotations

from relax_lang.base.names import nearest
from relax_lang.base.node import walk
from relax_lang.format.lexemes import global_name
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.transform.pass_manager.passes import Run
    from relax_lang.typed import Typed


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


def no_shape_var(name: str, known: Iterable[str]) -> tuple[str, str]:
    """Return message and help for the name of a shape variable that no signature has; `known` has those of all."""
    names = list(dict.fromkeys(known))
    near = nearest(name, names)
    listed = ", ".join([f"`{one}`" for one in names])
    there = "there is" if len(names) == 1 else "there are"
    help_ = f"did you mean `{near}`?" if near else f"{there} {listed}" if names else ""
    return f"no function has a shape variable `{name}`", help_


def used_as_values(typed: Typed) -> set[str]:
    """Return the functions that are mentioned otherwise than by calling them."""
    found: set[str] = set()
    for function in typed.functions:
        called = {id(node.op) for node in walk(function) if isinstance(node, tree.Call)}
        found |= {
            node.name_hint
            for node in walk(function)
            if isinstance(node, tree.GlobalVar) and id(node) not in called and node is not function.name
        }
    return found


def private_callees(typed: Typed) -> dict[str, tree.Function]:
    """Return the functions whose signatures may change together with their calls, by name."""
    values = used_as_values(typed)
    return {
        function.name.name_hint: function
        for function in typed.functions
        if function.name is not None and function.private and function.name.name_hint not in values
    }
