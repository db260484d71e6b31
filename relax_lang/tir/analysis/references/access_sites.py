"""Where the text of a PrimFunc reads and writes buffers: under which loops and which conditions. [TIR.8]

What the checks report about, and what accesses over iteration domains are made of (`domains`). Data only:
`collect_references` fills it. Indices, bounds and conditions are *resolved*: block axes and `let`s are replaced by
their values, so that only sizes (dimensions and scalars), loop variables and unknowns are left. An unknown is a name
for something that cannot be determined, such as a loaded value. At one site a name has one meaning: a loop variable
that shadows something gets a name of its own (`i'1`). Never imports numpy or the prover.
"""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.tir.ir.symbols import ALLOC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.ir.symbols import Symbol
    from relax_lang.tir.ir.typing.well_typed import Analysis
    from relax_lang.tir.ir.views import View


class LoopVariable:
    """One loop variable: its name in resolved expressions, and its range, resolved; `node` is the `for`."""

    __slots__ = ("kind", "low", "name", "node", "stop", "var")

    def __init__(
        self, node: tree.For, var: tree.PrimVar, name: str, low: tree.PrimExpr, stop: tree.PrimExpr
    ) -> None:
        self.node = node
        self.kind = node.kind
        self.var = var
        self.name = name
        self.low = low
        self.stop = stop


class Guard:
    """A condition that is `truth` where the code below it runs; None: one of which nothing is known.

    `asserted`: otherwise the program fails, so that nothing is skipped.
    """

    __slots__ = ("asserted", "condition", "truth")

    def __init__(self, condition: tree.PrimExpr | None, truth: bool, asserted: bool) -> None:
        self.condition = condition
        self.truth = truth
        self.asserted = asserted


TOO_MANY = Guard(None, True, asserted=False)
"""In place of conditions that are too many to look at."""


class AccessSite:
    """Where something is: loops from the outermost one inward, conditions, the innermost block.

    `once` names the loops in which code runs at some iteration only: those that an `init` around it reduces over.
    """

    __slots__ = ("block", "guards", "in_init", "loops", "once")

    def __init__(
        self,
        loops: tuple[LoopVariable, ...],
        guards: tuple[Guard, ...],
        block: tree.Block | None,
        in_init: bool,
        once: frozenset[str],
    ) -> None:
        self.loops = loops
        self.guards = guards
        self.block = block
        self.in_init = in_init
        self.once = once


class Reference:
    """One load or store: `resolved` are its indices, None where a packed function gets the whole buffer.

    `+=`, and a packed function, both read and write. What is read is not `is_used` in a side of a `select` that may
    not be the one. The indices of `node` are those of a view where it is accessed `through_view`.
    """

    __slots__ = ("is_used", "node", "reads", "resolved", "site", "symbol", "through_view", "writes")

    def __init__(
        self,
        node: tree.BufferLoad | tree.BufferStore | tree.PrimVar,
        symbol: Symbol,
        resolved: tuple[tree.PrimExpr, ...] | None,
        site: AccessSite,
        reads: bool,
        writes: bool,
        is_used: bool = True,
        through_view: bool = False,
    ) -> None:
        self.is_used = is_used
        self.node = node
        self.symbol = symbol
        self.resolved = resolved
        self.site = site
        self.reads = reads
        self.writes = writes
        self.through_view = through_view


class Axis:
    """The value of a block axis at one site; `domain` is the declared range of the axis, resolved."""

    __slots__ = ("domain", "node", "site", "value")

    def __init__(
        self,
        node: tree.IterVar,
        value: tree.PrimExpr,
        domain: tuple[tree.PrimExpr, tree.PrimExpr] | None,
        site: AccessSite,
    ) -> None:
        self.node = node
        self.value = value
        self.domain = domain
        self.site = site


class ViewSite:
    """A view where it is made: the bounds of its region, without an upper one for a single index."""

    __slots__ = ("node", "region", "site", "symbol", "view")

    def __init__(
        self,
        node: tree.BufferView,
        symbol: Symbol,
        view: View,
        region: list[tuple[tree.PrimExpr, tree.PrimExpr | None]],
        site: AccessSite,
    ) -> None:
        self.node = node
        self.symbol = symbol
        self.view = view
        self.region = region
        self.site = site


class References:
    """What was met, in the order in which a first iteration runs it."""

    __slots__ = (
        "accesses", "allocations", "analysis", "axes", "shapes", "sizes", "through_views", "unknowns", "views",
    )  # fmt: skip

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.sizes: list[str] = []
        """The names of dimensions and of int64 scalars."""
        self.accesses: list[Reference] = []
        """Those through views among them, as accesses to the elements that these mean."""
        self.allocations: dict[Symbol, tuple[tree.Allocate, AccessSite]] = {}
        self.axes: list[Axis] = []
        self.shapes: dict[Symbol, tuple[tree.PrimExpr, ...]] = {}
        """The dimensions of every buffer, resolved where it is declared; not of views."""
        self.views: list[ViewSite] = []
        self.through_views: list[tuple[Reference, tuple[tree.PrimExpr, ...]]] = []
        """Accesses as the program writes them, by indices of a view, with its dimensions."""
        self.unknowns: list[str] = []

    def by_buffer(self) -> dict[Symbol, list[Reference]]:
        """Return the accesses to every buffer, parameters and allocations, in order."""
        found: dict[Symbol, list[Reference]] = {symbol: [] for symbol in self.shapes}
        for access in self.accesses:
            found[access.symbol].append(access)
        return found


def depth_of(found: References, symbol: Symbol) -> tuple[int, int]:
    """Return under how many loops and conditions a buffer is made: 0 and 0 for a parameter."""
    if symbol.kind != ALLOC:
        return 0, 0
    site = found.allocations[symbol][1]
    return len(site.loops), len(site.guards)
