"""unused-value: statements that compute a value without effects and drop it. [X.O1]"""

from __future__ import annotations

from relax_lang.base.diagnostic import OFF, SAFE, UNSAFE, rule
from relax_lang.check.lints.core.edits import statement_removal
from relax_lang.check.lints.core.registry import lint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Edit, Location, Rule
    from relax_lang.check.lints.core.node_index import NodeIndex


@rule("RLX0810", "unused-value", OFF, "X.O1")
def report(rule: Rule, statement: Location, removal: Edit, is_safe: bool) -> Diagnostic:
    """A statement computes a value without effects and drops it.

    Values do not change in place: `add(x, x);` does not change `x`. `let _ = e;` drops a value on purpose.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      add(x, x);
      x
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      let y = add(x, x);
      y
    }
    ```
    """
    found = rule.at(statement, "this value is never used", "it has no effects")
    return found.fix("remove the statement", removal, applicability=SAFE if is_safe else UNSAFE)


@lint("unused-value")
def check(index: NodeIndex) -> list[Diagnostic]:
    """Return statements `e;` whose value has no effects. `let _ = e;` drops a value on purpose. [X.O1]"""
    found: list[Diagnostic] = []
    for binding in index.bindings:
        is_statement = binding.var.name_hint == "_" and binding.var.end <= binding.var.pos
        if is_statement and not index.has_effects(binding.value):
            removal, is_safe = statement_removal(index, (binding.pos, binding.end))
            found.append(report(binding.value, removal, is_safe))
    return found
