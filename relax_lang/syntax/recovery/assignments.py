"""Assignments to names, `y = e;`: a new variable is meant, or another value for one that is bound. [Y.7]

The parser reads an assignment as a `let` and reports it at once. When the item is complete, the report is settled here:
only then it is known what else binds the name, and who uses it. Only loaded when there is an assignment.
"""

from __future__ import annotations

from bisect import bisect_left

from relax_lang.base.diagnostic import UNSAFE
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.syntax.recovery import assigned_values, assignments_in_prim_funcs
from relax_lang.syntax.recovery.diagnostics import reassigned_variable
from relax_lang.syntax.recovery.nesting import by_name, innermost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.base.source import Span
    from relax_lang.syntax.builders.items import Builder

    Assigned = dict[int, Diagnostic]

SHADOWS = "bind a new `{}`, which hides this one for the rest of the block"


def settle(builder: Builder, root: Node, assigned: Assigned) -> dict[int, Diagnostic]:
    """Return the final reports of the assignments of an item, by the offset of the name.

    `assigned` has the ones so far, each with the fix for a name that is not bound yet. Uses of which nothing more
    is to be said are added to the `wrong` ones.
    """
    if isinstance(root, tree.PrimFunc):
        return assignments_in_prim_funcs.settle(builder.text, root, assigned)
    return _InFunction(builder, root).settle(assigned)


class _Bound:
    """A definition of a variable, and the span in which it is visible."""

    __slots__ = ("binder", "block", "end", "start")

    def __init__(self, binder: tree.Binder, start: int, end: int, block: Span) -> None:
        self.binder = binder
        self.start = start
        self.end = end
        self.block = block
        """The `{ }` that it belongs to, that of a parameter being the body of its function."""


class _InFunction:
    def __init__(self, builder: Builder, root: Node) -> None:
        self.text = builder.text
        self.wrong = builder.wrong
        self.written = assigned_values.Written(builder, root)
        self.bindings: dict[int, tree.VarBinding] = {}
        self.blocks: list[Span] = []
        self.bound: list[_Bound] = []
        self.ifs: list[tuple[tree.VarBinding, tree.If]] = []
        """Statements that are an `if`."""
        uses: list[tree.Var] = []
        for node in walk(root):
            self._note(node, uses)
        self.uses = by_name([(use.name_hint, use) for use in uses])
        self.places = {name: sorted([use.pos for use in found]) for name, found in self.uses.items()}
        self.visible: dict[int, _Bound] = {}
        """The definition that is visible at each assignment."""
        self.block_at: dict[int, Span] = {}
        """The innermost block around each assignment, and around each statement that is an `if`."""
        self.if_at: dict[int, tuple[tree.VarBinding, tree.If]] = {}
        """The innermost of those statements around each assignment."""
        self.branches: dict[tuple[tree.If, str, bool], dict[int, None] | None] = {}
        """What `_assigning` has found."""
        self.is_wrong: set[str] = set()
        """Names of which nothing more is to be said."""

    def _note(self, node: Node, uses: list[tree.Var]) -> None:
        if isinstance(node, tree.Function):
            body = node.body.pos, node.body.end
            self.bound += [_Bound(param, *body, body) for param in node.params]
        elif isinstance(node, tree.SeqExpr):
            self.blocks.append((node.pos, node.end))
            for block in node.blocks:
                for binding in block.bindings:
                    if binding.var is not None:
                        end = block.end if _stays_in(block, binding) else node.end
                        self.bound.append(_Bound(binding.var, binding.end, end, (node.pos, node.end)))
                    if isinstance(binding, tree.VarBinding):
                        self.bindings[binding.var.pos] = binding
                        if isinstance(binding.value, tree.If) and binding.var.name_hint == "_":
                            self.ifs.append((binding, binding.value))
        elif isinstance(node, tree.Var) and node.struct_info_annotation is None:
            uses.append(node)

    def settle(self, assigned: Assigned) -> dict[int, Diagnostic]:
        self._look_around(assigned)
        found: dict[int, Diagnostic] = {}
        for at in sorted(assigned):
            binding = self.bindings.get(at)
            if binding is not None and at not in found:
                self.written.offer_let(assigned[at], binding)
                found.update(self._one(binding, at, assigned))
        return found

    def _look_around(self, assigned: Assigned) -> None:
        """Find what is visible at each assignment, and what is around it, in one pass over the places."""
        places = by_name([(self.bindings[at].var.name_hint, at) for at in assigned if at in self.bindings])
        bound = by_name([(one.binder.name_hint, one) for one in self.bound])
        for name, found in places.items():
            ordered = sorted(bound.get(name, ()), key=lambda one: one.binder.pos)
            self.visible |= innermost([(one.start, one.end, one) for one in ordered], found)
        self.if_at = innermost([(one[0].pos, one[0].end, one) for one in self.ifs], assigned)
        statements = [statement.pos for statement, _ in self.ifs]
        self.block_at = innermost([(*block, block) for block in self.blocks], [*assigned, *statements])

    def _one(self, binding: tree.VarBinding, at: int, assigned: Assigned) -> dict[int, Diagnostic]:
        name = binding.var.name_hint
        older = self.visible.get(at)
        branch = self.block_at.get(at, (-1, -1))
        choice = self._choice(name, at, assigned, older)
        if older is not None and older.block == branch:
            what = "assigned" if older.binder.pos in assigned else "bound"
            found = _reassigned(self.text, binding, older.binder, what)
            for fix in assigned[at].fixes:
                fix.title = SHADOWS.format(name)
                fix.applicability = UNSAFE
                found.fixes.append(fix)
                found.help = fix.title
            return {at: found}
        if choice is not None:
            statement, value, places = choice
            found = _reassigned(self.text, binding, None if older is None else older.binder, "bound")
            if older is None:
                self._nothing_more(name)
                found.message = f"`{name}` would be visible in this block only"
                if self._is_read_within(statement, name, places):
                    found.help = f"`{name}` is bound nowhere before: bind it with `let` before the `if`"
                    return dict.fromkeys(places, found)
            edits = self.written.choosing(statement, value, [self.bindings[one] for one in places])
            found.help = f"an `if` has a value: bind `{name}` to it"
            if edits:
                found.fix(found.help, *edits)
            return dict.fromkeys(places, found)
        if older is None:
            if self.written.is_compound(at):  # it uses what it assigns to
                self._nothing_more(name)
                assigned[at].fixes.clear()
                assigned[at].help = f"`{name}` is bound nowhere before: write `let {name} = …`"
                return {at: assigned[at]}
            if not self._is_used_only_in(branch, name):
                found = assigned[at]
                self._nothing_more(name)
                found.fixes.clear()
                found.help = f"bind `{name}` with `let`, in the block in which it is used"
                return {at: found}
            is_read = any(use is not binding.var for use in self.uses.get(name, ()))
            if not is_read and at in self.if_at:
                # A `let` in the branch would be accepted, and of no use.
                assigned[at].fixes.clear()
                assigned[at].help = f"an `if` has a value: `let {name} = if c {{ … }} else {{ … }};`"
            return {at: assigned[at]}
        found = _reassigned(self.text, binding, older.binder, "bound")
        return {at: found.helped(self._advice(name, at))}

    def _nothing_more(self, name: str) -> None:
        """Note that nothing more is to be said of the uses of a name."""
        if name not in self.is_wrong:
            self.is_wrong.add(name)
            self.wrong.update(self.uses.get(name, ()))

    def _is_used_only_in(self, block: Span, name: str) -> bool:
        uses = self.places.get(name)
        return not uses or (block[0] <= uses[0] and uses[-1] < block[1])

    def _choice(
        self, name: str, at: int, assigned: Assigned, older: _Bound | None
    ) -> tuple[tree.VarBinding, tree.If, list[int]] | None:
        """Return the `if` statement around an assignment, if all that its branches do is to assign to that name."""
        if at not in self.if_at:
            return None
        statement, value = self.if_at[at]
        block = self.block_at.get(statement.pos, (-1, -1))
        if older is None and not self._is_used_only_in(block, name):
            return None
        if older is not None and older.block != block:
            return None  # it would be bound in a branch, and not outside
        key = value, name, older is not None
        if key not in self.branches:
            found = _assigning(name, value, assigned, bound=older is not None)
            self.branches[key] = None if found is None else dict.fromkeys(found)
        places = self.branches[key]
        return None if places is None or at not in places else (statement, value, [*places])

    def _is_read_within(self, statement: tree.VarBinding, name: str, places: list[int]) -> bool:
        """Return whether a statement uses what the assignments in it assign to."""
        uses, assigned = self.places.get(name, ()), set(places)
        inside = uses[bisect_left(uses, statement.pos) : bisect_left(uses, statement.end)]
        return any(self.written.is_compound(at) for at in places) or not assigned.issuperset(inside)

    def _advice(self, name: str, at: int) -> str:
        if at in self.if_at:
            return f"an `if` has a value: `let {name} = if … {{ … }} else {{ {name} }};`"
        return "a block has a value: let it end with the new one, and bind that outside"


def _stays_in(block: tree.BlockOfBindings, binding: tree.Binding) -> bool:
    """Return whether the variable of a binding is only known in its dataflow block. [S.7 S.8]"""
    if not isinstance(block, tree.DataflowBlock) or binding.var is None:
        return False
    name = binding.var.name_hint
    if all(output.name_hint != name for output in block.outputs):
        return True
    later = block.bindings[block.bindings.index(binding) + 1 :]
    return any(one.var is not None and one.var.name_hint == name for one in later)


def _assigning(name: str, value: tree.Expr, assigned: Assigned, *, bound: bool) -> list[int] | None:
    """Return where the branches of an `if` assign to a name; None if one of them does anything else."""
    places: list[int] = []
    todo: list[tree.Expr] = [value]
    while todo:
        node = todo.pop()
        if isinstance(node, tree.If):
            todo += [node.false_branch, node.true_branch]
        elif isinstance(node, tree.SeqExpr) and not node.blocks:
            if not (bound and isinstance(node.body, tree.Missing) and node.pos == node.end):
                if not isinstance(node.body, tree.If):
                    return None
                todo.append(node.body)
        elif isinstance(node, tree.SeqExpr) and len(node.blocks) == 1:
            (block,) = node.blocks
            last = block.bindings[-1]
            if not isinstance(node.body, tree.Missing) or not isinstance(last, tree.VarBinding):
                return None
            if last.var.pos not in assigned or last.var.name_hint != name:
                return None
            if any(
                binding.var is not None and binding.var.pos in assigned for binding in block.bindings[:-1]
            ):
                return None
            places.append(last.var.pos)
        else:
            return None
    return places


def _reassigned(text: str, binding: tree.VarBinding, older: tree.Binder | None, what: str) -> Diagnostic:
    name = binding.var.name_hint
    place = (binding.var.pos, binding.var.pos + len(name))
    bound = None
    if older is not None:
        stop = text.find(older.name_hint, older.pos, older.end) + len(older.name_hint)
        bound = (older.pos, stop if stop > older.pos else older.end)
    return reassigned_variable(place, name, bound, f"is {what} already, and a variable never changes")
