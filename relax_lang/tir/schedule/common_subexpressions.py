"""What several kernels of a block compute from the same rows is computed once.

A variance and the normalization after it both need `X[i, j] - Mean[i]`. The first kernel of a block that needs such
a value stores it, for the rows at hand; the later one reads it there. It is kept in the array that this one stores
to, if nothing reads that array in between, or, if it is costly, in an array of the size of a block. Operations and
their order stay those of the program, so the values are the same bit by bit.
"""

from __future__ import annotations

from itertools import permutations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Storage
from relax_lang.tir.analysis.statement_accesses import accesses
from relax_lang.tir.analysis.statements import Stage
from relax_lang.tir.analysis.vector_ir import Apply, Index, Load, all_loads, loads, parts_of, same_access
from relax_lang.tir.schedule.domains import with_part
from relax_lang.tir.schedule.plan import ELEMENTWISE, REDUCTION, Kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Indices, Loop
    from relax_lang.tir.analysis.vector_ir import Space, Vector
    from relax_lang.tir.lower.guards import Guards

    Names = dict[str, Polynomial]

_MOST_LOOPS = 4
_CHEAP = (
    "+",
    "-",
    "*",
    "neg",
    "min",
    "max",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "&&",
    "||",
    "!",
    "&",
    "|",
    "^",
    "~",
)
"""What NumPy does in about the time that reading an array takes; anything else is worth an array of its own."""


class User:
    """A kernel that needs a value: its position in the block, the value over its own loops, and what the loops of the
    first such kernel are called there.
    """

    __slots__ = ("at", "names", "part")

    def __init__(self, at: int, part: Vector, names: Names) -> None:
        self.at = at
        self.part = part
        self.names = names


class CommonSubexpressions:
    """Finds common parts of the kernels of one block: `size` rows are at hand, at most `step`."""

    def __init__(
        self, space: Space, entry: Guards, size: Polynomial, step: Polynomial, allocated: list[Storage]
    ) -> None:
        self._space = space
        self._entry = entry
        self._size = size
        self._step = step
        self._allocated = allocated
        self._outlines: dict[int, int] = {}
        self._numbers: dict[tuple[object, ...], int] = {}
        self._gathering: dict[int, bool] = {}

    def run(self, body: list[Kernel]) -> list[Kernel]:
        """Return kernels that compute what they have in common once."""
        while len(body) > 1:
            found = self._shared(body)
            if found is None:
                break
            body = found
        return body

    def _shared(self, body: list[Kernel]) -> list[Kernel] | None:
        """Return kernels that share one value more, the largest there is; None if they have nothing in common."""
        parts = [self._candidates(kernel) for kernel in body]
        known = [{self._outline(part): part for part in found} for found in parts]
        values = [(at, part) for at, found in enumerate(parts) for part in found]
        for first, part in sorted(values, key=lambda value: (-len(parts_of(value[1])), value[0])):
            outline = self._outline(part)
            if sum([outline in found for found in known[first:]]) < 2:
                continue
            users = self._users(body, parts, first, part)
            result = self._with_users(body, users) if len(users) > 1 else None
            if result is not None:
                return result
        return None

    def _outline(self, vector: Vector) -> int:
        """Return a number that is the same for expressions that only differ in the names of their loops."""
        found = self._outlines.get(vector.key)
        if found is None:
            what: tuple[object, ...] = ("index",) if isinstance(vector, Index) else ("value", vector.key)
            if isinstance(vector, Apply):
                what = (vector.op, vector.dtype, *[self._outline(arg) for arg in vector.args])
            elif isinstance(vector, Load):
                what = ("load", id(vector.storage), *[part.value for part in vector.index])
            found = self._outlines[vector.key] = self._numbers.setdefault(what, len(self._numbers))
        return found

    def _candidates(self, kernel: Kernel) -> list[Vector]:
        """Return the operations of a kernel on whole arrays, but for those that gather."""
        if kernel.strategy not in (ELEMENTWISE, REDUCTION) or kernel.folded:
            return []
        full = frozenset([loop.name for loop in (*kernel.kept, *kernel.reduced)])
        found = [part for part in parts_of(kernel.operand) if isinstance(part, Apply) and part.dims >= full]
        return [part for part in found if not self._gathers(part)]

    def _gathers(self, vector: Vector) -> bool:
        """Return whether an expression loads from places that are not polynomials of the loops."""
        found = self._gathering.get(vector.key)
        if found is None:
            if isinstance(vector, Apply):
                found = True in [self._gathers(arg) for arg in vector.args]
            else:
                loads = all_loads(self._space, vector)
                found = any(self._space.atoms_in(part) for load in loads for part in load.index)
            self._gathering[vector.key] = found
        return found

    def _users(self, body: list[Kernel], parts: list[list[Vector]], first: int, part: Vector) -> list[User]:
        """Return the kernels that need a value, the first of them first, as long as it stays the same."""
        kernel, outline = body[first], self._outline(part)
        read = {load.storage for load in all_loads(self._space, part)}
        found: list[User] = []
        for at in range(first, len(body)):
            if at > first and body[at - 1].stage.target in read:
                break
            wanted = {other.key: other for other in parts[at] if self._outline(other) == outline}
            for names in _renamings([*kernel.kept, *kernel.reduced], body[at]) if wanted else []:
                same = wanted.get(self._space.replaced(part, names).key)
                if same is not None:
                    found.append(User(at, same, names))
                    break
        return found

    def _with_users(self, body: list[Kernel], users: list[User]) -> list[Kernel] | None:
        """Return the kernels with a value computed before the first one that needs it, if it can be kept anywhere."""
        first = body[users[0].at]
        if first.operand is users[0].part and first.strategy == ELEMENTWISE:
            return self._forwarded(body, users)
        for count in range(len(users), 1, -1):
            if self._is_free(body, users[:count]):
                last = body[users[count - 1].at]
                return self._with_place(body, users[:count], last.stage.target, last.stage.index)
            local = self._local(body[users[0].at], users[0].part) if count == len(users) else None
            if local is not None:
                return self._with_place(body, users, *local)
        return None

    def _forwarded(self, body: list[Kernel], users: list[User]) -> list[Kernel] | None:
        """Return the kernels with a value read where the first one stores it anyway, as long as it is there."""
        first = body[users[0].at]
        stage = first.stage
        readers = [user for user in users[1:] if body[user.at].nonempty or not first.nonempty]
        if stage.op != "=" or stage.target.dtype != dtypes.computed_in(users[0].part.dtype):
            return None
        stop = next(
            (at for at in range(users[0].at + 1, len(body)) if body[at].stage.target is stage.target),
            len(body),
        )
        result = list(body)
        readers = [user for user in readers if user.at <= stop]
        for user in readers:
            index = tuple([self._space.substituted(part, user.names) for part in stage.index])
            kept = self._load(stage.target, index, body[user.at])
            result[user.at] = _with(body[user.at], user.part, kept)
        return result if readers else None

    def _with_place(
        self, body: list[Kernel], users: list[User], storage: Storage, index: Indices
    ) -> list[Kernel]:
        """Return the kernels with a value kept in an array; the index is in terms of the last kernel if it is that
        one's own, else of the first.
        """
        last = users[-1]
        own = storage is body[last.at].stage.target
        back = {str(new): Polynomial.name(old) for old, new in last.names.items()} if own else {}
        start = tuple([self._space.substituted(part, back) for part in index])
        result = list(body)
        for user in users:
            kernel = body[user.at]
            here = tuple([self._space.substituted(part, user.names) for part in start])
            result[user.at] = _with(kernel, user.part, self._load(storage, here, kernel))
        first = body[users[0].at]
        place = self._load(storage, start, first)
        result.insert(users[0].at, _storing(first, users[0].part, place, body[last.at]))
        return result

    def _local(self, kernel: Kernel, part: Vector) -> tuple[Storage, Indices] | None:
        """Return a new array of the size of a block for a value that costs more than reading it again."""
        loops = [*kernel.kept, *kernel.reduced]
        rows = [loop for loop in loops if loop.extent == self._size]
        others = [loop.extent for loop in loops if loop not in rows]
        costly = any(isinstance(one, Apply) and _is_costly(one) for one in parts_of(part))
        if not costly or len(rows) != 1 or any(self._space.varies(extent) for extent in others):
            return None
        shape = [self._step if loop in rows else loop.extent for loop in loops]
        storage = Storage(self._entry.fresh("shared"), dtypes.computed_in(part.dtype), tuple(shape))
        self._allocated.append(storage)
        return storage, tuple([Polynomial.name(loop.name) for loop in loops])

    def _is_free(self, body: list[Kernel], users: list[User]) -> bool:
        """Return whether the target of the last of some kernels may hold a value from the first one on: nothing else of
        it is read or stored by then. Its elements must lie together, too.
        """
        last = users[-1]
        user = body[last.at]
        target = user.stage.target
        if user.strategy != ELEMENTWISE or user.stage.op != "=":
            return False
        if user.nonempty and not all(body[other.at].nonempty for other in users):
            return False  # where a loop is empty there may be no such elements
        inner = (
            [user.stage.index[-1].coefficient(loop.name) for loop in user.kept] if user.stage.index else []
        )
        together = any(step is not None and step.value == 1 for step in inner)
        if not together or target.dtype != dtypes.computed_in(last.part.dtype):
            return False
        parts = {user.at: user.part for user in users}
        mark = Load(Storage("", last.part.dtype, ()), (), last.part.dims, user.stage.node)
        for at in range(users[0].at, last.at + 1):
            stage = _with(body[at], parts[at], mark).stage if at in parts else body[at].stage
            stored = 1 if at == last.at else 0
            if sum([access.storage is target for access in accesses(self._space, stage)]) != stored:
                return False
        # The value may itself be made from what is there, element by element.
        loads = [load for load in all_loads(self._space, last.part) if load.storage is target]
        return all(same_access(load, target, user.stage.index) for load in loads)

    def _load(self, storage: Storage, index: Indices, kernel: Kernel) -> Load:
        dims = frozenset([name for part in index for name in self._space.dims(part)])
        return Load(storage, index, dims, kernel.stage.node)


def _renamings(loops: Sequence[Loop], kernel: Kernel) -> list[Names]:
    """Return the ways in which some loops can be those of a kernel."""
    others = [*kernel.kept, *kernel.reduced]
    if len(loops) != len(others) or len(loops) > _MOST_LOOPS:
        return []
    found: list[Names] = []
    for order in permutations(others):
        pairs = list(zip(loops, order, strict=True))
        # Names are replaced one after the other, so none may be replaced by one that is replaced itself.
        plain = all(loop is other or other not in loops for loop, other in pairs)
        if plain and all(loop.extent == other.extent for loop, other in pairs):
            found.append({loop.name: Polynomial.name(other.name) for loop, other in pairs})
    return found


def _is_costly(part: Apply) -> bool:
    return part.op not in _CHEAP and (part.op != "cast" or part.args[0].dtype in dtypes.HALVES)


def _storing(first: Kernel, value: Vector, place: Load, last: Kernel) -> Kernel:
    """Return the kernel that stores a shared value before the first one that needs it."""
    stage = first.stage
    stored = Stage(stage.loops, (), last.stage.label, last.stage.node, place.storage, place.index, "=", value)
    kernel = Kernel(stored, ELEMENTWISE, value, [*first.kept, *first.reduced], [])
    kernel.nonempty = first.nonempty or last.nonempty
    kernel.covered = {*first.covered, (id(place.storage), place.index)}
    return kernel


def _with(kernel: Kernel, part: Vector, by: Vector) -> Kernel:
    """Return a kernel with a part of its operand replaced."""
    operand = with_part(kernel.operand, part, by)
    covered = {*kernel.covered, *[(id(load.storage), load.index) for load in loads(by)]}
    return replaced(kernel, stage=replaced(kernel.stage, value=operand), operand=operand, covered=covered)
