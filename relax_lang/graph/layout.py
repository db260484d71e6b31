"""Places for the nodes of a block: layers from top to bottom, few crossings, straight lines where possible.

The method of Sugiyama, Tagawa and Toda (1981): every edge goes to a later layer; edges over several layers get a
waypoint in each; nodes of a layer are ordered by the median of their neighbours, back and forth; then each is
moved towards its neighbours as far as the order leaves room. Linear in nodes and waypoints per sweep.
"""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    Edge = tuple[int, int]
    Point = tuple[float, float]

GAP = 18.0  # between nodes of a layer
LAYER_GAP = 34.0
WAYPOINT = 8.0  # width
_ORDER_SWEEPS = 8
_PLACE_SWEEPS = 10
_LIGHT = 0.02  # what the wish of a light node counts
_MOST_WAYPOINTS = 20_000  # more would take minutes; the edges are drawn straight then


class Layout:
    """`places` are the centers of the nodes, `routes` the points of each edge, `width` and `height` of all."""

    __slots__ = ("height", "places", "routes", "width")

    def __init__(self, places: list[Point], routes: list[list[Point]], width: float, height: float) -> None:
        self.places = places
        self.routes = routes
        self.width = width
        self.height = height


def layout(
    sizes: Sequence[tuple[float, float]], edges: Sequence[Edge], light: AbstractSet[int] = frozenset()
) -> Layout:
    """Place boxes of these widths and heights; edges go from lower to higher index.

    `light` nodes do not pull their neighbours towards them, if those have others.
    """
    if not sizes:
        return Layout([], [], 0.0, 0.0)
    layers = _layers(len(sizes), edges)
    _lower_inputs(layers, edges)
    widths = [width for width, _ in sizes]
    chains, all_layers, links = _waypoints(layers, edges, widths)
    rows = _ordered(all_layers, links, len(widths))
    xs = _placed(rows, links, widths, light)
    levels = _row_centers(rows, sizes)
    low = min([xs[i] - widths[i] / 2 for i in range(len(widths))])
    centers = [(xs[i] - low, levels[all_layers[i]]) for i in range(len(widths))]
    routes = [[centers[i] for i in chain] for chain in chains]
    width = max([centers[i][0] + widths[i] / 2 for i in range(len(widths))])
    height = levels[-1] + max([sizes[i][1] for i in rows[-1] if i < len(sizes)], default=0.0) / 2
    return Layout(centers[: len(sizes)], routes, width, height)


def _layers(n: int, edges: Sequence[Edge]) -> list[int]:
    """Return the layer of each node: behind everything it uses."""
    layers = [0] * n
    for start, end in sorted(edges, key=lambda edge: edge[1]):
        layers[end] = max(layers[end], layers[start] + 1)
    return layers


def _lower_inputs(layers: list[int], edges: Sequence[Edge]) -> None:
    """Move nodes that use nothing down to where they are used first: long edges are hard to follow."""
    used: dict[int, int] = {}
    has_source = {end for _, end in edges}
    for start, end in edges:
        used[start] = min(used.get(start, layers[end]), layers[end])
    for node, first in used.items():
        if node not in has_source:
            layers[node] = max(layers[node], first - 1)


def _waypoints(
    layers: list[int], edges: Sequence[Edge], widths: list[float]
) -> tuple[list[list[int]], list[int], list[Edge]]:
    """Put a waypoint on each layer an edge passes; return the chains, the layers, and edges between neighbours."""
    spans = sum([layers[end] - layers[start] - 1 for start, end in edges])
    all_layers = list(layers)
    chains: list[list[int]] = []
    links: list[Edge] = []
    for start, end in edges:
        chain = [start]
        if spans <= _MOST_WAYPOINTS:
            for layer in range(layers[start] + 1, layers[end]):
                chain.append(len(widths))
                all_layers.append(layer)
                widths.append(WAYPOINT)
        chain.append(end)
        chains.append(chain)
        links += pairwise(chain)
    return chains, all_layers, links


def _ordered(layers: list[int], links: Sequence[Edge], n: int) -> list[list[int]]:
    """Return the nodes of each layer from left to right, so that edges cross little."""
    rows: list[list[int]] = [[] for _ in range(max(layers) + 1)]
    for node in range(n):
        rows[layers[node]].append(node)
    above, below = _neighbours(links, n)
    ranks = [0] * n
    for row in rows:
        _rank(row, ranks)
    for sweep in range(_ORDER_SWEEPS):
        down = sweep % 2 == 0
        neighbours = above if down else below
        for row in rows if down else reversed(rows):
            keys = {node: _median([ranks[other] for other in neighbours[node]], ranks[node]) for node in row}
            row.sort(key=keys.__getitem__)
            _rank(row, ranks)
    return rows


def _rank(row: list[int], ranks: list[int]) -> None:
    for at, node in enumerate(row):
        ranks[node] = at


def _median(values: list[int], default: float) -> float:
    if not values:
        return default
    values.sort()
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def _neighbours(links: Sequence[Edge], n: int) -> tuple[list[list[int]], list[list[int]]]:
    above: list[list[int]] = [[] for _ in range(n)]
    below: list[list[int]] = [[] for _ in range(n)]
    for start, end in links:
        above[end].append(start)
        below[start].append(end)
    return above, below


def _placed(
    rows: list[list[int]], links: Sequence[Edge], widths: list[float], light: AbstractSet[int]
) -> list[float]:
    """Return the horizontal center of each node."""
    xs = [0.0] * len(widths)
    for row in rows:
        left = 0.0
        for node in row:
            xs[node] = left + widths[node] / 2
            left += widths[node] + GAP
    above, below = _neighbours(links, len(widths))
    for neighbours in (above, below):
        for at, others in enumerate(neighbours):
            neighbours[at] = [other for other in others if other not in light] or others
    for sweep in range(_PLACE_SWEEPS):
        down = sweep % 2 == 0
        neighbours = above if down else below
        for row in rows if down else reversed(rows):
            _move(row, neighbours, (xs, widths), light)
    return xs


def _move(
    row: list[int],
    neighbours: list[list[int]],
    placed: tuple[list[float], list[float]],
    light: AbstractSet[int],
) -> None:
    """Move the nodes of a row towards the middle of their neighbours, without overlaps, keeping the order.

    Nodes that would overlap form a group, which is moved as one: the exact least squares for the wishes, in which
    light nodes hardly count.
    """
    xs, widths = placed
    groups: list[
        tuple[float, float, list[int]]
    ] = []  # sum of wishes for the first node's place, weight, nodes
    for node in row:
        wishes = [xs[other] for other in neighbours[node]]
        wish = sum(wishes) / len(wishes) if wishes else xs[node]
        weight = _LIGHT if node in light else 1.0
        total, count, nodes = wish * weight, weight, [node]
        while groups and _overlap(groups[-1], (total, count, nodes), widths):
            before, n_before, earlier = groups.pop()
            shift = _extent(earlier, widths) + widths[nodes[0]] / 2
            total, count, nodes = before + total - shift * count, n_before + count, earlier + nodes
        groups.append((total, count, nodes))
    for total, count, nodes in groups:
        at = total / count
        for index, node in enumerate(nodes):
            if index:
                at += (widths[nodes[index - 1]] + widths[node]) / 2 + GAP
            xs[node] = at


def _extent(nodes: list[int], widths: list[float]) -> float:
    """Return the distance from the first node of a group to where one behind it would be, less half its width."""
    total = 0.0
    for index in range(1, len(nodes)):
        total += (widths[nodes[index - 1]] + widths[nodes[index]]) / 2 + GAP
    return total + widths[nodes[-1]] / 2 + GAP


def _overlap(
    left: tuple[float, float, list[int]], right: tuple[float, float, list[int]], widths: list[float]
) -> bool:
    start = left[0] / left[1]
    return start + _extent(left[2], widths) + widths[right[2][0]] / 2 > right[0] / right[1] + 1e-9


def _row_centers(rows: list[list[int]], sizes: Sequence[tuple[float, float]]) -> list[float]:
    """Return the vertical center of each layer."""
    centers: list[float] = []
    top = 0.0
    for row in rows:
        height = max([sizes[node][1] for node in row if node < len(sizes)], default=0.0)
        centers.append(top + height / 2)
        top += height + LAYER_GAP
    return centers
