"""Faults that need no run to be found, where a run meets one all the same: RLX030x and RLX060x.

Values can be less certain than their struct info (`Object`, results of packed functions), and a tree can come
from Python unchecked; so the runtime never trusts, and says in the checker's own words what is wrong.
"""

from __future__ import annotations

from relax_lang.check.diagnostics import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.base.diagnostic import Diagnostic, Location
    from relax_lang.values import RunFailure


def _at_run_time(report: Callable[[Location | None, str], Diagnostic]) -> Callable[[RunFailure], Diagnostic]:
    def diagnose(failure: RunFailure) -> Diagnostic:
        return report(failure.node, failure.message)

    return diagnose


REPORTS: dict[str, Callable[[RunFailure], Diagnostic]] = {
    "condition-not-bool": _at_run_time(kinds.condition_not_bool),
    "not-callable": _at_run_time(kinds.not_callable),
    "not-a-tuple": _at_run_time(kinds.not_a_tuple),
    "tuple-index": _at_run_time(kinds.tuple_index),
    "shape-var-not-a-shape": _at_run_time(kinds.shape_var_not_a_shape),
    "call-tir-arguments": _at_run_time(kinds.call_tir_arguments),
    "call-tir-output-mismatch": _at_run_time(kinds.call_tir_output_mismatch),
    "call-tir-output-incomplete": _at_run_time(kinds.call_tir_output_incomplete),
}
"""Slug: the function that makes its diagnostic."""
