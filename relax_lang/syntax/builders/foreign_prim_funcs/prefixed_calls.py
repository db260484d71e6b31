"""Calls of functions of numbers with a prefix of Python, `T.exp(x)`: all of a call is one mistake. [Y.7]

Only imported for such a call.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE, UNSAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.builders.foreign_prim_funcs import foreign_sizes
from relax_lang.syntax.builders.foreign_prim_funcs.kernel_words import advice_on
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary import foreign_functions, foreign_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.builders.parts import Given, PartBuilder

    Meant = tuple[str, list[Given]]
    """The function that is meant, and its arguments."""

_OF_TVM = ("T", "tir", "tirx")
_CERTAIN = frozenset(("cast", "if_then_else", "max", "max_value", "min", "min_value", "select", *DTYPES))
"""Functions of the grammar itself: what they are called in TVM, they are called here."""


def settle(builder: PartBuilder, pos: int, end: int, name: str, args: list[Given]) -> tree.PrimExpr | Meant:
    """Report a call with a prefix, with all else that is to be written otherwise; return what is to be read for it."""
    owner, _, last = name.rpartition(".")
    place = (pos, pos + len(name))
    advice = advice_on(last)
    if advice:
        builder.mute(pos, end)
        builder.report(diag.syntax(place, f"there is no intrinsic `{name}`").helped(advice))
        unknown = tree.IntImm(0, None, None, pos, pos)
        builder.wrong.add(unknown)
        return unknown
    if last in ("var", "Var", "SizeVar") and owner in _OF_TVM:
        builder.mute(pos, end)
        builder.report(diag.syntax((pos, end), foreign_sizes.SIZE_IN_PRIM_FUNC))
        unknown = tree.IntImm(0, None, None, pos, pos)
        builder.wrong.add(unknown)
        return unknown
    given, dtypes = _without_quotes(args)
    if last in ("cast", "Cast") or (last in DTYPES and _is_converted(given)):
        meant = cast(builder, pos, end, name, given)
        if meant is not None:
            return meant
    written = foreign_functions.OTHER_FORMS.get(last)
    operands = [one for one in given if isinstance(one, tree.PrimExpr)]
    if written is not None and len(operands) == len(given):
        made = tree.PrimCall(last, tuple(operands), pos, end)
        form, edits = foreign_functions.other_form(made, written)
        if edits:
            found = diag.syntax(place, f"there is no intrinsic `{name}`")
            builder.report(found.fix(f"write `{form}`", *edits, applicability=UNSAFE))
            builder.wrong.add(made)
            return made
    found = diag.syntax(place, f"intrinsics have no prefix: `{last}`, not `{name}`")
    is_certain = last in _CERTAIN and owner in _OF_TVM
    edits = [Edit(*place, last), *dtypes]
    builder.report(found.fix(f"write `{last}`", *edits, applicability=SAFE if is_certain else UNSAFE))
    return last, given


def _without_quotes(args: list[Given]) -> tuple[list[Given], list[Edit]]:
    """Return arguments with dtypes for strings that are names of some, and the edits that write them so."""
    given: list[Given] = []
    edits: list[Edit] = []
    for arg in args:
        dtype = foreign_words.dtype_of(arg.value) if type(arg) is tree.StrLit else None
        if dtype is None:
            given.append(arg)
        else:
            given.append(tree.PrimVar(dtype, arg.pos, arg.end))
            edits.append(Edit(arg.pos, arg.end, dtype))
    return given, edits


def _is_converted(args: list[Given]) -> bool:
    """Return whether the only argument of `T.float32(…)` is a value, not a literal."""
    arg = args[0] if len(args) == 1 else None
    if type(arg) is tree.Neg:
        arg = arg.a
    return isinstance(arg, tree.PrimExpr) and not isinstance(arg, tree.IntImm | tree.FloatImm | tree.BoolImm)


def cast(builder: PartBuilder, pos: int, end: int, name: str, args: list[Given]) -> Meant | None:
    """Report `T.Cast("float32", i)`, `T.cast(i, "float32")`, `T.float32(i)`; return None if it is none of them."""
    last = name.rpartition(".")[2]
    if last in DTYPES:
        args = [*args, tree.PrimVar(last, pos, pos)]
    if len(args) != 2:
        return None
    value, dtype = args if _is_dtype(args[1]) else (args[1], args[0])
    if not isinstance(value, tree.PrimExpr) or type(dtype) is not tree.PrimVar or not _is_dtype(dtype):
        return None
    form = f"cast({builder.text[value.pos : value.end]}, {dtype.name})"
    if dtype.pos > value.end:  # with its name, or as `np.float32`
        builder.mute(value.end, end)
    else:
        value_reports = [one for one in builder.diagnostics if value.pos <= one.pos < value.end]
        builder.mute(pos, end)
        builder.diagnostics += value_reports
    found = diag.syntax((pos, pos + len(name)), f"intrinsics have no prefix: `cast`, not `{name}`")
    if last in DTYPES:
        found.message = f"a value is converted by `cast`, not by `{name}`"
    elif name == last:
        found.message = f"a conversion is written `cast(value, dtype)`, not `{name}`"
    builder.report(found.replace((pos, end), form, f"write `{form}`", applicability=SAFE))
    return "cast", [value, dtype]


def _is_dtype(arg: Given) -> bool:
    return type(arg) is tree.PrimVar and arg.name in DTYPES
