"""What a PrimFunc becomes on its way to NumPy: stages, and the vector expressions in them.

A *stage* is one store with all loops around it, its iteration domain; loops are rectangular and start at 0, and
every index is a polynomial over loop variables and sizes. The value of a stage is a typed vector expression;
the dimensions of each part are the loops it varies over, kept as data and never as text.
Names in polynomials are the identifiers of the generated code.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.arith.polynomial import Polynomial
    from relax_lang.base.node import Node

    Dims = frozenset[str]


class Refused(Exception):  # noqa: N818 - an answer, not an error
    """Why a part of a PrimFunc is not vectorized, and where."""

    def __init__(self, reason: str, node: Node) -> None:
        super().__init__(reason)
        self.reason = reason
        self.node = node


class Loop:
    """A loop variable that runs from 0 to `extent`, which is at least 0; `name` is its identifier."""

    __slots__ = ("extent", "name", "node")

    def __init__(self, name: str, extent: Polynomial, node: Node) -> None:
        self.name = name
        self.extent = extent
        self.node = node


class Storage:
    """An array of the generated code: a parameter or an allocated buffer, perhaps one for all iterations.

    `shape` are its sizes; `outer` the loops whose iterations each have a copy: their sizes come first.
    """

    __slots__ = ("dtype", "is_param", "name", "outer", "shape")

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


class Vector:
    """A typed expression; `dims` are the names of the loops its value depends on."""

    __slots__ = ("dims", "dtype")
    dims: Dims
    dtype: str


class Const(Vector):
    """A literal; `value` is an int, a float or a bool in the range of its dtype."""

    __slots__ = ("value",)

    def __init__(self, value: float, dtype: str) -> None:
        self.value = value
        self.dtype = dtype
        self.dims = frozenset()


class Size(Vector):
    """A scalar known when the function is called: a Python expression over names bound at entry."""

    __slots__ = ("text",)

    def __init__(self, text: str, dtype: str) -> None:
        self.text = text
        self.dtype = dtype
        self.dims = frozenset()


class Iota(Vector):
    """The value of a loop variable: 0, 1, 2, …"""

    __slots__ = ("loop",)

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.dtype = "int64"
        self.dims = frozenset((loop.name,))


class Load(Vector):
    """Elements of an array; `dtype` is that of the array."""

    __slots__ = ("index", "node", "storage")

    def __init__(self, storage: Storage, index: tuple[Polynomial, ...], dims: Dims, node: Node) -> None:
        self.storage = storage
        self.index = index
        self.node = node
        self.dtype = storage.dtype
        self.dims = dims


class Apply(Vector):
    """An operation on vectors; `op` is an operator such as `+`, the name of an intrinsic, `select` or `cast`."""

    __slots__ = ("args", "op")

    def __init__(self, op: str, args: tuple[Vector, ...], dtype: str) -> None:
        self.op = op
        self.args = args
        self.dtype = dtype
        self.dims = frozenset[str]().union(*[arg.dims for arg in args])


class Stage:
    """One store over its domain.

    `guards` are conditions that must hold for an iteration to store; `label` names the block or loop that it
    comes from. `reducing` is empty but for the `init` of a block: there it holds the loops of the reduction,
    before whose first step it runs.
    """

    __slots__ = ("guards", "index", "label", "loops", "node", "op", "reducing", "target", "value")

    def __init__(
        self,
        loops: tuple[Loop, ...],
        target: Storage,
        index: tuple[Polynomial, ...],
        op: str,
        value: Vector,
        guards: tuple[Vector, ...],
        label: str,
        node: Node,
    ) -> None:
        self.loops = loops
        self.target = target
        self.index = index
        self.op = op
        self.value = value
        self.guards = guards
        self.label = label
        self.node = node
        self.reducing: tuple[Loop, ...] = ()


def loads(vector: Vector) -> list[Load]:
    """Return the loads in an expression."""
    found: list[Load] = []
    pending = [vector]
    while pending:
        part = pending.pop()
        if isinstance(part, Load):
            found.append(part)
        elif isinstance(part, Apply):
            pending.extend(part.args)
    return found


def same_access(load: Load, target: Storage, index: tuple[Polynomial, ...]) -> bool:
    """Tell whether a load reads the very element that an index names."""
    return load.storage is target and load.index == index
