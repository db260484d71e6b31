"""What a message lists as fitting where a token does not. [R.29]"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.relay.syntax.run import RelayRun

_GROUPS = (
    ("LET", "a binding or a value"),
    ("FN", "an expression"),
    ("DEF", "`def`, `type` or `extern type`"),
    ("TENSOR", "a type"),
)
_VALUES = frozenset(
    ("NUMBER", "TRUE", "FALSE", "NAME", "META", "WHERE", "STRING", "LOCAL", "GRAPH", "GLOBAL")
)


def expectation(run: RelayRun, word: str) -> str:
    """Say what fits here: `expected an expression, found …`."""
    table = run.table
    names = {kind: name for name, kind in table.kind.items()}
    fitting = [names[kind] for kind in table.accepted(run.states)]
    parts = [words for name, words in _GROUPS if name in fitting][:1]
    if not parts:
        spelled = [f"`{table.spelling[table.kind[n]]}`" for n in fitting if table.kind[n] in table.spelling]
        marks = [one for one in spelled if not one[1:2].isalpha()]
        named = (("LOCAL", "`%name`"), ("GLOBAL", "`@name`"), ("NAME", "a name"), ("NUMBER", "a number"))
        parts = [
            shown
            for name, shown in named
            if name in fitting and not (name == "NUMBER" and "LOCAL" in fitting)
        ]
        parts += [
            one
            for one in marks
            if one in ("`(`", "`{`", "`[`", "`)`", "`]`", "`}`", "`;`", "`,`", "`=`", "`=>`")
        ]
    if not parts:
        return f"{word} does not belong here"
    parts = parts[:4]
    listed = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " or " + parts[-1]
    return f"expected {listed}, found {word}"
