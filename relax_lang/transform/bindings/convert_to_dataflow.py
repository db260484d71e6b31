"""ConvertToDataflow: runs of pure bindings become dataflow blocks."""

from __future__ import annotations

from relax_lang.analysis.bindings import FreeNames, names_in
from relax_lang.base.node import walk
from relax_lang.normalize.inner_bodies import body_of
from relax_lang.syntax import tree
from relax_lang.transform.core.binders import local, ordinary
from relax_lang.transform.core.rebuild import sequence, with_body, with_inner
from relax_lang.transform.core.revealing import without_revealing
from relax_lang.transform.pass_manager.forms import NO_DATAFLOW
from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from relax_lang.typed import Typed


@module_pass("ConvertToDataflow", "min_size: int>0 = 2", loses=(NO_DATAFLOW,), idempotent=True)
def convert_to_dataflow(typed: Typed, run: Run, min_size: int) -> Typed:
    """Turn runs of at least `min_size` pure bindings without control flow into dataflow blocks.

    Dataflow blocks that are there grow by their pure neighbours and merge, whatever their size. What is used after a
    block is its output. An impure call, a call of a packed function without `pure=true`, and an `if` end a run; so
    does a function literal that uses what is bound in it, since no function may use a variable of a dataflow block.
    Blocks are also made in branches and in local functions.

    In a dataflow block, what nothing needs may be left out together with its failures, so that nothing follows from
    the checks in it. A function that would certainly fail at some place without what follows from them, should a run
    come there, stays as it is.

    ```relax before
    def @main(x: Tensor[(n,), float32]) {
      let a = exp(x);
      let b = negative(a);
      print(b);
      let c = add(a, b);
      c
    }
    ```

    ```relax after
    def @main(x: Tensor[(n,), float32]) {
      dataflow {
        let a = exp(x);
        let b = negative(a);
        output a, b;
      }
      print(b);
      let c = add(a, b);
      c
    }
    ```
    """
    changed: dict[tree.Item, tree.Item | None] = {}
    may_reveal = False
    for function in typed.functions:
        made = with_body(function, _sequence(body_of(function.body), _Scope(typed, min_size, function)))
        if made is not function:
            changed[function] = made
            may_reveal = may_reveal or _assumes_more(function.body)
    if not may_reveal:
        return typed.with_items(changed)

    def kept(function: tree.Function) -> tree.Function:
        run.remark(function, "it has no blocks: in them a failure is certain that only the run meets")
        return function

    return without_revealing(typed, changed, kept)


def _assumes_more(body: tree.Expr) -> bool:
    """Return whether anything but calls says something about sizes: only that can contradict what calls have checked,
    so that what comes after both can never fail.
    """
    return any(
        isinstance(node, tree.If | tree.MatchCast | tree.Function)
        or (isinstance(node, tree.VarBinding) and node.var.struct_info_annotation is not None)
        for node in walk(body)
    )


class _Scope:
    """What is known of the function around a sequence: its effects, and the names that would be calls of itself.

    Both are found out when they are first asked for.
    """

    __slots__ = ("_function", "_recursive", "_typed", "min_size", "names")

    def __init__(
        self, typed: Typed, min_size: int, function: tree.Function, recursive: frozenset[str] | None = None
    ) -> None:
        self.names = FreeNames()
        self._typed = typed
        self._function = function
        self._recursive = recursive
        self.min_size = min_size

    @property
    def recursive(self) -> frozenset[str]:
        """The names that mention something of which the function is a part."""
        if self._recursive is None:
            self._recursive = self._typed.cycles().get(self._function, frozenset())
        return self._recursive

    def within(self, name: str) -> _Scope:
        """Return the scope of a local function, which may call itself by a name."""
        inner = _Scope(self._typed, self.min_size, self._function, self.recursive | {name})
        inner.names = self.names
        return inner

    def has_effects(self, value: tree.Expr) -> bool:
        """Return whether evaluating something may have effects."""
        return value in self._typed.effects

    def is_recursive(self, value: tree.Expr) -> bool:
        """Return whether something mentions a function that it is itself a part of."""
        if not self.recursive:
            return False
        return any(
            isinstance(node, tree.Var | tree.GlobalVar) and node.name_hint in self.recursive
            for node in walk(value)
        )


def _sequence(seq: tree.SeqExpr, scope: _Scope) -> tree.SeqExpr:
    """Return a sequence whose runs are dataflow blocks; from the end, since outputs are what is used later."""
    if _is_whole(seq):
        return seq
    flat: list[tuple[tree.Binding, bool]] = []
    mentioned: list[Collection[str]] = []
    for block in seq.blocks:
        for binding in block.bindings:
            flat.append((_inside(binding, scope), isinstance(block, tree.DataflowBlock)))
            mentioned.append(scope.names.of(binding))
    captured = _captured(seq, scope.names)
    used = names_in(seq.body)
    blocks: list[tree.BlockOfBindings] = []
    at = len(flat)
    while at:
        end = at
        while at and _may_flow(flat[at - 1][0], scope, captured):
            at -= 1
        run = [binding for binding, _ in flat[at:end]]
        if run and (len(run) >= scope.min_size or any(dataflow for _, dataflow in flat[at:end])):
            blocks.append(_dataflow(run, used))
        elif run:
            blocks.append(tree.BindingBlock(tuple(run), False, run[0].pos, run[-1].end))
        used.update(*mentioned[at:end])
        if at:
            at -= 1
            binding, dataflow = flat[at]
            # What flowed before stays in its block: it is as pure as its author declared.
            kind = _dataflow([binding], used) if dataflow else None
            blocks.append(kind or tree.BindingBlock((binding,), False, binding.pos, binding.end))
            used.update(mentioned[at])
    blocks.reverse()
    made = sequence(seq, blocks, seq.body)
    return seq if _same(seq.blocks, made.blocks) else made


def _is_whole(seq: tree.SeqExpr) -> bool:
    """Return whether a sequence is one dataflow block already, all outputs of which are used."""
    if len(seq.blocks) != 1 or not isinstance(seq.blocks[0], tree.DataflowBlock):
        return False
    return {var.name_hint for var in seq.blocks[0].outputs} <= names_in(seq.body)


def _inside(binding: tree.Binding, scope: _Scope) -> tree.Binding:
    if isinstance(binding.value, tree.Function):
        scope = scope.within("" if binding.var is None else binding.var.name_hint)
    return with_inner(binding, lambda body: _sequence(body, scope))


def _may_flow(binding: tree.Binding, scope: _Scope, captured: set[str]) -> bool:
    value = binding.value
    if isinstance(value, tree.If | tree.Function) or scope.has_effects(value) or scope.is_recursive(value):
        return False
    return binding.var is None or binding.var.name_hint not in captured


def _captured(seq: tree.SeqExpr, names: FreeNames) -> set[str]:
    """Return the variables that function literals of a sequence use: these cannot be in a dataflow block alone."""
    found: set[str] = set()
    for block in seq.blocks:
        for binding in block.bindings:
            if isinstance(binding.value, tree.Function):
                found.update(names.of(binding.value))
    return found


def _dataflow(run: list[tree.Binding], used: set[str]) -> tree.DataflowBlock:
    bindings: list[tree.Binding] = []
    outputs: list[tree.Var] = []
    for binding in run:
        var = binding.var
        if var is None or var.name_hint == "_":
            bindings.append(binding)
        elif var.name_hint in used:
            bindings.append(ordinary(binding))
            outputs.append(tree.Var(var.name_hint, None, var.pos, var.end))
        else:
            bindings.append(local(binding))
    return tree.DataflowBlock(tuple(bindings), tuple(outputs), run[0].pos, run[-1].end)


def _same(before: tuple[tree.BlockOfBindings, ...], now: tuple[tree.BlockOfBindings, ...]) -> bool:
    if len(before) != len(now):
        return False
    for one, other in zip(before, now, strict=True):
        if type(one) is not type(other) or one.bindings != other.bindings:
            return False
        if _outputs(one) != _outputs(other):
            return False
    return True


def _outputs(block: tree.BlockOfBindings) -> set[str]:
    return {var.name_hint for var in block.outputs} if isinstance(block, tree.DataflowBlock) else set()
