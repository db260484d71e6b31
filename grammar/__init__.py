"""The grammar of the language and the declaration of its tree, as data for tools of your own.

`*.lark` are Lark grammars, `tree.asdl` declares the node classes. relax-lang itself does not need Lark to run: it
parses with a table that was generated from these files. `lark_parser` is for everyone else.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lark import Lark

FILES = ("relax.lark", "tir.lark", "tokens.lark")
"""The parts of the grammar, in the order in which they make one Lark grammar."""


def grammar_text() -> str:
    """Return the whole grammar as one Lark grammar."""
    from importlib.resources import files

    folder = files(__name__)
    return "\n".join([folder.joinpath(name).read_text(encoding="utf-8") for name in FILES])


def lark_parser(start: str = "module") -> Lark:
    """Return a stock Lark parser of the language, from the rule `start`.

    It reads what relax-lang reads without error recovery, and gives Lark's own trees: the names after `->` in
    `relax.lark` and `tir.lark` are the names of their nodes. Names are not resolved. A few productions exist only
    so that `relax check` can explain a mistake, so a text that parses may still be reported. `start` is a rule of
    the grammar, such as `module`, `expr`, `struct_info`, `prim` or `statements`. Raises
    `lark.exceptions.UnexpectedInput` if a text does not parse.

        >>> tree = lark_parser().parse("def @main(x: Tensor) { x }")
        >>> [str(token) for token in tree.scan_values(lambda token: str(token).startswith("@"))]
        ['@main']
    """
    from lark import Lark  # only tools of other people need Lark at run time

    return Lark(grammar_text(), parser="lalr", lexer="basic", start=start)
