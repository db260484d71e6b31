"""TopologicalSort: the bindings of dataflow blocks in another order."""

from __future__ import annotations

from collections import deque

from relax_lang.analysis.bindings import kept_order
from relax_lang.analysis.removable import Removable
from relax_lang.base.node import walk
from relax_lang.scope.spans import bare_dims
from relax_lang.syntax import tree
from relax_lang.transform.core.rebuild import with_bindings, with_blocks
from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.typed import Typed


@module_pass(
    "TopologicalSort",
    'order: "depth-first"|"breadth-first" = "depth-first", direction: "from-outputs"|"from-inputs" = "from-outputs"',
)
def topological_sort(
    typed: Typed, run: Run, order: str = "depth-first", direction: str = "from-outputs"
) -> Typed:
    """Order the bindings of dataflow blocks by what they need.

    From the outputs, each binding comes as late as those that use it allow, which keeps values alive for a short time;
    from the inputs, it comes as soon as it can. Depth first, what was reached last is followed first, breadth first in
    the order in which it was reached; otherwise the present order decides. Everything that a binding uses stays before
    it, shape variables of a `match_cast` as well. What may change arrays in place, such as `call_tir_inplace`, stays
    where it is among all others.

    ```relax before
    def @main(x: Tensor[(n,), float32]) {
      dataflow {
        let a = exp(x);
        let b = sin(x);
        let c = negative(a);
        let d = add(c, b);
        output d;
      }
      d
    }
    ```

    ```relax after
    def @main(x: Tensor[(n,), float32]) {
      dataflow {
        let a = exp(x);
        let c = negative(a);
        let b = sin(x);
        let d = add(c, b);
        output d;
      }
      d
    }
    ```
    """
    changed: dict[tree.Item, tree.Item | None] = {}
    for function in typed.functions:
        removable = Removable(typed.graph, function)

        def block(one: tree.BlockOfBindings, removable: Removable = removable) -> tree.BlockOfBindings:
            if not isinstance(one, tree.DataflowBlock):
                return one
            return _reordered(one, removable, order, direction)

        made = with_blocks(function, block)
        if made is not function:
            changed[function] = made
    return typed.with_items(changed)


def _reordered(
    block: tree.DataflowBlock, removable: Removable, order: str, direction: str
) -> tree.BlockOfBindings:
    needs = _needs(block, removable)
    uses: list[list[int]] = [[] for _ in needs]
    for at, own in enumerate(needs):
        for other in own:
            uses[other].append(at)
    from_inputs = direction == "from-inputs"
    places = _sorted(needs, uses, order) if from_inputs else _sorted(uses, needs, order)[::-1]
    made = [block.bindings[at] for at in places]
    return with_bindings(block, tuple(made))


def _needs(block: tree.DataflowBlock, removable: Removable) -> list[list[int]]:
    """Return which bindings each binding needs, by their places: in order, each once."""
    variables: dict[str, int] = {}
    sizes: dict[str, int] = {}
    found: list[list[int]] = []
    kept = kept_order(
        [isinstance(one.value, tree.Call) and not removable.is_quiet(one.value) for one in block.bindings]
    )
    for at, binding in enumerate(block.bindings):
        own = set(kept[at])
        for node in walk(binding):
            if isinstance(node, tree.Var | tree.DataflowVar):
                own.add(variables.get(node.name_hint, at))
            elif isinstance(node, tree.PrimVar):
                own.add(sizes.get(node.name, at))
        found.append(sorted(own - {at}))
        if binding.var is not None:
            variables[binding.var.name_hint] = at
        if isinstance(binding, tree.MatchCast):
            for dim in bare_dims(binding.struct_info):
                sizes.setdefault(dim.name, at)
    return found


def _sorted(before: list[list[int]], after: list[list[int]], order: str) -> list[int]:
    """Return the places in an order in which what is before each comes first."""
    waiting = [len(own) for own in before]
    ready = deque([at for at, count in enumerate(waiting) if not count])
    depth = order == "depth-first"
    if depth:
        ready.reverse()
    found: list[int] = []
    while ready:
        at = ready.pop() if depth else ready.popleft()
        found.append(at)
        reached: list[int] = []
        for other in after[at]:
            waiting[other] -= 1
            if not waiting[other]:
                reached.append(other)
        ready.extend(reversed(reached) if depth else reached)
    return found
