"""large-constant: constants with a thousand elements or more in the text. [CF.1]"""

from __future__ import annotations

from relax_lang.base.diagnostic import OFF, rule
from relax_lang.check.lints.core.registry import lint
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule
    from relax_lang.check.lints.core.node_index import NodeIndex


@rule("RLX0806", "large-constant", OFF, "CF.1")
def report(rule: Rule, constant: Location, n_elements: int, limit: int) -> Diagnostic:
    """A constant with a thousand elements or more is written out in the program.

    No reader needs them, every tool has to read them, and the text may round them. Constants can be kept in files
    beside the program: `const(file("weights.npz", "fc1"))`.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax right
    def @main(x: Tensor[(3,), float32]) -> Tensor[(3,), float32] {
      x + const([0.5, 1.5, 2.5], float32)
    }
    ```
    """
    found = rule.at(constant, f"this constant has {n_elements:,} elements")
    return found.note(f"up to {limit:,} are fine in a program").helped(
        'keep them in a file beside the program: `const(file("weights.npz", "name"))`'
    )


LARGE = 1_000
"""A constant with so many elements is too large to be written out."""


@lint("large-constant")
def check(index: NodeIndex) -> list[Diagnostic]:
    """Return constants with many elements. [CF.1]"""
    found: list[Diagnostic] = []
    for constant in index.constants:
        data = constant.data
        if isinstance(data, tree.ListLit) and data.end - data.pos > 2 * LARGE:  # an element and its comma
            n_elements = _n_elements(data)
            if n_elements >= LARGE:
                found.append(report(constant, n_elements, LARGE - 1))
    return found


def _n_elements(data: tree.ListLit) -> int:
    total = 0
    stack: list[tree.ListLit] = [data]
    while stack:
        for one in stack.pop().items:
            if isinstance(one, tree.ListLit):
                stack.append(one)
            else:
                total += 1
    return total
