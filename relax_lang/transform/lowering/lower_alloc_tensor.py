"""LowerAllocTensor: every allocation that no plan has taken gets a storage of its own."""

from __future__ import annotations

from relax_lang.arith.printing import simplified
from relax_lang.base.names import FreshNames
from relax_lang.syntax import tree
from relax_lang.transform.core.emitting import names_of
from relax_lang.transform.core.rebuild import with_bindings, with_blocks, with_value
from relax_lang.transform.lowering.statements import Allocation, bound, number, octets, operator
from relax_lang.transform.pass_manager.passes import Run, function_pass


@function_pass("LowerAllocTensor", idempotent=True)
def lower_alloc_tensor(function: tree.Function, run: Run) -> tree.Function:
    """Give every `builtin.alloc_tensor` that is left a storage of its own, in which the tensor is made.

    In dataflow blocks nothing changes, nor where the shape is a variable.

    ```relax before
    def @main(x: Tensor[(n, 4), float32]) -> Tensor[(n, 4), float32] {
      let y = builtin.alloc_tensor(shape(n, 4), 0, dtype=float32);
      y
    }
    ```

    ```relax after
    def @main(x: Tensor[(n, 4), float32]) -> Tensor[(n, 4), float32] {
      let storage = memory.alloc_storage(shape(n * 16), 0);
      let y = memory.alloc_tensor(storage, 0, shape(n, 4), dtype=float32);
      y
    }
    ```
    """
    names = FreshNames(names_of(function))

    def block(one: tree.BlockOfBindings) -> tree.BlockOfBindings:
        if isinstance(one, tree.DataflowBlock):
            return one
        made: list[tree.Binding] = []
        for binding in one.bindings:
            found = Allocation.of(binding)
            if found is None:
                made.append(binding)
                continue
            size = tree.ShapeExpr((simplified(octets(found.dims, found.dtype.name)),))
            storage = names.fresh("storage")
            call = operator("memory.alloc_storage", (size, number(0)), binding)
            made += [
                bound(storage, call, binding),
                with_value(binding, found.placed(storage, 0, binding.value)),
            ]
        return with_bindings(one, tuple(made))

    return with_blocks(function, block)
