"""The type relations that operators share. [R.31] [R.34]

Most operators leave their result to Relax: `by_lowering` derives the struct info of the calls that the operator is.
What is here besides goes the other way, from what is given to what is not yet known, or knows more of `?`.
"""

from __future__ import annotations

from relax_lang.relay.operators.core import NotLowered, Refused
from relax_lang.relay.operators.symbolic import Atom, FreshDims, Symbolic, info_of, type_of
from relax_lang.relay.unification.model import ANY, Tensor, Tuple, Unknown, find_type
from relax_lang.relay.unification.printing import show, show_shape
from relax_lang.syntax import tree as relax

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.relay.operators.call_site import CallSite
    from relax_lang.relay.unification.model import Dim, Type

    Relation = Callable[[CallSite], None]


def by_lowering(site: CallSite) -> None:
    """The result is what Relax derives for the calls that the operator is."""
    types = [_known(site, index) for index in range(len(site.args))]
    shown = ", ".join([show(one) for one in types])
    key = site.operator.name, shown, repr(site.attrs), repr(site.numbers)
    found = _DERIVED.get(key)
    if found is None:
        found = _derived(site, types)
        if len(_DERIVED) >= _MOST_DERIVED:
            _DERIVED.clear()
        _DERIVED[key] = found
    site.returns(found)


_MOST_DERIVED = 10_000
_DERIVED: dict[tuple[str, str, str, str], Type] = {}
"""Results by operator, types, attributes and numbers: programs call few operators in many equal ways."""


def _known(site: CallSite, index: int) -> Type:
    value = site.type(index)
    return value if isinstance(value, Tuple) else site.tensor(index)


def _derived(site: CallSite, types: list[Type]) -> Type:
    fresh = FreshDims()
    atoms = [
        Atom(
            relax.Var(f"a{index}", None),
            _info(site, index, one, fresh),
            number=site.numbers[index],
            index=index,
        )
        for index, one in enumerate(types)
    ]
    try:
        made = site.operator.lower(Symbolic(site.place), atoms, site.attrs)
    except NotLowered as wrong:
        raise Refused(f"`{site.operator.name}`: {wrong.reason}", rule="not_translated") from None
    found = type_of(made.info) if made.info is not None else None
    if found is None:
        raise Refused(
            f"the rank of what `{site.operator.name}` gives is not known here", rule="not_translated"
        )
    return found


def _info(site: CallSite, index: int, value: Type, fresh: FreshDims) -> relax.StructInfo:
    try:
        return info_of(value, fresh)
    except NotLowered:
        site.refuse_kind(index, "of a shape and dtype that are known", value)
        raise


def identity(site: CallSite) -> None:
    """The result is of the type of the first argument; either gives the other."""
    if not site.known(0):
        result = find_type(site.result)
        if not isinstance(result, Unknown):
            site.give(0, result)
    value = site.tensor(0)
    site.returns(value)


def checked_identity(site: CallSite) -> None:
    """The result is of the type of the first argument, if Relax takes that."""
    identity(site)
    by_lowering(site)


def broadcast(site: CallSite) -> None:
    """Element by element over both arguments, of one dtype."""
    left, right = site.tensor(0), site.tensor(1)
    _one_dtype(site, left, right)
    site.returns(Tensor(broadcast_shapes(site, left, right), left.dtype))


def compare(site: CallSite) -> None:
    """Element by element over both arguments, of one dtype; the result is of bools."""
    left, right = site.tensor(0), site.tensor(1)
    _one_dtype(site, left, right)
    site.returns(Tensor(broadcast_shapes(site, left, right), "bool"))


def _one_dtype(site: CallSite, left: Tensor, right: Tensor) -> None:
    if left.dtype != right.dtype:
        first, second = site.operator.params
        message = f"`{site.operator.name}` takes two tensors of one dtype: `{first}` is {left.dtype}"
        raise Refused(f"{message}, `{second}` is {right.dtype}", argument=1, rule="dtype")


def broadcast_shapes(site: CallSite, left: Tensor, right: Tensor) -> tuple[Dim, ...]:
    """Return the extents of a result over two tensors. Raises Refused."""
    one, other = _dims(left), _dims(right)
    rank = max(len(one), len(other))
    padded: tuple[list[Any], list[Any]] = (
        [1] * (rank - len(one)) + list(one),
        [1] * (rank - len(other)) + list(other),
    )
    made: list[Dim] = []
    for axis, (a, b) in enumerate(zip(*padded, strict=True)):
        if b in (a, 1):
            made.append(a)
        elif a == 1:
            made.append(b)
        elif a is ANY or b is ANY:
            made.append(b if a is ANY else a)
        else:
            shapes = f"{show_shape(left.shape)} and {show_shape(right.shape)}"
            message = f"{shapes} cannot be broadcast: {a} and {b} differ, {_from_the_right(rank - axis)}"
            raise Refused(message, rule="broadcast")
    return tuple(made)


def _from_the_right(place: int) -> str:
    return "the last extents" if place == 1 else f"extents {place} from the right"


def _dims(value: Tensor) -> tuple[Any, ...]:
    assert isinstance(value.shape, tuple)
    return value.shape


def to_bool(site: CallSite) -> None:
    """The result has the shape of the argument, and bools."""
    value = site.tensor(0)
    site.returns(Tensor(value.shape, "bool"))


def giving(*steps: Relation) -> Relation:
    """Return the relation that first requires what arguments must be, then leaves the result to Relax."""

    def relation(site: CallSite) -> None:
        for step in steps:
            step(site)
        by_lowering(site)

    return relation


def dense_weight(site: CallSite) -> None:
    """The weight of `nn.dense` is `(units, k)` for data whose last extent is k."""
    data = site.tensor(0)
    dims = _dims(data)
    units: Any = site.attrs["units"]
    if not dims:
        raise Refused("`data` of `nn.dense` has no axis, and one is summed over", argument=0)
    if not site.known(1):
        if units is None:
            site.type(1)
        extents: tuple[Any, ...] = (units, dims[-1])
        site.give(1, Tensor(extents, data.dtype))
    weight = _dims(site.tensor(1))
    if len(weight) != 2:
        raise Refused(
            f"`weight` of `nn.dense` has two axes, (units, k); this one has {len(weight)}", argument=1
        )
    if dims[-1] != weight[1] and ANY not in (dims[-1], weight[1]):
        message = f"the last extent of `data`, {dims[-1]}, must be the last of `weight`, {weight[1]}"
        raise Refused(message, argument=1)
    if units is not None and weight[0] != units and weight[0] is not ANY:
        raise Refused(f"`units` is {units}, and the first extent of `weight` is {weight[0]}", argument=1)


def conv_weight(site: CallSite) -> None:
    """The weight of a convolution follows from `channels`, `kernel_size` and the channels of the data."""
    data = site.tensor(0)
    attrs = site.attrs
    layout: str = attrs["kernel_layout"]
    data_layout: str = attrs["data_layout"]
    dims = _dims(data)
    n_spatial = len(data_layout) - 2
    if len(dims) != len(data_layout):
        return  # which Relax's own rule reports
    size = attrs["kernel_size"]
    sizes: list[int] | None = [size] * n_spatial if isinstance(size, int) else size
    if sizes is not None and len(sizes) != n_spatial:
        message = f"`kernel_size` has {len(sizes)} numbers, and {data_layout} has {n_spatial} axes that are slid along"
        raise Refused(message, attribute="kernel_size", rule="attribute_value")
    if attrs["groups"] < 1:
        raise Refused("`groups` has to be positive", attribute="groups", rule="attribute_value")
    if not site.known(1):
        usual = sorted(layout) == sorted(data_layout.replace("N", "O").replace("C", "I"))
        if attrs["channels"] is None or sizes is None or not usual:
            site.type(1)
        assert sizes is not None
        channels = dims[data_layout.index("C")]
        groups = attrs["groups"]
        spatial = [one for one in data_layout if one not in "NC"]
        transposed = site.operator.name.endswith("transpose")
        extents: dict[str, Any] = dict(zip(spatial, sizes, strict=True))
        inner = attrs["channels"] if transposed else channels
        extents["O"] = channels if transposed else attrs["channels"]
        extents["I"] = inner if inner is ANY else inner // groups
        if transposed:
            extents["I"], extents["O"] = extents["O"], extents["I"]
        site.give(1, Tensor(tuple([extents[one] for one in layout]), data.dtype))
    weight = _dims(site.tensor(1))
    if len(weight) != len(layout):
        return
    if sizes is not None:
        spatial = [weight[i] for i, one in enumerate(layout) if one not in "IO"]
        if len(sizes) != len(spatial) or any(
            a != b and b is not ANY for a, b in zip(sizes, spatial, strict=False)
        ):
            message = (
                f"`kernel_size` is {list(sizes)}, and the kernel of `weight` is {show_shape(tuple(spatial))}"
            )
            raise Refused(message, argument=1)
    if attrs["channels"] is not None and not site.operator.name.endswith("transpose"):
        out = weight[layout.index("O")] if "O" in layout else ANY
        if out is not ANY and out != attrs["channels"]:
            raise Refused(f"`channels` is {attrs['channels']}, and `weight` gives {out}", argument=1)


def channel_params(*indices: int) -> Relation:
    """Arguments of rank 1 are as long as the axis `axis` of the data."""

    def relation(site: CallSite) -> None:
        data = site.tensor(0)
        dims = _dims(data)
        axis: int = site.attrs["axis"]
        if not -len(dims) <= axis < len(dims):
            raise Refused(f"axis {axis} is not among the {len(dims)} axes of `data`", attribute="axis")
        for index in indices:
            if not site.known(index):
                site.give(index, Tensor((dims[axis],), data.dtype))
            given = _dims(site.tensor(index))
            if len(given) == 1 and given[0] != dims[axis] and ANY not in (given[0], dims[axis]):
                name = site.operator.params[index]
                message = (
                    f"`{name}` has {given[0]} elements, and axis {axis} of `data` has the extent {dims[axis]}"
                )
                raise Refused(message, argument=index)

    return relation


def of_dtype(attribute: str) -> Relation:
    """The result has the shape of the argument and the dtype of an attribute."""

    def relation(site: CallSite) -> None:
        site.returns(Tensor(site.tensor(0).shape, site.attrs[attribute]))

    return relation


def like_second_dtype(site: CallSite) -> None:
    """The result has the shape of the first and the dtype of the second argument."""
    site.returns(Tensor(site.tensor(0).shape, site.tensor(1).dtype))


def like_second_shape(site: CallSite) -> None:
    """The result has the shape of the second and the dtype of the first argument."""
    site.returns(Tensor(site.tensor(1).shape, site.tensor(0).dtype))


def coordinates(site: CallSite) -> None:
    """The result has a row for each element that is not 0: how many is for the run to find."""
    value = site.tensor(0)
    rank = len(_dims(value))
    if not rank:
        raise Refused("`condition` has no axis, and coordinates are one number for each", argument=0)
    site.returns(Tensor((ANY, rank), "int32"))


def unique_parts(site: CallSite) -> None:
    """The distinct elements, where they are first, where each element is among them, how many; all of one length."""
    value = site.tensor(0)
    dims = _dims(value)
    if len(dims) != 1:
        raise Refused(f"`data` of `unique` has one axis; this one has {len(dims)}", argument=0)
    places = Tensor(dims, "int32")
    counts = (places,) if site.attrs["return_counts"] else ()
    site.returns(Tuple((value, places, places, Tensor((1,), "int32"), *counts)))
