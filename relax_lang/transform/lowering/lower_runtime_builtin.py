"""LowerRuntimeBuiltin: operators on memory get the names that the virtual machine has for them."""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.transform.core.rebuild import Rewriting, with_body
from relax_lang.transform.pass_manager.passes import Run, function_pass

BUILTINS = {
    "memory.alloc_storage": "vm.alloc_storage",
    "memory.alloc_tensor": "vm.alloc_tensor",
    "memory.kill_storage": "vm.kill_object",
    "memory.kill_tensor": "vm.kill_object",
}
"""Operators and what the virtual machine has in their place, with the same operands."""


@function_pass("LowerRuntimeBuiltin", idempotent=True)
def lower_runtime_builtin(function: tree.Function, run: Run) -> tree.Function:
    """Give the operators on memory the names that they have in the virtual machine. Nothing else changes.

    ```relax before
    force_pure def @main() -> Tensor[(4,), float32] {
      let storage = memory.alloc_storage(shape(16), 0);
      let y = memory.alloc_tensor(storage, 0, shape(4), dtype=float32);
      memory.kill_storage(storage);
      y
    }
    ```

    ```relax after
    force_pure def @main() -> Tensor[(4,), float32] {
      let storage = vm.alloc_storage(shape(16), 0);
      let y = vm.alloc_tensor(storage, 0, shape(4), dtype=float32);
      vm.kill_object(storage);
      y
    }
    ```
    """
    return with_body(function, Rewriting(_lowered).of(function.body))


def _lowered(node: tree.Node) -> tree.Node:
    name = BUILTINS.get(node.op_name) if isinstance(node, tree.Op) else None
    return node if name is None else tree.Op(name, node.pos, node.end)
