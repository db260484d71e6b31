"""Sizes that are declared before they are used, `n = T.int64()`: here a dimension that names one binds it. [Y.7]

Only imported for such a call.
"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import UNSAFE
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.builders.parts import PartBuilder

SIZE_IN_PRIM_FUNC = "a size is bound where a dimension first names it: `A: Buffer[(n,), float32]`"
SIZE = "a size is bound where a dimension first names it: `x: Tensor[(n,), float32]`"
BEFORE = re.compile(r"(?:\n[ \t]*)?(?:\blet\s+)?\b[^\W\d]\w*\s*=\s*\Z")
BEHIND = re.compile(r"[ \t]*;?")
LONGEST = 300
"""How far back the beginning of a statement is looked for."""


def settle(builder: PartBuilder, call: tree.Call) -> tree.Call:
    """Report a call that declares a size; return what is read for it."""
    text = builder.text
    found = diag.syntax(call, SIZE)
    first = max(0, call.pos - LONGEST)
    before, behind = BEFORE.search(text[first : call.pos]), BEHIND.match(text, call.end)
    builder.mute(call.pos, call.end)
    if before is not None and behind is not None:
        place = first + before.start(), behind.end()
        found.replace(place, "", "remove it, if a dimension names it", applicability=UNSAFE)
    builder.report(found)
    made = tree.Call(tree.Missing(call.pos, call.pos), (), (), None, call.pos, call.end)
    builder.elsewhere.sizes.add(made)
    builder.elsewhere.removed.add(call.end)
    return made
