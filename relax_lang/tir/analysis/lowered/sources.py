"""Which arrays expressions read: found once for what they share, so that a chain of `let` is looked at once."""

from __future__ import annotations

from typing import assert_never

from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Index, Load, Named, Size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.accesses import Storage
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector

    Sources = tuple[frozenset[Storage], bool]


_NO_SOURCES: Sources = (frozenset(), False)


def sources_of(space: Space, vector: Vector) -> Sources:
    """Return the arrays that an expression reads, in indices too, and whether at places that it computes."""
    found = space.sources.get(vector.key)
    if found is None:
        found = space.sources[vector.key] = _found(space, vector)
    return found


def _found(space: Space, vector: Vector) -> Sources:
    match vector:
        case Load():
            atoms = space.atom_values(vector.index)
            parts = [(frozenset([vector.storage]), bool(atoms)), *[sources_of(space, one) for one in atoms]]
        case Apply():
            parts = [sources_of(space, arg) for arg in vector.args]
        case Index():
            parts = [sources_of(space, one) for one in space.atom_values((vector.polynomial,))]
        case Const() | Size() | Named():
            return _NO_SOURCES
        case _:
            assert_never(vector)
    storages, gathers = _NO_SOURCES
    for more, also in parts:
        gathers = gathers or also
        if not more <= storages:
            storages = storages | more if storages else more
    return storages, gathers
