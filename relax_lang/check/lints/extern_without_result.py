"""extern-without-result: calls of packed functions without `-> S`, which the edition of 2022 asked for. [B.13]"""

from __future__ import annotations

from relax_lang.base.diagnostic import OFF, SAFE, Edit, rule
from relax_lang.check.lints.core.registry import lint
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule
    from relax_lang.check.lints.core.node_index import NodeIndex


@rule("RLX0362", "extern-without-result", OFF, "B.13")
def report(rule: Rule, call: Location, end: int) -> Diagnostic:
    """A call of a packed function does not say what it returns. The first edition of Relax asked for one type argument.

    Without `-> S` the result is an `Object`. Other calls than those of packed functions and operators have no such
    annotation in any edition, see `relax explain type-args-ignored`.

    This lint is off until it is selected: `relax check --edition 2022`.

    ```relax wrong
    def @main(x: Tensor) -> Object {
      extern "my.f"(x)
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Object {
      extern "my.f"(x) -> Object
    }
    ```
    """
    found = rule.at(call, "the edition of 2022 asks what a packed function returns")
    return found.fix("write that it is any object", Edit(end, end, " -> Object"), applicability=SAFE)


@lint("extern-without-result")
def check(index: NodeIndex) -> list[Diagnostic]:
    """Return calls of packed functions that claim no result; those that compute a shape give one. [B.13] [B.14]"""
    shapes = {info.shape for info in index.resolved.computed if isinstance(info, tree.TensorStructInfo)}
    return [
        report(call, call.end)
        for call in index.calls
        if isinstance(call.op, tree.ExternFunc) and call.struct_info is None and call not in shapes
    ]
