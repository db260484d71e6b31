"""Dimensions without parentheses, `Tensor[n, 3, float32]` and `Shape[n]`: what is reported and read. [Y.7]

Only imported for them.
"""

from __future__ import annotations

from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.builders.parts import Word, as_dimensions
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary.foreign_words import dtype_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.source import Span
    from relax_lang.syntax.builders.parts import Given, PartBuilder


def report(builder: PartBuilder, dims: Sequence[Given]) -> None:
    """Report dimensions without parentheses."""
    place = dims[0].pos, dims[-1].end
    form = in_parentheses(builder.text, dims)
    builder.mute(*place)
    found = diag.syntax(place, "dimensions are written in parentheses")
    written = builder.text[place[0] : place[1]]
    if written.isdecimal():  # an extent, or how many there are
        found.replace(place, form, f"write `{form}`, if {written} is the extent")
        builder.report(found.replace(place, f"ndim={written}", f"write `ndim={written}`, if it is the rank"))
        return
    builder.report(found.replace(place, form, f"write `{form}`"))


def report_behind_dtype(builder: PartBuilder, place: Span, name: str, given: Sequence[Given]) -> bool:
    """Report `float32[n, 4]`, `f32[n, 4]`; return whether it was that."""
    dtype = dtype_of(name)
    if dtype is None:
        return False
    pos, end = place
    builder.mute(pos, end)  # consequences
    inner = builder.text[builder.offset_of("[", pos + len(name)) + 1 : end - 1].strip().rstrip(",")
    form = f"Tensor[{as_dimensions(inner, len(given))}, {dtype}]"
    found = diag.unknown_type(place, name, None)
    builder.report(found.replace(place, form, f"write `{form}`"))
    return True


def values(text: str, dims: Sequence[Given]) -> tuple[tree.PrimExpr, ...]:
    """Return names and numbers as dimensions, so that they bind what is used elsewhere; () if something else is among
    them.
    """
    found: list[tree.PrimExpr] = []
    for dim in dims:
        written = text[dim.pos : dim.end]
        if type(dim) is not Word or dim.name in DTYPES or written == "_":
            return ()
        if written.isdecimal():
            found.append(tree.IntImm(int(written), None, written, dim.pos, dim.end))
        else:
            found.append(tree.PrimVar(dim.name, dim.pos, dim.end))
    return tuple(found)


def in_parentheses(text: str, dims: Sequence[Given]) -> str:
    """Return dimensions as they are written."""
    inner = text[dims[0].pos : dims[-1].end]
    return f"({inner},)" if len(dims) == 1 else f"({inner})"
