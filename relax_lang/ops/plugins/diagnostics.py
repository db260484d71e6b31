"""Diagnostics about calls of operators that plugins declare."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX0043", "rule-failed", ERROR, "D.11.1")
def rule_failed(rule: Rule, place: Location, message: str) -> Diagnostic:
    """The struct info rule of an operator that a plugin declares does not work for this call.

    The rule raised an exception, or returned something that is not a struct info. The call may be right or wrong:
    nothing is known about it. The rule is the function that the plugin gives as `infer=` to `register_op`.

    ```python
    def infer_scale(call):
        x = call.tensor(0)
        return call.like(x, x.dtype)
    ```
    """
    return rule.at(place, message)
