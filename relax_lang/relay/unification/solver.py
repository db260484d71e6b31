"""Unification by union-find, and the queue of relations that it wakes. [R.31] [R.32]

A relation is a function that looks at the types of a call. It may assign what it can; if it cannot go on, it returns
which unknowns it waits for. When one of these becomes known, it goes to the front of the queue.
"""

from __future__ import annotations

from collections import deque

from relax_lang.relay.unification.model import (
    ANY,
    Adt,
    Func,
    Param,
    Ref,
    Rejected,
    Tensor,
    Tuple,
    Unknown,
    find,
    find_shape,
    find_type,
    substitute,
    unknowns,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Protocol

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.relay.unification.model import Type

    class Origin(Protocol):
        """Where a relation comes from."""

        def linked(self) -> list[Type]:
            """Return the types that it is about."""
            ...

        def explain(self) -> Diagnostic | None:
            """Return why it was never solved; None if something else reports it."""
            ...


class Mismatch(Exception):  # noqa: N818 - it is not an error of the program
    """Two types that are not equal: the innermost parts that differ, and whether it is a type inside of itself."""

    def __init__(self, expected: object, found: object, reason: str = "", *, infinite: bool = False) -> None:
        super().__init__(reason)
        self.expected = expected
        self.found = found
        self.reason = reason
        self.infinite = infinite


class Wait(Exception):  # noqa: N818 - it is not an error of the program
    """A relation cannot go on before one of these is known."""

    def __init__(self, unknown: Iterable[Unknown]) -> None:
        super().__init__()
        self.unknown = list(unknown)


class Pending:
    """A relation in the queue, or waiting."""

    __slots__ = ("calls", "queued", "solve", "solved", "where")

    def __init__(self, solve: Callable[[], None], where: Origin) -> None:
        self.solve = solve
        """Goes as far as it can; raises Wait."""
        self.where = where
        """The call, for the report that it is never solved."""
        self.queued = False
        self.solved = False
        self.calls = 0


class Solver:
    """The unknowns of one module and the relations over them.

    Relations are solved when they are added, as far as possible, unless `eager` is false: then only by `run`. `pick`
    chooses the next one of the queue by its index; the first, if it is not given. The result does not depend on either.
    """

    __slots__ = ("_pick", "calls", "eager", "pending", "queue")

    def __init__(self, *, eager: bool = True, pick: Callable[[int], int] | None = None) -> None:
        self.queue: deque[Pending] = deque()
        self.pending: list[Pending] = []
        self.eager = eager
        self._pick = pick
        self.calls = 0
        """How often relations were asked."""

    # -- relations -----------------------------------------------------------------------------------------

    def add(self, solve: Callable[[], None], where: Origin) -> Pending:
        """Add a relation to the queue."""
        made = Pending(solve, where)
        self.pending.append(made)
        made.queued = True
        self.queue.append(made)
        if self.eager:
            self.run()
        return made

    def run(self) -> None:
        """Solve what can be solved."""
        queue = self.queue
        while queue:
            if self._pick is not None:
                queue.rotate(-self._pick(len(queue)))
            one = queue.popleft()
            one.queued = False
            if one.solved:
                continue
            one.calls += 1
            self.calls += 1
            try:
                one.solve()
                one.solved = True
            except Wait as wait:
                for unknown in wait.unknown:
                    unknown.waiting.append(one)

    def unsolved(self) -> list[Pending]:
        """Return the relations that are not solved."""
        self.pending = [one for one in self.pending if not one.solved]
        return self.pending

    def _wake(self, unknown: Unknown) -> None:
        """Move what waits for an unknown to the front of the queue, in the order in which it waits."""
        for one in reversed(unknown.waiting):
            if not one.solved and not one.queued:
                one.queued = True
                self.queue.appendleft(one)
        unknown.waiting = []

    # -- unification ---------------------------------------------------------------------------------------

    def unify(self, expected: object, found: object) -> None:  # noqa: C901 - one case a form
        """Make two types equal. Raises Mismatch; what was made equal before that stays so."""
        expected, found = find(expected), find(found)
        if expected is found:
            return
        if isinstance(expected, Unknown):
            self._assign(expected, found)
        elif isinstance(found, Unknown):
            self._assign(found, expected)
        elif isinstance(expected, Rejected) or isinstance(found, Rejected):
            return
        elif isinstance(expected, Tensor) and isinstance(found, Tensor):
            self._tensors(expected, found)
        elif isinstance(expected, Tuple) and isinstance(found, Tuple):
            if len(expected.fields) != len(found.fields):
                raise Mismatch(expected, found, "they have different numbers of fields")
            for left, right in zip(expected.fields, found.fields, strict=True):
                self.unify(left, right)
        elif isinstance(expected, Func) and isinstance(found, Func):
            self._functions(expected, found)
        elif isinstance(expected, Adt) and isinstance(found, Adt):
            if expected.name != found.name or len(expected.args) != len(found.args):
                raise Mismatch(expected, found)
            for left, right in zip(expected.args, found.args, strict=True):
                self.unify(left, right)
        elif isinstance(expected, Ref) and isinstance(found, Ref):
            self.unify(expected.value, found.value)
        else:
            raise Mismatch(expected, found)

    def _assign(self, unknown: Unknown, value: object) -> None:
        if isinstance(value, Unknown):
            value.level = min(value.level, unknown.level)
            value.waiting += unknown.waiting
            unknown.waiting = []
            unknown.target = value
            # What waits for either may go on if the two were different for it.
            self._wake(value)
            return
        for inner in unknowns(value):  # type: ignore[arg-type]
            if inner is unknown:
                raise Mismatch(unknown, value, infinite=True)
            inner.level = min(inner.level, unknown.level)
        unknown.target = value
        self._wake(unknown)

    def _tensors(self, expected: Tensor, found: Tensor) -> None:
        self._parts(expected.dtype, found.dtype, expected, found)
        left, right = find_shape(expected.shape), find_shape(found.shape)
        if isinstance(left, tuple) and isinstance(right, tuple):
            if len(left) != len(right):
                raise Mismatch(expected, found, f"the ranks are {len(left)} and {len(right)}")
            for one, other in zip(left, right, strict=True):
                self._parts(one, other, expected, found)
        else:
            self._parts(left, right, expected, found)

    def _parts(self, left: object, right: object, expected: Tensor, found: Tensor) -> None:
        """Make two extents, shapes or dtypes equal."""
        left, right = find(left), find(right)
        if left is right or left is ANY or right is ANY:
            return
        if isinstance(left, Unknown):
            left.target = right
            self._wake(left)
        elif isinstance(right, Unknown):
            right.target = left
            self._wake(right)
        elif isinstance(left, Param) or isinstance(right, Param) or left != right:
            raise Mismatch(expected, found)

    def _functions(self, expected: Func, found: Func) -> None:
        if len(expected.params) != len(found.params):
            raise Mismatch(
                expected, found, f"they take {len(expected.params)} and {len(found.params)} arguments"
            )
        if expected.quantified and len(expected.quantified) == len(found.quantified):
            renamed: dict[Param, object] = dict(zip(found.quantified, expected.quantified, strict=True))
            found = Func(
                tuple([substitute(one, renamed) for one in found.params]), substitute(found.result, renamed)
            )
        for left, right in zip(expected.params, found.params, strict=True):
            self.unify(left, right)
        self.unify(expected.result, found.result)

    def join(self, left: Type, right: Type) -> Type:
        """Return the type of a value that is of either type: equal up to extents, which are `?` where one of them is.

        Raises Mismatch.
        """
        left, right = find_type(left), find_type(right)
        if isinstance(left, Tensor) and isinstance(right, Tensor):
            self.unify(left, right)
            one, other = find_shape(left.shape), find_shape(right.shape)
            if isinstance(one, tuple) and isinstance(other, tuple):
                pairs = zip(one, other, strict=True)
                return Tensor(tuple([a if find(b) is not ANY else ANY for a, b in pairs]), left.dtype)
            return left
        if isinstance(left, Tuple) and isinstance(right, Tuple) and len(left.fields) == len(right.fields):
            pairs = zip(left.fields, right.fields, strict=True)
            return Tuple(tuple([self.join(a, b) for a, b in pairs]))
        self.unify(left, right)
        return right if isinstance(left, Rejected) else left


def instantiate(value: Type, level: int) -> tuple[Type, list[Unknown]]:
    """Return a function type with fresh unknowns for its quantified parameters, and these."""
    value = find_type(value)
    if not isinstance(value, Func) or not value.quantified:
        return value, []
    fresh = [Unknown(level, one.kind) for one in value.quantified]
    known: dict[Param, object] = dict(zip(value.quantified, fresh, strict=True))
    made = Func(tuple([substitute(one, known) for one in value.params]), substitute(value.result, known))
    return made, fresh
