"""Tensors of tensor expressions: inputs, computes, reductions, and blocks that are written by hand."""

from __future__ import annotations

from itertools import count

from relax_lang.base.relax_error import refused
from relax_lang.base.sequences import as_tuple, is_sequence
from relax_lang.syntax import dtypes, tree
from relax_lang.te.diagnostics import (
    bad_reduction,
    bad_result,
    not_a_dimension,
    not_scalar,
    wrong_argument_type,
    wrong_parameters,
    wrong_rank,
)
from relax_lang.te.expr import Expr, checked_dtype, expr, shown
from relax_lang.te.literals import has_fraction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn

    Dims = tuple[Expr, ...]
    Size = Expr | int

_NUMBERS = count()

INT64 = "int64"


_Handle: Any = type("_Handle", (tree.PrimVar,), {"__slots__": ("tensor",)})
"""The name of a tensor in an expression, which keeps what it reads alive; no PrimFunc has any."""


def tensor_of(handle: tree.PrimVar) -> Tensor:
    """Return the tensor that the name in an expression means."""
    return getattr(handle, "tensor")  # noqa: B009 - only handles have it


def local_name(hint: str) -> str:
    """Return a name that no other tree has; `create_prim_func` replaces it by one that fits."""
    return f"{hint}.{next(_NUMBERS)}"


def dims_of(shape: Any) -> Dims:
    """Return extents as expressions. Raises RelaxError for what is not a size."""
    given: Any = as_tuple(shape)
    made = tuple([expr(one) for one in given])
    for one in made:
        if one.dtype not in (None, INT64) or (one.dtype is None and has_fraction(one.node)):
            raise refused(not_a_dimension, shown(one), one.dtype or "a fraction")
    return made


class Axis(Expr):
    """The variable of a loop; a reduction's has an extent."""

    __slots__ = ("extent", "hint")

    def __init__(self, extent: Expr, hint: str) -> None:
        super().__init__(tree.PrimVar(local_name(hint)), INT64)
        self.extent = extent
        self.hint = hint

    @property
    def name(self) -> str:
        """The name in the tree, which is unique."""
        assert isinstance(self.node, tree.PrimVar)
        return self.node.name


class Tensor:
    """A tensor of known rank and dtype; `t[i, j]` reads an element.

    `name` is the one in trees, `hint` the one that the PrimFunc will show if it is free.
    """

    __slots__ = ("dtype", "hint", "name", "shape", "source")

    def __init__(self, shape: Dims, dtype: str, hint: str, source: Compute | Extern | None = None) -> None:
        self.shape = shape
        self.dtype = dtype
        self.hint = hint
        self.name = local_name(hint)
        self.source = source
        """What computes it; None for an input."""

    @property
    def ndim(self) -> int:
        """The rank."""
        return len(self.shape)

    def __getitem__(self, indices: Any) -> Expr:
        """Read one element: one index for each dimension, `()` of a tensor of rank 0. Raises RelaxError."""
        places: Any = as_tuple(indices)
        made = tuple([expr(one) for one in places])
        if len(made) != len(self.shape):
            raise refused(wrong_rank, self.hint, len(self.shape), len(made))
        for one in made:
            if dtype_of(one) != INT64:
                raise refused(wrong_argument_type, f"{self.hint}[…]", "indices of dtype int64", dtype_of(one))
        return self.read(made)

    def read(self, indices: Dims) -> Expr:
        """Return the expression that reads an element."""
        return Expr(tree.BufferLoad(self.handle(), tuple([one.node for one in indices])), self.dtype)

    def handle(self) -> tree.PrimVar:
        """Return the name of the tensor as a node that knows the tensor."""
        node = _Handle(self.name)
        node.tensor = self
        return node

    def __repr__(self) -> str:
        return f"<te tensor {self.hint}: ({', '.join([shown(one) for one in self.shape])}), {self.dtype}>"


class Inline(Tensor):
    """A tensor that is never stored: its expression takes the place of every read."""

    __slots__ = ("function",)

    def __init__(self, shape: Dims, dtype: str, hint: str, function: Callable[..., Expr]) -> None:
        super().__init__(shape, dtype, hint)
        self.function = function

    def read(self, indices: Dims) -> Expr:
        """Return the expression of an element."""
        return self.function(*indices)


class Compute:
    """One loop nest over `axes` that stores one or several values, or a reduction of them, at each place."""

    __slots__ = ("axes", "body", "outputs")

    def __init__(self, axes: tuple[Axis, ...], body: tuple[Expr, ...] | Reduction) -> None:
        self.axes = axes
        self.body = body
        self.outputs: tuple[Tensor, ...] = ()


class Reduction:
    """Values combined over axes: the body of a compute."""

    __slots__ = ("axes", "combine", "dtypes", "identity", "update", "values")

    def __init__(
        self,
        values: tuple[Expr, ...],
        axes: tuple[Axis, ...],
        identity: Callable[[tuple[str, ...]], tuple[Expr, ...]],
        combine: Callable[[tuple[Expr, ...], tuple[Expr, ...]], tuple[Expr, ...]],
        update: str = "",
    ) -> None:
        self.values = values
        self.axes = axes
        self.dtypes = tuple([dtype_of(value) for value in values])
        self.identity = identity
        self.combine = combine
        self.update = update
        """`+=` or `*=` where that is the whole combination."""

    def _operand(self, *_: object) -> NoReturn:
        raise refused(not_scalar, self)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _operand
    __floordiv__ = __mod__ = __pow__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = __getitem__ = _operand


class Extern:
    """Statements that are written by hand; `body` gets the tensors that they store to."""

    __slots__ = ("body", "hint", "inputs", "outputs")

    def __init__(self, inputs: tuple[Tensor, ...], body: Callable[..., list[tree.Stmt]], hint: str) -> None:
        self.inputs = inputs
        self.body = body
        self.hint = hint
        self.outputs: tuple[Tensor, ...] = ()


def dtype_of(value: Expr) -> str:
    """Return the dtype of an expression; that of Python numbers alone is int64, or float32 with a fraction."""
    if value.dtype is not None:
        return value.dtype
    return dtypes.FLOAT32 if has_fraction(value.node) else INT64


def placeholder(shape: Sequence[Size] | Size, dtype: str = "float32", name: str = "x") -> Tensor:
    """Return an input of a PrimFunc."""
    return Tensor(dims_of(shape), checked_dtype(dtype), name)


def compute(
    shape: Sequence[Size] | Size,
    function: Callable[..., Any],
    name: str = "compute",
    *,
    dtype: str | None = None,
    inline: bool = False,
) -> Any:
    """Return the tensor whose element at `(i, j, …)` is `function(i, j, …)`: an expression or a reduction.

    With a tuple of expressions or a reduction of several values there is a tuple of tensors of one shape. A compute
    that is `inline` is not stored, but repeated wherever it is read; it cannot be a reduction. `dtype` is needed where
    the body consists of Python numbers only. Raises RelaxError.
    """
    dims = dims_of(shape)
    hints = _names(function, len(dims))
    if inline:
        example: Any = _called(
            function, tuple([Axis(one, hint) for one, hint in zip(dims, hints, strict=True)])
        )
        if isinstance(example, Reduction) or is_sequence(example):
            raise refused(bad_result, example)
        return Inline(dims, dtype or dtype_of(expr(example)), name, lambda *places: expr(function(*places)))
    axes = tuple([Axis(one, hint) for one, hint in zip(dims, hints, strict=True)])
    made: Any = _called(function, axes)
    if isinstance(made, Reduction):
        if not {axis.name for axis in axes}.isdisjoint([axis.name for axis in made.axes]):
            raise refused(
                bad_reduction, "a reduction is over axes of `te.reduce_axis`, not over those of its result"
            )
        node, found, several = Compute(axes, made), made.dtypes, len(made.values) > 1
    else:
        several = is_sequence(made)
        body = tuple([_value(one) for one in (made if several else (made,))])
        node = Compute(axes, body)
        found = tuple([dtype if dtype is not None and one.dtype is None else dtype_of(one) for one in body])
    node.outputs = tuple([Tensor(dims, each, name, node) for each in found])
    return node.outputs if several else node.outputs[0]


def extern(
    outputs: Sequence[tuple[Sequence[Size], str]],
    inputs: Sequence[Tensor],
    body: Callable[..., list[tree.Stmt]],
    name: str = "extern",
) -> tuple[Tensor, ...]:
    """Return tensors that statements written by hand store to; `outputs` has the shape and dtype of each.

    `body` is called with the outputs and returns the statements; `te.statements` has functions that make them.
    """
    node = Extern(tuple(inputs), body, name)
    node.outputs = tuple(
        [Tensor(dims_of(tuple(shape)), checked_dtype(each), name, node) for shape, each in outputs]
    )
    return node.outputs


def _value(made: object) -> Expr:
    if isinstance(made, Tensor | Reduction) or not isinstance(made, Expr | int | float):
        if hasattr(made, "item"):
            return expr(made)
        raise refused(bad_result, made)
    return expr(made)


def _names(function: Callable[..., Any], rank: int) -> list[str]:
    """Return names for the axes: those of the function's parameters. Raises RelaxError if it takes others."""
    import inspect  # only where functions of users are called

    try:
        signature = inspect.signature(function)
        signature.bind(*range(rank))
    except TypeError as error:
        raise refused(wrong_parameters, rank, str(error)) from None
    except ValueError:  # a function of C
        return [f"i{at}" for at in range(rank)]
    names = [
        each.name
        for each in signature.parameters.values()
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ][:rank]
    return names + [f"i{at}" for at in range(len(names), rank)]


def _called(function: Callable[..., Any], axes: tuple[Axis, ...]) -> Any:
    return function(*axes)
