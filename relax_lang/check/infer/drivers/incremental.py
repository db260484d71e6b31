"""Inference while a program is built: the info of each binding as soon as it is there. [D.1]

The rules are those of `bindings` and `expressions`; only the order in which they are asked is another. Nodes have no
places: whoever builds knows where a mistake was made.
"""

from __future__ import annotations

from relax_lang.check.infer.context.inferred import Inferred
from relax_lang.check.infer.context.module_state import ModuleState, Signature
from relax_lang.check.infer.context.state import State
from relax_lang.check.infer.rules import expressions
from relax_lang.check.infer.rules.bindings import derive_binding, keep_binding
from relax_lang.check.infer.rules.dispatch import derive
from relax_lang.check.infer.rules.functions import begin, conclude, derive_item
from relax_lang.check.infer.rules.refinements import assume
from relax_lang.normalize.origins import Origins
from relax_lang.struct_info.bound_variables import names_in
from relax_lang.syntax import tree
from relax_lang.syntax.parsed import Features, Parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.check.infer.context.module_state import Headers
    from relax_lang.check.infer.context.state import Marks

    Info = tree.StructInfo

assert expressions, "importing it installs the rules of `dispatch`"

_NOTHING = tree.IRModule((), ())


class GrowingModule:
    """What is known of a module that is being built: its PrimFuncs, and the signatures of its functions."""

    __slots__ = ("items", "state")

    def __init__(self) -> None:
        features = Features()
        features.packed = features.tir_externs = True  # any of them may come
        self.items: dict[str, tree.Item] = {}
        parsed = Parsed("", features)
        self.state = ModuleState(self.items, Inferred(_NOTHING), set(), {}, _NOTHING, parsed, Origins())

    @classmethod
    def of(cls, items: Mapping[str, tree.Item], types: Mapping[str, Info], headers: Headers) -> GrowingModule:
        """Return a module that has items already, with the types of its functions."""
        made = cls()
        made.items.update(items)
        made.state.headers = headers
        for name, item in items.items():
            if isinstance(item, tree.Function) and name in types:
                made.state.signatures[name] = Signature(types[name], item)
        return made

    @property
    def infos(self) -> dict[tree.Node, Info]:
        """Definition of a variable to what is known of it."""
        return self.state.inferred.infos

    def add(self, name: str, item: tree.Item) -> None:
        """Add a PrimFunc, or a function of which only its annotations count until its body is derived."""
        self.items[name] = item

    def infer(self, name: str, function: tree.Function) -> None:
        """Add a function in normal form, and derive all of it."""
        self.items[name] = function
        self.state.forget_purity()
        derive_item(self.state, function)

    def remove(self, name: str) -> None:
        """Remove an item."""
        self.items.pop(name, None)
        self.state.signatures.pop(name, None)
        self.state.inferred.signatures.pop(name, None)

    def is_pure(self, function: tree.Function) -> bool:
        """Return whether a function that is finished is pure. [P.5]"""
        return self.state.purity().is_pure(function, function)

    def taken_findings(self) -> list[Diagnostic]:
        """Return what was found since the last question."""
        found = self.state.inferred.diagnostics
        if not found:
            return []
        self.state.inferred.diagnostics = []
        return found


class GrowingFunction:
    """The function of a module that is being built: `head` has its parameters, and a body that does not count."""

    __slots__ = ("_marks", "_opened", "_state")

    def __init__(self, module: GrowingModule, head: tree.Function) -> None:
        self._state = State(module.state, head)
        self._opened = begin(self._state, head)
        self._marks: list[tuple[Marks, bool]] = []

    def open_scope(self, condition: tree.Expr | None = None, *, truth: bool = True) -> None:
        """Begin a branch, in which a condition holds or does not, or the body of a local function."""
        self._marks.append((self._state.open(), self._state.in_dataflow))
        self._state.in_dataflow = False
        if condition is not None:
            assume(self._state, condition, truth=truth)

    def close_scope(self) -> None:
        """End the last scope; what it bound is no longer known."""
        marks, self._state.in_dataflow = self._marks.pop()
        self._state.close(marks)

    def bind_parameters(self, params: tuple[tree.Var, ...]) -> None:
        """Bring the parameters of a local function into scope."""
        infos = [param.struct_info_annotation for param in params]
        self._state.bind_shapes([info for info in infos if info is not None])
        for param, info in zip(params, infos, strict=True):
            self.mention([] if info is None else [info])
            self._state.bind(param, tree.ObjectStructInfo() if info is None else info)

    def enter_dataflow(self, *, inside: bool) -> None:
        """Note whether the bindings that follow are those of a dataflow block."""
        self._state.in_dataflow = inside

    def mention(self, infos: list[Info]) -> None:
        """Note the shape variables of annotations that came after the head."""
        if infos:
            self._state.mention(names_in(infos))

    def bind(self, binding: tree.Binding, within: tree.Function | None = None) -> Info:
        """Derive a binding, and return the info of its variable.

        Where it holds function literals, `within` is the function as far as it is built, with the binding.
        """
        if within is not None:
            self._state.function = within
            self._state.module.forget_purity()
        derive_binding(self._state, binding)
        var = binding.var
        return tree.ObjectStructInfo() if var is None else self._state.module.inferred.infos[var]

    def keep(self, binding: tree.VarBinding, info: Info) -> None:
        """Bring the variable of a binding into scope whose info is known: nothing that it depends on has changed."""
        keep_binding(self._state, binding, info)

    def info_of(self, value: tree.Expr) -> Info:
        """Return the info of an atom."""
        return derive(self._state, value)[0]

    def conclude(self, function: tree.Function) -> Info:
        """End the function; return its type for callers. Its value is an atom."""
        self._state.function = function
        assert isinstance(function.body, tree.SeqExpr)
        found = derive(self._state, function.body.body)
        return conclude(self._state, function, self._opened, found).info
