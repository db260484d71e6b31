"""The rule of `einsum`: one letter, one extent, wherever it is. [OP.4] [OP.6] [OP.7]"""

from __future__ import annotations

from relax_lang.arith.prover import EITHER, NEITHER
from relax_lang.base.python.plain_functions import partial
from relax_lang.ops.attribute_syntax.einsum import parse
from relax_lang.ops.core.errors import OpError
from relax_lang.ops.shape_rules.shared.broadcast import (
    clashes,
    joined,
    joined_extent,
    same_dtype,
)
from relax_lang.ops.shape_rules.shared.dims import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.attribute_syntax.einsum import Subscripts
    from relax_lang.ops.core.inference import Inference, Known
    from relax_lang.syntax import tree

    Dim = tree.PrimExpr
    Dims = tuple[Dim, ...]
    Found = dict[str, list[tuple[int, Dim]]]  # letter: the operands that have it, and its extent there

_ONE = number(1)


def einsum(call: Inference) -> tree.StructInfo:
    """Infer one axis per letter right of the arrow; letters have one extent, or 1."""
    operands = call.fields(0)
    if not operands:
        call.bad_argument(0, "a tuple of one tensor or more")
        return call.of_rank(None, None)
    dtype = operands[0].dtype
    for index, other in enumerate(operands[1:], 1):
        if same_dtype(call, operands[0], other, (0, 0), (0, index)) is None:
            dtype = None
    try:
        subscripts = parse(call.attrs["subscripts"], len(operands))
        subscripts.check_ranks([known.rank for known in operands])
    except OpError as refusal:
        call.refused(refusal)
        return call.of_rank(None, dtype)
    dims = _result(call, subscripts, operands)
    if dims is not None:
        return call.tensor_of(dims, dtype)
    return call.of_rank(_rank(subscripts, operands), dtype)


def _rank(subscripts: Subscripts, operands: list[Known]) -> int | None:
    """Return how many axes the result has, which depends on the axes of `...`."""
    rank = len(subscripts.result.letters)
    if not subscripts.result.dots:
        return rank
    most = 0
    for term, known in zip(subscripts.terms, operands, strict=True):
        if term.dots:
            if known.rank is None:
                return None
            most = max(most, known.rank - len(term.letters))
    return rank + most


def _result(call: Inference, subscripts: Subscripts, operands: list[Known]) -> Dims | None:
    """Return the dimensions of the result; None if they are open, or after an error."""
    found: Found = {}
    open_letters: set[str] = set()
    batches: list[tuple[int, Dims]] = []
    open_batch = False
    for index, (term, known) in enumerate(zip(subscripts.terms, operands, strict=True)):
        if known.dims is None:
            open_letters.update(term.letters)
            open_batch |= term.dots and known.rank != len(term.letters)
            continue
        if term.dots:
            first, last = term.leading(len(known.dims))
            batches.append((index, known.dims[first:last]))
        for letter, axis in zip(term.letters, term.axes(len(known.dims)), strict=True):
            found.setdefault(letter, []).append((index, known.dims[axis]))
    if not _fit(call, found) or not _batches_fit(call, batches):
        return None
    extents = [
        _extent(call, found.get(letter, []), letter in open_letters) for letter in subscripts.result.letters
    ]
    leading = None if open_batch else joined(call, [dims for _, dims in batches]) if batches else ()
    if not subscripts.result.dots:
        leading = ()
    if leading is None or None in extents:
        return None
    dims = [extent for extent in extents if extent is not None]
    split = len(subscripts.result.before)
    return (*dims[:split], *leading, *dims[split:])


def _fit(call: Inference, found: Found) -> bool:
    """Note two extents of one letter that are provably incompatible. [OP.6]"""
    for letter, places in found.items():
        for at, (j, b) in enumerate(places):
            for i, a in places[:at]:
                # Within one operand not even 1 goes with another extent.
                where = ((0, i),) if i == j else ((0, i), (0, j))
                if call.clash(
                    a,
                    b,
                    where,
                    partial(_clash_text, call, letter, (i, a), (j, b)),
                    or_one=EITHER if i != j else NEITHER,
                ):
                    return False
    return True


def _clash_text(call: Inference, letter: str, left: tuple[int, Dim], right: tuple[int, Dim]) -> str:
    (i, a), (j, b) = left, right
    if i == j:
        return f"`{letter}` is {call.text(a)} and {call.text(b)} in operands[{i}]"
    return f"`{letter}` is {call.text(a)} in operands[{i}] and {call.text(b)} in operands[{j}]"


def _batches_fit(call: Inference, batches: list[tuple[int, Dims]]) -> bool:
    for at, (j, b) in enumerate(batches):
        for i, a in batches[:at]:
            names = f"operands[{i}]", f"operands[{j}]"
            if clashes(call, a, b, ((0, i), (0, j)), names, prefix="`...`: "):
                return False
    return True


def _extent(call: Inference, places: list[tuple[int, Dim]], more: bool) -> Dim | None:
    """Return the extent of a letter; with `more` operands of which nothing is known it must be another than 1."""
    extents = [extent for _, extent in places]
    if not more:
        return joined_extent(call, extents)
    for extent in extents:
        if call.different(extent, _ONE):
            return extent
    return None
