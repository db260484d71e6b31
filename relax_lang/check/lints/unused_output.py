"""unused-output: variables that leave a dataflow block though nothing after it uses them. [S.8]"""

from __future__ import annotations

from relax_lang.base.diagnostic import OFF, SAFE, Edit, rule
from relax_lang.check.lints.core.registry import lint
from relax_lang.format.lexemes import local_name
from relax_lang.scope.spans import name_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule
    from relax_lang.check.lints.core.node_index import NodeIndex
    from relax_lang.syntax import tree


@rule("RLX0807", "unused-output", OFF, "S.8 X.O1")
def report(rule: Rule, output: Location, name: str, binding: Location, removal: Edit | None) -> Diagnostic:
    """A dataflow block outputs a variable that nothing after the block uses.

    Passes must keep the outputs of a block; a variable that stays inside can be fused, or removed.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let y = add(x, x);
        let z = add(y, y);
        output y, z;
      }
      z
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let y = add(x, x);
        let z = add(y, y);
        output z;
      }
      z
    }
    ```
    """
    found = rule.at(output, f"`{name}` is not used after this dataflow block", "output here")
    found.label(binding, "bound here")
    if removal is None:
        return found.helped("remove it from the outputs")
    return found.fix("remove it from the outputs", removal, applicability=SAFE)


@lint("unused-output")
def check(index: NodeIndex) -> list[Diagnostic]:
    """Return outputs of dataflow blocks that nothing after the block uses. [S.8]"""
    found: list[Diagnostic] = []
    for block in index.blocks:
        for nth, output in enumerate(block.outputs):
            binder = index.resolved.bindings.get(output)
            if binder is None or output.name_hint.startswith("_"):
                continue
            if any(use >= block.end for use in index.uses.get(binder, ())):
                continue
            removal = _without_output(index, block, nth)
            found.append(report(output, local_name(output.name_hint), name_span(binder), removal))
    return found


def _without_output(index: NodeIndex, block: tree.DataflowBlock, nth: int) -> Edit | None:
    """Return the edit that removes a name from `output a, b;`, or the statement if the name is the only one.

    None if a comment is in the way.
    """
    outputs = block.outputs
    one = outputs[nth]
    if nth > 0 and not index.has_comment(outputs[nth - 1].end, one.pos):
        return Edit(outputs[nth - 1].end, one.end, "")
    if nth + 1 < len(outputs) and not index.has_comment(one.end, outputs[nth + 1].pos):
        return Edit(one.pos, outputs[nth + 1].pos, "")
    last = block.bindings[-1].end if block.bindings else block.pos
    if len(outputs) > 1 or index.has_comment(last, block.end):
        return None
    return Edit(block.outputs_pos, block.outputs_end, "")
