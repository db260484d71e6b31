"""Accesses of arrays over iteration domains: the one model that the checks and the schedule ask about.

Every index and every bound is a polynomial over loop variables, sizes and *terms*: names for values that are not
polynomials (`i // 3`, `I[i]`). Statements that are lowered have accesses of this form; what the checks collected as
it is written takes it where something is to be proved (`domains`).
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Protocol

    from relax_lang.syntax import tree

    Indices = tuple[Polynomial, ...]

    class IterationSpace(Protocol):
        """What the names in polynomials are."""

        @property
        def loops(self) -> Mapping[str, Loop]:
            """The loops by the names of their variables."""
            ...

        def in_second(self, value: Polynomial, fixed: frozenset[str]) -> Polynomial:
            """Return what a polynomial is in a second iteration, which is at the same step of the loops in `fixed`:
            names whose values may differ there are written `v'`.
            """
            ...


class Loop:
    """A loop variable that runs from 0 to `extent`; `name` is its identifier. The extent of an inner loop may
    depend on the variables of outer ones. It is `whole`, the difference of the bounds, wherever that is not negative.
    """

    __slots__ = ("constraints", "extent", "name", "node", "whole")

    def __init__(
        self, name: str, extent: Polynomial, node: tree.PrimVar, whole: Polynomial | None = None
    ) -> None:
        self.name = name
        self.extent = extent
        self.node = node
        value = Polynomial.name(name)
        self.whole = extent if whole is None else whole
        self.constraints: tuple[Polynomial, ...] = (value, extent - 1 - value)
        if self.whole != extent:
            self.constraints = (*self.constraints, self.whole - 1 - value)
        """What is not negative in an iteration."""

    def __repr__(self) -> str:
        return f"{self.name} < {self.extent}"


class Storage:
    """An array of the generated code: a parameter or an allocated buffer, perhaps one for all iterations.

    `shape` are its sizes; `outer` the loops whose iterations each have a copy: their sizes come first.
    """

    __slots__ = ("dtype", "is_param", "is_temporary", "limit", "name", "outer", "shape")

    def __init__(
        self,
        name: str,
        dtype: str,
        shape: tuple[Polynomial, ...],
        outer: tuple[Loop, ...] = (),
        is_param: bool = False,
    ) -> None:
        self.name = name
        self.dtype = dtype
        self.shape = shape
        self.outer = outer
        self.is_param = is_param
        self.is_temporary = False
        """Whether it only keeps the value of a `let` or of a condition."""
        self.limit: Polynomial | None = None
        """Where its elements are values of a variable of a loop, the extent of the loop."""

    @property
    def sizes(self) -> Indices:
        """The sizes of the array: those of its outer loops come first."""
        return (*[loop.extent for loop in self.outer], *self.shape)


class Access:
    """An array that is read or stored; `index` is None where it may be any element.

    `given` is not negative in each iteration of `loops` in which the access happens.
    """

    __slots__ = ("given", "index", "is_store", "loops", "storage")

    def __init__(
        self,
        storage: Storage,
        index: Indices | None,
        is_store: bool,
        loops: tuple[Loop, ...] = (),
        given: Sequence[Polynomial] = (),
    ) -> None:
        self.storage = storage
        self.index = index
        self.is_store = is_store
        self.loops = loops
        self.given = given


_COMPARED = {">=": [(1, 0)], ">": [(1, 1)], "<=": [(-1, 0)], "<": [(-1, 1)], "==": [(1, 0), (-1, 0)]}
"""Comparison: the factors of its difference, and what is subtracted, that make numbers that are not negative."""


def facts_of_comparison(op: str, a: Polynomial, b: Polynomial) -> list[Polynomial]:
    """Return what is not negative where `a op b` holds; nothing follows from `!=`."""
    return [(a - b) * factor - less for factor, less in _COMPARED.get(op, ())]
