"""Memory in planned calls: results that are views of inputs, scratch space in results, results written over inputs that
nothing needs any more. [O.4] [X.O4]

The results of a planned call are new arrays, and no other statement than those looked at here refers to them; so where
one lies in memory is chosen freely, as long as every element is read before another one is stored in its place.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, names_in, parts_of, with_parts
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.calls.blocks import Blocks, blocks_of
from relax_lang.tir.codegen.passes.effects import bodies_of, own_parts, root_of
from relax_lang.tir.codegen.passes.rewriting import mapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from relax_lang.tir.array_ir.nodes import Axis, Expr, Scalar, Statement

_VIEWS = (ir.View, ir.Transposed, ir.Reshaped)
"""What may be a result that shares memory: all others overlap themselves."""
_ZERO = Polynomial.constant(0)


# ---- results that are views


def view_of_input(
    body: Sequence[Statement],
    result: str,
    dtypes: Mapping[str, str],
    shape_of: Callable[[str], Sequence[Scalar]],
) -> tuple[int, str, Expr] | None:
    """Return the statement that is all that stores a result, the input that it copies, and this as an expression.

    None if the result is something else than elements of one input in another order. `shape_of` gives the shape of an
    array, nothing where it is not known.
    """
    places = [at for at, statement in enumerate(body) if result in names_in(statement)]
    if len(places) != 1:
        return None
    match body[places[0]]:
        case ir.Store(target, value):
            pass
        case ir.Evaluate(ir.Call("copy_transposed", (target, value))):
            pass
        case _:
            return None
    root = value
    while isinstance(root, _VIEWS):
        if isinstance(root, ir.View) and any(isinstance(axis, ir.NewAxis) for axis in root.axes):
            return None  # it may be repeated along it
        root = root.array
    if (
        not isinstance(root, Ref)
        or dtypes.get(root.name) != dtypes[result]
        or (isinstance(value, ir.View) and value.is_element)
    ):
        return None
    match target:
        case Ref(name) if name == result:
            return places[0], root.name, value
        case ir.Reshaped(Ref(name), sizes) if name == result and _sizes(sizes) == _extents(value, shape_of):
            return places[0], root.name, ir.Reshaped(value, tuple(shape_of(result)))
        case _:
            return None  # or the value is repeated along an axis of the target


def _extents(value: Expr, shape_of: Callable[[str], Sequence[Scalar]]) -> tuple[object, ...] | None:
    """Return the shape of a value, as `_sizes` does, or None where it is not known."""
    match value:
        case Ref(name):
            return _sizes(shape_of(name)) or None
        case ir.Reshaped(_, shape):
            return (
                None
                if any(isinstance(size, Literal) and size.value == -1 for size in shape)
                else _sizes(shape)
            )
        case ir.Transposed(array, axes):
            inner = _extents(array, shape_of)
            return None if inner is None or len(inner) != len(axes) else tuple([inner[axis] for axis in axes])
        case _:
            return None


# ---- one array in place of two


def without_scratch(
    body: list[Statement], result: str, dtype: str, shape: Sequence[Scalar]
) -> list[Statement]:
    """Return statements that compute on the way in the result what they computed in an array of its size before.

    That array is needed last by the operation that stores the result, which nothing refers to before.
    """
    for at, statement in enumerate(body):
        if not isinstance(statement, ir.Allocate) or statement.dtype != dtype:
            continue
        rest = [*body[:at], *body[at + 1 :]]
        if _sizes(statement.shape) == _sizes(shape):
            if _is_handed_over(rest, statement.name, result):
                return [_renamed(one, statement.name, result) for one in rest]
            continue
        place = next((k for k, one in enumerate(rest) if statement.name in names_in(one)), 0)
        blocks = blocks_of(rest[place]) if rest else None
        if blocks is None or _sizes(statement.shape) != (blocks.most, *_sizes(shape)[1:]):
            continue
        others = [one for k, one in enumerate(rest) if k != place]
        if any({statement.name, result} & names_in(one) for one in others):
            continue
        inside = blocks.loop.body
        if not _is_handed_over(inside, statement.name, result, (_ZERO, blocks)):
            continue
        moved = [_moved(one, statement.name, result, blocks) for one in inside]
        loop = blocks.loop
        rest[place] = ir.For(loop.variable, loop.start, loop.stop, loop.step, moved)
        return rest
    return body


def _sizes(shape: Sequence[Scalar]) -> tuple[object, ...]:
    """Return sizes as what can be compared: names as names, numbers as numbers."""
    found: list[object] = []
    for size in shape:
        if isinstance(size, Literal):
            found.append(Polynomial.constant(int(size.value or 0)))
        elif isinstance(size, Ref):
            found.append(size.name)
        elif (
            isinstance(size, Polynomial)
            and len(size.names()) == 1
            and size == Polynomial.name(next(iter(size.names())))
        ):
            found.append(next(iter(size.names())))
        else:
            found.append(size)
    return tuple(found)


def _is_handed_over(
    body: Sequence[Statement], scratch: str, result: str, block: tuple[Polynomial, Blocks] | None = None
) -> bool:
    """Return whether one operation is the first to refer to the result, and the last to need the scratch array; both
    as a whole or, of a `block`, the rows that it has.
    """
    names = {scratch}
    stores = [at for at, one in enumerate(body) if result in names_in(one)]
    if len(stores) != 1:
        return False
    for at, statement in enumerate(body):
        if names.isdisjoint(names_in(statement)):
            continue
        if at > stores[0] or (block and not _only_rows(statement, scratch, _ZERO, block[1])):
            return False
        match statement:
            case ir.Define(name, Ref() | ir.View() | ir.Transposed() | ir.Reshaped() as value) if (
                root_of(value) in names
            ):
                names.add(name)
            case _:
                pass
    match body[stores[0]]:
        case ir.Into(target, ir.Elementwise() | ir.Clip() as value):
            if block is None:
                return isinstance(target, Ref) and _reads_exactly(value, names, Ref(scratch))
            rows = target.axes if isinstance(target, ir.View) else ()
            own = ir.View(Ref(scratch), (ir.Slice(_ZERO, Polynomial.name(block[1].rows)), *rows[1:]))
            return _is_rows(rows, block[1]) and _reads_exactly(value, names, own)
        case _:
            return False


def _is_rows(axes: Sequence[Axis], blocks: Blocks, start: Polynomial | None = None) -> bool:
    """Return whether axes are the rows of a block, and all else whole."""
    first = Polynomial.name(blocks.loop.variable) if start is None else start
    return (
        bool(axes)
        and axes[0] == ir.Slice(first, Polynomial.name(blocks.rows))
        and all(
            isinstance(axis, ir.Whole) or (isinstance(axis, ir.Slice) and axis.whole and axis.step == 1)
            for axis in axes[1:]
        )
    )


def _only_rows(part: Node | Polynomial, name: str, start: Polynomial, blocks: Blocks) -> bool:
    """Return whether a part refers to an array only by the rows of a block."""
    if name not in names_in(part):
        return True
    if isinstance(part, ir.View) and part.array == Ref(name):
        return _is_rows(part.axes, blocks, start)
    if isinstance(part, Polynomial | Ref):
        return False
    return all(_only_rows(one, name, start, blocks) for one in parts_of(part))


def _reads_exactly(value: Node | Polynomial, names: Collection[str], place: Expr) -> bool:
    """Return whether an operation reads arrays with some names only as one and the same view."""
    if value == place or names_in(value).isdisjoint(names):
        return True
    return not isinstance(value, Ref | Polynomial) and all(
        _reads_exactly(part, names, place) for part in parts_of(value)
    )


def _renamed(statement: Statement, name: str, other: str) -> Statement:
    def replace(part: Node | Polynomial) -> Node | Polynomial:
        if isinstance(part, Ref):
            return Ref(other, part.dtype, part.shape) if part.name == name else part
        return part if isinstance(part, Polynomial) else with_parts(part, replace)

    return mapped(statement, replace)


def _moved(statement: Statement, scratch: str, result: str, blocks: Blocks) -> Statement:
    """Return a statement with the rows of a block of the result in place of those of a scratch array."""

    def replace(part: Node | Polynomial) -> Node | Polynomial:
        if isinstance(part, ir.View) and part.array == Ref(scratch):
            array = part.array
            assert isinstance(array, Ref)
            stop = blocks.loop.stop
            size = stop if isinstance(stop, Polynomial) else _ZERO
            shape = None if array.shape is None else (size, *array.shape[1:])
            first = ir.Slice(Polynomial.name(blocks.loop.variable), Polynomial.name(blocks.rows))
            return ir.View(Ref(result, array.dtype, shape), (first, *part.axes[1:]))
        return part if isinstance(part, Ref | Polynomial) else with_parts(part, replace)

    return mapped(statement, replace)


# ---- results over inputs


def may_overwrite(body: Sequence[Statement], result: str, given: str) -> bool:
    """Return whether a result may be written over an input of its dtype and shape: nothing of it is read after
    something was stored that another element is computed from.
    """
    first, target = _first_store(body, result)
    if target is None:
        return False
    names = _aliases(body[:first], {given})
    if any(not names.isdisjoint(names_in(one)) for one in body[first + 1 :]):
        return False
    blocks = blocks_of(body[first])
    if blocks is None:
        return target == Ref(result) and _reads_same(body[first], names, Ref(given))
    if names != {given} or any(result in names_in(one) for one in (*body[:first], *body[first + 1 :])):
        return False
    inside = blocks.loop.body
    start = Polynomial.name(blocks.loop.variable)
    if not all(_only_rows(one, name, start, blocks) for one in inside for name in (given, result)):
        return False
    first, target = _first_store(inside, result)
    names = _aliases(inside[:first], {given})
    if any(not names.isdisjoint(names_in(one)) for one in inside[first + 1 :]):
        return False
    return isinstance(target, ir.View) and _reads_same(inside[first], names, ir.View(Ref(given), target.axes))


def _first_store(body: Sequence[Statement], result: str) -> tuple[int, Expr | None]:
    """Return the first statement that stores to a result, and the elements that it stores to, or the result for a loop
    over blocks; names for views of it may come before. None if something else refers to it first.
    """
    views: dict[str, Expr] = {result: Ref(result)}
    for at, statement in enumerate(body):
        if names_in(statement).isdisjoint(views):
            continue
        match statement:
            case ir.Define(name, Ref() | ir.View(Ref()) as value, False) if root_of(value) == result:
                views[name] = value
            case ir.Into(Ref(name), value) if name in views and names_in(value).isdisjoint(views):
                return at, views[name]
            case ir.Into(ir.View(Ref(name)) as target, value) if name == result and names_in(
                value
            ).isdisjoint(views):
                return at, target
            case ir.For() if blocks_of(statement) is not None and len(views) == 1:
                return at, Ref(result)
            case _:
                return at, None
    return 0, None


def _reads_same(statement: Statement, names: Collection[str], place: Expr) -> bool:
    """Return whether one operation reads of an input only the elements in whose place it stores."""
    match statement:
        case ir.Into(_, ir.Elementwise() | ir.Clip() as value):
            return _reads_exactly(value, names, place)
        case _:
            return False


def _aliases(body: Sequence[Statement], names: Collection[str]) -> set[str]:
    """Return names with those that statements give to what may share memory with them."""
    found = {*names}
    for statement in body:
        found = _aliases(bodies_of(statement), found)
        if found.isdisjoint(set[str]().union(*[names_in(part) for part in own_parts(statement)])):
            continue
        match statement:
            case ir.Define(_, ir.Elementwise() | ir.Clip() | ir.Reduce() | ir.Contract() | ir.MatMul()):
                pass
            case ir.Define(name):
                found.add(name)
            case ir.Unpack(names_of):
                found.update(names_of)
            case ir.For():
                found.update([row.name for row in statement.rows])
            case _:
                pass
    return found
