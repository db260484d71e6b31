"""The programs in the explanations of diagnostics; each package's tests say what they must give."""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import Rule
from relax_lang.check.explain import text_of

_FENCE = re.compile(r"^```relax (wrong|right)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def programs(rule: Rule, kind: str) -> list[str]:
    """Return the programs of a kind, `wrong` or `right`."""
    return [text for one, text in _FENCE.findall(text_of(rule)) if one == kind]


def examples(rule: Rule) -> dict[str, str]:
    """Return the one wrong and the one right program of a rule that has them."""
    found = {kind: programs(rule, kind) for kind in ("wrong", "right")}
    assert all(len(texts) <= 1 for texts in found.values()), rule.slug
    return {kind: texts[0] for kind, texts in found.items() if texts}
