"""InlinePrivateFunctions: calls of private functions become their bodies."""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import walk
from relax_lang.format.lexemes import global_name
from relax_lang.normalize.inner_bodies import body_of, with_inner
from relax_lang.scope.spans import bare_dims
from relax_lang.syntax import tree
from relax_lang.transform.core.binders import local, ordinary
from relax_lang.transform.core.emitting import names_of
from relax_lang.transform.core.known_infos import KnownInfos, match_sizes
from relax_lang.transform.core.rebuild import (
    Rewriting,
    copied,
    sequence,
    with_bindings,
    with_body,
    with_value,
)
from relax_lang.transform.pass_manager.finding import function_named
from relax_lang.transform.pass_manager.passes import Run, module_pass
from relax_lang.typed import IllTyped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.typed import Typed

    Block = tree.BlockOfBindings


@module_pass("InlinePrivateFunctions", "only: list[str] = []", idempotent=True)
def inline_private_functions(typed: Typed, run: Run, only: list[str] | None = None) -> Typed:
    """Put the body of a private function in place of its calls, and remove it when nothing mentions it any more.

    Variables and shape variables get names of their own. What a call would check is still checked: where an argument
    is not known to fit its parameter, a `match_cast` takes its place, and so it does for a declared result, and where
    without it the checker would see a failure that was left to the run. `only` names the functions; without it, all
    private ones are inlined. Left alone are functions that are recursive, those that claim to be pure (`force_pure`)
    and, where the call is in a dataflow block, those with branches or local functions. It is an error to ask for a
    recursive one by name.

    ```relax before
    private def @twice(y: Tensor[(m,), float32]) -> Tensor[(m,), float32] {
      let z = add(y, y);
      z
    }

    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      dataflow {
        let a = exp(x);
        let b = @twice(a);
        output b;
      }
      b
    }
    ```

    ```relax after
    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      dataflow {
        let a = exp(x);
        let b = add(a, a);
        output b;
      }
      b
    }
    ```
    """
    chosen = {_name(function_named(run, one)) for one in only or ()}
    recursive = {_name(function) for function in typed.cycles()}
    candidates: dict[str, tree.Function] = {}
    for function in typed.functions:
        name = _name(function)
        if only and name not in chosen:
            continue
        if name in recursive or not function.private or function.purity == "force_pure":
            if name in chosen:
                why = (
                    "recursive"
                    if name in recursive
                    else "not private"
                    if not function.private
                    else "force_pure"
                )
                run.refuse(function.name, f"{global_name(name)} cannot be inlined: it is {why}")
            continue
        candidates[name] = function
    inliner = _Inliner(typed, candidates)
    after = inliner.program()
    if after is not typed:
        try:
            after.inferred  # noqa: B018  # it is kept
        except IllTyped:  # so much is known of arguments that a failure shows that only the run met before
            inliner = _Inliner(typed, candidates, casts=True)
            after = inliner.program()
    mentioned: set[str] = set()
    for function in after.functions:
        mentioned |= after.mentions(function).functions
    gone = [one for one in inliner.inlined if one not in mentioned]
    return after.with_items({after.items[one]: None for one in gone})


def _name(function: tree.Function) -> str:
    return "" if function.name is None else function.name.name_hint


class _Inliner:
    """Functions in which calls are inlined, callees first; each is made once."""

    def __init__(self, typed: Typed, candidates: dict[str, tree.Function], *, casts: bool = False) -> None:
        self.typed = typed
        self.casts = casts
        """Whether of arguments and results no more may be known than signatures declare."""
        self.inlined: dict[str, None] = {}
        self._candidates = candidates
        self._done: dict[tree.Function, tree.Function] = {}

    def program(self) -> Typed:
        """Return the program with the bodies in place of the calls."""
        changed: dict[tree.Item, tree.Item | None] = {}
        for function in self.typed.functions:
            made = self.of(function)
            if made is not function:
                changed[function] = made
        return self.typed.with_items(changed)

    def of(self, function: tree.Function) -> tree.Function:
        """Return a function without calls of the candidates, as far as they can be inlined."""
        done = self._done.get(function)
        if done is None:
            done = self._done[function] = _Caller(self, function).made()
        return done

    def callee(self, call: tree.Expr) -> tree.Function | None:
        """Return the candidate that a call calls."""
        if isinstance(call, tree.Call) and isinstance(call.op, tree.GlobalVar):
            return self._candidates.get(call.op.name_hint)
        return None


class _Caller:
    """One function whose calls are inlined."""

    def __init__(self, inliner: _Inliner, function: tree.Function) -> None:
        self._inliner = inliner
        self._function = function
        self._infos = KnownInfos(inliner.typed, function)
        self._names = FreshNames(names_of(function))

    def made(self) -> tree.Function:
        return with_body(self._function, self._sequence(body_of(self._function.body)))

    def _sequence(self, seq: tree.SeqExpr) -> tree.SeqExpr:
        blocks: list[Block] = []
        for block in seq.blocks:
            blocks += self._block(block)
        return sequence(seq, blocks, seq.body)

    def _block(self, block: Block) -> list[Block]:
        dataflow = isinstance(block, tree.DataflowBlock)
        blocks: list[Block] = []
        bindings: list[tree.Binding] = []
        for binding in block.bindings:
            callee = self._inliner.callee(binding.value)
            if callee is not None and isinstance(binding, tree.VarBinding):
                whole = self._inliner.of(callee)
                if not dataflow or _is_straight(whole):
                    self._inliner.inlined[_name(callee)] = None
                    made = _Inlined(
                        self._inliner.typed,
                        callee,
                        whole,
                        binding,
                        self._infos,
                        self._names,
                        casts=self._inliner.casts,
                    )
                    if dataflow:
                        bindings += made.flat()
                    else:
                        blocks += [*_ordinary(block, bindings), *made.blocks()]
                        bindings = made.last
                    continue
            bindings.append(with_inner(binding, self._sequence))
        if dataflow or not blocks:
            return [with_bindings(block, tuple(bindings))]
        return [*blocks, *_ordinary(block, bindings)]


def _ordinary(block: Block, bindings: list[tree.Binding]) -> list[Block]:
    return [tree.BindingBlock(tuple(bindings), False, block.pos, block.end)] if bindings else []


def _is_straight(function: tree.Function) -> bool:
    return not any(
        isinstance(node, tree.If) or (isinstance(node, tree.Function) and node is not function)
        for node in walk(function)
    )


class _Inlined:
    """The body of a function in the place of one call."""

    def __init__(
        self,
        typed: Typed,
        callee: tree.Function,
        whole: tree.Function,
        binding: tree.VarBinding,
        infos: KnownInfos,
        names: FreshNames,
        *,
        casts: bool,
    ) -> None:
        assert isinstance(binding.value, tree.Call)
        self._casts = casts
        self._names = names
        self._binding = binding
        self._before: list[tree.Binding] = []
        copy: tree.Function = copied(whole)
        sizes, values = self._parameters(typed, callee, copy, binding.value, infos)
        body = body_of(copy.body)
        result, var = body.body, binding.var
        bound = {
            node.name_hint for one in body.blocks for each in one.bindings if (node := each.var) is not None
        }
        keeps = (
            var.name_hint != "_"
            and var.struct_info_annotation is None
            and isinstance(result, tree.Var)
            and result.name_hint in bound
            and (
                callee.ret_struct_info is None
                or (callee.ret_struct_info in typed.inferred.proved and not casts)
            )
        )
        self._result = result.name_hint if keeps and isinstance(result, tree.Var) else None
        renamed = self._renamed(copy, body, sizes)
        if self._result is not None:
            renamed[self._result] = var.name_hint

        def change(node: tree.Node) -> tree.Node:
            if isinstance(node, tree.Var | tree.DataflowVar):
                value = values.get(node.name_hint)
                if value is not None:
                    return tree.Var(value, None, node.pos, node.end)
                name = renamed.get(node.name_hint)
                if name is not None:
                    return type(node)(name, node.struct_info_annotation, node.pos, node.end)
            elif isinstance(node, tree.PrimVar):
                return copied(sizes[node.name]) if node.name in sizes else node
            return node

        rewriting = Rewriting(change)
        made: tree.SeqExpr = rewriting.of(body)
        self._blocks = made.blocks
        self.last: list[tree.Binding] = []
        """What follows the blocks: the variable of the call, where it is not the result itself."""
        if self._result is None:
            ret = callee.ret_struct_info
            if ret is not None and (casts or ret not in typed.inferred.proved):
                info: tree.StructInfo = rewriting.of(copy.ret_struct_info)
                self.last = [tree.MatchCast(var, info, made.body, binding.pos, binding.end)]
            else:
                self.last = [with_value(binding, made.body)]

    def _parameters(
        self, typed: Typed, callee: tree.Function, copy: tree.Function, call: tree.Call, infos: KnownInfos
    ) -> tuple[dict[str, tree.PrimExpr], dict[str, str]]:
        """Return what shape variables of the signature are at the call, and the variables that parameters are."""
        proved = call in typed.inferred.proved
        sizes: dict[str, tree.PrimExpr] = {}
        values: dict[str, str] = {}
        for param, arg in zip(callee.params, call.args, strict=True):
            if param.struct_info_annotation is not None:
                match_sizes(param.struct_info_annotation, infos.of(arg), sizes)
        bound = [
            dim.name
            for param in callee.params
            if param.struct_info_annotation is not None
            for dim in bare_dims(param.struct_info_annotation)
        ]
        unknown = [name for name in dict.fromkeys(bound) if name not in sizes]
        if unknown or not proved:
            for name in dict.fromkeys(bound):
                sizes[name] = tree.PrimVar(self._names.fresh(name))
        meaning = Rewriting(
            lambda node: (
                copied(sizes[node.name]) if isinstance(node, tree.PrimVar) and node.name in sizes else node
            )
        )
        for param, arg in zip(copy.params, call.args, strict=True):
            info = param.struct_info_annotation
            if unknown or not proved or self._casts:
                name = self._names.fresh(param.name_hint)
                if info is None and self._casts:
                    info = tree.ObjectStructInfo()
                if info is None:
                    self._before.append(
                        tree.VarBinding(tree.Var(name, None), copied(arg), call.pos, call.end)
                    )
                else:
                    cast = tree.MatchCast(
                        tree.Var(name, None), meaning.of(info), copied(arg), call.pos, call.end
                    )
                    self._before.append(cast)
                values[param.name_hint] = name
            elif isinstance(arg, tree.Var):
                values[param.name_hint] = arg.name_hint
            else:
                name = self._names.fresh(param.name_hint)
                self._before.append(tree.VarBinding(tree.Var(name, None), copied(arg), call.pos, call.end))
                values[param.name_hint] = name
        return sizes, values

    def _renamed(
        self, copy: tree.Function, body: tree.SeqExpr, sizes: dict[str, tree.PrimExpr]
    ) -> dict[str, str]:
        """Return new names for all variables of a body; shape variables that it binds get theirs in `sizes`."""
        renamed: dict[str, str] = {}
        params = {param.name_hint for param in copy.params}
        for node in walk(body):
            if isinstance(node, tree.Var | tree.DataflowVar):
                name = node.name_hint
                if name not in params and name not in renamed and name not in ("_", self._result):
                    renamed[name] = self._names.fresh(name)
            elif isinstance(node, tree.PrimVar) and node.name not in sizes:
                sizes[node.name] = tree.PrimVar(self._names.fresh(node.name))
        return renamed

    def blocks(self) -> list[Block]:
        """Return the blocks for a place outside of dataflow blocks; the variable of the call may still follow."""
        call = self._binding
        before = [tree.BindingBlock(tuple(self._before), False, call.pos, call.end)] if self._before else []
        return [*before, *self._blocks]

    def flat(self) -> list[tree.Binding]:
        """Return the bindings for a place in a dataflow block."""
        var = self._binding.var
        made = [local(one) for one in self._before]
        for block in self._blocks:
            for one in block.bindings:
                leaves = (
                    self._result is not None and isinstance(var, tree.Var) and _hint(one.var) == _hint(var)
                )
                made.append(ordinary(one) if leaves else local(one))
        return made + self.last


def _hint(var: tree.Binder | None) -> str | None:
    return None if var is None else var.name_hint
