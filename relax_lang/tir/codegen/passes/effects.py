"""What statements of the array IR do: which arrays they store to, and whether they may end in the interpreter."""

from __future__ import annotations

from typing import assert_never

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence


FUNCTIONS = {
    "all": "whether all elements are true",
    "share_memory": "whether two arrays may share memory", "contiguous": "an array in row-major order",
    "indices": "the indices of a shape: one array for each dimension", "places": "where elements are true, likewise",
    "int": "a number as a plain integer", "bool": "a number as a plain truth value",
    "array": "a typed number as an array without dimensions", "copied": "a copy of an array",
    "count": "how many elements are true",
    "slice": "the numbers between two of them, by a step, as an index",
}  # fmt: skip
"""The functions of the IR itself."""

MAY_FAIL = frozenset({
    "copy_with_edges", "copy_wrapped", "extents", "inside", "inside_few", "nonzero", "places_in_rows",
    "range_of_rows",
})  # fmt: skip
"""The functions that make the call fall back to the interpreter if an argument is not as required."""

STORES = {
    "scatter": 0, "combine_few": 0, "store_where": 0, "integer_product": 0, "float_product": 0, "product_into": 2,
    "copy_transposed": 0, "copy_with_edges": 0, "copy_wrapped": 0, "running": 2,
    "combine_rows": 0, "combine_chosen_rows": 0, "accumulate": 1, "put_rows_back": 0,
    "running_by_key": 2, "bounded": 3, "carried": 2, "restarted": 3, "combine_convolutions": 0,
    "summed_area": 1, "correlate_into": 0,
}  # fmt: skip
"""The functions that store to an argument, with its position."""

PRODUCTS = frozenset({"product_into", "float_product", "integer_product", "integer_matmul", "masked_product"})
"""The functions that compute products of matrices."""

EXTERN = "call_extern"
"""What calls packed functions: it may store to each of its arguments."""


ARE_APART = "are_apart"
"""Whether arrays that are stored to share no memory with each other and with others: the function of the library."""

MOST_PAIRS = 256
"""Pairs of arrays that are compared one by one; of more, the bounds of their bytes are sorted, by `ARE_APART`."""


def pairs_apart(written: Sequence[str], arrays: Sequence[str]) -> list[tuple[str, str]] | None:
    """Return the pairs of arrays that may not share memory: each one that is stored to with every other, once.

    None if there are too many to list.
    """
    if len(written) * (len(arrays) - 1) - len(written) * (len(written) - 1) // 2 > MOST_PAIRS:
        return None
    return [
        (name, other)
        for at, name in enumerate(written)
        for other in arrays
        if other != name and other not in written[:at]
    ]


def may_fail(node: Node | Polynomial) -> bool:
    """Return whether a guard is in a statement or an expression."""
    return not _GUARDS.isdisjoint(_calls_in(node))


def has_product(node: Node | Polynomial) -> bool:
    """Return whether a product of matrices is in a statement or an expression."""
    if isinstance(node, ir.MatMul | ir.Contract) or not PRODUCTS.isdisjoint(_calls_in(node)):
        return True
    return isinstance(node, Node) and any(map(has_product, parts_of(node)))


def has_extern(node: Node | Polynomial) -> bool:
    """Return whether a packed function is called in a statement."""
    return EXTERN in _calls_in(node)


_REQUIRE = "require"
_GUARDS = MAY_FAIL | {_REQUIRE}
_NONE: frozenset[str] = frozenset()


_WITHOUT_CALLS = (Polynomial, Ref, ir.Literal)


def _calls_in(node: Node | Polynomial) -> frozenset[str]:
    """Return the functions that are called in a node, and `require` for guards."""
    if isinstance(node, _WITHOUT_CALLS):
        return _NONE
    known = node.__dict__.get("_calls")
    if known is not None:
        return known
    found = _NONE
    for part in parts_of(node):
        if not isinstance(part, _WITHOUT_CALLS):
            found = _calls_in(part) | found if found else _calls_in(part)
    if isinstance(node, ir.Call):
        found |= {node.function}
    elif isinstance(node, ir.Require):
        found |= {_REQUIRE}
    if node.is_fixed:
        node.__dict__["_calls"] = found
    return found


def root_of(value: ir.Expr) -> str | None:
    """Return the name of the array that a value is, or is a view of; None if it is computed."""
    while not isinstance(value, Ref):
        match value:
            case ir.View() | ir.AffineView() | ir.Transposed() | ir.Broadcast() | ir.Reshaped():
                value = value.array
            case ir.Call("from_run" | "inside" | "inside_few" | "row_major", (array, *_)):
                value = array
            case (
                ir.Elementwise() | Polynomial() | ir.Literal() | ir.Cast() | ir.Select() | ir.Typed() | ir.ScalarOp()
                | ir.Call() | ir.Take() | ir.Gather() | ir.Clip() | ir.Reduce() | ir.MatMul() | ir.Contract()
                | ir.Iota() | ir.Choice() | ir.Property() | ir.Tuple() | ir.Operation() | ir.DtypeOf() | ir.HasDtype()
            ):  # fmt: skip
                return None
            case _:
                assert_never(value)
    return value.name


def steps_of(value: ir.Expr) -> list[tuple[int, int]] | None:
    """Return the axes of an array along which a view of it runs, with the steps; None if that takes more to say."""
    match value:
        case Ref(shape=shape) if shape is not None:
            return [(at, 1) for at in range(len(shape))]
        case ir.View(Ref(), axes) if all(isinstance(axis, ir.At | ir.Slice) for axis in axes):
            return [(at, axis.step) for at, axis in enumerate(axes) if isinstance(axis, ir.Slice)]
        case _:
            return None


def targets_of(statement: ir.Statement) -> list[ir.Expr]:
    """Return what a statement stores to itself, not what the statements in it do."""
    match statement:
        case ir.Store(ir.Gather(array)):
            return [array]
        case ir.Store(target) | ir.Into(target) | ir.StoreWhere(target):
            return [target]
        case ir.Evaluate(ir.Call(function, args)) if function in STORES:
            return [args[STORES[function]]]
        case ir.Evaluate(ir.Call(function, args)) if function == EXTERN:
            return list(args)
        case ir.Define() | ir.Evaluate() | ir.Unpack() | ir.Require() | ir.Allocate():
            return []
        case ir.Break() | ir.Remark() | ir.For() | ir.Forever() | ir.If() | ir.Restoring():
            return []
        case _:
            assert_never(statement)


def bodies_of(statement: ir.Statement) -> list[ir.Statement]:
    """Return the statements in a statement."""
    return statement.body if isinstance(statement, ir.Nested) else []


def all_statements(body: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
    """Yield statements, each before those in it."""
    for statement in body:
        yield statement
        inner = bodies_of(statement)
        if inner:
            yield from all_statements(inner)


def own_parts(statement: ir.Statement) -> list[Node | Polynomial]:
    """Return the direct parts of a statement without the statements in it."""
    inner = {id(one) for one in bodies_of(statement)}
    return [part for part in parts_of(statement) if id(part) not in inner] if inner else parts_of(statement)


def arrays_in(value: Node | Polynomial) -> Iterator[ir.Expr]:
    """Yield the arrays, and the views of arrays, that an expression reads, each as a whole."""
    if isinstance(value, ir.Expr) and root_of(value) is not None:
        yield value
    elif isinstance(value, Node):
        for part in parts_of(value):
            yield from arrays_in(part)


def definitions(body: Sequence[ir.Statement]) -> list[str]:
    """Return the names that statements and those in them define, once for each definition."""
    found: list[str] = []
    for statement in all_statements(body):
        match statement:
            case ir.Define(name) | ir.Allocate(name):
                found.append(name)
            case ir.Unpack(names):
                found += names
            case ir.For(variable):
                found += [variable, *[row.name for row in statement.rows]]
            case ir.Store() | ir.Into() | ir.StoreWhere() | ir.Evaluate() | ir.Require() | ir.Remark():
                pass
            case ir.Break() | ir.If() | ir.Forever() | ir.Restoring():
                pass
            case _:
                assert_never(statement)
    return found


def are_apart(one: ir.Expr, other: ir.Expr) -> bool:
    """Return whether two views of an array share no element: an index differs by a number."""
    if not isinstance(one, ir.View) or not isinstance(other, ir.View) or one.array != other.array:
        return False
    for first, second in zip(one.axes, other.axes, strict=False):
        if isinstance(first, ir.At) and isinstance(second, ir.At):
            a, b = first.index, second.index
            if isinstance(a, Polynomial) and isinstance(b, Polynomial) and (a - b).value:
                return True
    return False


class Aliases:
    """The arrays that names of views in a function refer to."""

    def __init__(self, body: Sequence[ir.Statement] = ()) -> None:
        self._views: dict[str, tuple[str, ir.Expr]] = {}
        self.note(body)

    def note(self, body: Sequence[ir.Statement]) -> None:
        """Note the views that statements name, and those in them."""
        for statement in all_statements(body):
            if isinstance(statement, ir.Define):
                self.define(statement.name, statement.value)
            elif isinstance(statement, ir.For):
                for row in statement.rows:
                    self.define(row.name, row.array)

    def define(self, name: str, value: ir.Expr) -> None:
        """Note the value of a name, if it is a view."""
        root = root_of(value)
        if root is not None:
            self._views[name] = root, value

    def root(self, value: ir.Expr) -> str | None:
        """Return the name of the array that a value is, or is a view of; None if it is computed."""
        found = root_of(value)
        return None if found is None else self.array(found)

    def array(self, name: str) -> str:
        """Return the array that a name refers to in the end."""
        while name in self._views:
            name = self._views[name][0]
        return name

    def view(self, value: ir.Expr) -> ir.Expr:
        """Return a view in place of a name for it."""
        while isinstance(value, Ref) and value.name in self._views:
            value = self._views[value.name][1]
        return value


def changed_by(statement: ir.Statement, aliases: Aliases) -> set[str]:
    """Return the arrays that a statement stores to, and the names that it defines, with all that is in it."""
    found = set(definitions((statement,)))
    for one in all_statements((statement,)):
        found.update([root for target in targets_of(one) if (root := aliases.root(target)) is not None])
    return found


class LateGuards:
    """Whether a guard may fail when something cannot be repeated any more: an array of `arrays` has been stored to,
    or a packed function has been called.
    """

    def __init__(self, body: Sequence[ir.Statement], arrays: Collection[str]) -> None:
        self.after_store = False
        self.after_call = False
        self._arrays = set(arrays)
        self._aliases = Aliases()
        self._stored = False
        self._called = False
        if any(may_fail(statement) for statement in body):
            self._visit(body)

    def _visit(self, body: Sequence[ir.Statement]) -> None:
        for statement in body:
            if isinstance(statement, ir.For | ir.Forever):
                self._note(statement)  # an earlier iteration has done all of that
            if isinstance(statement, ir.Require) or any(map(may_fail, own_parts(statement))):
                self.after_store |= self._stored
                self.after_call |= self._called
            self._visit(bodies_of(statement))
            self._note(statement)

    def _note(self, statement: ir.Statement) -> None:
        """Note what a statement stores to, with all that is in it."""
        self._aliases.note((statement,))
        self._stored |= not self._arrays.isdisjoint(changed_by(statement, self._aliases))
        self._called |= has_extern(statement)
