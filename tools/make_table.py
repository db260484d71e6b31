"""Write the tables of the parsers from grammar/*.lark: the LALR table, the rules and the master regex.

relax_lang/syntax/table.py is that of Relax, relax_lang/relay/syntax/table.py that of Relay. Lark analyses the grammars
here, at build time; the parsers need only what this writes. `--check` compares the committed files with fresh ones (by
content: the compressed bytes may differ between zlib versions).
"""

from __future__ import annotations

import binascii
import json
import re
import sys
import zlib
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lark import Lark
from lark.grammar import NonTerminal, Rule, Terminal
from lark.lexer import PatternStr

ROOT = Path(__file__).resolve().parent.parent
PACKED = ("ACTION", "GOTO_KEYS", "GOTO_TARGETS")
"""What is written compressed."""

CONTEXTUAL = ("with",)
"""Words that the tokens' expression reads as names, and the driver as words where no name fits."""

HEADER = '''"""The parse table. Generated from grammar/*.lark by tools/make_table.py: do not edit."""

'''


@dataclass
class Language:
    """A grammar: its files, where the table goes, what can be parsed, and the order in which tokens are tried."""

    files: tuple[str, ...]
    target: str
    starts: tuple[str, ...]
    pattern_order: tuple[str, ...]
    """The frequent ones first, the longest before its beginnings; an empty name means all punctuation."""

    @property
    def path(self) -> Path:
        """The module that holds the table."""
        return ROOT / self.target

    def text(self) -> str:
        """Return the concatenated grammar files (`%import` would rename rules)."""
        return "\n".join((ROOT / "grammar" / f"{n}.lark").read_text(encoding="utf-8") for n in self.files)


LANGUAGES = (
    Language(
        ("relax", "tir", "tokens"),
        "relax_lang/syntax/table.py",
        ("module", "expr", "struct_info", "prim", "statements", "tir_statements"),
        ("NAME", "", "FLOAT", "INT", "GLOBAL", "COMMENT", "STRING", "DOTTED", "QUOTED_NAME"),
    ),
    Language(
        ("relay",),
        "relax_lang/relay/syntax/table.py",
        ("module", "body", "type"),
        (
            *(
                "METADATA",
                "HEADER",
                "COMMENT",
                "OLD_VERSION",
                "NAME",
                "LOCAL",
                "GRAPH",
                "NUMBER",
                "INDEX",
                "GLOBAL",
            ),
            *("TYPE_LT", "", "STRING"),
        ),
    ),
)


def analyse(language: Language) -> dict[str, Any]:
    """Return the content of the table."""
    starts = language.starts
    lark = Lark(language.text(), parser="lalr", start=list(starts), maybe_placeholders=True)
    parser: Any = lark.parser
    table = parser.parser._parse_table
    ignored = ("COMMENT", "WHITESPACE")
    terminals = ["$END", *sorted(t.name for t in lark.terminals if t.name not in ignored)]
    kind = {name: i for i, name in enumerate(terminals)}
    rules: list[Rule] = sorted(lark.rules, key=rule_key)
    nonterminals = sorted({str(rule.origin.name) for rule in rules})
    number = {name: i for i, name in enumerate(nonterminals)}
    described = [describe(rule, number) for rule in rules]
    by_rule = {rule_key(rule): i for i, rule in enumerate(rules)}
    states = renumber(table, starts)
    width = len(terminals)
    action = array("i", bytes(4 * width * (len(states) + 1)))
    gotos: list[tuple[int, int]] = []
    symbol = [""] * (len(states) + 1)
    for state, row in table.states.items():
        base = states[state] * width
        for name, (what, target) in row.items():
            if str(what) == "Reduce":
                action[base + kind[name]] = -1 - by_rule[rule_key(target)]
                continue
            symbol[states[target]] = name
            if name in kind:
                action[base + kind[name]] = states[target] * width
            else:
                gotos.append((base * len(nonterminals) + number[name], states[target] * width))
    gotos.sort()
    literals = {
        t.pattern.value: kind[t.name]
        for t in sorted(lark.terminals, key=lambda t: t.name)
        if isinstance(t.pattern, PatternStr) and t.pattern.value not in CONTEXTUAL
    }
    patterns = {t.name: t.pattern.value for t in lark.terminals if not isinstance(t.pattern, PatternStr)}
    pattern, groups = master_regex(literals, patterns, kind, language.pattern_order)
    return {
        "STARTS": {name: states[table.start_states[name]] * width for name in starts},
        "ENDS": {name: states[table.end_states[name]] * width for name in starts},
        "TERMINALS": tuple(terminals),
        "NONTERMINALS": tuple(nonterminals),
        "LITERALS": literals,
        "PATTERN": pattern,
        "GROUP_KINDS": tuple(groups),
        "RULE_LEFT": tuple(d[0] for d in described),
        "RULE_LENGTH": tuple(d[1] for d in described),
        "RULE_ACTION": tuple(d[2] for d in described),
        "RULE_PICKS": tuple(d[3] for d in described),
        "SYMBOLS": " ".join(name or "-" for name in symbol),
        "ACTION": action.tolist(),
        "GOTO_KEYS": [key for key, _ in gotos],
        "GOTO_TARGETS": [target for _, target in gotos],
    }


def rule_key(rule: Rule) -> tuple[str, tuple[str, ...]]:
    """Return what identifies a rule: its left side and its expansion."""
    return str(rule.origin.name), tuple(str(symbol.name) for symbol in rule.expansion)


def renumber(table: Any, starts: tuple[str, ...]) -> dict[Any, int]:
    """Number the states from 1 (0 would read as "no shift"), breadth first from the starts, symbols in order.

    Lark's own numbers depend on the hash seed; these do not.
    """
    order: dict[Any, int] = {}
    queue = [table.start_states[name] for name in starts]
    for state in queue:
        if state not in order:
            order[state] = len(order) + 1
            row = table.states[state]
            queue += [row[name][1] for name in sorted(row) if str(row[name][0]) == "Shift"]
    return order


def describe(rule: Rule, number: dict[str, int]) -> tuple[int, int, str, tuple[int, ...]]:
    """Return (left side, length, action, positions of the children that the action gets; -1 is None)."""
    keep_all: bool = rule.options.keep_all_tokens
    picks: list[int] = []
    empty: Any = rule.options.empty_indices
    position = 0
    for missing in empty or [False] * len(rule.expansion):
        if missing:
            picks.append(-1)
            continue
        symbol = rule.expansion[position]
        if (
            isinstance(symbol, NonTerminal)
            or keep_all
            or not (isinstance(symbol, Terminal) and symbol.filter_out)
        ):
            picks.append(position)
        position += 1
    return number[rule.origin.name], len(rule.expansion), str(rule.alias or rule.origin.name), tuple(picks)


def master_regex(
    literals: dict[str, int], patterns: dict[str, str], kind: dict[str, int], pattern_order: tuple[str, ...]
) -> tuple[str, list[int]]:
    """Return one regex for all tokens, and the kind of each of its groups (-1: look the text up)."""
    marks = sorted((text for text in literals if not text[0].isalpha()), key=lambda t: (-len(t), t))
    single = "".join(re.escape(text) for text in marks if len(text) == 1)
    double = [re.escape(text) for text in marks if len(text) > 1]
    punctuation = "|".join([*double, f"[{single}]"])
    space = patterns["WHITESPACE"].removesuffix("+")
    negated = f"[^{space[1:]}"
    parts: list[str] = []
    groups = [0]
    for name in pattern_order:
        parts.append(f"({patterns[name] if name else punctuation})")
        groups.append(-1 if name in ("", "NAME") else -2 if name == "COMMENT" else kind[name])
    parts.append(f"({negated})")  # no token: reported as a bad character
    groups.append(-3)
    return f"{space}*(?:{'|'.join(parts)})", groups


def packed(numbers: list[int]) -> str:
    """Return 32-bit little-endian integers, compressed, as text."""
    data = array("i", numbers)
    if sys.byteorder == "big":
        data.byteswap()
    return binascii.b2a_base64(zlib.compress(data.tobytes(), 9), newline=False).decode("ascii")


def generate(content: dict[str, Any]) -> str:
    """Return the text of table.py."""
    lines = [HEADER]
    for name, value in content.items():
        if name in PACKED:
            text = packed(value)
            chunks = [text[i : i + 110] for i in range(0, len(text), 110)]
            lines.append(f"{name}: str = (\n" + "\n".join(f'    "{chunk}"' for chunk in chunks) + "\n)\n")
        elif isinstance(value, dict):
            pairs: list[tuple[str, int]] = list(value.items())  # pyright: ignore[reportUnknownArgumentType]
            rows = "".join(f"    {json.dumps(key)}: {item!r},\n" for key, item in pairs)
            lines.append(f"{name} = {{\n{rows}}}\n")
        elif isinstance(value, tuple):
            items: tuple[object, ...] = value  # pyright: ignore[reportUnknownVariableType]
            rows = "".join(f"    {item!r},\n" for item in items)
            kind = type(items[0]).__name__ if items else "int"
            kind = "tuple[int, ...]" if kind == "tuple" else kind
            lines.append(f"{name}: tuple[{kind}, ...] = (\n{rows})\n")
        else:
            lines.append(f"{name}: str = {value!r}\n")
    return "".join(lines)


def unpacked(text: str) -> list[int]:
    """Reverse `packed`."""
    data = array("i")
    data.frombytes(zlib.decompress(binascii.a2b_base64(text)))
    return data.tolist()


def check(language: Language, content: dict[str, Any]) -> None:
    """End with an error if the committed table is not this one."""
    found: dict[str, Any] = {}
    exec(language.path.read_text(encoding="utf-8"), found)
    for name, value in content.items():
        old = unpacked(found[name]) if name in PACKED else found[name]
        if old != value:
            raise SystemExit(f"{language.target}: {name} is stale; run tools/make_table.py")


def main() -> None:
    """Write the files, or with --check compare them."""
    for language in LANGUAGES:
        content = analyse(language)
        if "--check" in sys.argv:
            check(language, content)
        else:
            language.path.write_text(generate(content), encoding="utf-8")


if __name__ == "__main__":
    main()
