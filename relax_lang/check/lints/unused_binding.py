"""unused-binding: variables that nothing uses, whose values have no effects. [X.O1]"""

from __future__ import annotations

from relax_lang.base.diagnostic import OFF, SAFE, UNSAFE, rule
from relax_lang.check.lints.core.edits import statement_removal
from relax_lang.check.lints.core.registry import lint
from relax_lang.format.lexemes import local_name
from relax_lang.scope.spans import name_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Edit, Location, Rule
    from relax_lang.check.lints.core.node_index import NodeIndex


@rule("RLX0801", "unused-binding", OFF, "X.O1")
def report(rule: Rule, name: Location, shown: str, removal: Edit, is_safe: bool) -> Diagnostic:
    """A variable is bound and never used.

    Its value has no effects, so nothing changes without it. Values that have effects or may fail a check are not
    reported, nor are names that begin with `_`. A use by a binding that is itself unused counts as a use: `--fix`
    removes one after the other.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let y = add(x, x);
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
    found = rule.at(name, f"`{shown}` is never used", "bound here")
    return found.fix("remove the binding", removal, applicability=SAFE if is_safe else UNSAFE)


@lint("unused-binding")
def check(index: NodeIndex) -> list[Diagnostic]:
    """Return `let`s of values without effects whose variables nothing uses. [X.O1]"""
    outputs = {index.resolved.bindings.get(output) for block in index.blocks for output in block.outputs}
    found: list[Diagnostic] = []
    for binding in index.bindings:
        var = binding.var
        if var.name_hint.startswith("_") or var in index.uses or var in outputs:
            continue
        if index.has_effects(binding.value):
            continue
        removal, is_safe = statement_removal(index, (binding.pos, binding.end))
        # An annotation may be a check that can fail when the program runs.
        is_safe = is_safe and var.struct_info_annotation is None
        found.append(report(name_span(var), local_name(var.name_hint), removal, is_safe))
    return found
