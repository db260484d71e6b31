"""unused-parameter: parameters of which neither the value nor a dimension is used."""

from __future__ import annotations

from relax_lang.base.diagnostic import OFF, rule
from relax_lang.base.node import walk
from relax_lang.check.lints.core.registry import lint
from relax_lang.format.lexemes import global_name, local_name
from relax_lang.scope.spans import name_span
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule
    from relax_lang.check.lints.core.node_index import NodeIndex


@rule("RLX0802", "unused-parameter", OFF)
def report(rule: Rule, name: Location, shown: str, function: str) -> Diagnostic:
    """A function does nothing with one of its parameters.

    A parameter whose shape names a dimension is used where that name is used. Names that begin with `_` are not
    reported. Callers rely on the parameters of a function, so there is no fix.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax wrong
    def @main(x: Tensor, y: Tensor) -> Tensor {
      x
    }
    ```

    ```relax right
    def @main(x: Tensor, _y: Tensor) -> Tensor {
      x
    }
    ```
    """
    found = rule.at(name, f"parameter `{shown}` of {function} is never used", "not used")
    return found.helped(f"leave it out, or call it `_{shown}` if callers must pass it")


@lint("unused-parameter")
def check(index: NodeIndex) -> list[Diagnostic]:
    """Return parameters of which neither the value nor a dimension that they bind is used."""
    found: list[Diagnostic] = []
    for function in index.functions:
        shown = "this function" if function.name is None else global_name(function.name.name_hint)
        for param in function.params:
            name = param.name_hint
            if name.startswith("_") or param in index.uses or _binds_a_used_dimension(index, param):
                continue
            found.append(report(name_span(param), local_name(name), shown))
    for prim_func in index.prim_funcs:
        found += _unused_scalars(prim_func)
    return found


def _binds_a_used_dimension(index: NodeIndex, param: tree.Var) -> bool:
    """Return whether a parameter binds a shape variable that is used outside of the parameter."""
    info = param.struct_info_annotation
    if info is None:
        return False
    return any(
        not info.pos <= use < info.end
        for node in walk(info)
        if index.resolved.shape_bindings.get(node) is node
        for use in index.shape_var_uses.get(node, ())
    )


def _unused_scalars(function: tree.PrimFunc) -> list[Diagnostic]:
    """Return scalar parameters that a prim_func does not mention; unused buffers have a diagnostic of their own."""
    scalars = [param for param in function.params if isinstance(param, tree.ScalarParam)]
    if not scalars:
        return []
    mentioned = {node.name for node in walk(function) if isinstance(node, tree.PrimVar)}
    shown = global_name(function.name.name_hint)
    return [
        report((param.pos, param.pos + len(param.name)), local_name(param.name), shown)
        for param in scalars
        if param.name not in mentioned and not param.name.startswith("_")
    ]
