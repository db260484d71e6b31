"""Loops over the elements of buffers, as Python has them: `for x in A`, `for i, x in enumerate(A)`. [Y.7]

Only imported where something else than a range is written.
"""

from __future__ import annotations

import re
from typing import cast

from relax_lang.base.diagnostic import UNSAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import Span
    from relax_lang.syntax.builders.parts import PartBuilder

HEAD = re.compile(r"\bfor\s+([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)\s+in\s+\Z")
BODY = re.compile(r"\s*\{")
NAMES = re.compile(r"\w+")
LONGEST_HEAD = 200
INDICES = ("i", "j", "k", "l", "i_")
FORM = "a loop counts, and elements are loaded by their indices: `for i in 0..n { let x = A[i]; … }`"


def report(builder: PartBuilder, place: Span, given: tree.PrimExpr) -> bool:
    """Report a loop over the elements of buffers; return whether it is one."""
    name = given.name if type(given) is tree.PrimCall else ""
    args: Sequence[tree.PrimExpr] = given.args if type(given) is tree.PrimCall and name in CALLS else (given,)
    buffers = [declared(builder, arg) for arg in args]
    known = [one for one in buffers if one is not None]
    if name not in CALLS and not known:
        return False
    builder.mute(*place)
    found = diag.syntax(place, FORM)
    if len(known) == len(args) and args and all(len(one.shape) == 1 for one in known):
        _offer(builder, place, name, known, found)
    builder.report(found)
    return True


CALLS = ("enumerate", "zip", "ndenumerate", "nditer")


def _offer(
    builder: PartBuilder, place: Span, name: str, buffers: Sequence[tree.Buffer], found: Diagnostic
) -> None:
    """Offer to count, and to load the elements at the beginning of the body."""
    text = builder.text
    first = max(0, place[0] - LONGEST_HEAD)
    head, body = HEAD.search(text[first : place[0]]), BODY.match(text, place[1])
    extent = buffers[0].shape[0]
    if head is None or body is None or extent.pos < 0:
        return
    names = NAMES.findall(head[1])
    if name in ("enumerate", "ndenumerate"):
        index, *names = names
    else:
        taken = set(NAMES.findall(text))
        index = next((one for one in INDICES if one not in taken), "")
    if len(names) != len(buffers) or not index:
        return
    shown = text[extent.pos : extent.end]
    lets = " ".join(
        [f"let {one} = {buffer.name}[{index}];" for one, buffer in zip(names, buffers, strict=True)]
    )
    start = first + head.start(1)
    found.fix(
        f"write `for {index} in 0..{shown} {{ {lets} …`",
        Edit(start, first + head.end(1), index),
        Edit(*place, f"0..{shown}"),
        Edit(body.end(), body.end(), f" {lets}"),
        applicability=UNSAFE,
    )


def declared(builder: PartBuilder, arg: tree.PrimExpr) -> tree.Buffer | None:
    """Return the buffer that a name means where the parser is."""
    if type(arg) is not tree.PrimVar:
        return None
    return next((one for one in _buffers(builder) if one.name == arg.name), None)


def _buffers(builder: PartBuilder) -> Iterator[tree.Buffer]:
    """Yield the buffers that are visible where the parser is, the last one first."""
    lists = cast("list[list[object]]", [one for one in builder.stack if type(one) is list])
    for items in reversed(lists):
        for item in reversed(items):
            if isinstance(item, tree.Allocate | tree.BufferView):
                item = item.buffer
            if isinstance(item, tree.Buffer):
                yield item
