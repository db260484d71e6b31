"""What would have fitted where a token does not: `expected a statement, found …`."""

from __future__ import annotations

from relax_lang.syntax import lalr_table
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.token_edits import ITEM_WORDS, STATEMENT_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

EXPRESSION_STARTS = frozenset(
    KIND[n]
    for n in (
        *(
            "NAME",
            "DOTTED",
            "QUOTED_NAME",
            "GLOBAL",
            "INT",
            "FLOAT",
            "TRUE",
            "FALSE",
            "INF",
            "NAN",
            "CONST",
            "LPAR",
        ),
        *(
            "LBRACE",
            "IF",
            "FN",
            "EXTERN",
            "SHAPE",
            "MINUS",
            "NOT",
            "TILDE",
            "MATCH_CAST",
            "MATCH_SHAPE",
            "STRING",
        ),
        *("PRIM_FUNC", "PURE", "IMPURE", "FORCE_PURE", "PRIVATE", "LSQB", "NULL"),
    )
)
OPERATORS = frozenset(
    KIND[n]
    for n in (
        *(
            "OROR",
            "ANDAND",
            "EQ",
            "NE",
            "LT",
            "LE",
            "GT",
            "GE",
            "PLUS",
            "MINUS",
            "STAR",
            "SLASH",
            "DSLASH",
            "PERCENT",
        ),
        *("DSTAR", "BAR", "CARET", "AMP", "SHL", "SHR", "ARROW", "LPAR", "LSQB", "DOTDOT"),
    )
)


def expectation(run: Run, word: str) -> str:
    """Say what fits here, in the reader's terms: `expected a statement, found …`."""
    fitting = set(lalr_table.accepted(run.states))
    fitting.discard(KIND["WITH"])  # older, and never what is missing
    parts: list[str] = []
    if KIND["DEF"] in fitting and KIND["CONST"] not in fitting:
        parts.append("`def` or `prim_func`")
        fitting -= ITEM_WORDS | {KIND["MODULE"]}
    kind, starts = category(run, fitting)
    if kind:
        parts.append(kind)
        fitting -= starts
    if len(fitting - OPERATORS) + len(parts) > 0 or len(fitting & OPERATORS) > 2:
        fitting -= OPERATORS
    if KIND["SEMICOLON"] in fitting:
        fitting.discard(KIND["ASSIGN"])  # `y = x;` is read, for the sake of its message
    names = [f"`{lalr_table.SPELLING[k]}`" for k in sorted(fitting) if k in lalr_table.SPELLING]
    others = (("STRING", "a string"), ("GLOBAL", "`@name`"), ("NAME", "a name"))
    names += [shown for terminal, shown in others if KIND[terminal] in fitting]
    parts += names[:4]
    found = "the end of the text" if not word else word if word.startswith("the end") else f"`{word[:40]}`"
    if not parts:
        return f"{found} does not belong here"
    listed = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " or " + parts[-1]
    return f"expected {listed}, found {found}"


def category(run: Run, fitting: set[int]) -> tuple[str, frozenset[int]]:
    """Return what all the tokens that fit begin, and these tokens."""
    if KIND["LET"] in fitting or KIND["FOR"] in fitting:
        return "a statement", EXPRESSION_STARTS | STATEMENT_WORDS | {KIND["ASSERT"]}
    if KIND["CONST"] in fitting:
        return "an expression", EXPRESSION_STARTS
    if KIND["TILDE"] in fitting:
        return "a number or a name", EXPRESSION_STARTS
    if lalr_table.symbol(run.states[-1]) == "LSQB" and KIND["LPAR"] in fitting:
        return "dimensions, `ndim=` or a dtype", EXPRESSION_STARTS | {KIND["RSQB"]}
    if KIND["FN"] in fitting and KIND["NAME"] in fitting:
        return "a struct info", EXPRESSION_STARTS
    if KIND["NULL"] in fitting:
        return "a literal", EXPRESSION_STARTS
    if lalr_table.symbol(run.states[-1]) == "EXTERN":
        return "a string", EXPRESSION_STARTS
    if KIND["NAME"] in fitting and KIND["STRING"] in fitting:
        return "a dtype", EXPRESSION_STARTS
    if KIND["QUOTED_NAME"] in fitting:
        return "a name", frozenset((KIND["NAME"], KIND["QUOTED_NAME"]))
    return "", frozenset()
