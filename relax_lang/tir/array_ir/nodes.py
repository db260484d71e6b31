"""The array IR: a compiled PrimFunc as a typed tree of operations on whole arrays, with loops and conditions around.

The NumPy printer reads it, and so will other back ends (numba, exporters); it has no name of NumPy in it. Operations
have the names of the language (`+`, `max`, `&&`, `exp`) and sizes are exact polynomials. What is not one of
them (`scatter`, `integer_product`) is a function of `runtime_library`; `codegen.passes.effects` has its effects.
Expressions are values: they never store. Every union is closed; passes and printers `match` on it.

Shapes: the axes of a `View` other than `At`, in order, are the dimensions of the result; the parts of `Elementwise`,
`Select` and `Store` broadcast. A `Ref` to an array has a dtype, and a shape where that is known. Operations that run
over whole loops have the sizes of these as `domain`: each gets an array for its results, in place of being nested.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir.ir_node import Literal, Node, Ref

# ---- numbers


class ScalarOp(Node):
    """An operation on numbers: `+ - * // % neg`, `/` (rounded toward zero), `wrap` (around, to int64), `min max`,
    comparisons of two or more in a row, `and or not`, and `select`, of a condition and its two values. Only `and`,
    `or` and `select` are lazy.
    """

    op: str
    args: tuple[Expr, ...]


Scalar = Polynomial | Literal | Ref | ScalarOp

ZERO = Polynomial.constant(0)


def at_least(value: Scalar, least: Scalar = ZERO) -> ScalarOp:
    """Return the condition that a number is not less than another one, by default 0."""
    return ScalarOp(">=", (value, least))


def conjunction(conditions: list[Scalar]) -> Scalar:
    """Return the condition that all of some conditions hold; there is at least one."""
    return conditions[0] if len(conditions) == 1 else ScalarOp("and", tuple(conditions))


# ---- axes of views


class At(Node):
    """One index: the axis is not in the result."""

    index: Scalar


class Slice(Node):
    """`extent` indices from `start` on, by `step`, which may be negative; `whole` if these are all, from either end."""

    start: Polynomial
    extent: Polynomial
    step: int = 1
    whole: bool = False


class Whole(Node):
    """All indices of an axis whose size does not matter here."""


class NewAxis(Node):
    """A new dimension of size 1."""


Axis = At | Slice | Whole | NewAxis

Domain = tuple[Polynomial, ...] | None

# ---- values


class Typed(Node):
    """A number as a value of a dtype."""

    value: Expr
    dtype: str


class View(Node):
    """Part of an array, without a copy. Without a dimension it is an *element*: a value, of which a later store to the
    array is not seen; so a name for it means what was there when it was defined.
    """

    array: Expr
    axes: tuple[Axis, ...]

    @property
    def is_element(self) -> bool:
        """Whether it is a single element."""
        return all(isinstance(axis, At) for axis in self.axes)


class AffineView(Node):
    """A view that may overlap itself: along dimension l, index d of the array goes from starts[d] by steps[l][d]."""

    array: Expr
    starts: tuple[Scalar, ...]
    extents: tuple[Scalar, ...]
    steps: tuple[Tuple, ...]
    line: tuple[Ref, ...] | None = None  # the elements in row-major order, and a slice of them


class Transposed(Node):
    """A view with the dimensions in another order: dimension l is `axes[l]` of the array."""

    array: Expr
    axes: tuple[int, ...]


class Broadcast(Node):
    """An array repeated to a shape, without a copy."""

    array: Expr
    shape: tuple[Scalar, ...]


class Reshaped(Node):
    """The elements in another shape, in row-major order; a size of -1 is computed."""

    array: Expr
    shape: tuple[Scalar, ...]


class Iota(Node):
    """The numbers 0, 1, … as int64."""

    extent: Scalar


class Take(Node):
    """Elements at indices along one axis; all indices are inside."""

    array: Expr
    index: Expr
    axis: int
    dtype: str = ""
    domain: Domain = None


class Gather(Node):
    """Elements at indices, one array or number for each dimension; all are inside."""

    array: Expr
    index: tuple[Expr, ...]


class Elementwise(Node):
    """An operation of the language on each element; `dtype` is that of the result. Arguments broadcast."""

    op: str
    args: tuple[Expr, ...]
    dtype: str
    domain: Domain = None


class Clip(Node):
    """`min(max(x, lower), upper)` for each element; nan if one of the three is."""

    array: Expr
    lower: Expr
    upper: Expr
    dtype: str
    domain: Domain = None


class Cast(Node):
    """Elements converted to a dtype."""

    array: Expr
    dtype: str
    domain: Domain = None


class Select(Node):
    """One value where a condition holds, else the other; both are evaluated. Over whole loops it has their sizes."""

    condition: Expr
    yes: Expr
    no: Expr
    dtype: str = ""
    shape: tuple[Polynomial, ...] | None = None

    @property
    def domain(self) -> Domain:
        """The sizes of the loops that it runs over, if these are whole."""
        return self.shape


class Choice(Node):
    """One value if a condition on numbers holds, else the other; only that one is evaluated."""

    condition: Expr
    yes: Expr
    no: Expr


class Reduce(Node):
    """An associative operation along axes. The order of float sums is not specified. `initial` is for empty ranges."""

    op: str
    array: Expr
    axes: tuple[int, ...]
    dtype: str = ""
    initial: Expr | None = None


class Contract(Node):
    """A sum of products: one letter for each dimension of each factor, then those of the result."""

    factors: tuple[tuple[str, Expr], ...]
    result: str


class MatMul(Node):
    """A product of matrices, or of stacks of them, computed in a dtype. `is_dot`: of two, neither of one element."""

    a: Expr
    b: Expr
    dtype: str = ""
    is_dot: bool = False


class Property(Node):
    """What is known of an array without its elements: `rank`, `size`, `shape`, `writeable`, `item` (of one element)."""

    array: Expr
    name: str


class HasDtype(Node):
    """Whether an array has a dtype."""

    array: Expr
    dtype: str


class DtypeOf(Node):
    """A dtype as an argument of a function."""

    dtype: str


class Operation(Node):
    """An associative operation as an argument of a function."""

    op: str


class Tuple(Node):
    """Several values, as an argument."""

    items: tuple[Expr, ...]


class Call(Node):
    """A function of `runtime_library`, one of `effects.FUNCTIONS`, or the one that calls packed functions."""

    function: str
    args: tuple[Expr, ...]
    keywords: tuple[tuple[str, Expr], ...] = ()


Number = Polynomial | Literal | Ref | ScalarOp | Typed | Choice
"""Numbers and names."""
ViewOf = View | AffineView | Transposed | Broadcast | Reshaped
"""Arrays that share the memory of another one; a `Reshaped` one may be a copy."""
Copy = Iota | Take | Gather | Cast | Select
"""Arrays of elements that are there already, or of indices."""
Computed = Elementwise | Clip | Reduce | Contract | MatMul
"""Arithmetic."""
Other = Property | HasDtype | DtypeOf | Operation | Tuple | Call
"""Facts about arrays, and functions with what only is an argument."""
Expr = Number | ViewOf | Copy | Computed | Other

# ---- statements


class Define(Node):
    """Give a value a name. A name is defined once, unless a later definition `rebinds` it."""

    name: str
    value: Expr
    rebinds: bool = False


class Unpack(Node):
    """Give several values names."""

    names: tuple[str, ...]
    value: Expr


class Store(Node):
    """Store a value to all elements of a view; it is converted to the dtype of the target."""

    target: Expr
    value: Expr


class Into(Node):
    """Compute one operation into an array of its shape and dtype; an argument may be the same view as the target."""

    target: Expr
    value: Expr


class StoreWhere(Node):
    """Store values, converted to the dtype of the target, where a mask holds; everywhere without one."""

    target: Expr
    value: Expr
    mask: Expr | None = None


class Evaluate(Node):
    """Call a function for what it stores, or evaluate an expression for what may fail in it."""

    value: Expr


class Require(Node):
    """A guard: where one of the conditions fails the scalar interpreter takes over."""

    conditions: tuple[Expr, ...]


class Allocate(Node):
    """Make a new array; what it holds is not defined. A `workspace` only holds what is computed on the way."""

    name: str
    shape: tuple[Scalar, ...]
    dtype: str
    workspace: bool = False


class Row(Node):
    """Rows of an array that a loop goes through step by step."""

    name: str
    array: Expr


class For(Node):
    """A loop from `start` up to `stop`, by `step`. The `rows` advance with the variable; if they are `exact` they end
    when it does, and nothing uses the variable. A loop is `hot` if its steps are many and small.
    """

    variable: str
    start: Scalar
    stop: Scalar
    step: Scalar
    body: list[Statement]
    rows: tuple[Row, ...] = ()
    exact: bool = False
    hot: bool = False


class Forever(Node):
    """A loop that a `Break` ends."""

    body: list[Statement]


class If(Node):
    """Statements under a condition on numbers; a `rare` one is for what hardly ever happens."""

    condition: Expr
    body: list[Statement]
    rare: bool = False


class Break(Node):
    """Leave the loop around."""


class Remark(Node):
    """A comment: which statement of the program follows, and how it is computed."""

    text: str


class Restoring(Node):
    """Statements that put arrays back as they were if a guard in them fails."""

    arrays: tuple[Ref, ...]
    body: list[Statement]


Nested = For | Forever | If | Restoring
"""Statements with others in them."""
Simple = Define | Unpack | Store | Into | StoreWhere | Evaluate | Require | Allocate | Break | Remark
Statement = Simple | Nested
