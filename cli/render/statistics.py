"""`--statistics`: how often each diagnostic was found, the most frequent first."""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Rule

    from .report import Report


def render(report: Report) -> str:
    """Return one line a diagnostic: how often, its code, `[*]` if `--fix` helps in some place, its name."""
    found: dict[str, int] = {}
    rules: dict[str, Rule] = {}
    fixable: set[str] = set()
    for file in report.files:
        for one in file.diagnostics:
            found[one.code] = found.get(one.code, 0) + 1
            rules[one.code] = one.rule
            if any(fix.applicability == SAFE for fix in one.fixes):
                fixable.add(one.code)
    width = len(str(max(found.values(), default=0)))
    codes = sorted(found, key=lambda code: (-found[code], code))
    rows = [
        f"{found[code]:>{width}}  {code}  {'[*]' if code in fixable else '[ ]'}  {rules[code].slug}\n"
        for code in codes
    ]
    return "".join(rows) + ("\n" if rows else "")
