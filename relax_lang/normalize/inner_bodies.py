"""The bodies inside of bindings: branches and local functions."""

from __future__ import annotations

from relax_lang.base.node import assert_never, replaced, unreachable
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Change = Callable[[tree.SeqExpr], tree.SeqExpr]


def body_of(node: tree.Expr) -> tree.SeqExpr:
    """Return the body of a function or a branch, which is a SeqExpr in normal form. [N.5]"""
    assert isinstance(node, tree.SeqExpr)
    return node


def with_inner(binding: tree.Binding, change: Change) -> tree.Binding:
    """Return a binding whose branches, or whose body of a local function, are changed; itself if they stay."""
    value = binding.value
    match value:
        case tree.If():
            one, other = change(body_of(value.true_branch)), change(body_of(value.false_branch))
            if one is value.true_branch and other is value.false_branch:
                return binding
            return replaced(binding, value=replaced(value, true_branch=one, false_branch=other))
        case tree.Function():
            body = change(body_of(value.body))
            return binding if body is value.body else replaced(binding, value=replaced(value, body=body))
        case tree.Call() | tree.TupleGetItem() | tree.Atom():
            return binding
        case tree.NeverBound():
            return unreachable(value)
        case _:
            return assert_never(value)
