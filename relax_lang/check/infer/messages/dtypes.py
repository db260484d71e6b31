"""Fixes of values of another dtype than is needed: a literal of the right dtype, or a cast. [OP.7] [C.5.1]"""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.base.node import replaced
from relax_lang.base.wording import enumerated
from relax_lang.check.infer.messages import chains, common, conversions, scalars
from relax_lang.check.infer.messages.arguments import argument_at, info_at
from relax_lang.format.printer import show
from relax_lang.ops.core.dtypes import CLASSES
from relax_lang.ops.registry import lookup
from relax_lang.ops.shape_rules.shared.dims import CONDITIONS
from relax_lang.struct_info.compatibility import check_compatibility
from relax_lang.struct_info.verdict import INCOMPATIBLE
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES, FLOATS, INTEGERS, bytes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic, Fix
    from relax_lang.base.node import Node
    from relax_lang.check.infer.context.state import State
    from relax_lang.ops.core.findings import Finding, Where

    Infos = Sequence[tree.StructInfo | None]
    Made = list[tuple[Fix, str]]


def offer(state: State, call: tree.Call, infos: Infos, finding: Finding, found: Diagnostic) -> None:
    """Offer to write a bare number in the dtype of the other argument, else to convert an argument. [OP.7]"""
    wheres = [where for where, _ in finding.labels]
    if finding.refused is None or finding.argument is None:
        wheres = wheres or list(range(len(infos)))
        dtypes = [_dtype_of(info_at(infos, where)) for where in wheres]
        made = _offer_literals(call, [dtype for dtype in dtypes if dtype is not None], found)
        if not made and finding.labels:
            made = _offer_one_dtype(state, call, infos, wheres, found)
    else:
        wheres.insert(0, finding.argument)
        wanted = _accepted(infos, wheres, finding.refused[1])
        made = _offer_accepted(state, call, infos, wheres, wanted, found)
    for fix, dtype in made:
        chains.extend(state, call, infos, wheres, dtype, fix)


def _offer_accepted(
    state: State,
    call: tree.Call,
    infos: Infos,
    wheres: Sequence[Where],
    wanted: str | None,
    found: Diagnostic,
) -> Made:
    """Offer to give arguments the dtype that an operator takes."""
    if wanted is None:
        return []
    if wanted == "bool":
        _offer_bool(state, call, infos, wheres[0], found)
        return []
    values = [argument_at(call, where) for where in wheres]
    if _are_indices(call, wheres) and all(_dtype_of(info_at(infos, where)) == "bool" for where in wheres):
        return _explain_mask(state, call.args[0], values[0], found)
    if any(conversions.bare_dtype(value) is not None for value in values):
        return _offer_literals(call, [wanted], found)
    return _offer_cast(state, values, wanted, found)


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
    own = conversions.bare_dtype(value)
    if own is not None:
        text = conversions.literal(show(value), own, wanted)
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
        title = f"convert it: `{form(conversions.shown(state, value), wanted)}`"
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


def _offer_literals(call: tree.Call, dtypes: Sequence[str], found: Diagnostic) -> Made:
    """Offer to write bare numbers in the dtype of the other argument: `1.0`, `const(1, int64)`. [OP.7]"""
    made: Made = []
    for arg in call.args:
        own = conversions.bare_dtype(arg)
        others = [dtype for dtype in dtypes if dtype != own]
        if own is None or len(others) != 1 or not isinstance(arg, tree.Constant):
            continue
        text = conversions.literal(show(arg), own, others[0])
        if text is not None:
            found.help = ""
            found.replace(arg, text, f"write `{text}`")
            made.append((found.fixes[-1], others[0]))
    return made


def _offer_bool(state: State, call: tree.Call, infos: Infos, where: Where, found: Diagnostic) -> None:
    """Offer `true` for 1, and name the comparison that makes a bool of another number."""
    value = argument_at(call, where)
    if conversions.bare_dtype(value) is not None:
        _offer_literals(call, ["bool"], found)
    elif value is not None and value.pos >= 0 and not found.help:
        zero = (
            "0.0"
            if conversions.rank(_dtype_of(info_at(infos, where)) or "int32") == conversions.FLOAT
            else "0"
        )
        written = conversions.shown(state, value)
        if written != conversions.ELIDED:
            found.helped(f"a comparison is a bool: `{written} != {zero}`")


def _offer_one_dtype(
    state: State, call: tree.Call, infos: Infos, wheres: Sequence[Where], found: Diagnostic
) -> Made:
    """Offer to give arguments of two dtypes one: bools become numbers, integers floats, and the narrower the wider.

    Where neither is narrower, or the author may want the narrower for its size, both ways are offered.
    """
    values: dict[str, list[Node | None]] = {}
    for where in wheres:
        dtype = _dtype_of(info_at(infos, where))
        if dtype is not None:
            values.setdefault(dtype, []).append(argument_at(call, where))
    if len(values) != 2:
        return []
    narrow, wide = sorted(values, key=lambda dtype: (conversions.rank(dtype), bytes_of(dtype)))
    if conversions.rank(narrow) < conversions.rank(wide):
        return _offer_cast(state, values[narrow], wide, found)
    made: Made = []
    # A constant is easier to change than what a variable is.
    for own in sorted((narrow, wide), key=lambda dtype: not isinstance(values[dtype][0], tree.Constant)):
        made += _offer_cast(state, values[own], wide if own == narrow else narrow, found)
    return made


def _dtype_of(info: tree.StructInfo | None) -> str | None:
    if not isinstance(info, tree.TensorStructInfo | tree.PrimStructInfo) or info.dtype is None:
        return None
    return info.dtype.name if info.dtype.name in DTYPES else None  # a word that is not one was reported


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


def _are_indices(call: tree.Call, wheres: Sequence[Where]) -> bool:
    """Return whether arguments are indices of elements."""
    operator = lookup(call.op.op_name) if isinstance(call.op, tree.Op) else None
    names = [] if operator is None else [param.name for param in operator.params]
    places = [where if isinstance(where, int) else where[0] for where in wheres]
    return all(place < len(names) and names[place] == "indices" for place in places)


def _explain_mask(state: State, data: Node, mask: Node | None, found: Diagnostic) -> Made:
    """Say what selects by a mask that is given as indices: converted, it would be the indices 0 and 1."""
    if mask is not None:
        shown = [conversions.shown(state, value) for value in (data, mask)]
        form = f"gather_nd({shown[0]}, permute_dims(nonzero({shown[1]})))"
        found.helped(f"a mask is not indices; elements where it is true are `{form}`")
    return []


def _offer_cast(state: State, values: Sequence[Node | None], dtype: str, found: Diagnostic) -> Made:
    """Offer `astype(x, dtype=float32)` for values, all in one change."""
    edits: list[Edit] = []
    texts: list[str] = []
    for value in values:
        converted = None if value is None else conversions.conversion(state, value, dtype)
        if converted is None:
            return []
        edits += converted[0]
        texts.append(converted[1])
    title = f"write {enumerated(list(dict.fromkeys(texts)), 'and')}"
    common.offer(found, title, *edits)
    return [(found.fixes[-1], dtype)]
