"""unused-shape-var: names that a match_cast gives to dimensions and that nothing uses. [S.13]"""

from __future__ import annotations

from relax_lang.base.diagnostic import OFF, rule
from relax_lang.check.lints.core.registry import lint
from relax_lang.scope.spans import bare_dims

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule
    from relax_lang.check.lints.core.node_index import NodeIndex
    from relax_lang.syntax import tree


@rule("RLX0803", "unused-shape-var", OFF, "S.13")
def report(rule: Rule, place: Location, name: str) -> Diagnostic:
    """A match_cast gives a dimension a name that nothing uses.

    The dimension is not checked, only the number of dimensions is; a name that is used, or one that begins with
    `_`, says that this is meant. Names in signatures are not reported: there they describe the parameter.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let y = match_cast(x, Tensor[(n, 4), float32]);
      y
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor[ndim=2, float32] {
      let y = match_cast(x, Tensor[(n, 4), float32]);
      reshape(y, shape(n * 4, 1))
    }
    ```
    """
    found = rule.at(place, f"shape variable `{name}` is never used", "bound here")
    return found.replace(place, f"_{name}", f"call it `_{name}` if only the number of dimensions matters")


@lint("unused-shape-var")
def check(index: NodeIndex) -> list[Diagnostic]:
    """Return names that a match_cast gives to dimensions and that nothing uses. [S.13]"""
    patterns: list[tree.StructInfo] = [one.struct_info for one in index.match_casts]
    patterns += [
        one.struct_info
        for one in index.calls
        if one.struct_info is not None and index.calls_operator(one, "cast")
    ]
    found: list[Diagnostic] = []
    for pattern in patterns:
        for node in bare_dims(pattern):
            is_bound_here = index.resolved.shape_bindings.get(node) is node
            if is_bound_here and not node.name.startswith("_") and node not in index.shape_var_uses:
                found.append(report(node, node.name))
    return found
