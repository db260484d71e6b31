"""empty-dataflow: dataflow blocks without bindings. [G.37]"""

from __future__ import annotations

from relax_lang.base.diagnostic import OFF, SAFE, UNSAFE, rule
from relax_lang.check.lints.core.edits import statement_removal
from relax_lang.check.lints.core.registry import lint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Edit, Location, Rule
    from relax_lang.check.lints.core.node_index import NodeIndex


@rule("RLX0808", "empty-dataflow", OFF, "G.37")
def report(rule: Rule, block: Location, removal: Edit, is_safe: bool) -> Diagnostic:
    """A dataflow block without any bindings.

    It computes nothing and has no outputs.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      dataflow {}
      x
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let y = add(x, x);
        output y;
      }
      y
    }
    ```
    """
    found = rule.at(block, "this dataflow block is empty")
    return found.fix("remove it", removal, applicability=SAFE if is_safe else UNSAFE)


@lint("empty-dataflow")
def check(index: NodeIndex) -> list[Diagnostic]:
    """Return dataflow blocks without bindings. [G.37]"""
    found: list[Diagnostic] = []
    for block in index.blocks:
        if not block.bindings and not block.outputs:
            removal, is_safe = statement_removal(index, (block.pos, block.end))
            found.append(report(block, removal, is_safe))
    return found
