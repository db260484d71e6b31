"""The rules about rows by the names that declarations of operators use, and the question itself."""

from __future__ import annotations

from relax_lang.ops.core.inference import Inference
from relax_lang.ops.row_rules import elements, indexed, places, products
from relax_lang.ops.row_rules.row_call import RowCall
from relax_lang.ops.row_rules.states import UNIFORM, Fields, Rows, RowsMixed, Uniform
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.ops.core.operator import Operator
    from relax_lang.ops.row_rules.states import Divided, State
    from relax_lang.struct_info.context import Context

RULES: dict[str, Callable[[RowCall], State]] = {
    "along axis": elements.along_axis,
    "attention": products.attention,
    "batch": products.batch,
    "class loss": indexed.class_loss,
    "class loss back": indexed.class_loss_back,
    "batch norm": elements.batch_norm,
    "broadcast": places.broadcast_to,
    "but the last three axes": places.but_three,
    "concat": places.concat,
    "convolution": products.convolution,
    "einsum": products.einsum,
    "elementwise": elements.elementwise,
    "expand dims": places.expand_dims,
    "filled": elements.filled,
    "first axis": places.first_axis,
    "from uniform": indexed.from_uniform,
    "gather nd": places.gather_nd,
    "images": products.images,
    "index put": indexed.index_put,
    "last two axes": elements.last_two,
    "layout transform": indexed.layout_transform,
    "linear": products.linear,
    "matmul": products.matmul,
    "one hot": places.one_hot,
    "over axes": elements.over_axes,
    "pad": places.pad,
    "per channel": elements.per_channel,
    "pooled back": products.pooled_back,
    "per place": elements.per_place,
    "permute dims": places.permute_dims,
    "reduction": elements.reduction,
    "repeat": places.repeat,
    "reshape": places.reshape,
    "reverse sequence": places.reverse_sequence,
    "same rows": places.same_rows,
    "scatter nd": indexed.scatter_nd,
    "shape of": elements.shape_of,
    "slice": places.strided_slice,
    "split": places.split,
    "squeeze": places.squeeze,
    "stack": places.stack,
    "take": places.take,
    "tile": places.tile,
    "whole loss": indexed.whole_loss,
}
"""Every rule; `Operator.rows` is one of these names, or empty."""


def rows_of_call(
    operator: Operator,
    call: tree.Call,
    states: Sequence[State],
    infos: Sequence[tree.StructInfo | None],
    result: tree.StructInfo,
    context: Context,
    divided: Divided,
) -> State:
    """Return where the result of a call has its rows. Raises RowsMixed with the reason if they are not known to be
    apart.

    `states` are those of the operands, `infos` and `result` the struct infos.
    """
    if all(isinstance(state, Uniform) for state in states) and not divided.occurs_in(result):
        return UNIFORM
    rule = RULES.get(operator.rows)
    if rule is None:
        raise RowsMixed("it does not say that it keeps rows apart")
    asked = RowCall(Inference(operator, call, infos, context), states, result, divided)
    found = rule(asked)
    for index, state in enumerate(asked.states):
        if index not in asked.asked and not isinstance(state, Uniform):
            raise RowsMixed(f"it does not keep the rows of {asked.name(index)} apart")
    if isinstance(found, Uniform) and not all(isinstance(state, Uniform) for state in states):
        raise RowsMixed("its result has no rows")
    _check(found, result, context, divided)
    return found


def _check(state: State, info: tree.StructInfo, context: Context, divided: Divided) -> None:
    """Hold what a rule says against the shape of the result."""
    if isinstance(state, Fields):
        assert isinstance(info, tree.TupleStructInfo)
        for field, part in zip(state.fields, info.fields, strict=True):
            _check(field, part, context, divided)
    elif isinstance(state, Rows):
        shape = info.shape if isinstance(info, tree.TensorStructInfo) else None
        if not isinstance(shape, tree.ShapeExpr):
            raise RowsMixed("the shape of its result is not known")
        for at, dim in enumerate(shape.values):
            if at == state.axis:
                if divided.factor(dim, context) is None:
                    raise RowsMixed(f"axis {at} of its result is not a multiple of the number of rows")
            elif divided.occurs_in(dim):
                raise RowsMixed(f"axis {at} of its result depends on how many rows there are")
    elif isinstance(state, Uniform) and divided.occurs_in(info):
        raise RowsMixed("the shape of its result depends on how many rows there are")
