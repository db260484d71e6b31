"""What is in the brackets of a `Buffer[…]` that is not as it should be: in another order, without dimensions. [Y.7]

Only imported for them.
"""

from __future__ import annotations

from relax_lang.base.wording import counted
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.builders.parts import Word
from relax_lang.syntax.vocabulary import foreign_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.source import Span
    from relax_lang.syntax.builders.parts import Given, PartBuilder

FORM = "a buffer has dimensions and a dtype: `Buffer[(n, m), float32]`"
NAMES = ("n", "m", "k", "l")
"""Names for extents of which only the number is known."""
RANKS = ("1", "2", "3", "4")


def settle(
    builder: PartBuilder, place: Span, args: Sequence[Given], *, binds: bool
) -> tuple[tuple[tree.PrimExpr, ...], tree.DType]:
    """Report `Buffer[float32, 2]`, `Buffer[n, m, float32]`, `Buffer[(n,)]`; return dimensions and dtype.

    A number after the dtype is a rank where the extents can get names.
    """
    dtypes = [arg for arg in args if type(arg) is Word and foreign_words.dtype_of(arg.name)]
    others = [arg for arg in args if arg not in dtypes]
    words = _dimensions(builder.text, others)
    dtype = foreign_words.dtype_of(dtypes[0].name) if len(dtypes) == 1 else None
    made = tree.DType(dtype or "float32", place[1], place[1])
    builder.mute(*place)
    found = diag.syntax(place, FORM)
    if dtype is None and not dtypes and words:
        builder.report(found.helped(f"write `{_form(words, '…')}`, with its dtype"))
    elif dtype is None or words is None:
        builder.report(found)
    elif not words:
        builder.report(found.helped(f"write `Buffer[(…), {dtype}]`, with its dimensions"))
    elif binds and args[0] is dtypes[0] and len(words) == 1 and words[0] in RANKS and _is_bare(others):
        names = NAMES[: int(words[0])]
        form = _form(names, dtype)
        title = f"write `{form}`, if it has {counted(len(names), 'dimension')}"
        builder.report(found.replace(place, form, title))
        return tuple([tree.PrimVar(name, place[1], place[1]) for name in names]), made
    else:
        form = _form(words, dtype)
        if args[-1] is dtypes[0]:
            found.message = "dimensions are written in parentheses"
        builder.report(found.replace(place, form, f"write `{form}`"))
    return _values(builder.text, others), made


def _form(dims: Sequence[str], dtype: str) -> str:
    return f"Buffer[({', '.join(dims)}{',' if len(dims) == 1 else ''}), {dtype}]"


def _is_bare(args: Sequence[Given]) -> bool:
    return all(type(arg) is Word for arg in args)


def _dimensions(text: str, args: Sequence[Given]) -> list[str] | None:
    """Return the dimensions in brackets as they are written; None if something else is among them."""
    words: list[str] = []
    for arg in args:
        parts = arg.values if type(arg) is tree.ShapeExpr else (arg,)
        if not all(isinstance(part, Word | tree.PrimExpr) for part in parts):
            return None
        words += [text[part.pos : part.end] for part in parts]
    return words if all(word != "_" and "." not in word for word in words) else None


def _values(text: str, args: Sequence[Given]) -> tuple[tree.PrimExpr, ...]:
    """Return the dimensions in brackets, so that they bind what is used elsewhere."""
    from relax_lang.syntax.builders.foreign_prim_funcs import bare_dims

    found: list[tree.PrimExpr] = []
    for arg in args:
        found += arg.values if type(arg) is tree.ShapeExpr else bare_dims.values(text, [arg])
    return tuple(found)
