"""`if c { print(x); }` as a statement: what its branches lack is one mistake, with one report. [Y.7] [G.29]

The parser reports a missing `else`, each branch without a value, and the `;` behind. When the item is complete they
are put together here; where a branch assigns to a variable, the report of that says it all.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE, UNSAFE, Edit
from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node


def settle(root: Node, found: list[Diagnostic], assigned: Collection[int]) -> list[Diagnostic]:
    """Return the diagnostics with those about the parts of one `if` put together.

    `assigned` has the offsets of the names that statements assign to.
    """
    ifs = [node for node in walk(root) if isinstance(node, tree.If)]
    inner = {id(other) for node in ifs if (other := _chained(node)) is not None}
    dropped = {id(binding.value) for node in walk(root) for binding in _statements(node)}
    for node in ifs:
        if id(node) not in inner:
            found = _settle_one(node, found, assigned, is_statement=id(node) in dropped)
    return found


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
    node: tree.If, found: list[Diagnostic], assigned: Collection[int], *, is_statement: bool
) -> list[Diagnostic]:
    ends: set[int] = set()
    starts: set[int] = set()
    assigns = any(node.pos <= at < node.end for at in assigned)
    link: tree.If | None = node
    while link is not None:
        starts.add(link.pos)
        for branch in (link.true_branch, link.false_branch):
            if isinstance(branch, tree.SeqExpr) and isinstance(branch.body, tree.Missing):
                ends.add(branch.body.pos)
        link = _chained(link)
    parts = [one for one in found if _is_part(one, node, starts, ends, is_statement=is_statement)]
    if not parts or (len(parts) == 1 and not assigns and not _is_value_missing(parts[0], is_statement)):
        return found
    rest = [one for one in found if not any(one is part for part in parts)]
    return rest if assigns else [*rest, _together(node, parts, is_statement=is_statement)]


def _is_part(one: Diagnostic, node: tree.If, starts: set[int], ends: set[int], *, is_statement: bool) -> bool:
    if one.slug == "if-needs-else":
        return one.pos in starts
    if one.slug == "block-without-value":
        return one.pos in ends
    edits = [(edit.pos, edit.text) for fix in one.fixes for edit in fix.edits]
    return is_statement and one.slug == "syntax" and edits == [(node.end, ";")]


def _is_value_missing(one: Diagnostic, is_statement: bool) -> bool:
    return is_statement and one.slug != "syntax"


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
    # The value of a statement is dropped, so `()` will do; elsewhere it is a guess.
    return first.fix("let each branch end with `()`", *edits, applicability=SAFE if is_statement else UNSAFE)
