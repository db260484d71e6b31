"""The values of a running program, and the exception that ends one.

| value            | class                                                                            |
|------------------|----------------------------------------------------------------------------------|
| tensor           | `numpy.ndarray`, also of rank 0                                                  |
| shape            | `ShapeValue`, never a plain tuple [V.13]                                         |
| tuple            | Python's `tuple`; `()` is the unit                                               |
| closure          | `Closure`                                                                        |
| packed function  | `PackedFunc`                                                                     |
| PrimFunc         | its tree, `relax_lang.syntax.tree.PrimFunc`: opaque, for `call_tir` only [V.12]  |
| storage          | `Storage`: bytes that tensors are made in                                        |
| any other object | itself, unchanged                                                                |

This module never imports numpy: operators and PrimFuncs are checked without it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from relax_lang.base.node import Node


class ShapeValue:
    """A shape: a sequence of non-negative integers, equal to another by its values. [V.9] [V.13]"""

    __slots__ = ("values",)

    def __init__(self, values: tuple[int, ...]) -> None:
        self.values = values

    def __iter__(self) -> Iterator[int]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: int) -> int:
        return self.values[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShapeValue) and self.values == other.values

    def __hash__(self) -> int:
        return hash(("shape", self.values))

    def __repr__(self) -> str:
        """Show it as the language writes it: `shape(2, 3)`."""
        return f"shape({', '.join([str(value) for value in self.values])})"


class Closure:
    """A function with the variables it captured. [V.5] [V.6] [V.8]

    `function` is its `Function` node, `name` how messages call it, `variables` and `shape_vars` the captured
    variables of either kind, `bound` the last arguments that `make_closure` already gave.
    It is opaque to packed functions and operators: only the runtime calls it.
    """

    __slots__ = ("bound", "function", "name", "shape_vars", "variables")

    def __init__(
        self,
        function: Node,
        name: str,
        variables: dict[str, object],
        shape_vars: dict[str, int],
        bound: tuple[object, ...] = (),
    ) -> None:
        self.function = function
        self.name = name
        self.variables = variables
        self.shape_vars = shape_vars
        self.bound = bound

    def __repr__(self) -> str:
        return f"closure {self.name}"


class PackedFunc:
    """A function of the embedder, registered under a name; `pure` is what its author claims. [V.10] [X.8]"""

    __slots__ = ("function", "name", "pure")

    def __init__(self, name: str, function: Callable[..., object], pure: bool = False) -> None:
        self.name = name
        self.function = function
        self.pure = pure

    def __repr__(self) -> str:
        return f'extern "{self.name}"'


class Storage:
    """Bytes that tensors are made in; `octets` is an array of uint8, of which the tensors are views."""

    __slots__ = ("octets",)

    def __init__(self, octets: Any) -> None:
        self.octets = octets

    @property
    def size(self) -> int:
        """The number of bytes."""
        return self.octets.size

    def __repr__(self) -> str:
        return f"storage of {self.size} bytes"


class RunFailure(Exception):  # noqa: N818 - a program fails, the interpreter makes no error
    """The end of a program that failed while it ran: a diagnostic that does not know its place yet. [M.9]

    `slug` and `message` are the diagnostic's, `node` the failing construct if it is known where the failure
    is raised, `facts` what tools want to know (`note` and `help`, if given, are shown to the user).
    """

    def __init__(self, slug: str, message: str, node: Node | None = None, **facts: object) -> None:
        super().__init__(f"{slug}: {message}")
        self.slug = slug
        self.message = message
        self.node = node
        self.facts = facts


def words_of(error: BaseException) -> str:
    """Name an exception of the embedder's code with its text on one line: `ValueError: too few`."""
    try:
        words = " ".join(str(error).split())
    except Exception:  # its `__str__` is the embedder's code, too
        words = ""
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def kind_of(value: object) -> str:
    """Say what a value is, for messages: `a tensor`, `a shape`, `a tuple`, … [V.13] [Z.7]"""
    if isinstance(value, tuple):
        return "a tuple"
    if isinstance(value, ShapeValue):
        return "a shape"
    if isinstance(value, Closure):
        return "a closure"
    if isinstance(value, PackedFunc):
        return "a packed function"
    if isinstance(value, Storage):
        return "a storage"
    # A tensor, told without importing numpy: where no module of that name is loaded, there is no array.
    for base in type(value).__mro__:
        if base.__name__ == "ndarray" and base.__module__ == "numpy":
            return "a tensor"
    return "an object"


def is_tensor(value: object) -> bool:
    """Return whether a value is a tensor. [V.1]"""
    return kind_of(value) == "a tensor"
