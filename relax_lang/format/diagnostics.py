"""Diagnostics of the printer and the formatter: RLX0510, RLX9902."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, Diagnostic, Rule, rule
from relax_lang.base.node import Node


@rule("RLX0510", "unprintable-node", ERROR, "G.43")
def unprintable_node(rule: Rule, node: Node, reason: str) -> Diagnostic:
    """A tree built in Python has a node without a text form.

    Every tree that is read from text can be printed. A tree that a Python program builds can say more than
    the language does: a DataflowVar outside its dataflow block, an operator with the name of a local
    variable as a callee, a function whose body is not a SeqExpr, a negative tuple index. Printing it would
    give a text that is read as a different program, so it is refused; the message names the node and the
    reason.

    No text gives this diagnostic. In Python:

    ```python
    print_tree(Tuple((DataflowVar("x"),)))  # it is only written where it is bound; its uses are Var
    print_tree(Tuple((Var("x"),)))          # (x,)
    ```
    """
    place = node if getattr(node, "pos", -1) >= 0 else None  # what is not a node at all may lack even a place
    return rule.at(place, f"`{type(node).__name__}` has no text form: {reason}")


@rule("RLX9902", "format-not-stable", ERROR)
def format_not_stable(rule: Rule, what: str) -> Diagnostic:
    """The formatter found a mistake in its own output and left the text alone.

    Before formatted text is returned it is read again: it must hold the same program and the same
    comments, and formatting it once more must change nothing. Where that fails, the formatter is wrong, not
    the program. Please report it with the text.

    No program is known that gives this diagnostic.
    """
    found = rule.at(None, f"internal error: formatting {what}; the text is left as it was")
    return found.helped("please report this with the text that was formatted")
