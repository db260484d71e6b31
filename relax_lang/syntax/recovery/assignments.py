"""Assignments to names, `y = e;`: a new variable is meant, or another value for one that is bound. [Y.7]

The parser reads an assignment as a `let` and reports it at once. When the item is complete, the report is settled here:
only then it is known what else binds the name, and who uses it. Only loaded when there is an assignment.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import UNSAFE
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.syntax.recovery import assigned_values, assignments_in_prim_funcs
from relax_lang.syntax.recovery.diagnostics import reassigned_variable

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
        self.written = assigned_values.Written(builder)
        self.bindings: dict[int, tree.VarBinding] = {}
        self.blocks: list[Span] = []
        self.bound: list[_Bound] = []
        self.uses: list[tree.Var] = []
        self.ifs: list[tuple[tree.VarBinding, tree.If]] = []
        """Statements that are an `if`."""
        for node in walk(root):
            self._note(node)

    def _note(self, node: Node) -> None:
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
            self.uses.append(node)

    def settle(self, assigned: Assigned) -> dict[int, Diagnostic]:
        found: dict[int, Diagnostic] = {}
        for at in sorted(assigned):
            binding = self.bindings.get(at)
            if binding is not None and at not in found:
                self.written.offer_let(assigned[at], binding)
                found.update(self._one(binding, at, assigned))
        return found

    def _one(self, binding: tree.VarBinding, at: int, assigned: Assigned) -> dict[int, Diagnostic]:
        name = binding.var.name_hint
        older = self._visible(name, at)
        branch = self._block_of(at)
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
                self.wrong.update(self._uses_of(name))
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
                self.wrong.update(self._uses_of(name))
                assigned[at].fixes.clear()
                assigned[at].help = f"`{name}` is bound nowhere before: write `let {name} = …`"
                return {at: assigned[at]}
            if any(not self._is_within(use.pos, branch) for use in self._uses_of(name)):
                found = assigned[at]
                self.wrong.update(self._uses_of(name))
                found.fixes.clear()
                found.help = f"bind `{name}` with `let`, in the block in which it is used"
                return {at: found}
            is_read = any(use is not binding.var for use in self._uses_of(name))
            if not is_read and any(one.pos <= at < one.end for one, _ in self.ifs):
                # A `let` in the branch would be accepted, and of no use.
                assigned[at].fixes.clear()
                assigned[at].help = f"an `if` has a value: `let {name} = if c {{ … }} else {{ … }};`"
            return {at: assigned[at]}
        found = _reassigned(self.text, binding, older.binder, "bound")
        return {at: found.helped(self._advice(name, at))}

    def _visible(self, name: str, at: int) -> _Bound | None:
        seen = [one for one in self.bound if one.binder.name_hint == name and one.start <= at < one.end]
        seen = [one for one in seen if one.binder.pos < at]
        return max(seen, key=lambda one: one.binder.pos, default=None)

    def _block_of(self, at: int) -> Span:
        around = [block for block in self.blocks if block[0] <= at < block[1]]
        return max(around, default=(-1, -1))

    def _uses_of(self, name: str) -> list[tree.Var]:
        return [use for use in self.uses if use.name_hint == name]

    @staticmethod
    def _is_within(at: int, block: Span) -> bool:
        return block[0] <= at < block[1]

    def _choice(
        self, name: str, at: int, assigned: Assigned, older: _Bound | None
    ) -> tuple[tree.VarBinding, tree.If, list[int]] | None:
        """Return the `if` statement around an assignment, if all that its branches do is to assign to that name."""
        around = [one for one in self.ifs if one[0].pos <= at < one[0].end]
        if not around:
            return None
        statement, value = max(around, key=lambda one: one[0].pos)
        block = self._block_of(statement.pos)
        if older is None and any(not self._is_within(use.pos, block) for use in self._uses_of(name)):
            return None
        if older is not None and older.block != block:
            return None  # it would be bound in a branch, and not outside
        places = _assigning(name, value, assigned, bound=older is not None)
        return None if places is None or at not in places else (statement, value, places)

    def _is_read_within(self, statement: tree.VarBinding, name: str, places: list[int]) -> bool:
        """Return whether a statement uses what the assignments in it assign to."""
        span = statement.pos, statement.end
        return any(self.written.is_compound(at) for at in places) or any(
            use.pos not in places and self._is_within(use.pos, span) for use in self._uses_of(name)
        )

    def _advice(self, name: str, at: int) -> str:
        if any(statement.pos <= at < statement.end for statement, _ in self.ifs):
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
