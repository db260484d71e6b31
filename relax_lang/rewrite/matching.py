"""`rewrite`: every place where a pattern is found, replaced by what a function makes of it.

A match never reaches over an effect: it lies in one block, and outside of dataflow blocks nothing impure is between
its parts, so that arrays that are changed in place are read where they were. What only the replaced expression
needed is removed if that is quiet.
"""

from __future__ import annotations

from relax_lang.analysis.bindings import count_bindings
from relax_lang.analysis.removable import Removable
from relax_lang.base.node import assert_never, replaced, same, unreachable, walk
from relax_lang.base.relax_error import RelaxError, refused
from relax_lang.base.source import SourceFile
from relax_lang.builder.effects import effect_of
from relax_lang.builder.values import Atom, Value
from relax_lang.check.infer.drivers.incremental import GrowingModule
from relax_lang.format.lexemes import global_name
from relax_lang.normalize.inner_bodies import body_of, with_inner
from relax_lang.rewrite import diagnostics as diag
from relax_lang.rewrite.dpl import Pattern
from relax_lang.rewrite.mutator import Mutator, mutate_function
from relax_lang.syntax import tree
from relax_lang.typed import Typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.rewrite.dpl import Found

    Change = Callable[[tree.Expr, Found], object]

MOST_ROUNDS = 100
"""How often a pattern may be found again in what was made of it."""
MOST_MATCHES = 4
"""How many matches there may be for each statement of the program; what makes more of its kind is stopped early."""


def rewrite(pattern: Pattern, change: Change, program: Any) -> Any:
    """Return a program in which `change(whole, found)` took the place of every expression of a pattern.

    `found` maps patterns to expressions. To return `whole` means no: then the next way of matching is tried. Matches
    are looked for from the last statement to the first, again and again until there is none. The result is of the kind
    that was given: a loaded module, or a `Typed`, also for a tree. Raises RelaxError if this does not end, or what is
    made does not fit.
    """
    if not isinstance(pattern, Pattern):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise refused(diag.bad_pattern, f"a pattern is needed, not a value of type {type(pattern).__name__}")
    return program_of(program, lambda typed: rewrite_typed(pattern, change, typed))


def program_of(program: Any, changed: Callable[[Typed], Typed]) -> Any:
    """Return a changed program of the kind that was given. Raises RelaxError for what is not a program."""
    if isinstance(program, tree.IRModule):
        return changed(Typed.of_tree(program))
    if isinstance(program, Typed):
        return changed(program)
    typed = getattr(program, "typed", None)
    if not isinstance(typed, Typed):
        raise refused(diag.bad_pattern, f"a program is needed, not a value of type {type(program).__name__}")
    return type(program)(changed(typed))


def endless(name: str, rounds: int) -> RelaxError:
    """Return the error for a rewrite that finds its pattern in a function again and again."""
    return RelaxError(SourceFile("", "<module>"), [diag.rewrite_does_not_end(None, name, rounds)])


def rewrite_typed(
    pattern: Pattern, change: Change, typed: Typed, endless: Callable[[str, int], RelaxError] = endless
) -> Typed:
    """Return a typed program in which a pattern was replaced; see `rewrite`. `endless` makes the error."""
    left = 100 + MOST_MATCHES * sum(count_bindings(function) for function in typed.functions)
    for rounds in range(MOST_ROUNDS + 1):
        changed: dict[tree.Item, tree.Item | None] = {}
        for function in typed.functions:
            places = Places(typed, function, pattern, change)
            if not places.found():
                continue
            left -= len(places.made)
            if rounds == MOST_ROUNDS or left < 0:
                assert function.name is not None
                raise endless(global_name(function.name.name_hint), rounds + 1)
            made = mutate_function(typed, function, _Replacing(places.made))
            changed[function] = without_dead(made, places.inside, typed)
        if not changed:
            return typed
        typed = typed.with_items(changed)
    return typed


def matches_in(pattern: Pattern, typed: Typed, function: tree.Function) -> list[tuple[tree.Expr, Found]]:
    """Return every way in which a right-hand side of a function is of a pattern, from the last statement on."""
    found: list[tuple[tree.Expr, Found]] = []

    def note(whole: tree.Expr, parts: Found) -> tree.Expr:
        found.append((whole, parts))
        return whole

    Places(typed, function, pattern, note).found()
    return found


class Places:
    """Looks for a pattern in one function; `found` maps right-hand sides to what takes their place."""

    def __init__(self, typed: Typed, function: tree.Function, pattern: Pattern, change: Change) -> None:
        self._typed = typed
        self._pattern = pattern
        self._change = change
        self._function = function
        self.made: dict[tree.Expr, object] = {}
        self.inside: set[str] = set()
        """Variables that a match goes through: their own statements are left for the next round."""
        self._values: dict[str, tree.Expr] = {}
        self._names: dict[tree.Expr, str] = {}
        self._infos = {var.name_hint: info for var, info in _definitions(typed, function)}
        self._uses: dict[str, int] = {}
        for node in walk(function):
            if isinstance(node, tree.Var) and node.struct_info_annotation is None:
                self._uses[node.name_hint] = self._uses.get(node.name_hint, 0) + 1
        for node in walk(function):  # a definition without annotation was counted, too
            if isinstance(node, tree.Binding) and isinstance(node.var, tree.Var):
                self._uses[node.var.name_hint] = self._uses.get(node.var.name_hint, 0) - 1
        self._module = GrowingModule.of(typed.items, typed.inferred.functions, typed.headers)

    def found(self) -> dict[tree.Expr, object]:
        """Return the replacements, by the node that they take the place of."""
        for seq in [node for node in walk(self._function) if isinstance(node, tree.SeqExpr)]:
            for block in seq.blocks:
                self._block(block)
        return self.made

    def _block(self, block: tree.BlockOfBindings) -> None:
        for run in self._runs(block):
            self._values = {one.var.name_hint: one.value for one in run if isinstance(one, tree.VarBinding)}
            self._names = {value: name for name, value in self._values.items()}
            for binding in reversed(run):
                if isinstance(binding, tree.VarBinding) and binding.var.name_hint not in self.inside:
                    self._try(binding.value)

    def _runs(self, block: tree.BlockOfBindings) -> list[list[tree.Binding]]:
        """Divide a block at what may have effects, which a dataflow block has none of, and behind what may change
        arrays in place: that can be the last part of a match, not an inner one.
        """
        dataflow = isinstance(block, tree.DataflowBlock)
        removable = Removable(self._typed.graph, self._function)
        runs: list[list[tree.Binding]] = [[]]
        for binding in block.bindings:
            value = binding.value
            if not dataflow and self._may_have_effects(value):
                runs.append([])
                continue
            runs[-1].append(binding)
            if isinstance(value, tree.Call) and not removable.is_quiet(value):
                runs.append([])
        return runs

    def _may_have_effects(self, value: tree.Expr) -> bool:
        match value:
            case tree.If():
                return True
            case tree.Call():
                return isinstance(value.op, tree.Var) or effect_of(value, self._module) is not None
            case tree.Function() | tree.TupleGetItem() | tree.Atom():
                return False
            case tree.NeverBound():
                return unreachable(value)
            case _:
                return assert_never(value)

    def _try(self, whole: tree.Expr) -> None:
        for found in self._pattern.matches(whole, self, {}):
            made = self._change(whole, found)
            if made is None:
                raise refused(diag.bad_pattern, "the function of a rewrite returned nothing")
            if made is whole or (isinstance(made, tree.Expr) and same(made, whole)):
                continue
            self.made[whole] = made
            for node in found.values():
                if isinstance(node, tree.Var) and node.name_hint in self._values:
                    self.inside.add(node.name_hint)
            return

    # What patterns ask.

    def value_of(self, node: tree.Expr) -> tree.Expr | None:
        """Return what a variable of the current run is bound to."""
        return self._values.get(node.name_hint) if isinstance(node, tree.Var) else None

    def info_of(self, node: tree.Expr) -> tree.StructInfo | None:
        """Return what is known of a variable or a constant, or of the right-hand side of a binding."""
        if isinstance(node, tree.Var):
            return self._infos.get(node.name_hint)
        name = self._names.get(node)
        if name is not None:
            return self._infos.get(name)
        if isinstance(node, tree.Constant) and not isinstance(node.data, tree.FileLit):
            from relax_lang.syntax.constants import constant_dtype, constant_shape

            dims = tree.ShapeExpr(tuple([tree.IntImm(extent) for extent in constant_shape(node)]))
            return tree.TensorStructInfo(dims, tree.DType(constant_dtype(node)), None)
        return None

    def uses_of(self, node: tree.Expr) -> int:
        """Return how often a variable is used."""
        return self._uses.get(node.name_hint, 0) if isinstance(node, tree.Var) else 0


def _definitions(
    typed: Typed, function: tree.Function
) -> list[tuple[tree.Var | tree.DataflowVar, tree.StructInfo]]:
    infos = typed.infos
    return [
        (node, infos[node])
        for node in walk(function)
        if isinstance(node, tree.Var | tree.DataflowVar) and node in infos
    ]


class _Replacing(Mutator):
    """Puts replacements in the place of right-hand sides."""

    def __init__(self, places: dict[tree.Expr, object]) -> None:
        self._places = places

    def visited(self, node: Any) -> Any:
        """Return what takes the place of a node; a callable emits it."""
        made = self._places.get(node, node)
        if isinstance(made, Value):
            return Atom(made.node) if isinstance(made, Atom) else made
        return made(self.builder) if callable(made) else made


def without_dead(function: tree.Function, inside: set[str], typed: Typed) -> tree.Function:
    """Return a function without those statements inside of matches that nothing needs any more, if they are quiet."""
    module = GrowingModule.of(typed.items, {}, typed.headers)
    left = set(inside)
    while left:
        dead = left - {node.name_hint for node in _uses(function)}
        if not dead:
            break
        left -= dead
        function = _Sweep(dead, module).function(function)
    return function


def _uses(function: tree.Function) -> list[tree.Var]:
    defined = {id(node.var) for node in walk(function) if isinstance(node, tree.Binding) and node.var}
    params = {
        id(param) for node in walk(function) if isinstance(node, tree.Function) for param in node.params
    }
    return [
        node
        for node in walk(function)
        if isinstance(node, tree.Var) and id(node) not in defined and id(node) not in params
    ]


class _Sweep:
    """Removes quiet statements whose variables are named."""

    def __init__(self, dead: set[str], module: GrowingModule) -> None:
        self.dead = dead
        self.module = module

    def function(self, function: tree.Function) -> tree.Function:
        return replaced(function, body=self.sequence(body_of(function.body)))

    def sequence(self, seq: tree.SeqExpr) -> tree.SeqExpr:
        blocks: list[tree.BlockOfBindings] = []
        for block in seq.blocks:
            kept = tuple([one for one in map(self.binding, block.bindings) if one is not None])
            if not kept:
                continue
            if isinstance(block, tree.DataflowBlock):
                blocks.append(tree.DataflowBlock(kept, block.outputs, block.pos, block.end))
            else:
                blocks.append(tree.BindingBlock(kept, block.explicit, block.pos, block.end))
        return tree.SeqExpr(tuple(blocks), seq.body, seq.pos, seq.end)

    def binding(self, binding: tree.Binding) -> tree.Binding | None:
        value = binding.value
        var = binding.var
        if isinstance(binding, tree.VarBinding) and var is not None and var.name_hint in self.dead:
            plain = not isinstance(value, tree.If | tree.Function)
            if plain and effect_of(value, self.module) is None and var.struct_info_annotation is None:
                return None
        return with_inner(binding, self.sequence)
