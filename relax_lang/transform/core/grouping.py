"""Groups of bindings that become functions: how a decision to fuse is applied. [G.37] [S.16]

A decision is a table: variable to the number of its group. It may be made by any algorithm; what is checked here is
that a group can be one call: it is in one dataflow block, only the last of its variables is used outside of it, and the
struct infos of all that goes in and out are known.
"""

from __future__ import annotations

from relax_lang.analysis.bindings import names_in
from relax_lang.base.names import FreshNames
from relax_lang.base.node import walk
from relax_lang.scope.alpha.structure import alpha_structure
from relax_lang.scope.spans import bare_dims
from relax_lang.syntax import tree
from relax_lang.transform.core.binders import local, with_var
from relax_lang.transform.core.known_infos import KnownInfos
from relax_lang.transform.core.rebuild import with_bindings, with_blocks, with_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from relax_lang.typed import Typed

    Decide = Callable[[tree.DataflowBlock], Mapping[str, int]]
    """Returns the groups of a block: variable to number."""

LONGEST_NAME = 60
PRIMITIVE = "Primitive"
"""The attribute of functions that were made of groups by `FuseOps`."""
COMPOSITE = "Composite"
"""The attribute with the name of the pattern that a function was made by."""


class Groups:
    """Makes functions of groups; one for all groups of a module that are the same up to names."""

    def __init__(self, typed: Typed) -> None:
        self._typed = typed
        self._names = FreshNames(set(typed.items))
        self._known: dict[Hashable, str] = {}
        self.added: list[tree.Item] = []

    def apply(
        self,
        function: tree.Function,
        decide: Decide,
        attrs: Callable[[int], tuple[tree.Attr, ...]],
        prefix: str = "fused",
        *,
        bind_constants: bool = False,
    ) -> tree.Function:
        """Return a function in which each group of a decision is one call; `attrs` are those of its function.

        Constants are passed to it, or, with `bind_constants`, are part of it.
        """
        infos: list[KnownInfos] = []

        def block(one: tree.BlockOfBindings) -> tree.BlockOfBindings:
            if not isinstance(one, tree.DataflowBlock):
                return one
            numbers = decide(one)
            if not numbers:
                return one
            if not infos:
                infos.append(KnownInfos(self._typed, function))
            return _Block(self, infos[0], one, numbers, attrs, prefix, bind_constants=bind_constants).made()

        return with_blocks(function, block)

    def add(self, function: tree.Function) -> str:
        """Return the name under which a function of a group is in the module; its own is a proposal."""
        key = alpha_structure(function)
        name = self._known.get(key)
        if name is None:
            assert function.name is not None
            name = self._known[key] = self._names.fresh(function.name.name_hint)
            self.added.append(_named(function, name))
        return name


class _Block:
    """One dataflow block with the groups in it."""

    def __init__(
        self,
        groups: Groups,
        infos: KnownInfos,
        block: tree.DataflowBlock,
        numbers: Mapping[str, int],
        attrs: Callable[[int], tuple[tree.Attr, ...]],
        prefix: str,
        *,
        bind_constants: bool,
    ) -> None:
        self._groups = groups
        self._bind_constants = bind_constants
        self._infos = infos
        self._block = block
        self._numbers = numbers
        self._attrs = attrs
        self._prefix = prefix
        self._members: dict[int, list[tree.VarBinding]] = {}
        self._inner: set[str] = set()

    def made(self) -> tree.BlockOfBindings:
        for binding in self._block.bindings:
            if isinstance(binding, tree.VarBinding):
                number = self._numbers.get(binding.var.name_hint)
                if number is not None:
                    self._members.setdefault(number, []).append(binding)
        self._drop_leaking()
        calls: dict[tree.VarBinding, tree.Call] = {}
        gone: set[tree.Binding] = set()
        for number, members in self._members.items():
            call = self._call(number, members)
            if call is not None:
                calls[members[-1]] = call
                gone.update(members[:-1])
        bindings: list[tree.Binding] = []
        for binding in self._block.bindings:
            if binding in gone:
                continue
            call = calls.get(binding) if isinstance(binding, tree.VarBinding) else None
            bindings.append(binding if call is None else with_value(binding, call))
        return with_bindings(self._block, tuple(bindings))

    def _drop_leaking(self) -> None:
        """Forget groups of which more than the last variable is used outside."""
        outside: dict[str, set[int]] = {}
        for binding in self._block.bindings:
            number = -1
            if isinstance(binding, tree.VarBinding):
                number = self._numbers.get(binding.var.name_hint, -1)
            for name in names_in(binding):
                outside.setdefault(name, set()).add(number)
        outputs = {var.name_hint for var in self._block.outputs}
        for number, members in list(self._members.items()):
            inner = [member.var for member in members[:-1]]
            if any(
                isinstance(var, tree.Var)
                or var.name_hint in outputs
                or outside.get(var.name_hint, set()) - {number}
                for var in inner
            ):
                del self._members[number]

    def _call(self, number: int, members: list[tree.VarBinding]) -> tree.Call | None:
        """Return the call of the function that a group becomes; None if not everything is known of it."""
        made = {member.var.name_hint for member in members}
        if self._bind_constants:
            members = [*self._constants_of(members), *members]
            made = {member.var.name_hint for member in members}
        inputs: dict[str, None] = {}
        constants: list[tree.Constant] = []
        for member in members:
            inputs |= dict.fromkeys([name for name in _uses(member.value) if name not in made])
            if not self._bind_constants:
                constants += [node for node in walk(member.value) if isinstance(node, tree.Constant)]
        names = FreshNames([*made, *inputs])
        params = [tree.Var(name, self._infos[name]) for name in inputs]
        args: list[tree.Expr] = [tree.Var(name, None) for name in inputs]
        held: dict[tree.Constant, str] = {}
        for constant in constants:
            name = held[constant] = names.fresh("c")
            info = self._infos.of(constant)
            params.append(tree.Var(name, info))
            args.append(constant)
        result = self._infos[members[-1].var.name_hint]
        infos = [param.struct_info_annotation for param in params]
        if not all(_is_known(info) for info in (*infos, result)):
            return None
        body = self._body(members, held)
        bound = {dim.name for info in infos if info is not None for dim in bare_dims(info)}
        parts: list[tree.Node] = [*[info for info in infos if info is not None], result, body]
        used = [node.name for part in parts for node in walk(part) if isinstance(node, tree.PrimVar)]
        sizes = [name for name in dict.fromkeys(used) if name not in bound]
        if sizes:
            dims = tuple([tree.PrimVar(name) for name in sizes])
            params.append(tree.Var(names.fresh("sizes"), tree.ShapeStructInfo(dims, None)))
            args.append(tree.ShapeExpr(dims))
        place = members[-1].value
        function = tree.Function(
            tree.GlobalVar(self._name(members)), True, None, tuple(params), result, self._attrs(number), body,
            place.pos, place.end,
        )  # fmt: skip
        callee = tree.GlobalVar(self._groups.add(function), place.pos, place.end)
        return tree.Call(callee, tuple(args), (), None, place.pos, place.end)

    def _constants_of(self, members: list[tree.VarBinding]) -> list[tree.VarBinding]:
        """Return copies of the statements of the block that bind constants which a group uses."""
        used = {name for member in members for name in _uses(member.value)}
        return [
            tree.VarBinding(tree.DataflowVar(one.var.name_hint, None), one.value, one.pos, one.end)
            for one in self._block.bindings
            if isinstance(one, tree.VarBinding)
            and isinstance(one.value, tree.Constant)
            and one.var.name_hint in used
            and one.var.struct_info_annotation is None
        ]

    def _body(self, members: list[tree.VarBinding], held: dict[tree.Constant, str]) -> tree.SeqExpr:
        bindings = [local(_with_names(member, held)) for member in members[:-1]]
        last = _with_names(members[-1], held)
        assert last.var is not None
        output = tree.Var(last.var.name_hint, None, last.var.pos, last.var.end)
        bindings.append(with_var(last, output))
        use = tree.Var(output.name_hint, None, output.pos, output.end)
        block = tree.DataflowBlock(tuple(bindings), (use,), members[0].pos, members[-1].end)
        return tree.SeqExpr((block,), use, block.pos, block.end)

    def _name(self, members: list[tree.VarBinding]) -> str:
        names = [self._prefix]
        for member in members:
            call = member.value
            if not isinstance(call, tree.Call):
                continue
            first = call.args[0] if call.args else None
            if isinstance(first, tree.GlobalVar):
                names.append(first.name_hint)
            elif isinstance(call.op, tree.Op):
                names.append(call.op.op_name.replace(".", "_"))
        return "_".join(names)[:LONGEST_NAME].rstrip("_")


def _named(function: tree.Function, name: str) -> tree.Function:
    if function.name is not None and function.name.name_hint == name:
        return function
    return tree.Function(
        tree.GlobalVar(name), True, None, function.params, function.ret_struct_info, function.attrs, function.body,
        function.pos, function.end,
    )  # fmt: skip


def _uses(value: tree.Expr) -> list[str]:
    """Return the variables of an expression in order."""
    return [node.name_hint for node in walk(value) if isinstance(node, tree.Var)]


def _with_names(binding: tree.VarBinding, held: Mapping[tree.Constant, str]) -> tree.Binding:
    """Return a binding in which variables take the place of constants."""
    if not held:
        return binding
    from relax_lang.transform.core.rebuild import Rewriting

    def change(node: tree.Node) -> tree.Node:
        name = held.get(node) if isinstance(node, tree.Constant) else None
        return node if name is None else tree.Var(name, None, node.pos, node.end)

    return with_value(binding, Rewriting(change).of(binding.value))


def _is_known(info: tree.StructInfo | None) -> bool:
    """Return whether a struct info can be written elsewhere: no part of it is a variable of the function."""
    return info is not None and not any(
        isinstance(node, tree.Var | tree.FuncStructInfo | tree.ObjectStructInfo) for node in walk(info)
    )
