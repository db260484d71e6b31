"""Lines between blocks and to PrimFuncs: they run between the rows of nodes and beside the blocks, never through text.

A line leaves its node below, or enters it above, in the space between two rows. From there it goes to a *lane*, a
vertical line of its own: left of the blocks of its function, or left of the column of PrimFuncs. A folded block is
left and entered at its bar. The script of the picture does the same when blocks are folded.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.graph.layout import Point

    Row = tuple[int, float]
    Start = tuple[int, int]

PORT = 10.0
"""How far from the corner of a node a line meets it: ordinary edges meet it in the middle."""
CORNER = 5.0
_LANE = 5.0  # between lanes
_GUTTER = 9.0  # from the blocks to the first lane
_MOST_LANES = 24  # more share these
_STEP = 3.0  # between level lines of neighbouring lanes
_STEPS = 4
_NEAREST = 5.0  # from a row of nodes to the nearest level line
_WIRE_LANE = 7.0
_MOST_WIRE_LANES = 10
_WIRE_GAP = 14.0


class Port:
    """Where lines meet a node, or the bar of its block if that is folded.

    `y` is its middle, `half` half its height, `drop` the distance from there to the space between two rows.
    """

    __slots__ = ("drop", "folded", "half", "left", "right", "y")

    def __init__(
        self, left: float, right: float, y: float, half: float, drop: float, *, folded: bool
    ) -> None:
        self.left = left
        self.right = right
        self.y = y
        self.half = half
        self.drop = drop
        self.folded = folded


class Drawn:
    """A line: its corners, and what the script needs to draw it anew."""

    __slots__ = ("down", "lane", "points", "up")

    def __init__(self, points: list[Point], lane: float, down: float, up: float) -> None:
        self.points = points
        self.lane = lane
        self.down = down
        self.up = up

    def element(self, kind: str, start: str, end: str, title: str = "") -> str:
        """Return it as SVG; `start` and `end` name the nodes, `title` is text of an element."""
        inside = f"<title>{title}</title>" if title else ""
        return (
            f'<path class="{kind}" data-from="{start}" data-to="{end}" data-lane="{self.lane:.1f}" '
            f'data-down="{self.down:.1f}" data-up="{self.up:.1f}" d="{path(self.points)}">{inside}</path>'
        )


def link_lanes(links: Sequence[tuple[Row, Row, Start]]) -> tuple[dict[Start, int], float]:
    """Return the lane of each node that links begin at, and how much room the lanes need.

    A link is given by the rows that it leads from and to, and its first node. Lines side by side have different lanes;
    those from one node share theirs.
    """
    spans: dict[Start, tuple[Row, Row]] = {}
    for first, last, start in links:
        before = spans.get(start, (first, last))
        spans[start] = (min(before[0], first), max(before[1], last))
    ends: list[Row] = []
    lanes: dict[Start, int] = {}
    for start, (first, last) in sorted(spans.items(), key=lambda item: (item[1], item[0])):
        lane = next((at for at, end in enumerate(ends) if end < first), len(ends))
        if lane == len(ends):
            ends.append(last)
        ends[lane] = last
        lanes[start] = lane % _MOST_LANES
    used = max(lanes.values(), default=-1) + 1
    return lanes, _GUTTER + _LANE * (used - 1) if used else 0.0


def link(start: Port, end: Port, lane: int, left: float) -> Drawn:
    """Return the line from one block into another; `left` is where the outermost blocks begin."""
    x = left - _GUTTER - _LANE * lane
    step = _NEAREST + _STEP * (lane % _STEPS)
    down, up = start.drop + step, end.drop + step
    points = _leave(start, start.left + PORT, start.left, down)
    points += [(x, points[-1][1])]
    enter = _leave(end, end.left + PORT, end.left, -up)
    points += [(x, enter[-1][1]), *reversed(enter)]
    return Drawn(points, x, down, up)


def column_lanes(names: Sequence[str], column: float) -> dict[str, float]:
    """Return the lane of each PrimFunc, left of their column: the first one has the outermost."""
    used = min(len(names), _MOST_WIRE_LANES)
    return {
        name: column - _WIRE_GAP - _WIRE_LANE * (used - 1 - at % _MOST_WIRE_LANES)
        for at, name in enumerate(names)
    }


def wire(start: Port, end: Point, lane: float) -> Drawn:
    """Return the line from a node to a PrimFunc, whose left side has its middle at `end`."""
    down = start.drop + _NEAREST + _STEP / 2
    points = _leave(start, start.right - PORT, start.right, down)
    points += [(lane, points[-1][1]), (lane, end[1]), end]
    return Drawn(points, lane, down, 0.0)


def _leave(port: Port, x: float, side: float, down: float) -> list[Point]:
    """Return the way from a node to the level line beside its row, or from the bar of a folded block."""
    if port.folded:
        return [(side, port.y)]
    half = port.half if down > 0 else -port.half
    return [(x, port.y + half), (x, port.y + down)]


def path(points: Sequence[Point]) -> str:
    """Return lines through points, rounded at the corners, as the `d` of a path."""
    kept = [point for at, point in enumerate(points) if not at or point != points[at - 1]]
    parts = [f"M{kept[0][0]:.1f},{kept[0][1]:.1f}"]
    for before, here, after in zip(kept, kept[1:], kept[2:], strict=False):
        (ax, ay), (bx, by) = _towards(here, before), _towards(here, after)
        parts.append(f"L{ax:.1f},{ay:.1f}Q{here[0]:.1f},{here[1]:.1f} {bx:.1f},{by:.1f}")
    return "".join([*parts, f"L{kept[-1][0]:.1f},{kept[-1][1]:.1f}"])


def _towards(corner: Point, other: Point) -> Point:
    """Return where the rounding of a corner begins; lines are level or upright."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    length = abs(dx) + abs(dy)
    share = min(CORNER, length / 2) / length
    return corner[0] + dx * share, corner[1] + dy * share
