"""extern-as-value: packed functions that are more than called, which the edition of 2022 did not allow. [B.13]"""

from __future__ import annotations

from relax_lang.base.diagnostic import OFF, rule
from relax_lang.check.lints.core.registry import lint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule
    from relax_lang.check.lints.core.node_index import NodeIndex

PASSED_TO = frozenset(
    ("call_dps_packed", "call_pure_packed", "call_inplace_packed", "call_builtin_with_ctx", "call_py_func")
)
"""Operators that call a packed function which is their first argument."""


@rule("RLX0361", "extern-as-value", OFF, "B.13")
def report(rule: Rule, place: Location, name: str) -> Diagnostic:
    """A packed function is bound, passed or returned. In the first edition of Relax it could only be called.

    This lint is off until it is selected: `relax check --edition 2022`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let f = extern "my.f";
      f(x) -> Tensor
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      extern "my.f"(x) -> Tensor
    }
    ```
    """
    return rule.at(
        place, f'the packed function "{name}" is a value here; the edition of 2022 only calls them'
    )


@lint("extern-as-value")
def check(index: NodeIndex) -> list[Diagnostic]:
    """Return packed functions in other places than that of a callee. [B.13]"""
    called = {call.op for call in index.calls}
    for call in index.calls:
        if index.resolved.operator_of(call) in PASSED_TO and call.args:
            called.add(call.args[0])
    return [report(one, one.global_symbol) for one in index.externs if one not in called]
