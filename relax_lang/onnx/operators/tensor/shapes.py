"""Shapes as values, and tensors in other shapes."""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.building.blocks import names_of
from relax_lang.onnx.building.node import Node, axes_of, axis_of, imports
from relax_lang.onnx.dims import ONE, dim
from relax_lang.onnx.errors import Invalid, NeedsValue
from relax_lang.onnx.values import Sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.dims import Dim
    from relax_lang.onnx.values import Value


@imports("Shape")
def shape(node: Node) -> Value:
    """The extents from `start` to `end`, clamped."""
    found = node.input(0).dims
    rank = len(found)
    start, end = node.int("start", 0), node.int("end", rank)
    start, end = [min(max(one + rank if one < 0 else one, 0), rank) for one in (start, end)]
    return Sizes(found[start:end])


@imports("Size")
def size(node: Node) -> Value:
    """The number of elements."""
    return Sizes((dims.product(node.input(0).dims),), scalar=True)


@imports("Reshape")
def reshape(node: Node) -> Value:
    """An extent 0 is the own one (unless `allowzero`), -1 follows from the others; an attribute before opset 5."""
    b, x = node.builder, node.input(0)
    if node.opset < 5:
        wanted: tuple[Dim, ...] | None = tuple([dim(one) for one in node.ints("shape") or []])
    else:
        wanted = b.known_sizes(node.input(1))
    keeps = not node.int("allowzero", 0)
    if wanted is None:
        return _reshape_by_data(node, keeps=keeps)
    extents: list[Dim] = []
    unknown = None
    for at, one in enumerate(wanted):
        if dims.number(one) == 0 and keeps:
            if at >= len(x.dims):
                raise Invalid(f"extent {at} of the shape is 0, and its operand has rank {len(x.dims)}")
            one = x.dims[at]
        if dims.number(one) == -1:
            if unknown is not None:
                raise Invalid("two extents of the shape are -1")
            unknown = at
        extents.append(one)
    if isinstance(x, Sizes) and len(extents) <= 1:
        return Sizes(x.items, scalar=not extents, dtype=x.dtype)
    if unknown is not None:
        rest = dims.product([one for at, one in enumerate(extents) if at != unknown])
        total = dims.product(x.dims)
        exact = dims.quotient(total, rest)
        if exact is not None:
            extents[unknown] = exact
        elif dims.number(total) is not None and dims.number(rest):
            raise Invalid(f"shape {dims.text(x.dims)} has no form {dims.text(wanted)}")
    return (
        b.reshape(x, extents)
        if unknown is None or dims.number(extents[unknown]) != -1
        else b.op("reshape", x, extents)
    )


def _reshape_by_data(node: Node, *, keeps: bool) -> Value:
    """Reshape by a tensor: replace 0 and -1 at run time."""
    b, x, wanted = node.builder, node.input(0), node.input(1)
    length = dims.number(wanted.dims[0])
    if length is None:
        from relax_lang.onnx.errors import Refused

        raise Refused("the rank of its result follows from data")
    wanted = b.cast(wanted, "int64")
    zero, one, minus = b.like(0, wanted), b.like(1, wanted), b.like(-1, wanted)
    if keeps and length:
        own: Value = Sizes((x.dims + (ONE,) * length)[:length])
        wanted = b.op("where", b.op("equal", wanted, zero), own, wanted)
    missing = b.op("equal", wanted, minus)
    known = b.op("prod", b.op("where", missing, one, wanted))
    rest = b.op("divide", Sizes((dims.product(x.dims),), scalar=True), b.op("maximum", known, one))
    wanted = b.op("where", missing, rest, wanted)
    return b.op("reshape", x, b.shape_of(wanted))


@imports("Flatten")
def flatten(node: Node) -> Value:
    """Rank 2: the axes before `axis`, and the others."""
    x = node.input(0)
    axis = axis_of(node.int("axis", 1), len(x.dims), extra=1) if x.dims else 0
    before, after = dims.product(x.dims[:axis]), dims.product(x.dims[axis:])
    return node.builder.reshape(x, [before, after])


def axes_input(node: Node, index: int, since: int) -> list[int] | None:
    """Return axes that are an attribute before an opset, and an input from there on."""
    if node.opset < since:
        return node.ints("axes")
    return node.known_ints(index, "the axes")


@imports("Squeeze")
def squeeze(node: Node) -> Value:
    """Axes of extent 1 are dropped: those named, or all. Extents that are not known are taken not to be 1."""
    x = node.input(0)
    axes = axes_input(node, 1, 13)
    left_open: list[Dim] = []
    if axes is None:
        dropped = [at for at, one in enumerate(x.dims) if dims.number(one) == 1]
        left_open = [one for one in x.dims if not dims.different(one, 1) and dims.number(one) is None]
        _ask_for(node, left_open)
    else:
        dropped = axes_of(axes, len(x.dims))
    if isinstance(x, Sizes) and dropped:
        return Sizes(x.items, scalar=True, dtype=x.dtype)
    for at in dropped:
        if dims.number(x.dims[at]) not in (1, None):
            raise Invalid(f"axis {at} of shape {dims.text(x.dims)} has not the extent 1")
    if not dropped:
        return x
    made = node.builder.op("squeeze", x, axis=dropped)
    if left_open and node.builder.bindings:
        said = f"# {dims.text(left_open)[1:-1]}: taken not to be 1, so not dropped by {node.op} without axes"
        node.builder.comments.setdefault(node.builder.bindings[-1], []).append(said)
    return made


def _ask_for(node: Node, extents: list[Dim]) -> None:
    """Ask for the inputs that extents follow from, if these can be given. Raises NeedsValue."""
    conversion = node.conversion
    name = node.definition.inputs[0]
    if conversion.in_function or all(names_of(one) <= conversion.input_dims for one in extents):
        return
    if conversion.origins.givable([name]):
        raise NeedsValue([name], "which axes have the extent 1")


@imports("Unsqueeze")
def unsqueeze(node: Node) -> Value:
    """Axes of extent 1 are inserted; they count in the result."""
    x = node.input(0)
    axes = axes_of(axes_input(node, 1, 13) or [], len(x.dims) + len(axes_input(node, 1, 13) or []))
    if isinstance(x, Sizes) and x.scalar and axes == [0]:
        return Sizes(x.items, dtype=x.dtype)
    return node.builder.op("expand_dims", x, axis=sorted(axes)) if axes else x


@imports("Transpose")
def transpose(node: Node) -> Value:
    """Without `perm` the axes are reversed."""
    x = node.input(0)
    axes = node.ints("perm") or list(reversed(range(len(x.dims))))
    return node.builder.transpose(x, axes_of(axes, len(x.dims)))


@imports("Expand")
def expand(node: Node) -> Value:
    """Broadcasting in both directions: an extent 1 of the shape keeps the own one."""
    b, x, wanted = node.builder, node.input(0), node.input(1)
    items = b.known_sizes(wanted)
    if items is None:
        length = dims.number(wanted.dims[0])
        if length:
            own = Sizes(((ONE,) * (length - len(x.dims)) + x.dims)[-length:])
            wanted = b.cast(wanted, "int64")
            wanted = b.op("where", b.op("equal", wanted, b.like(1, wanted)), own, wanted)
        items = b.shape_of(wanted)
    rank = max(len(items), len(x.dims))
    target = (ONE,) * (rank - len(items)) + items
    own_dims = (ONE,) * (rank - len(x.dims)) + x.dims
    shape = [own if dims.number(one) == 1 else one for one, own in zip(target, own_dims, strict=True)]
    if len(x.dims) == rank and all(dims.equal(a, c) for a, c in zip(shape, x.dims, strict=True)):
        return x
    return b.op("broadcast_to", x, shape)


@imports("Tile")
def tile(node: Node) -> Value:
    """Repetitions along each axis; where they are not numbers, by broadcasting a new axis before each."""
    b, x = node.builder, node.input(0)
    counts = b.shape_of(node.input(1))
    found = dims.numbers(counts)
    if found is not None:
        return x if all(one == 1 for one in found) else b.op("tile", x, repeats=list(found))
    own = [extent for one in x.dims for extent in (ONE, one)]
    wide = [extent for one, times in zip(x.dims, counts, strict=True) for extent in (times, one)]
    flat = [dims.mul(one, times) for one, times in zip(x.dims, counts, strict=True)]
    return b.reshape(b.op("broadcast_to", b.reshape(x, own), wide), flat)


@imports("Concat")
def concat(node: Node) -> Value:
    """Lists of sizes are strung together."""
    values = node.inputs()
    b = node.builder
    axis = axis_of(node.int("axis", 1 if node.opset < 4 else None), len(values[0].dims))
    if any(isinstance(one, Sizes) for one in values) and axis == 0 and len(values[0].dims) == 1:
        items = [b.known_sizes(one) for one in values]
        found = [one for each in items if each is not None for one in each]
        if None not in items:
            return Sizes(tuple(found), dtype=values[0].dtype)
    if any(isinstance(one, Sizes) for one in values):
        values = [_from_parts(node, one) for one in values]
    return values[0] if len(values) == 1 else b.op("concat", tuple(values), axis=axis)


def _from_parts(node: Node, value: Value) -> Value:
    return node.builder.tensor(value) if isinstance(value, Sizes) else value


_MOST_PIECES = 1 << 12


@imports("Split")
def split(node: Node) -> list[Value]:
    """Pieces of sizes that are given, or as even as possible, the last one smaller."""
    b, x = node.builder, node.input(0)
    axis = axis_of(node.int("axis", 0), len(x.dims))
    sizes = node.ints("split") if node.opset < 13 else None
    if node.opset >= 13 and node.given(1):
        sizes = [int(one) for one in node.known(1, "the sizes of the pieces").reshape(-1)]
    count = len(sizes) if sizes is not None else node.int("num_outputs", max(node.n_outputs, 1))
    if not 1 <= count <= _MOST_PIECES:
        raise Invalid(f"it has {count} pieces")
    if isinstance(x, Sizes) and not x.scalar:
        return _split_sizes(x, sizes, count)
    if count == 1:
        return [x]
    if sizes is None:
        return b.op("split", x, indices_or_sections=count, axis=axis)
    places = [sum(sizes[: at + 1]) for at in range(count - 1)]
    return b.op("split", x, indices_or_sections=places, axis=axis)


def _split_sizes(x: Sizes, sizes: list[int] | None, count: int) -> list[Value]:
    if sizes is None:
        each = -(-len(x.items) // count)
        sizes = [min(each, len(x.items) - at * each) for at in range(count)]
    made: list[Value] = []
    first = 0
    for one in sizes:
        made.append(Sizes(x.items[first : first + one], dtype=x.dtype))
        first += one
    return made
