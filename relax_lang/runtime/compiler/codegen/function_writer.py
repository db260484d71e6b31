"""The current function: what is in scope where the next line is written, and what is certain of it."""

from __future__ import annotations

from copy import copy

from relax_lang.analysis.aliasing import Aliasing
from relax_lang.analysis.bindings import names_in
from relax_lang.analysis.escape import kept_names
from relax_lang.analysis.liveness import Liveness
from relax_lang.arith.evaluate import names_in as uses_in
from relax_lang.runtime.compiler import call_stubs
from relax_lang.runtime.compiler.refinements import Refinements
from relax_lang.runtime.compiler.source_map import Location, ShapeVars
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relax_lang.analysis.call_graph import Plan
    from relax_lang.base.node import Node
    from relax_lang.ops.core.operator import Operator
    from relax_lang.runtime.compiler.codegen.writer import ModuleWriter

    Names = tuple[str, ...]


class FunctionWriter:
    """Writes the lines of one function; `functions` decides which.

    `scope` are the variables in scope, `dims` the shape variables with their Python names, in the order in which they
    were bound, `binding` what is being written, `level` the depth of indentation. `yields`: whether a call was written
    that the machine has to make.
    """

    __slots__ = (
        "_aliasing",
        "_dim_names",
        "_kept",
        "_variable_names",
        "binding",
        "dims",
        "facts",
        "held",
        "keeps",
        "level",
        "liveness",
        "module",
        "plan",
        "scope",
        "yields",
    )

    def __init__(self, module: ModuleWriter, plan: Plan, captured: Names, dims: Names) -> None:
        self.module = module
        self.plan = plan
        self.liveness = Liveness(plan, module.graph)
        self.facts = Refinements(module.opaque, module.constants)
        self.scope: set[str] = set(captured)
        self.dims: dict[str, str] = {}
        self.binding: Node = plan.function
        self.level = 1
        self.yields = False
        self.keeps: frozenset[str] = frozenset()
        """Variables that are needed longer than their last use says."""
        self._variable_names = module.names.variables(plan.top)
        self._dim_names = module.names.dims(plan.top)
        assert isinstance(plan.function.body, tree.SeqExpr)
        self._kept = kept_names(plan.function.body, module.graph.prim_funcs, module.graph.names)
        self._aliasing: Aliasing | None = None
        self.held = ShapeVars(None, ())
        """The shape variables as places have them."""
        self.bind_dims(dims)

    def aliasing(self) -> Aliasing:
        """Return which variables of the function share memory, those that were found to be views included."""
        if self._aliasing is None:
            self._aliasing = Aliasing(self.plan.function, self.module.graph.prim_funcs)
        return self._aliasing

    # Names.

    def variable(self, name: str) -> str:
        """Return the Python name of a variable."""
        return self._variable_names[name]

    def dim(self, name: str) -> str:
        """Return the Python name of a shape variable."""
        return self._dim_names[name]

    def bind_dims(self, new: Names) -> None:
        """Note that shape variables have values from here on."""
        if new:
            names = {name: self._dim_names[name] for name in new}
            self.dims.update(names)
            self.held = ShapeVars(self.held, tuple(names.items()))

    def dims_in(self, node: Node) -> Names:
        """Return the shape variables in scope that an expression or an info mentions."""
        return tuple(dict.fromkeys([use.name for use in uses_in(node) if use.name in self.dims]))

    def given(self, dims: Iterable[str], others: Iterable[str] = ()) -> list[str]:
        """Return what a check is given: shape variables, then variables that infos mention."""
        return [*[self.dims[name] for name in dims], *[self._variable_names[name] for name in others]]

    def others(self, infos: Sequence[tree.StructInfo | None], known: Iterable[str] = ()) -> Names:
        """Return the variables in scope that infos mention: `Tensor[s]`."""
        found: set[str] = set()
        for info in infos:
            if info is not None:
                found |= names_in(info)
        return tuple(sorted((found & self.scope).difference(known)))

    def last_uses(self) -> set[str]:
        """Return the variables that the current binding is the last to need."""
        assert isinstance(self.binding, tree.Binding)
        return (self.liveness.last_uses[self.binding] & self.scope) - self.keeps

    def only_looked_at(self) -> bool:
        """Return whether the value of the present binding is neither kept nor changed."""
        assert isinstance(self.binding, tree.Binding)
        var = self.binding.var
        return var is not None and var.name_hint not in self._kept

    # Lines.

    def line(self, text: str, place: Location | None = None) -> None:
        """Write a line at the present depth."""
        self.module.line(self.level, text, place)

    def place(
        self, node: Node | None = None, operator: Operator | None = None, call: tree.Call | None = None
    ) -> Location:
        """Return what a line of the current binding stands for."""
        return Location(self.binding, self.held, node, operator, call)

    def assign(self, target: str, text: str, place: Location | None = None) -> None:
        """Write a binding, or only its value where the variable is not needed."""
        self.line(f"{target} = {text}" if target else text, place or self.place())

    def interpreted(self, expr: tree.Expr) -> str:
        """Return the call of a stub that lets the interpreter evaluate an expression."""
        names = tuple(sorted(names_in(expr) & self.scope))
        for name in names:
            self.facts.escapes(name)
        dims = self.dims_in(expr)
        stub = self.module.stub("interpret", call_stubs.interpreted(expr, names, dims))
        texts = [*[self._variable_names[name] for name in names], *self.given(dims)]
        return f"{stub}({', '.join(texts)})"

    def end(self, names: Iterable[str]) -> list[str]:
        """Release variables that are not needed any more; return those that were."""
        ended = [name for name in names if name in self.scope and name not in self.keeps]
        if ended:
            self.line(f"del {', '.join(sorted([self._variable_names[name] for name in ended]))}")
        self.scope.difference_update(ended)
        return ended

    def size(self, name: str, text: str) -> None:
        """Write a line that computes something of shape variables alone."""
        self.line(f"{name} = {text}")
        self.module.sizes.add(len(self.module.lines))

    def part(self, names: Iterable[str], keeps: Iterable[str]) -> FunctionWriter:
        """Return a writer of a function of its own that has some of the bindings; `names` are what it is given.

        Of these nothing is known but their struct infos: others refer to them.
        """
        made = copy(self)
        made.facts, made.dims = Refinements(self.module.opaque, self.module.constants), dict(self.dims)
        made.scope, made.keeps, made.level = {*names}, frozenset(keeps), 1
        for name in made.scope:
            made.facts.refine(name, self.facts.named(name))
        return made

    def refine(self, info: tree.StructInfo | None, fresh: bool = False) -> None:
        """The value of the current binding is certain to be so; `fresh`: it is new memory."""
        assert isinstance(self.binding, tree.Binding)
        var = self.binding.var
        if var is not None and var.name_hint != "_":
            self.facts.refine(var.name_hint, info)
            if fresh:
                self.facts.fresh.add(var.name_hint)
