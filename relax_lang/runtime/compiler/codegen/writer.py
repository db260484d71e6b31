"""The text of a generated module while it is written: lines, what they stand for, and the stubs they call."""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.runtime.compiler.codegen.names import Names
from relax_lang.runtime.compiler.refinements import NO_CONSTANTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable

    from relax_lang.analysis.call_graph import Graph, Plan
    from relax_lang.runtime.compiler.call_stubs import Stub
    from relax_lang.runtime.compiler.refinements import Constants
    from relax_lang.runtime.compiler.row_blocks import RowGroup
    from relax_lang.runtime.compiler.source_map import Location
    from relax_lang.syntax import tree

_INDENT = "    "


class ModuleWriter:
    """One module: its functions share names and stubs.

    `proved` are the checks that need not be made, see `program.compile_module`, `constants` says what is certain of
    constants in files.
    """

    __slots__ = (
        "_by_key",
        "constants",
        "functions",
        "graph",
        "groups",
        "lines",
        "names",
        "opaque",
        "parts",
        "places",
        "proved",
        "remarks",
        "sizes",
        "stubs",
        "waiting",
        "written",
    )

    def __init__(
        self,
        module: tree.IRModule,
        graph: Graph,
        proved: Collection[tree.Node],
        constants: Constants = NO_CONSTANTS,
    ) -> None:
        self.graph = graph
        self.constants = constants
        self.proved = proved
        self.names = Names(module)
        self.opaque = FreshNames(self.names.all_dims)
        self.lines: list[str] = []
        self.places: dict[int, Location] = {}
        self.stubs: dict[str, Stub] = {}
        self.remarks: list[str] = []
        """What the stubs are, for those who read the code."""
        self._by_key: dict[Hashable, str] = {}
        self.functions: dict[tree.Function, str] = {}
        """The Python names of the compiled functions."""
        self.groups: dict[tree.Function, list[RowGroup]] = {}
        """The groups of bindings that were written as functions of a block of rows."""
        self.parts: list[Callable[[], None]] = []
        """What writes functions that are parts of others."""
        self.sizes: set[int] = set()
        """The numbers of lines that compute with shape variables alone."""
        self.written: set[tree.Function] = set()
        """Those that have a text: a literal that only a dropped binding uses has none."""
        self.waiting: list[tuple[Plan, tuple[str, ...], tuple[str, ...]]] = []
        """Local functions that are to be written, with the variables and shape variables that they capture."""

    def name_functions(self, plans: Collection[Plan]) -> None:
        """Name all functions before the first one is written: they call each other."""
        for plan in plans:
            if plan.compiled:
                self.functions[plan.function] = self.names.fresh(_wanted(plan))

    def line(self, level: int, text: str, place: Location | None = None) -> None:
        """Add a line; `place` is what failures in it are about."""
        self.lines.append(f"{_INDENT * level}{text}")
        if place is not None:
            self.places[len(self.lines)] = place

    def cut(self, start: int) -> list[Line]:
        """Take away the lines from one on, which are counted from 0."""
        found = [
            Line(text, self.places.pop(number, None), number in self.sizes)
            for number, text in enumerate(self.lines[start:], start + 1)
        ]
        self.sizes -= {*range(start + 1, len(self.lines) + 1)}
        del self.lines[start:]
        return found

    def paste(self, line: Line, deeper: int = 0) -> None:
        """Add a line that was taken away, some levels deeper."""
        self.line(deeper, line.text, line.place)
        if line.is_size:
            self.sizes.add(len(self.lines))

    def known(self, key: Hashable) -> str | None:
        """Return the Python name of the stub with this key, if there is one."""
        return self._by_key.get(key)

    def stub(self, wanted: str, stub: Stub, key: Hashable = None, remark: str = "") -> str:
        """Return the Python name of a stub; those with the same key are one."""
        if key is not None and key in self._by_key:
            return self._by_key[key]
        name = self.names.fresh(wanted)
        self.stubs[name] = stub
        if key is not None:
            self._by_key[key] = name
        if remark:
            self.remarks.append(f"# {name}: {remark.encode('unicode_escape').decode('ascii')}")
        return name


class Line:
    """A line that was taken away, to be written elsewhere."""

    __slots__ = ("is_size", "place", "text")

    def __init__(self, text: str, place: Location | None, is_size: bool) -> None:
        self.text = text
        self.place = place
        self.is_size = is_size


def _wanted(plan: Plan) -> str:
    assert plan.top.name is not None
    name = plan.top.name.name_hint
    if plan.function is plan.top:
        return name
    return f"{name}_{plan.bound_to or 'function'}"
