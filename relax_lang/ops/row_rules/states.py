"""What a value is made of, when a program runs over the rows of a dimension in parts.

Let `n` be the dimension. Row i of a tensor is what it has at place i of an axis whose extent is `n`, or, where the
extent is `k * n`, at the places from `k * i` on. Rows of a value are *apart* if row i depends on row i of the
parameters and on nothing else that is divided.
"""

from __future__ import annotations

from relax_lang.arith.evaluate import DimensionError
from relax_lang.arith.normal_form import atom_of, polynomial_of
from relax_lang.arith.polynomials.atoms import TooComplexError, atoms_below
from relax_lang.arith.polynomials.polynomial import Polynomial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.node import Node
    from relax_lang.struct_info.context import Context
    from relax_lang.syntax import tree


class Uniform:
    """The same for every part of the rows."""

    __slots__ = ()


class Sizes:
    """A shape or a number that depends on how many rows there are, and on nothing else that is divided."""

    __slots__ = ()


class Rows:
    """A tensor whose rows are apart, along `axis`."""

    __slots__ = ("axis",)

    def __init__(self, axis: int) -> None:
        self.axis = axis


class Fields:
    """A tuple. Tuples share parts, so what is asked of all fields is found once, when it is made."""

    __slots__ = ("fields", "has_rows", "is_apart")

    def __init__(self, fields: Iterable[State]) -> None:
        self.fields = tuple(fields)
        self.has_rows = any(map(has_rows, self.fields))
        self.is_apart = all(map(is_apart, self.fields))


class Cause:
    """A place where rows are mixed, as far as is known, and why. `inner` is the place in a PrimFunc, if it has one."""

    __slots__ = ("inner", "node", "reason")

    def __init__(self, node: Node, reason: str, inner: Node | None = None) -> None:
        self.node = node
        self.reason = reason
        self.inner = inner


class Mixed:
    """A value of which it is not known that its rows are apart."""

    __slots__ = ("causes",)

    def __init__(self, causes: Iterable[Cause]) -> None:
        self.causes = tuple(dict.fromkeys(causes))


State = Uniform | Sizes | Rows | Fields | Mixed
"""What a value is made of."""


def has_rows(state: State) -> bool:
    """Return whether a value, or a field of it, has rows."""
    return isinstance(state, Rows) or (isinstance(state, Fields) and state.has_rows)


def is_apart(state: State) -> bool:
    """Return whether a value is the same for every part of the rows, or has rows that are apart; so each field."""
    return isinstance(state, Rows | Uniform) or (isinstance(state, Fields) and state.is_apart)


class RowsMixed(Exception):  # noqa: N818 - says what an operator does
    """An operator mixes rows, or is not known to keep them apart; `inner` is the place in a PrimFunc."""

    def __init__(self, reason: str, inner: Node | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.inner = inner


UNIFORM = Uniform()
SIZES = Sizes()


class Divided:
    """The names of the dimension over which a program is divided: `names` holds all that are equal to it."""

    __slots__ = ("names",)

    def __init__(self, names: Iterable[str]) -> None:
        self.names = set(names)

    def occurs_in(self, node: Node) -> bool:
        """Return whether a dimension, a shape or a struct info mentions the dimension."""
        from relax_lang.arith.evaluate import names_in

        return any(use.name in self.names for use in names_in(node))

    def factor(self, dim: tree.PrimExpr, context: Context) -> Polynomial | None:
        """Return `k` of a dimension that is `k * n`, where `n` is not in `k`; None for any other."""
        try:
            value = polynomial_of(dim, context.facts.known)
        except (DimensionError, TooComplexError):
            return None
        atoms = {atom_of(name) for name in self.names}
        found = [name for name in value.names() if name in atoms]
        if len(found) != 1:
            return None
        factor = value.coefficient(found[0])
        if factor is None or factor * Polynomial.name(found[0]) != value:
            return None
        return None if atoms.intersection(atoms_below(factor.names())) else factor
