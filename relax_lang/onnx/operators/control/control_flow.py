"""If, Loop and Scan: branches, and local functions that call themselves."""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.building.blocks import block, bound, names_of
from relax_lang.onnx.building.node import Node, axis_of, imports, known_array
from relax_lang.onnx.errors import Invalid, NeedsValue, Refused
from relax_lang.onnx.operators.control.loops import run_loop
from relax_lang.onnx.operators.control.rounds import Step
from relax_lang.onnx.values import Constant, Sizes, Tensor
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.building.builder import Builder
    from relax_lang.onnx.reading.model import Graph
    from relax_lang.onnx.values import Value


@imports("If")
def if_(node: Node) -> list[Value]:
    """One branch if the condition is known; else a conditional whose result has what both branches agree on."""
    condition = node.input(0)
    graphs = node.graph("then_branch"), node.graph("else_branch")
    known = known_array(condition)
    if known is not None:
        chosen = graphs[0] if bool(known.reshape(-1)[0]) else graphs[1]
        return node.conversion.subgraph(chosen, node.builder, {})
    try:
        return _conditional(node, condition, graphs)
    except _RanksDiffer as differ:
        return _assumed(node, condition, graphs, differ)


class _RanksDiffer(Exception):  # noqa: N818 - it is handled where it is raised
    """The branches give tensors of different ranks."""


def _conditional(node: Node, condition: Value, graphs: tuple[Graph, Graph]) -> list[Value]:
    b = node.builder
    inner = b.inner(), b.inner()
    results = [node.conversion.subgraph(graph, own, {}) for graph, own in zip(graphs, inner, strict=True)]
    if any(len(one.dims) != len(other.dims) for one, other in zip(*results, strict=True)):
        raise _RanksDiffer
    if any(one.dtype != other.dtype for one, other in zip(*results, strict=True)):
        raise Invalid("its branches give different dtypes")
    bodies = [block(own, found) for own, found in zip(inner, results, strict=True)]
    test, _ = b.operand(b.reshape(condition, []))
    made = tree.If(test, bodies[0], bodies[1])
    shapes = [_common(b, one, other) for one, other in zip(*results, strict=True)]
    dtypes = [one.dtype for one in results[0]]
    return bound(b, made, shapes, dtypes)


def _common(b: Builder, one: Value, other: Value) -> list[dims.Dim | None]:
    """Return the extents that two values agree on, as far as they are known outside."""
    return [
        left if dims.equal(left, right) and names_of(left) <= b.shape_vars else None
        for left, right in zip(one.dims, other.dims, strict=True)
    ]


def _assumed(node: Node, condition: Value, graphs: tuple[Graph, Graph], differ: _RanksDiffer) -> list[Value]:
    """Take the branch for which sizes are equal, and check that they are: PyTorch writes `squeeze` so."""
    b = node.builder
    decided = condition.decided_by if isinstance(condition, Tensor) else None
    if decided is None or decided[0] != "equal":
        what = "the condition, as the branches give tensors of different ranks,"
        raise NeedsValue(node.definition.inputs[0], what) from differ
    _, left, right = decided
    shape = tree.ShapeExpr((left,))
    b.bind(tree.MatchCast(None, tree.ShapeStructInfo((right,), None), shape))
    b.comments[b.bindings[-1]] = ["# the branches of an If differ in rank: the first one is taken"]
    return node.conversion.subgraph(graphs[0], b, {})


@imports("Loop")
def loop(node: Node) -> list[Value]:
    """States go round while the condition holds; what each round gives is stacked."""
    graph = node.graph("body")
    names = [port.name for port in graph.inputs]
    count, condition = node.optional(0), node.optional(1)
    states = [node.input(at) for at in range(2, len(node.values))]

    def step(builder: Builder, index: Value, flag: Value, values: list[Value]) -> Step:
        found = node.conversion.subgraph(
            graph, builder, dict(zip(names, [index, flag, *values], strict=True))
        )
        declared = [port.dims for port in graph.outputs[1:]]
        return Step(found[0], found[1 : 1 + len(states)], found[1 + len(states) :], declared)

    made, stacked = run_loop(node, count, condition, states, step, names[2 : 2 + len(states)])
    return [*made, *stacked]


@imports("Scan")
def scan(node: Node) -> list[Value]:
    """States go over the slices of tensors; before opset 9 there is an axis of batches around it."""
    if node.opset < 9:
        return _scan_of_batches(node)
    return _scan(node, list(node.inputs()), offset=0)


def _scan(node: Node, values: list[Value], *, offset: int) -> list[Value]:
    b = node.builder
    graph = node.graph("body")
    names = [port.name for port in graph.inputs]
    n_inputs = node.int("num_scan_inputs")
    n_states = len(values) - n_inputs
    n_outputs = len(graph.outputs) - n_states
    rows = values[n_states:]
    axes = node.ints("scan_input_axes") or [0] * n_inputs if not offset else [0] * n_inputs
    backwards = node.ints("scan_input_directions" if not offset else "directions") or [0] * n_inputs
    axes = [axis_of(axis, len(one.dims)) for axis, one in zip(axes, rows, strict=True)]
    length = rows[0].dims[axes[0]]

    def step(builder: Builder, index: Value, _flag: Value, states: list[Value]) -> Step:
        slices: list[Value] = []
        for one, axis, backward in zip(rows, axes, backwards, strict=True):
            place = index
            if backward:
                last = Sizes((dims.sub(length, 1),), scalar=True)
                place = builder.op("subtract", last, index)
            slices.append(builder.op("take", one, place, axis=axis))
        found = node.conversion.subgraph(graph, builder, dict(zip(names, [*states, *slices], strict=True)))
        return Step(None, found[:n_states], found[n_states:], [port.dims for port in graph.outputs])

    count = Sizes((length,), scalar=True)
    made, stacked = run_loop(node, count, None, values[:n_states], step, names[:n_states])
    out_axes = node.ints("scan_output_axes") or [0] * n_outputs
    out_backwards = node.ints("scan_output_directions") or [0] * n_outputs
    results: list[Value] = []
    for one, axis, backward in zip(stacked, out_axes, out_backwards, strict=True):
        rank = len(one.dims)
        flipped = b.op("flip", one, axis=0) if backward else one
        place = axis_of(axis, rank)
        order = [*range(1, place + 1), 0, *range(place + 1, rank)]
        results.append(b.transpose(flipped, order))
    return [*made, *results]


def _scan_of_batches(node: Node) -> list[Value]:
    b = node.builder
    if node.given(0):
        raise Refused("sequences of different lengths in opset 8")
    values = [node.input(at) for at in range(1, len(node.values))]
    batches = dims.number(values[0].dims[0])
    if batches is None or batches > 16:
        raise Refused("a number of batches that is not known, or large, in opset 8")
    found: list[list[Value]] = []
    for at in range(batches):
        own = [b.op("take", one, Constant(b.constant(at, "int64").array), axis=0) for one in values]
        found.append(_scan(node, own, offset=1))
    return [b.op("stack", tuple(parts), axis=0) for parts in zip(*found, strict=True)]
