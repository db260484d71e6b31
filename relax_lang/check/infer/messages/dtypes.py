"""Fixes of values of another dtype than is needed: a literal of the right dtype, or a cast. [OP.7] [C.5.1]"""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.base.node import replaced, walk
from relax_lang.base.wording import enumerated
from relax_lang.check.infer.messages import common, scalars
from relax_lang.check.infer.messages.arguments import argument_at, info_at
from relax_lang.format.printer import show
from relax_lang.ops.core.dtypes import CLASSES
from relax_lang.ops.shape_rules.shared.dims import CONDITIONS
from relax_lang.struct_info.compatibility import check_compatibility
from relax_lang.struct_info.verdict import INCOMPATIBLE
from relax_lang.syntax import tree
from relax_lang.syntax.builders.literals import fits
from relax_lang.syntax.dtypes import DTYPES, FLOATS, INTEGERS, bytes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.check.infer.context.state import State
    from relax_lang.ops.core.findings import Finding, Where

    Infos = Sequence[tree.StructInfo | None]


def offer(state: State, call: tree.Call, infos: Infos, finding: Finding, found: Diagnostic) -> None:
    """Offer to write a bare number in the dtype of the other argument, else to convert an argument. [OP.7]"""
    wheres = [where for where, _ in finding.labels]
    if finding.refused is None or finding.argument is None:
        dtypes = [_dtype_of(info_at(infos, where)) for where in wheres or range(len(infos))]
        _offer_literals(call, [dtype for dtype in dtypes if dtype is not None], found)
        if not found.fixes and wheres:
            _offer_one_dtype(state, call, infos, wheres, found)
        return
    wheres.insert(0, finding.argument)
    wanted = _accepted(infos, wheres, finding.refused[1])
    if wanted == "bool":
        _offer_bool(state, call, infos, finding.argument, found)
    elif wanted is not None:
        values = [argument_at(call, where) for where in wheres]
        if any(_dtype_of_bare(value) is not None for value in values):
            _offer_literals(call, [wanted], found)
        else:
            _offer_cast(state, values, wanted, found)


def offer_for_value(
    state: State, value: Node, pair: tuple[tree.StructInfo, tree.StructInfo], found: Diagnostic
) -> None:
    """Offer the right dtype for a value that differs from what is expected in nothing else. [C.5.1]"""
    info, expected = pair
    if isinstance(info, tree.PrimStructInfo) and isinstance(expected, tree.PrimStructInfo):
        _offer_scalar(state, value, expected, found)
        return
    if isinstance(info, tree.TensorStructInfo) and isinstance(expected, tree.PrimStructInfo):
        scalars.offer_number(value, expected, found)
        return
    if not isinstance(info, tree.TensorStructInfo) or not isinstance(expected, tree.TensorStructInfo):
        return
    wanted = _dtype_of(expected)
    if wanted is None or _dtype_of(info) in (None, wanted):
        return
    converted = tree.TensorStructInfo(info.shape, expected.dtype, info.ndim)
    if check_compatibility(converted, expected, state.context).answer == INCOMPATIBLE:
        return
    own = _dtype_of_bare(value)
    if own is not None:
        text = _literal(show(value), own, wanted)
        if text is not None and value.pos >= 0:
            common.offer(found, f"write `{text}`", Edit(value.pos, value.end, text))
    elif isinstance(value, tree.Constant) or wanted != "bool":
        _offer_cast(state, [value], wanted, found)


def offer_bare_numbers(call: tree.Call, attributes: dict[str, str], found: Diagnostic) -> None:
    """Offer `prim_value(8, dtype=int32)` for `prim_value(const(8, int32))`. [OP.4]"""
    if call.pos < 0 or not attributes:
        return
    given = "".join([f", {name}={value}" for name, value in attributes.items()])
    edits: list[Edit] = []
    for arg in call.args:
        if isinstance(arg, tree.PrimValue) and isinstance(arg.value, tree.IntImm | tree.FloatImm):
            text = show(replaced(arg.value, dtype=None))
            edits.append(Edit(arg.pos, arg.end, text + given if arg is call.args[-1] else text))
    if call.args[-1].end > edits[-1].end:
        edits.append(Edit(call.args[-1].end, call.args[-1].end, given))
    common.offer(found, f"write `{given[2:]}`", *edits)


def _offer_scalar(state: State, value: Node, expected: tree.PrimStructInfo, found: Diagnostic) -> None:
    """Offer a scalar of another dtype: `prim_value(8, dtype=int32)`, or one that is converted as a tensor is."""
    wanted = expected.dtype.name
    if value.pos < 0:
        return
    made = common.bound_value(state, value) or value
    if not isinstance(made, tree.Call):
        form = "astype({}, dtype={})".format
        written = state.module.text[value.pos : value.end]
        title = f"convert it: `{form(_shown(state, value), wanted)}`"
        common.offer_cast(state, found, value, expected, title, written=form(written, wanted))
        return
    number = made.args[0] if made.args else None
    if made.attrs or not isinstance(number, tree.PrimValue):
        return  # `prim_value(…)` is the only call that makes a scalar
    fraction = isinstance(number.value, tree.FloatImm | tree.Neg)
    if isinstance(number.value, CONDITIONS) or wanted == "bool" or (fraction and wanted not in FLOATS):
        return
    common.offer(found, f"write `dtype={wanted}`", Edit(value.end - 1, value.end - 1, f", dtype={wanted}"))


def loses_fractions(found: tree.StructInfo, expected: tree.StructInfo) -> bool:
    """Return whether a value of the first info loses fractions when it becomes one of the second."""
    dtypes = _dtype_of(found), _dtype_of(expected)
    return dtypes[0] in FLOATS and dtypes[1] is not None and dtypes[1] not in FLOATS


def _dtype_of_bare(value: Node | None) -> str | None:
    """Return the dtype of a number that was written without one, else None. [G.31]"""
    if isinstance(value, tree.Constant) and value.dtype is None:
        if isinstance(value.data, tree.IntLit):
            return "int32"
        if isinstance(value.data, tree.FloatLit):
            return "float32"
    return None


def _offer_literals(call: tree.Call, dtypes: Sequence[str], found: Diagnostic) -> None:
    """Offer to write bare numbers in the dtype of the other argument: `1.0`, `const(1, int64)`. [OP.7]"""
    for arg in call.args:
        own = _dtype_of_bare(arg)
        others = [dtype for dtype in dtypes if dtype != own]
        if own is None or len(others) != 1 or not isinstance(arg, tree.Constant):
            continue
        text = _literal(show(arg), own, others[0])
        if text is not None:
            found.help = ""
            found.replace(arg, text, f"write `{text}`")


def _literal(number: str, own: str, wanted: str) -> str | None:
    """Return a number of int32 or float32 in another dtype, or None if it has none."""
    if own == "float32":
        return f"const({number}, {wanted})" if wanted in FLOATS else None
    if wanted == "bool":
        return {"0": "false", "1": "true"}.get(number)
    return f"{number}.0" if wanted == "float32" else f"const({number}, {wanted})"


def _offer_bool(state: State, call: tree.Call, infos: Infos, where: Where, found: Diagnostic) -> None:
    """Offer `true` for 1, and name the comparison that makes a bool of another number."""
    value = argument_at(call, where)
    if _dtype_of_bare(value) is not None:
        _offer_literals(call, ["bool"], found)
    elif value is not None and value.pos >= 0 and not found.help:
        zero = "0.0" if _rank(_dtype_of(info_at(infos, where)) or "int32") == FLOAT else "0"
        written = _shown(state, value)
        if written != ELIDED:
            found.helped(f"a comparison is a bool: `{written} != {zero}`")


def _offer_one_dtype(
    state: State, call: tree.Call, infos: Infos, wheres: Sequence[Where], found: Diagnostic
) -> None:
    """Offer to give arguments of two dtypes one: bools become numbers, integers floats, and the narrower the wider.

    Where neither is narrower, or the author may want the narrower for its size, both ways are offered.
    """
    values: dict[str, list[Node | None]] = {}
    for where in wheres:
        dtype = _dtype_of(info_at(infos, where))
        if dtype is not None:
            values.setdefault(dtype, []).append(argument_at(call, where))
    if len(values) != 2:
        return
    narrow, wide = sorted(values, key=lambda dtype: (_rank(dtype), bytes_of(dtype)))
    if _rank(narrow) < _rank(wide):
        _offer_cast(state, values[narrow], wide, found)
        return
    # A constant is easier to change than what a variable is.
    for own in sorted((narrow, wide), key=lambda dtype: not isinstance(values[dtype][0], tree.Constant)):
        _offer_cast(state, values[own], wide if own == narrow else narrow, found)


def _dtype_of(info: tree.StructInfo | None) -> str | None:
    if not isinstance(info, tree.TensorStructInfo | tree.PrimStructInfo) or info.dtype is None:
        return None
    return info.dtype.name if info.dtype.name in DTYPES else None  # a word that is not one was reported


def _rank(dtype: str) -> int:
    """Return which of bools, integers and floats a dtype is, in the order in which one is converted to the other."""
    return 0 if dtype == "bool" else FLOAT if dtype in FLOATS else 1


def _accepted(infos: Infos, refused: Sequence[Where], wanted: str) -> str | None:
    """Return the dtype that a rejected argument is best converted to: that of the others, if it is accepted."""
    members = next((members for members, words in CLASSES.values() if words == wanted), None)
    if members is None or "bool" in members:
        return "bool" if members is not None and len(members) == 1 else None
    others = [_dtype_of(info) for at, info in enumerate(infos) if at not in refused]
    taken = dict.fromkeys([dtype for dtype in others if dtype in members])
    if wanted == CLASSES["float"][1]:
        return next(iter(taken)) if len(taken) == 1 else "float32"
    if members <= frozenset(INTEGERS):
        return "int64" if "int64" in members else next(iter(sorted(members)))
    return None


def _offer_cast(state: State, values: Sequence[Node | None], dtype: str, found: Diagnostic) -> None:
    """Offer `astype(x, dtype=float32)` for values, all in one change."""
    edits: list[Edit] = []
    texts: list[str] = []
    for value in values:
        if value is None or value.pos < 0:
            return
        if isinstance(value, tree.Constant):  # a number is written in the other dtype, not converted to it
            edit = _in_dtype(value, dtype)
            if edit is None:
                return
            edits.append(edit)
            data = _shown(state, value.data)
            texts.append(f"`const({data}, {dtype})`")
            continue
        edits += [Edit(value.pos, value.pos, "astype("), Edit(value.end, value.end, f", dtype={dtype})")]
        texts.append(f"`astype({_shown(state, value)}, dtype={dtype})`")
    title = f"write {enumerated(list(dict.fromkeys(texts)), 'and')}"
    common.offer(found, title, *edits)


def _in_dtype(constant: tree.Constant, wanted: str) -> Edit | None:
    """Return the change that gives a `const` another dtype; None if that does not hold all of its numbers. [G.22]"""
    if isinstance(constant.data, tree.FileLit) or (
        constant.dtype is None and constant.data.pos == constant.pos
    ):
        return None
    for leaf in walk(constant.data):
        if isinstance(leaf, tree.BoolLit):
            return None
        if isinstance(leaf, tree.IntLit | tree.FloatLit) and not fits(leaf.value, leaf.text, wanted):
            return None
    if constant.dtype is None:
        return Edit(constant.data.end, constant.data.end, f", {wanted}")
    return Edit(constant.dtype.pos, constant.dtype.end, wanted)


def _shown(state: State, value: Node) -> str:
    """Return an argument as it is written, or an ellipsis if that is long."""
    written = state.module.text[value.pos : value.end]
    return written if len(written) <= LONGEST_SHOWN and "\n" not in written else ELIDED


LONGEST_SHOWN = 24
"""The longest argument, in characters, that a message repeats."""

ELIDED = "…"
FLOAT = 2
