"""BindSymbolicVars: dimensions get their values before the program runs."""

from __future__ import annotations

from relax_lang.arith.printing import simplified
from relax_lang.base.node import children
from relax_lang.scope.spans import bare_dims
from relax_lang.syntax import tree
from relax_lang.transform.core.rebuild import Rewriting
from relax_lang.transform.pass_manager.finding import function_named, no_shape_var
from relax_lang.transform.pass_manager.passes import Run, module_pass
from relax_lang.typed import IllTyped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.typed import Typed


@module_pass("BindSymbolicVars", 'func: str = "", **: int', idempotent=False)
def bind_symbolic_vars(typed: Typed, run: Run, func: str = "", **sizes: int) -> Typed:
    """Replace shape variables of signatures by numbers, in one function (`func`) or in all that have them.

    What becomes known is simplified: `n * 2` with `n=4` is `8`. The function then takes arrays of these sizes only. A
    name that no signature has is an error, and so is a size with which calls inside the module do not fit any more.

    ```relax before
    def @main(x: Tensor[(n, m), float32]) -> Tensor[(n * m,), float32] {
      let y = reshape(x, shape(n * m));
      y
    }
    ```

    ```relax after n=4, m=2
    def @main(x: Tensor[(4, 2), float32]) -> Tensor[(8,), float32] {
      let y = reshape(x, shape(8));
      y
    }
    ```
    """
    chosen = [function_named(run, func)] if func else typed.functions
    known = {function: _signature_vars(function) for function in chosen}
    for name, size in sizes.items():
        if type(size) is not int or size < 0:
            run.refuse(None, f"`{name}` must be an integer of at least 0, not `{size}`")
        if not any(name in own for own in known.values()):
            run.refuse(None, *no_shape_var(name, [one for own in known.values() for one in own]))
    changed: dict[tree.Item, tree.Item | None] = {}
    for function, own in known.items():
        bound = {name: tree.IntImm(size) for name, size in sizes.items() if name in own}
        if bound:
            changed[function] = with_sizes(function, bound)
    after = typed.with_items(changed)
    try:
        _ = after.inferred
    except IllTyped as wrong:
        first = wrong.diagnostics[0]
        run.refuse(None, f"the program does not fit these sizes: {first.message}")
    return after


def _signature_vars(function: tree.Function) -> list[str]:
    found: dict[str, None] = {}
    for param in function.params:
        if param.struct_info_annotation is not None:
            found |= dict.fromkeys([dim.name for dim in bare_dims(param.struct_info_annotation)])
    return list(found)


def with_sizes(function: tree.Function, sizes: Mapping[str, tree.IntImm]) -> tree.Function:
    """Return a function with numbers for shape variables; dimensions that changed are simplified."""
    changed: set[tree.Node] = set()

    def change(node: tree.Node) -> tree.Node:
        if isinstance(node, tree.PrimVar):
            found = sizes.get(node.name)
            if found is None:
                return node
            made = tree.IntImm(found.value, None, None, node.pos, node.end)
            changed.add(made)
            return made
        if isinstance(node, tree.PrimExpr) and any(one in changed for one in children(node)):
            simpler = simplified(node)
            changed.add(simpler)
            return simpler
        return node

    return Rewriting(change).of(function)
