"""KillAfterLastUse: the lives of storages, tensors and other values end in the text where they end."""

from __future__ import annotations

from relax_lang.analysis.aliasing import Aliasing
from relax_lang.analysis.bindings import FreeNames, bindings_of, names_in
from relax_lang.analysis.effects import KILLING
from relax_lang.base.node import walk
from relax_lang.normalize.inner_bodies import body_of
from relax_lang.syntax import tree
from relax_lang.transform.core.rebuild import sequence, with_bindings, with_body, with_branches, with_value
from relax_lang.transform.lowering.purity import as_pure_as
from relax_lang.transform.lowering.statements import operator, statement
from relax_lang.transform.pass_manager.passes import Run, function_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node

KILLS = {
    "memory.alloc_storage": "memory.kill_storage",
    "memory.alloc_tensor": "memory.kill_tensor",
    "builtin.alloc_tensor": "memory.kill_tensor",
    "vm.alloc_storage": "vm.kill_object",
    "vm.alloc_tensor": "vm.kill_object",
    "vm.alloc_tensor_at": "vm.kill_object",
}
"""What makes a value, and what ends its life."""


@function_pass("KillAfterLastUse", idempotent=True)
def kill_after_last_use(function: tree.Function, run: Run) -> tree.Function:
    """End the life of every storage and tensor that a function allocates after its last use.

    Other names of a tensor and its views count as uses; a tensor in a storage does not count as one of the storage,
    which ends after the last tensor was made in it. What may be reached from elsewhere, is returned or is the value of
    a branch is not killed, nor is anything twice. In dataflow blocks nothing changes.

    ```relax before
    force_pure def @main(x: Tensor[(4,), float32]) -> Tensor[(4,), float32] {
      let storage = memory.alloc_storage(shape(16), 0);
      let a = memory.alloc_tensor(storage, 0, shape(4), dtype=float32);
      @relu(x, a);
      let y = exp(a);
      y
    }

    prim_func @relu(X: Buffer[(4,), float32], Y: Buffer[(4,), float32]) {
      for i in 0..4 {
        Y[i] = max(X[i], 0.0);
      }
    }
    ```

    ```relax after
    force_pure def @main(x: Tensor[(4,), float32]) -> Tensor[(4,), float32] {
      let storage = memory.alloc_storage(shape(16), 0);
      let a = memory.alloc_tensor(storage, 0, shape(4), dtype=float32);
      memory.kill_storage(storage);
      @relu(x, a);
      let y = exp(a);
      memory.kill_tensor(a);
      y
    }

    prim_func @relu(X: Buffer[(4,), float32], Y: Buffer[(4,), float32]) {
      for i in 0..4 {
        Y[i] = max(X[i], 0.0);
      }
    }
    ```
    """
    if not any(_kill(node) for node in walk(function)):
        return function
    body = _Killer(function, run.typed.prim_funcs).sequence(body_of(function.body))
    return as_pure_as(function, with_body(function, body), run.typed)


def _kill(node: Node) -> str | None:
    """Return what ends the life of what a binding makes."""
    if not isinstance(node, tree.VarBinding) or not isinstance(node.value, tree.Call):
        return None
    op = node.value.op
    return KILLS.get(op.op_name) if isinstance(op, tree.Op) and node.var.name_hint != "_" else None


class _Killer:
    """The lives of one function."""

    def __init__(self, function: tree.Function, prim_funcs: dict[str, tree.PrimFunc]) -> None:
        self._aliasing = Aliasing(function, prim_funcs, within_storages=False)
        self._names = FreeNames()
        self._killed: set[str] = set()
        """Classes that the function itself kills."""
        for node in walk(function):
            if isinstance(node, tree.Call) and isinstance(node.op, tree.Op) and node.op.op_name in KILLING:
                self._killed |= {self._aliasing.root(name) for name in names_in(node)}

    def sequence(self, seq: tree.SeqExpr) -> tree.SeqExpr:
        """Return a body or a branch with kills."""
        root = self._aliasing.root
        last: dict[str, int] = {}
        makers: dict[str, list[tuple[str, str]]] = {}
        local = {
            one for block in seq.blocks if isinstance(block, tree.DataflowBlock) for one in block.bindings
        }
        for at, binding in enumerate(bindings_of(seq)):
            # What branches bind is of a class that the `if` mentions, or of that of its variable.
            for name in self._names.around_branches(binding.value):
                last[root(name)] = at
            if binding.var is not None:
                last[root(binding.var.name_hint)] = at
            kill = _kill(binding)
            if kill is not None and binding.var is not None and binding not in local:
                makers.setdefault(root(binding.var.name_hint), []).append((binding.var.name_hint, kill))
        leaving = {root(name) for name in names_in(seq.body)}
        ends: dict[int, list[tuple[str, str]]] = {}
        for one, made in makers.items():
            if one in leaving or one in self._killed or not self._aliasing.is_private(one):
                continue
            ends.setdefault(last[one], []).extend(made)
        position = 0
        blocks: list[tree.BlockOfBindings] = []
        for block in seq.blocks:
            bindings: list[tree.Binding] = []
            for binding in block.bindings:
                value = binding.value
                if isinstance(value, tree.If):
                    branches = [
                        self.sequence(body_of(one)) for one in (value.true_branch, value.false_branch)
                    ]
                    value = with_branches(value, *branches)
                bindings.append(with_value(binding, value))
                dataflow = isinstance(block, tree.DataflowBlock)  # where nothing may have an effect
                for name, kill in () if dataflow else ends.get(position, ()):
                    call = operator(kill, (tree.Var(name, None),), binding)
                    bindings.append(statement(call, binding))
                position += 1
            blocks.append(with_bindings(block, tuple(bindings)))
        return sequence(seq, blocks, seq.body)
