"""Evaluating calls of constants while a program is changed, by the interpreter that defines what they mean."""

from __future__ import annotations

import math

import numpy as np

from relax_lang.base.node import assert_never, walk
from relax_lang.runtime.session import Session
from relax_lang.runtime.values.tensors import constant_tensor, is_tensor
from relax_lang.syntax import tree
from relax_lang.values import RunFailure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.runtime.values.tensors import Tensor
    from relax_lang.typed import Typed

INLINE = 32
"""Elements of a constant that is written in the program; larger ones are in a file beside it."""
ARCHIVE = "constants.npz"
"""The file that large constants are in, until it is known where the program will be written."""
_UNKNOWN_MOST = 1 << 20
"""Bytes that a call may allocate if the size of its result is not known."""


class Constants:
    """Evaluates calls and makes constants of the results."""

    def __init__(self, typed: Typed, limit: int, growth: int, *, reveals: bool = True) -> None:
        self._typed = typed
        self._limit = limit
        self._growth = growth
        self._may_reveal = reveals
        self.has_revealed = False
        """Whether more is known of some result than before: it is a shape, or a tensor of unknown shape or dtype."""
        self.held: dict[tuple[str, str | None], Tensor] = {}
        """Arrays of constants that are too large to be written out, by path and key."""
        self.made: set[tree.Expr] = set()
        """Tuples that are results."""
        self._keys: dict[tuple[str, tuple[int, ...], bytes], str] = {}
        self._arrays: dict[tree.Constant, Tensor] = {}
        self._taken = {key for path, key in typed.source.arrays if path == ARCHIVE and key is not None}

    def evaluate(self, call: tree.Call, info: tree.StructInfo | None) -> tree.Expr | None:
        """Return the value of a call as a constant expression; None if it fails, or would be too large."""
        given = [node for arg in call.args for node in walk(arg) if isinstance(node, tree.Constant)]
        try:
            sizes = [self._tensor(one).size for one in given]
            most = max(self._limit, self._growth * sum(sizes)) if sizes else self._limit
            wanted = elements(info)
            if wanted is not None and wanted > most:
                return None
            max_bytes = _UNKNOWN_MOST if wanted is None else 16 * most + 64
            return self._expression(self._run(call, max_bytes), info)
        except RunFailure:
            return None  # its failure is part of the program

    def _tensor(self, constant: tree.Constant) -> Tensor:
        found = self._arrays.get(constant)
        if found is None:
            found = self._arrays[constant] = constant_tensor(constant, self._load)
        return found

    def _load(self, path: str, key: str | None) -> Tensor:
        for arrays in (self.held, self._typed.source.arrays):
            if (path, key) in arrays:
                return arrays[path, key]
        raise RunFailure("constant-file-missing", path)  # files may change before the program runs

    def _run(self, call: tree.Call, max_bytes: int) -> object:
        result = tree.Var("result", None)
        block = tree.BindingBlock((tree.VarBinding(result, call),), False)
        body = tree.SeqExpr((block,), tree.Var("result", None))
        function = tree.Function(tree.GlobalVar(" evaluated"), False, None, (), None, (), body)
        items = [function, *self._typed.prim_funcs.values()]
        session = Session(
            tree.IRModule((), tuple(items)),
            engine="interpreter",
            load_constant=lambda path, key: self._load(path, key).copy(),
            max_bytes=max(max_bytes, *[self._tensor(one).nbytes for one in self._arrays], 64),
        )
        return session.call(" evaluated")

    def _expression(self, value: object, info: tree.StructInfo | None) -> tree.Expr | None:
        if is_tensor(value):
            array = value
            wanted = info.dtype if isinstance(info, tree.TensorStructInfo) else None
            fits = wanted is None or wanted.name == array.dtype.name
            if wanted is None or elements(info) is None:
                fits = fits and self._reveal()
            return self.constant(array) if fits else None
        if isinstance(value, ShapeValue):
            if not self._reveal():
                return None
            return tree.ShapeExpr(tuple([tree.IntImm(size) for size in value.values]))
        if isinstance(value, tuple):
            given: tuple[object, ...] = value  # pyright: ignore[reportUnknownVariableType]
            infos = info.fields if isinstance(info, tree.TupleStructInfo) else [None] * len(given)
            fields = [self._expression(field, own) for field, own in zip(given, infos, strict=True)]
            made = tuple([field for field in fields if field is not None])
            if len(made) != len(fields):
                return None
            whole = tree.Tuple(made)
            self.made.add(whole)
            return whole
        return None

    def _reveal(self) -> bool:
        """Note that more becomes known of a result; return whether it may."""
        self.has_revealed = self.has_revealed or self._may_reveal
        return self._may_reveal

    def constant(self, array: Tensor) -> tree.Constant | None:
        """Return an array as a constant: written out if it is small and a text can mean it, else in a file."""
        if array.dtype.name not in _KINDS:
            return None
        if array.size <= INLINE:
            written = tree.Constant(literal_of(array), tree.DType(array.dtype.name))
            try:
                again = constant_tensor(written, self._load)
            except (RunFailure, ValueError):
                again = None
            if again is not None and again.shape == array.shape and again.tobytes() == array.tobytes():
                self._arrays[written] = again
                return written
        content = array.dtype.name, array.shape, array.tobytes()
        key = self._keys.get(content)
        if key is None:
            number = len(self._taken)
            while f"c{number}" in self._taken:
                number += 1
            key = self._keys[content] = f"c{number}"
            self._taken.add(key)
            self.held[ARCHIVE, key] = np.ascontiguousarray(array).reshape(array.shape)
        made = tree.Constant(tree.FileLit(ARCHIVE, key), None)
        self._arrays[made] = self.held[ARCHIVE, key]
        return made


_KINDS = frozenset(
    (
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
    )
)


def literal_of(array: Tensor) -> tree.Literal:
    """Return an array as it is written in a program."""
    return _literal(array.tolist())


def _literal(value: Any) -> tree.Literal:
    if isinstance(value, list):
        items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return tree.ListLit(tuple([_literal(item) for item in items]))
    if isinstance(value, bool):
        return tree.BoolLit(value)
    return tree.IntLit(value, None) if isinstance(value, int) else tree.FloatLit(value, None)


def elements(info: tree.StructInfo | None) -> int | None:
    """Return how many elements a value has by its struct info; None if that is not known."""
    match info:
        case tree.TensorStructInfo():
            dims = info.shape.values if isinstance(info.shape, tree.ShapeExpr) else None
            sizes = [dim.value for dim in dims or () if isinstance(dim, tree.IntImm)]
            return math.prod(sizes) if dims is not None and len(sizes) == len(dims) else None
        case tree.TupleStructInfo():
            counts = [elements(field) for field in info.fields]
            known = [count for count in counts if count is not None]
            return sum(known) if len(known) == len(counts) else None
        case tree.ShapeStructInfo():
            return 0
        case tree.ObjectStructInfo() | tree.PrimStructInfo() | tree.FuncStructInfo() | None:
            return None
        case tree.MatchShapeInfo() | tree.MissingStructInfo():
            return None  # of no value
        case _:
            return assert_never(info)
