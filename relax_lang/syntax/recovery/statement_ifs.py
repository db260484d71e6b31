"""`if c { print(x); }` as a statement: what its branches lack is one mistake, with one report. [Y.7] [G.29]

The parser reports a missing `else`, each branch without a value, and the `;` behind. When the item is complete they
are put together here; where a branch assigns to a variable, the report of that is enough.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.syntax.recovery.nesting import by_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node


def settle(
    text: str, root: Node, found: list[Diagnostic], assigned: Iterable[int], wrong: set[Node]
) -> set[int]:
    """Put the reports about the parts of one `if` together; return the identities of those that are dropped.

    `assigned` has the offsets of the names that statements assign to. Uses of variables that a branch binds, of which
    nothing more is to be said, are added to `wrong`.
    """
    parts = {key: one for one in found if (key := _key(one)) is not None}
    if not parts:
        return set()
    ifs = [node for node in walk(root) if isinstance(node, tree.If)]
    inner = {id(other) for node in ifs if (other := _chained(node)) is not None}
    dropped = {id(binding.value) for node in walk(root) for binding in _statements(node)}
    gone: set[int] = set()
    places = sorted(assigned)
    pure = _in_dataflow_blocks(root, wrong)
    branches = _OfBranches(found, parts.values())
    names = _Names(text, root, wrong)
    for node in ifs:
        if id(node) in pure:  # no `if` belongs there, which is reported, whatever its branches lack
            gone.update([id(one) for one in branches.within(node)])
        elif id(node) not in inner:
            is_statement = id(node) in dropped
            settled = _settle_one(node, parts, places, is_statement=is_statement)
            kept = [one for one in branches.within(node) if id(one) not in settled] if is_statement else ()
            if kept:
                names.explain(node, kept[0])
            gone |= settled
    return gone


class _OfBranches:
    """The reports about branches, by where they begin."""

    def __init__(self, found: Iterable[Diagnostic], parts: Iterable[Diagnostic]) -> None:
        of_branches = {id(one) for one in parts if one.slug != "syntax"}
        numbered = [(one.pos, at, one) for at, one in enumerate(found) if id(one) in of_branches]
        self._ordered = sorted(numbered, key=lambda one: one[:2])

    def within(self, node: tree.If) -> list[Diagnostic]:
        """Return those about the branches of an `if`, in the order in which they were made."""
        first = bisect_left(self._ordered, node.pos, key=lambda one: one[0])
        last = bisect_left(self._ordered, node.end, key=lambda one: one[0])
        return [one for _, _, one in sorted(self._ordered[first:last], key=lambda one: one[1])]


def _in_dataflow_blocks(root: Node, wrong: set[Node]) -> set[int]:
    """Return the identities of each `if` in a dataflow block; outputs that only branches bind are added to `wrong`."""
    found: set[int] = set()
    for block in walk(root):
        if not isinstance(block, tree.DataflowBlock):
            continue
        names: set[str] = set()
        stop = block.pos
        for one in walk(block):
            if isinstance(one, tree.If):
                found.add(id(one))
                stop = max(stop, one.end)
            elif isinstance(one, tree.VarBinding) and one.pos < stop:
                names.add(one.var.name_hint)
        wrong.update([output for output in block.outputs if output.name_hint in names])
    return found


def _key(one: Diagnostic) -> tuple[str, int] | None:
    """Return what a report may be part of: its slug, and where the `if`, the block or the statement ends."""
    if one.slug in ("if-needs-else", "block-without-value"):
        return one.slug, one.pos
    edits = [edit for fix in one.fixes for edit in fix.edits]
    return (one.slug, edits[0].pos) if one.slug == "syntax" and edits and edits[0].text == ";" else None


def _statements(node: Node) -> list[tree.VarBinding]:
    if not isinstance(node, tree.BindingBlock):
        return []
    bound = [one for one in node.bindings if isinstance(one, tree.VarBinding)]
    return [one for one in bound if one.var.name_hint == "_"]


def _chained(node: tree.If) -> tree.If | None:
    """Return the `if` of `else if`."""
    other = node.false_branch
    is_chain = isinstance(other, tree.SeqExpr) and not other.blocks and isinstance(other.body, tree.If)
    return other.body if is_chain and other.pos == other.body.pos else None  # type: ignore[union-attr]


def _settle_one(
    node: tree.If,
    reports: Mapping[tuple[str, int], Diagnostic],
    assigned: Sequence[int],
    *,
    is_statement: bool,
) -> set[int]:
    """Settle what was reported of one `if`, with its chain; return the identities of the reports that are dropped."""
    keys: list[tuple[str, int]] = []
    link: tree.If | None = node
    while link is not None:
        keys.append(("if-needs-else", link.pos))
        branches = [one for one in (link.true_branch, link.false_branch) if isinstance(one, tree.SeqExpr)]
        missing = [branch.body.pos for branch in branches if isinstance(branch.body, tree.Missing)]
        keys += [("block-without-value", at) for at in missing]
        link = _chained(link)
    if is_statement:
        keys.append(("syntax", node.end))
    parts = [reports[key] for key in keys if key in reports]
    first = bisect_left(assigned, node.pos)
    if first < len(assigned) and assigned[first] < node.end:
        return {id(one) for one in parts}
    if not parts or (len(parts) == 1 and (not is_statement or parts[0].slug == "syntax")):
        return set()
    kept = _together(node, parts, is_statement=is_statement)
    return {id(one) for one in parts if one is not kept}


def _together(node: tree.If, parts: list[Diagnostic], *, is_statement: bool) -> Diagnostic:
    """Put the reports into the first one that is about the `if` itself; the value that they lack is `()`."""
    parts = sorted(parts, key=lambda one: (one.slug != "if-needs-else", one.slug == "syntax", one.pos))
    first = parts[0]
    if first.slug == "syntax":
        return first
    edits: list[Edit] = []
    for one in parts:
        if one.slug == "if-needs-else":
            edits += one.fixes[0].edits
        elif one.slug == "block-without-value":
            edits.append(Edit(one.pos, one.pos, "() "))
            if one is not first:
                first.label((one.pos, one.end), "this block has no value either")
    if is_statement and (first.slug == "if-needs-else" or any(one.slug == "syntax" for one in parts)):
        # The `;` goes behind a branch that is put in.
        if edits and edits[0].pos == node.end:
            edits[0] = Edit(node.end, node.end, edits[0].text + ";")
        else:
            edits.append(Edit(node.end, node.end, ";"))
    first.fixes.clear()
    first.help = ""
    if is_statement and not _has_value(node):  # the value of the statement is dropped, so `()` will do
        return first.fix("let each branch end with `()`", *edits, applicability=SAFE)
    return first.fix("let the branches without a value end with `()`, if theirs is not used", *edits)


def _has_value(node: tree.If) -> bool:
    """Return whether a branch has a value, for which the `if` may have been written."""
    branches: list[tree.Expr] = []
    link: tree.If | None = node
    while link is not None:
        other = _chained(link)
        branches += [link.true_branch] if other is not None else [link.true_branch, link.false_branch]
        link = other
    bodies = [branch.body for branch in branches if isinstance(branch, tree.SeqExpr)]
    return any(not isinstance(body, tree.Missing) and not _is_unit(body) for body in bodies)


def _is_unit(value: tree.Expr) -> bool:
    return isinstance(value, tree.Tuple) and not value.fields


class _Names:
    """Where the names of an item are bound and used; found out when an `if` is the first to ask."""

    def __init__(self, text: str, root: Node, wrong: set[Node]) -> None:
        self.text = text
        self.root = root
        self.wrong = wrong
        self.explained: dict[str, int] = {}
        """Of each name: the last of the uses after an `if` that are in `wrong`."""

    @cached_property
    def uses(self) -> dict[str, list[tree.Var]]:
        """Uses by name, from left to right."""
        found = [one for one in walk(self.root) if isinstance(one, tree.Var) and one.end > one.pos]
        return by_name([(one.name_hint, one) for one in sorted(found, key=lambda one: one.pos)])

    @cached_property
    def bindings(self) -> dict[str, list[int]]:
        """Where variables are bound, parameters left out."""
        found = [one.var for one in walk(self.root) if isinstance(one, tree.VarBinding)]
        return {
            name: sorted(places)
            for name, places in by_name([(one.name_hint, one.pos) for one in found]).items()
        }

    @cached_property
    def first(self) -> dict[str, int]:
        """Where each name is first bound, as a variable or a parameter."""
        params = [one for node in walk(self.root) if isinstance(node, tree.Function) for one in node.params]
        found = {name: places[0] for name, places in self.bindings.items()}
        for param in params:
            found[param.name_hint] = min(param.pos, found.get(param.name_hint, param.pos))
        return found

    def _after(self, name: str, node: tree.If) -> tuple[int, int]:
        """Return the range of the uses of a name that are after an `if`, up to where it is bound again."""
        uses, bindings = self.uses.get(name, []), self.bindings.get(name, [])
        following = bisect_left(bindings, node.end)
        stop = bindings[following] if following < len(bindings) else len(self.text)
        begin = bisect_left(uses, node.end, key=lambda one: one.pos)
        return begin, bisect_left(uses, stop, key=lambda one: one.pos)

    def _nothing_more(self, name: str, node: tree.If) -> None:
        """Note that nothing more is to be said of the uses of a name after an `if`."""
        begin, stop = self._after(name, node)
        if self.explained.get(name) != stop:  # else they are among those after an earlier `if`
            self.explained[name] = stop
            self.wrong.update(self.uses[name][begin:stop])

    def explain(self, node: tree.If, report: Diagnostic) -> None:
        """Where a branch binds what is read after the `if`, say how a value leaves a branch.

        No fix that lets the branches end in `()` would do: the variable would be gone, or still have its earlier value.
        """
        branches = [one for one in (node.true_branch, node.false_branch) if isinstance(one, tree.SeqExpr)]
        bound = by_name(
            [
                (binding.var.name_hint, binding)
                for branch in branches
                for block in branch.blocks
                for binding in block.bindings
                if isinstance(binding, tree.VarBinding) and binding.var.name_hint != "_"
            ]
        )
        after = {name: self._after(name, node) for name in bound}
        first = {name: self.uses[name][begin] for name, (begin, stop) in after.items() if begin < stop}
        if not first:
            return
        name, use = min(first.items(), key=lambda one: one[1].pos)
        shown = self.text[use.pos : use.end]
        earlier = 0 <= self.first.get(name, -1) < node.pos
        report.fixes.clear()
        report.labels[:] = [one for one in report.labels if "block" not in one.message]
        report.message = f"`{shown}` is bound in a branch only; an `if` has a value, which is bound outside"
        if earlier:
            report.message = (
                f"a branch does not change `{shown}`; an `if` has a value, which is bound outside"
            )
        report.label(bound[name][0].var, f"this `{shown}` ends with its block")
        report.label(use, "this is the earlier one" if earlier else "used here")
        report.helped(f"write `let {shown} = if … {{ … }} else {{ … }};`")
        if not earlier:
            for one in first:
                self._nothing_more(one, node)
        edits = _as_value(self.text, node, branches, bound[name], shown if earlier else "")
        if edits is not None and len(bound) == 1:
            report.fix(f"let the `if` be the value of `{shown}`", *edits)


def _as_value(
    text: str, node: tree.If, branches: list[tree.SeqExpr], bound: list[tree.VarBinding], other: str
) -> list[Edit] | None:
    """Return the edits that make `let z = if c { a } else { b };` of `if c { let z = a; } else { let z = b; }`.

    `other` is the value where there is no `else`, if there is one.
    """
    var = bound[0].var
    shown = text[var.pos : var.pos + len(var.name_hint)]
    edits = [Edit(node.pos, node.pos, f"let {shown} = ")]
    behind = ""
    for branch in branches:
        mine = [one for one in bound if branch.pos <= one.pos < branch.end]
        count = sum(len(block.bindings) for block in branch.blocks)
        if branch.pos == branch.end:  # no `else`
            if not other:
                return None
            behind = f" else {{ {other} }}"
        elif len(mine) != 1 or count != 1 or not isinstance(branch.body, tree.Missing):
            return None
        else:
            edits.append(Edit(mine[0].pos, mine[0].end, text[mine[0].value.pos : mine[0].value.end]))
    behind += "" if text[node.end : node.end + 1] == ";" else ";"
    return [*edits, Edit(node.end, node.end, behind)] if behind else edits
