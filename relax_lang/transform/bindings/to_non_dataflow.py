"""ToNonDataflow: dataflow blocks become ordinary bindings."""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.transform.core.binders import ordinary
from relax_lang.transform.core.rebuild import with_blocks
from relax_lang.transform.pass_manager.forms import NO_DATAFLOW
from relax_lang.transform.pass_manager.passes import Run, function_pass


@function_pass("ToNonDataflow", gives=(NO_DATAFLOW,), idempotent=True)
def to_non_dataflow(function: tree.Function, run: Run) -> tree.Function:
    """Turn dataflow blocks into ordinary bindings, in the same order; nothing else changes.

    What a dataflow block may leave out or reorder is no longer stated, so that passes which rely on it come before.

    ```relax before
    def @main(x: Tensor[(n,), float32]) {
      dataflow {
        let a = exp(x);
        let b = negative(a);
        output b;
      }
      b
    }
    ```

    ```relax after
    def @main(x: Tensor[(n,), float32]) {
      let a = exp(x);
      let b = negative(a);
      b
    }
    ```
    """
    return with_blocks(function, _ordinary)


def _ordinary(block: tree.BlockOfBindings) -> tree.BlockOfBindings:
    if not isinstance(block, tree.DataflowBlock):
        return block
    return tree.BindingBlock(tuple([ordinary(one) for one in block.bindings]), False, block.pos, block.end)
