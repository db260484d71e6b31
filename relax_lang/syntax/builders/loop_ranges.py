"""What other languages write for the range of a loop: `range(n)`, `T.parallel(n)`, `n`. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.builders.parts import PartBuilder

KINDS = {
    "range": "",
    "serial": "",
    "parallel": "parallel",
    "vectorized": "vectorized",
    "unroll": "unrolled",
    "unrolled": "unrolled",
}
"""Ranges of Python and TVMScript, and the kind of loop that they mean."""
VARIABLES = re.compile(r"\bfor\s+([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)\s+in\s+\Z")


def other(builder: PartBuilder, pos: int, end: int, given: tree.PrimExpr) -> tree.Range:
    """Report an expression in the place of a range; return the range that is meant."""
    found = diag.syntax((pos, end), "a loop runs over `low..high` or `grid(n, m)`")
    zero = tree.IntImm(0, None, "0", pos, pos)
    kind = KINDS.get(given.name) if type(given) is tree.PrimCall else None
    if kind is None or type(given) is not tree.PrimCall:
        shown = builder.text[pos:end]
        builder.report(found.replace((pos, end), f"0..{shown}", f"write `0..{shown}`"))
        return tree.Range(zero, given, pos, end)
    builder.mute(pos, end)  # `T.serial`: what was said of the prefix
    bounds = [builder.text[arg.pos : arg.end] for arg in given.args]
    if len(bounds) not in (1, 2):
        builder.report(found.helped("write `0..n`"))
        return tree.Range(zero, given, pos, end)
    form = "..".join(["0", *bounds][-2:])
    edits = [Edit(pos, end, form)]
    head = VARIABLES.search(builder.text, max(0, pos - 200), pos) if kind else None
    if head is not None:
        edits.insert(0, Edit(head.start(1), head.start(1), f"{kind} "))
        form = f"for {kind} {head[1]} in {form}"
    builder.report(found.fix(f"write `{form}`", *edits, applicability=SAFE))
    return tree.Range(given.args[0] if len(bounds) == 2 else zero, given.args[-1], pos, end)
