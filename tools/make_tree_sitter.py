"""Write editors/tree-sitter-relax: the tables of `src/parser.c`, and `queries/`, from grammar/*.lark.

tree-sitter's own generator starts from a grammar of its own notation; this starts from the one grammar that the project
has. Lark analyses it, and the tables are written in the layout that tree-sitter's runtime reads (version 14 of its
binary interface). Every production with a name of its own (`-> let`) becomes a node with that name; what only passes a
child on, and lists, have no node. The lexer is in `src/lexer.h`, by hand. `--check` compares with the committed files.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).resolve().parent))

import make_table
from lark import Lark
from lark.common import ParserConf
from lark.grammar import NonTerminal, Rule
from lark.lexer import PatternStr
from lark.parsers.lalr_analysis import LALR_Analyzer

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "editors" / "tree-sitter-relax"

HIDDEN = ("same", "list_empty", "list_one", "list_more", "list_with_comma", "ir_module", "ir_module_plain")
PATTERNS = {
    "COMMENT": "comment",
    "NAME": "identifier",
    "DOTTED": "dotted_name",
    "QUOTED_NAME": "quoted_name",
    "GLOBAL": "global_name",
    "INT": "integer",
    "FLOAT": "float",
    "STRING": "string",
}
"""The terminals that are matched by a pattern: the name of the node, in the order of the constants in `lexer.h`."""

Action = tuple[str, ...]
Rows = list[tuple[dict[int, Action], dict[int, int]]]
"""For each state the actions by terminal, and the states by nonterminal."""


def lark_of_relax() -> Lark:
    """Return the analysed grammar."""
    relax = make_table.LANGUAGES[0]
    return Lark(relax.text(), parser="lalr", start=["module"], maybe_placeholders=True)


class Symbol:
    """A terminal or nonterminal: the name that the tree shows, and whether it is shown."""

    def __init__(self, key: str, name: str, *, visible: bool, named: bool) -> None:
        self.key = key
        self.name = name
        self.visible = visible
        self.named = named


class Grammar:
    """The grammar with a nonterminal for every node, and its LALR table with states and symbols numbered."""

    def __init__(self) -> None:
        lark = lark_of_relax()
        rules = without_empty(with_nodes(sorted(lark.rules, key=make_table.rule_key)), "module")
        analyzer: Any = LALR_Analyzer(cast("Any", ParserConf(rules, {}, ["module"])))
        analyzer.compute_lalr()
        self.table: Any = analyzer.parse_table
        self.tokens = terminals(lark)
        self.symbols = [*self.tokens, *nonterminals(rules)]
        self.number = {one.key: index for index, one in enumerate(self.symbols)}
        self.states = self.numbered()

    def numbered(self) -> dict[Any, int]:
        """Number the states breadth first from 1: state 0 is where the runtime recovers from errors."""
        order: dict[Any, int] = {}
        queue = [self.table.start_states["module"]]
        for state in queue:
            if state not in order:
                order[state] = len(order) + 1
                row = self.table.states[state]
                queue += [row[name][1] for name in sorted(row) if str(row[name][0]) == "Shift"]
        return order

    def rows(self) -> Rows:
        """Return for each state the actions by terminal and the states by nonterminal."""
        extra: Action = ("shift_extra",)
        comment = self.number["COMMENT"]
        recover: dict[int, Action] = dict.fromkeys(range(len(self.tokens)), ("recover",))
        rows: Rows = [({**recover, comment: extra}, {})]
        final = self.table.end_states["module"]
        for state in self.states:
            actions: dict[int, Action] = {comment: extra}
            gotos: dict[int, int] = {}
            for name, (what, target) in sorted(self.table.states[state].items()):
                number = self.number[str(name)]
                if str(what) == "Reduce":
                    left = self.number[str(target.origin.name)]
                    actions[number] = ("reduce", str(left), str(len(target.expansion)))
                elif number < len(self.tokens):
                    actions[number] = ("shift", str(self.states[target]))
                else:
                    gotos[number] = self.states[target]
            if state == final:
                actions[0] = ("accept",)
            rows.append((actions, gotos))
        return rows


def with_nodes(rules: list[Rule]) -> list[Rule]:
    """Give every production that makes a node a nonterminal of its own: `a: x y -> let` is `a: a~let`, `a~let: x y`."""
    made: list[Rule] = []
    known: set[str] = set()
    for rule in rules:
        name = str(rule.alias or rule.origin.name)
        if name in HIDDEN:
            made.append(Rule(rule.origin, rule.expansion, len(made)))
            continue
        node = NonTerminal(f"{rule.origin.name}~{name}")
        if node.name not in known:
            known.add(node.name)
            made.append(Rule(rule.origin, [node], len(made)))
        made.append(Rule(node, rule.expansion, len(made)))
    return made


def without_empty(rules: list[Rule], start: str) -> list[Rule]:
    """Return rules for the same language of which only that of the start may be empty.

    An empty node would lie before the white space that follows it, and its parent would begin there, too.
    """
    nullable: set[str] = set()
    before = -1
    while len(nullable) > before:
        before = len(nullable)
        nullable |= {
            str(rule.origin.name) for rule in rules if all(one.name in nullable for one in rule.expansion)
        }
    found: dict[tuple[str, tuple[str, ...]], Rule] = {}
    for rule in rules:
        variants: list[list[Any]] = [[]]
        for symbol in rule.expansion:
            left_out = variants if symbol.name in nullable else []
            variants = [[*one, symbol] for one in variants] + left_out
        for one in variants:
            is_itself = len(one) == 1 and one[0].name == rule.origin.name
            if is_itself or not (one or rule.origin.name == start):
                continue
            made = Rule(rule.origin, one, len(found))
            found.setdefault(make_table.rule_key(made), made)
    return list(found.values())


def terminals(lark: Lark) -> list[Symbol]:
    """Return the end of the text, the patterns, and the quoted words and signs of the grammar."""
    found = [Symbol("$END", "end", visible=False, named=True)]
    found += [Symbol(key, name, visible=True, named=True) for key, name in PATTERNS.items()]
    quoted = [one for one in lark.terminals if isinstance(one.pattern, PatternStr)]
    for one in sorted(quoted, key=lambda one: one.pattern.value):
        found.append(Symbol(one.name, one.pattern.value, visible=True, named=False))
    return found


def nonterminals(rules: list[Rule]) -> list[Symbol]:
    """Return the left sides; those of nodes are shown under the name of the node, the start as `module`."""
    found: list[Symbol] = []
    for key in sorted({str(rule.origin.name) for rule in rules}):
        node = "module" if key == "module" else key.partition("~")[2]
        found.append(Symbol(key, node or f"_{key}", visible=bool(node), named=True))
    return found


# C.


def c_string(text: str) -> str:
    """Return a text as a C literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def action_entries(
    rows: list[tuple[dict[int, Action], dict[int, int]]],
) -> tuple[list[str], dict[Action, int]]:
    """Return the list of actions that the tables point into, and where each is."""
    lines = ["{.entry = {.count = 0, .reusable = false}}"]
    where: dict[Action, int] = {}
    at = 1
    for actions, _ in rows:
        for action in actions.values():
            if action in where:
                continue
            where[action] = at
            at += 2
            lines.append("{.entry = {.count = 1, .reusable = true}}, " + c_action(action))
    return lines, where


def c_action(action: Action) -> str:
    """Return one action as an initializer."""
    kind = action[0]
    if kind == "shift":
        return f"{{.action = {{.shift = {{.type = SHIFT, .state = {action[1]}}}}}}}"
    if kind == "shift_extra":
        return "{.action = {.shift = {.type = SHIFT, .extra = true}}}"
    if kind == "reduce":
        return f"{{.action = {{.reduce = {{.type = REDUCE, .symbol = {action[1]}, .child_count = {action[2]}}}}}}}"
    return "{.action = {.type = ACCEPT}}" if kind == "accept" else "{.action = {.type = RECOVER}}"


def small_table(rows: Rows, where: dict[Action, int]) -> tuple[list[str], list[int]]:
    """Return the rows of all states but the first two: groups of symbols with one value; and where each row begins."""
    lines: list[str] = []
    starts: list[int] = []
    at = 0
    for actions, gotos in rows[2:]:
        groups: dict[tuple[int, bool], list[int]] = {}
        for symbol, action in sorted(actions.items()):
            groups.setdefault((where[action], True), []).append(symbol)
        for symbol, state in sorted(gotos.items()):
            groups.setdefault((state, False), []).append(symbol)
        starts.append(at)
        row = [len(groups)]
        for (value, _), symbols in groups.items():
            row += [value, len(symbols), *symbols]
        at += len(row)
        lines.append("  " + ", ".join(map(str, row)) + ",")
    return lines, starts


def large_table(rows: Rows, where: dict[Action, int]) -> list[str]:
    """Return the rows of the state of errors and of the first state, with a column for every symbol."""
    lines: list[str] = []
    for index, (actions, gotos) in enumerate(rows[:2]):
        cells = [f"[{symbol}] = {where[action]}" for symbol, action in sorted(actions.items())]
        cells += [f"[{symbol}] = {state}" for symbol, state in sorted(gotos.items())]
        lines.append(f"  [{index}] = {{{', '.join(cells)}}},")
    return lines


def public_symbols(symbols: list[Symbol]) -> list[int]:
    """Return for each symbol the first one that is shown under the same name."""
    first: dict[tuple[str, bool, bool], int] = {}
    return [first.setdefault((one.name, one.visible, one.named), index) for index, one in enumerate(symbols)]


def parser_c(grammar: Grammar) -> str:
    """Return the text of parser.c."""
    symbols, n_tokens = grammar.symbols, len(grammar.tokens)
    table = grammar.rows()
    entries, where = action_entries(table)
    rows, starts = small_table(table, where)
    n_states = len(grammar.states) + 1
    metadata = [f"  {{{str(one.visible).lower()}, {str(one.named).lower()}, false}}," for one in symbols]
    words = [
        (one.name, index)
        for index, one in enumerate(grammar.tokens)
        if not one.named and one.name[0].isalpha()
    ]
    signs = [
        (one.name, index)
        for index, one in enumerate(grammar.tokens)
        if not one.named and not one.name[0].isalpha()
    ]
    parts = [
        "// Written from grammar/*.lark by tools/make_tree_sitter.py: do not edit.",
        '#include "interface.h"',
        f"#define SYMBOLS {len(symbols)}\n#define TOKENS {n_tokens}\n#define STATES {n_states}",
        "static const struct Word words[] = {",
        *[f"  {{{c_string(name)}, {index}}}," for name, index in sorted(words)],
        "};",
        "// Longer signs come first.",
        "static const struct Word signs[] = {",
        *[
            f"  {{{c_string(name)}, {index}}},"
            for name, index in sorted(signs, key=lambda s: (-len(s[0]), s[0]))
        ],
        "};",
        '#include "lexer.h"',
        "static const char *const symbol_names[] = {",
        *[f"  {c_string(one.name)}," for one in symbols],
        "};",
        "static const SymbolMetadata symbol_metadata[] = {",
        *metadata,
        "};",
        f"static const uint16_t public_symbols[] = {{{', '.join(map(str, public_symbols(symbols)))}}};",
        "static const ActionEntry actions[] = {",
        *[f"  {line}," for line in entries],
        "};",
        "static const uint16_t large_table[2][SYMBOLS] = {",
        *large_table(table, where),
        "};",
        "static const uint16_t small_table[] = {",
        *rows,
        "};",
        f"static const uint32_t small_rows[] = {{{', '.join(map(str, starts))}}};",
        f"static const uint16_t own_states[] = {{{', '.join(map(str, range(n_states)))}}};",
        '#include "language.h"',
    ]
    return "\n".join(parts) + "\n"


def highlights(grammar: Grammar) -> str:
    """Return the query for colours: keywords and dtypes come from the lists of the language."""
    from relax_lang.syntax.dtypes import DTYPES
    from relax_lang.syntax.vocabulary.word_lists import CONSTANTS, TYPES, keywords

    quoted = {one.name for one in grammar.tokens if not one.named}

    def listed(words: list[str]) -> str:
        return " ".join(c_string(word) for word in words)

    def group(words: object, capture: str) -> list[str]:
        there = [word for word in cast("list[str]", words) if word in quoted]
        other = [word for word in cast("list[str]", words) if word not in quoted]
        lines = [f"[{listed(there)}] @{capture}"] if there else []
        return lines + ([f"((identifier) @{capture} (#any-of? @{capture} {listed(other)}))"] if other else [])

    signs = sorted(word for word in quoted if not word[0].isalpha())
    brackets = [word for word in signs if word in "()[]{}"]
    separators = [word for word in signs if word in (",", ";", ":")]
    operators = [word for word in signs if word not in (*brackets, *separators)]
    lines = [
        "; Written by tools/make_tree_sitter.py. Of two captures of one node the later counts.",
        "(identifier) @variable",
        "(quoted_name) @variable",
        "(param . (identifier) @variable.parameter)",
        "(call . (var (identifier) @function.call))",
        "(call_no_args . (var (identifier) @function.call))",
        "(prim_call . (identifier) @function.call)",
        "(dotted_name) @function.builtin",
        "(global_name) @function",
        *group(list(TYPES), "type"),
        *group(sorted(DTYPES), "type.builtin"),
        *group(list(CONSTANTS), "constant.builtin"),
        *group([*keywords(), *make_table.CONTEXTUAL], "keyword"),
        "[(integer) (float)] @number",
        "(string) @string",
        "(comment) @comment",
        f"[{listed(operators)}] @operator",
        f"[{listed(brackets)}] @punctuation.bracket",
        f"[{listed(separators)}] @punctuation.delimiter",
    ]
    return "\n".join(lines) + "\n"


def files() -> dict[str, str]:
    """Return what is written, by path below the folder of the grammar."""
    grammar = Grammar()
    return {"src/parser.c": parser_c(grammar), "queries/highlights.scm": highlights(grammar)}


def main() -> None:
    """Write the files, or with --check compare them."""
    sys.path.insert(0, str(ROOT))
    for name, text in files().items():
        target = TARGET / name
        if "--check" in sys.argv:
            if not target.exists() or target.read_text(encoding="utf-8") != text:
                raise SystemExit(f"editors/tree-sitter-relax/{name} is stale; run tools/make_tree_sitter.py")
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
