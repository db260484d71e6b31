"""Which variables of a function may share memory, and with whom it may be shared outside. [X.9.1] [X.9.3]

Variables whose values may be one array, or parts of one, are in one class: names for names, tuples and their fields,
views, branches. A class is *open* if something else may hold its memory, or change it: what is given to functions, to
packed functions, and to closures, and what comes from them.
"""

from __future__ import annotations

from relax_lang.analysis.bindings import FreeNames, names_in
from relax_lang.analysis.effects import INVOKING, KILLING, OVERWRITING, PACKED_CALLS, PLACING, is_quiet
from relax_lang.analysis.escape import TIR_CALLS, closed_prim_func, param_at, written_by_direct_call
from relax_lang.base.node import assert_never, unreachable
from relax_lang.ops.registry import is_built_in, lookup
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    PrimFuncs = dict[str, tree.PrimFunc]


class Aliasing:
    """Asked about the variables of one function of a module; names are unique in it."""

    __slots__ = (
        "_bundles", "_leaves", "_local", "_names", "_open", "_outside", "_overwritten", "_parents", "_prim_funcs",
        "_returned", "_within_storages", "has_effects",
    )  # fmt: skip

    def __init__(
        self, function: tree.Function, prim_funcs: PrimFuncs, *, within_storages: bool = True
    ) -> None:
        """Look at one function; without `within_storages` a tensor is another value than the storage that it is in."""
        self._prim_funcs = prim_funcs
        self._within_storages = within_storages
        self._names = FreeNames()
        self._parents: dict[str, str] = {}
        self._open: set[str] = set()
        self._outside: set[str] = set()
        self._bundles: set[str] = set()
        self._overwritten: set[str] = set()
        """What calls write into."""
        self._leaves: set[str] = {param.name_hint for param in function.params}
        """Variables that are not those of a dataflow block."""
        self._local: set[str] = set()
        """Classes of variables of one dataflow block."""
        self.has_effects = False
        """Whether the function calls something that could change the arrays that its caller has."""
        self._outside.update([param.name_hint for param in function.params])
        assert isinstance(function.body, tree.SeqExpr)
        self._sequence(function.body)
        self._returned = [self.root(name) for name in sorted(names_in(function.body.body))]
        self._local = {self.root(name) for name in self._local}
        for found in (self._open, self._outside, self._bundles, self._overwritten, self._leaves):
            roots = {self.root(name) for name in found}
            found.clear()
            found |= roots
        self._local -= self._leaves

    def root(self, name: str) -> str:
        """Return the variable that stands for the class of a variable."""
        parents = self._parents
        top = name
        while top in parents:
            top = parents[top]
        while name != top:
            parents[name], name = top, parents[name]
        return top

    def is_private(self, name: str) -> bool:
        """Return whether nothing but the variables of its class in this function can reach a variable's memory."""
        root = self.root(name)
        return root not in self._open and root not in self._outside and root not in self._returned

    def may_be_copied(self, name: str) -> bool:
        """Return whether nothing can see that variables of the class of a variable have memory of their own."""
        root = self.root(name)
        if root in self._open or root in self._overwritten or (root in self._outside and self.has_effects):
            return False
        if root not in self._returned:
            return True
        return root not in self._outside and root not in self._bundles and self._returned.count(root) == 1

    def may_be_joined(self, one: str, other: str) -> bool:
        """Return whether nothing can see that two variables, whose memory is not shared, share memory."""
        roots = {self.root(one), self.root(other)}
        if roots & self._overwritten:
            return False
        if self.root(other) in self._local and self.root(other) not in self._open:
            return True  # it is gone before anything could change either
        if roots & self._open:
            return False
        outside = bool(roots & self._outside)
        if outside and self.has_effects:
            return False
        returned = len([root for root in self._returned if root in roots])
        return not returned or (returned == 1 and not outside and not roots & self._bundles)

    def join(self, one: str, other: str) -> None:
        """Note that two variables share memory from now on."""
        top, below = self.root(one), self.root(other)
        if top == below:
            return
        self._parents[below] = top
        for found in (self._open, self._outside, self._bundles, self._overwritten, self._leaves):
            if below in found:
                found.add(top)
        self._local = (self._local | {top} if below in self._local else self._local) - self._leaves
        self._returned = [self.root(name) for name in self._returned]

    def _join(self, name: str, others: Iterable[str]) -> None:
        for other in others:
            one, two = self.root(name), self.root(other)
            if one != two:
                self._parents[two] = one

    def _sequence(self, seq: tree.SeqExpr) -> None:
        for block in seq.blocks:
            for binding in block.bindings:
                self._binding(binding)

    def _binding(self, binding: tree.Binding) -> None:
        value = binding.value
        name = "_" if binding.var is None else binding.var.name_hint
        (self._local if isinstance(binding.var, tree.DataflowVar) else self._leaves).add(name)
        match value:
            case tree.If():
                for branch in (value.true_branch, value.false_branch):
                    assert isinstance(branch, tree.SeqExpr)
                    self._sequence(branch)
                    self._share(name, names_in(branch.body))
                    if not isinstance(branch.body, tree.Var):
                        self._bundles.add(name)
            case tree.Function():
                self._function(name, value)
            case tree.Call():
                self._call(name, value)
            case tree.Tuple():
                self._bundles.add(name)
                self._share(name, names_in(value))
            case tree.Var() | tree.DataflowVar() | tree.TupleGetItem():
                self._share(name, names_in(value))
            case tree.Constant() | tree.GlobalVar() | tree.ExternFunc() | tree.ShapeExpr() | tree.PrimValue():
                pass
            case tree.NeverBound():
                unreachable(value)
            case _:
                assert_never(value)

    def _share(self, name: str, others: set[str]) -> None:
        if name != "_":
            self._join(name, others)

    def _function(self, name: str, function: tree.Function) -> None:
        """Note a local function: what it captures, is given and returns is anybody's."""
        assert isinstance(function.body, tree.SeqExpr)
        self._open.update(self._names.of(function))
        self._open.update([name, *[param.name_hint for param in function.params]])
        self._sequence(function.body)
        self._open |= names_in(function.body.body)

    def _call(self, name: str, call: tree.Call) -> None:
        written = written_by_direct_call(call, self._prim_funcs)
        if written is not None:
            self.has_effects = True
            for arg in written:
                self._overwritten |= names_in(arg)
            return
        if not isinstance(call.op, tree.Op):
            self._give_away(name, call)
            return
        called = call.op.op_name
        if called in KILLING or (called in PLACING and not self._within_storages):
            return
        if called in OVERWRITING:
            self._overwritten |= names_in(call)
        if called in TIR_CALLS:
            if closed_prim_func(call, self._prim_funcs) is None:
                self._give_away(name, call)
            return
        operator = lookup(called)
        known = operator is not None and operator.kernel is not None and is_built_in(operator)
        if not known or called in (*INVOKING, *PACKED_CALLS) or not is_quiet(call, self._prim_funcs):
            self._give_away(name, call)
            return
        assert operator is not None
        for at, arg in enumerate(call.args):
            param = param_at(operator, at)
            if param is None or param.name in operator.aliases:
                self._share(name, names_in(arg))

    def _give_away(self, name: str, call: tree.Call) -> None:
        self.has_effects = True
        self._open |= names_in(call)
        self._open.add(name)
