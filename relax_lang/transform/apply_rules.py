"""Rule files as a pass: `relax opt --rules rules.rlx`."""

from __future__ import annotations

from relax_lang.rewrite.rules import read_rules
from relax_lang.transform.pass_manager.passes import MODULE, Pass, PassKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.transform.pass_manager.passes import Run
    from relax_lang.typed import Typed


def rules_pass(rules: Typed, name: str = "ApplyRules") -> tuple[Pass | None, list[Diagnostic]]:
    """Return the pass that applies the rules of a program, each wherever it can be, and what is wrong with them."""
    found, wrong = read_rules(rules)
    if wrong:
        return None, wrong

    def apply(typed: Typed, run: Run) -> Typed:
        """Apply rewrite rules."""
        for rule in found:
            typed = rule.applied(typed)
        return typed

    return Pass(PassKind(name, MODULE, apply, ""), {}), []
