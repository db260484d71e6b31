"""Ranges of sizes in which all calls of one `call_tir` run by one plan. [O.4] [X.O4]

Of a tensor that grows with each call every size is new. Nothing has to be found out again where arguments are proved to
fit whatever the sizes are, shapes grow with the shape variables, and what else a plan depends on is the same for two
combinations of sizes and can only change in one direction between them.
"""

from __future__ import annotations

import math

from relax_lang.arith.evaluate import names_in
from relax_lang.arith.prover import EQUAL, compare
from relax_lang.arith.substitute import substitute
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.runtime.interpreter.dps import result_infos
from relax_lang.syntax import tree
from relax_lang.tir.ir.signature import TensorSpec, buffers, scalars
from relax_lang.tir.planned import MANY_BYTES, kind_of_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from relax_lang.tir.options.threads import Threads
    from relax_lang.tir.planned import Plan

    Names = tuple[str, ...]
    Values = tuple[int, ...]
    Infos = Sequence[tree.TensorStructInfo]
    Expr = tree.PrimExpr

_SCALAR = "int64"
_MOST_SIZE = 1 << 40
"""No larger size is in a range: nothing that sizes are computed from wraps around below it."""
_LARGEST_LITERAL = 1 << 31
_PARTS = 64
"""The ends of a range are looked for in steps of this part of the sizes at hand."""
_TIMES = 64
"""A range ends where sizes are so many times more than those at hand, beside these."""


class SizesOfCall:
    """The shapes and scalars of a call as shape variables decide them: none of them falls where these grow.

    `numbers` returns the scalars of a combination of values, `number_texts` are these in terms of `d0`, `d1` and so on.
    The result may be written `over` some inputs.
    """

    __slots__ = (
        "_dtypes",
        "_elements",
        "_evaluate",
        "_items",
        "_over",
        "_results",
        "number_texts",
        "numbers",
    )

    def __init__(
        self, dims: Names, infos: Infos, results: Infos, scalars: Sequence[Expr], over: Sequence[int]
    ) -> None:
        texts = _Texts(dims)
        shapes = [texts.tuple_of(_dims_of(info)) for info in (*infos, *results)]
        self.number_texts = [texts.of(scalar) for scalar in scalars]
        numbers = _tuple(self.number_texts)
        everything = f"({', '.join([*shapes, numbers])}), {_tuple(texts.inner)}"
        given = ", ".join(texts.names.values())
        self._evaluate: Callable[..., Any] = eval(f"lambda {given}: ({everything})")
        products = [
            " * ".join([texts.of(dim) for dim in _dims_of(info)] or ["1"]) for info in (*infos, *results)
        ]
        self._elements: Callable[..., Values] = eval(f"lambda {given}: {_tuple(products)}")
        self.numbers: Callable[..., Values] = eval(f"lambda {given}: {numbers}")
        self._results = [[names_in(dim) for dim in _dims_of(info)] for info in results]
        self._dtypes = [info.dtype.name for info in (*infos, *results) if info.dtype is not None]
        self._items = [named_dtype(dtype).itemsize for dtype in self._dtypes]
        self._over = over

    def at(self, values: Values) -> tuple[list[TensorSpec], Values] | None:
        """Return what has the shapes of inputs and results, and the scalars; None if a size is out of bounds."""
        (*shapes, numbers), inner = self._evaluate(*values)
        for sizes in (*shapes, numbers, inner):
            if sizes and not 0 <= min(sizes) <= max(sizes) < _MOST_SIZE:
                return None
        return [TensorSpec(dtype, shape) for dtype, shape in zip(self._dtypes, shapes, strict=True)], numbers

    def are_told_apart(self, specs: Sequence[TensorSpec], varying: set[str]) -> bool:
        """Return whether no dimension of a result that varies has the size 1, which arrays may be stretched from."""
        for spec, dims in zip(specs[len(specs) - len(self._results) :], self._results, strict=True):
            for size, names in zip(spec.shape, dims, strict=True):
                if size < _LEAST and not varying.isdisjoint([use.name for use in names]):
                    return False
        return True

    def kind(self, specs: Sequence[TensorSpec]) -> tuple[tuple[object, ...], int, int]:
        """Return what a plan depends on beside what fits, and the elements and the bytes of the largest array."""
        elements = [math.prod(spec.shape) for spec in specs]
        over = [at for at in self._over if specs[at].shape == specs[-1].shape]
        return kind_of_call(elements, self._items, over)

    def likely_kind(self, values: Values) -> tuple[tuple[object, ...], int, int]:
        """Return the `kind` of a combination of values, unless inputs have the elements of the result, but not its
        shape, or sizes are out of bounds. That takes a third of the time.
        """
        elements = self._elements(*values)
        over = [at for at in self._over if elements[at] == elements[-1]]
        return kind_of_call(elements, self._items, over)


_LEAST = 2
"""Sizes from this one on vary in a range."""


def sizes_of_call(
    call: tree.Call,
    func: tree.PrimFunc,
    dims: Names,
    infos: Sequence[tree.StructInfo],
    over: Sequence[int] = (),
) -> SizesOfCall | None:
    """Return the sizes of a call whose arguments, of which `infos` are certain, fit whatever the values of `dims` are.

    None if that is not proved, or if one of its sizes may fall where these grow.
    """
    results = result_infos(call)
    tensors = [info for info in infos if isinstance(info, tree.TensorStructInfo)]
    given = call.args[2] if len(call.args) > 2 else None
    numbers = given.values if isinstance(given, tree.ShapeExpr) else ()
    if len(tensors) < len(infos) or not _always_fit(func, (*tensors, *results), numbers):
        return None
    try:
        return SizesOfCall(dims, tensors, results, numbers, over)
    except _MayFallError:
        return None


def _always_fit(func: tree.PrimFunc, infos: Infos, numbers: Sequence[Expr]) -> bool:
    """Return whether arrays and scalars are what a PrimFunc takes, as `signature.bind` finds out for some sizes."""
    wanted, params = buffers(func), scalars(func)
    if len(wanted) != len(infos) or len(params) != len(numbers):
        return False
    if [param for param in params if param.dtype.name != _SCALAR]:
        return False
    env: dict[str, Expr] = {param.name: number for param, number in zip(params, numbers, strict=True)}
    pairs: list[tuple[Expr, Expr]] = []
    for buffer, info in zip(wanted, infos, strict=True):
        dims = _dims_of(info)
        if info.dtype is None or info.dtype.name != buffer.dtype.name or len(dims) != len(buffer.shape):
            return False
        pairs += zip(buffer.shape, dims, strict=True)
    for dim, size in pairs:
        if isinstance(dim, tree.PrimVar):
            env.setdefault(dim.name, size)
    return all(_are_equal(dim, size, env) for dim, size in pairs)


def _are_equal(dim: Expr, size: Expr, env: Mapping[str, Expr]) -> bool:
    if isinstance(dim, tree.PrimVar) and env.get(dim.name) is size:
        return True
    return all(use.name in env for use in names_in(dim)) and compare(substitute(dim, env), size) == EQUAL


def _dims_of(info: tree.TensorStructInfo) -> Sequence[Expr]:
    assert isinstance(info.shape, tree.ShapeExpr)
    return info.shape.values


class _MayFallError(Exception):
    """A size is not certain to grow with the names in it."""


class _Texts:
    """Sizes as Python expressions of values that are never negative; `inner` are those that are divided."""

    def __init__(self, dims: Names) -> None:
        self.names = {name: f"d{at}" for at, name in enumerate(dims)}
        self.inner: list[str] = []

    def tuple_of(self, dims: Sequence[Expr]) -> str:
        """Return several sizes as a tuple. Raises _MayFallError."""
        return _tuple([self.of(dim) for dim in dims])

    def of(self, dim: Expr) -> str:
        """Return one size. Raises _MayFallError."""
        match dim:
            case tree.PrimVar() if dim.name in self.names:
                return self.names[dim.name]
            case tree.IntImm() if 0 <= dim.value < _LARGEST_LITERAL:
                return str(dim.value)
            case tree.Add() | tree.Mul():
                return f"({self.of(dim.a)} {'+' if isinstance(dim, tree.Add) else '*'} {self.of(dim.b)})"
            case tree.Min() | tree.Max():
                return f"{'min' if isinstance(dim, tree.Min) else 'max'}({self.of(dim.a)}, {self.of(dim.b)})"
            case tree.Sub() if isinstance(dim.b, tree.IntImm):
                difference = f"({self.of(dim.a)} - {self.of(dim.b)})"
                self.inner.append(difference)
                return difference
            case tree.FloorDiv() if isinstance(dim.b, tree.IntImm) and dim.b.value > 0:
                self.inner.append(self.of(dim.a))
                return f"({self.inner[-1]} // {self.of(dim.b)})"
            case _:
                raise _MayFallError


def _tuple(texts: Sequence[str]) -> str:
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


class Ranges:
    """Finds ranges for the calls at one place: `most_bytes` bounds each array, large ones may run on `threads`."""

    __slots__ = ("_dims", "_threads", "most_bytes", "sizes")

    def __init__(self, sizes: SizesOfCall, dims: Names, most_bytes: int, threads: Threads | None) -> None:
        self.sizes = sizes
        self.most_bytes = most_bytes
        self._dims = dims
        self._threads = threads

    def may_be_made(self, values: Values) -> bool:
        """Return whether no array of a call is above the limit."""
        found = self.sizes.at(values)
        return found is not None and self.sizes.kind(found[0])[2] <= self.most_bytes

    def around(
        self, values: Values, plan: Plan, any_class: bool = False
    ) -> tuple[Values, Values, bool] | None:
        """Return a range of combinations that a plan, made for one, is for: its ends, and whether it is certain there.

        None if there is no such range. With `any_class` operations need not be those that are best for arrays so large.
        """
        found = self.sizes.at(values)
        varying = {name for name, value in zip(self._dims, values, strict=True) if value >= _LEAST}
        if found is None or not varying or not plan.is_monotone():
            return None
        if not self.sizes.are_told_apart(found[0], varying):
            return None
        kind = self.sizes.kind(found[0])[0][any_class:]
        tried: dict[Values, list[tuple[Values, str]] | None] = {}

        def is_in(these: Values) -> bool:
            if these not in tried:
                tried[these] = self._fitting(these, plan, kind)
            return tried[these] is not None

        def end(at: Callable[[int], Values], most: int) -> Values:
            # Elements alone nearly always decide where a range ends.
            likely = _furthest(at, most, lambda these: self._is_likely(these, kind))
            return likely if is_in(likely) else _furthest(at, most, is_in)

        if not is_in(values):
            return None
        low = end(lambda part: _scaled(values, _PARTS - part), _PARTS)
        high = end(lambda part: _scaled(values, _PARTS + part), _PARTS * _TIMES)
        most = 0
        for (one, dtype), (other, _) in zip(tried[low] or (), tried[high] or (), strict=True):
            extents = tuple([max(pair) for pair in zip(one, other, strict=True)])
            most = max(most, _bytes_of((extents, dtype)))
        if most > self.most_bytes:
            return None
        return low, high, plan.certain and most < MANY_BYTES

    def _is_likely(self, values: Values, kind: tuple[object, ...]) -> bool:
        return self._is_of_kind(self.sizes.likely_kind(values), kind)

    def _is_of_kind(self, found: tuple[tuple[object, ...], int, int], kind: tuple[object, ...]) -> bool:
        """Return whether the kind of a call is the one that is wanted, and its arrays are not too large."""
        of_these, elements, largest = found
        return (
            of_these[-len(kind) :] == kind
            and largest <= self.most_bytes
            and (self._threads is None or not self._threads.are_for_size(elements))
        )

    def _fitting(
        self, values: Values, plan: Plan, kind: tuple[object, ...]
    ) -> list[tuple[Values, str]] | None:
        """Return the arrays that a call makes on the way if the plan is for it; None if it is not."""
        found = self.sizes.at(values)
        if found is None or not self._is_of_kind(self.sizes.kind(found[0]), kind):
            return None
        try:
            made = plan.fits(*found[0], *found[1])
        except Exception:  # it is another plan's, or looks at more than shapes
            return None
        return made if max(map(_bytes_of, made), default=0) <= self.most_bytes else None


def _bytes_of(made: tuple[Values, str]) -> int:
    shape, dtype = made
    return math.prod(shape) * named_dtype(dtype).itemsize


def _scaled(values: Values, parts: int) -> Values:
    """Return sizes times a number of parts, at least 1; what is too small to vary stays."""
    return tuple([value if value < _LEAST else max(1, value * parts // _PARTS) for value in values])


def _furthest(at: Callable[[int], Values], most: int, is_in: Callable[[Values], bool]) -> Values:
    """Return the last combination that is in, of those at 0, which is in, to `most`."""
    first, last = 0, _PARTS
    while last <= most and is_in(at(last)):
        first, last = last, 2 * last
    if first == most:
        return at(most)
    while last - first > 1:
        middle = (first + last) // 2
        if is_in(at(middle)):
            first = middle
        else:
            last = middle
    return at(first)
