"""Write docs/conformance.md: every rule of docs/rules.txt, the tests that hold it, and whether there are any.

A rule is tested only by what a test run looks at:

- a test function whose name carries the id (`test_W_2_a_S_10_…`, `test_N_1_to_N_10_…`),
- a test function that reads a table of its module, in a mark or in its body, in which a string is made of
  ids only ("G.22", "N.1-N.3") or carries them in brackets ("[W.3] late"),
- a case file under tests/ (.txt, .md, .rlx) that a test there names, with the ids in a line that begins with
  `#`: first in it, or in brackets,
- a wrong example of docs/language.md (`error=slug`, found without a run), if its slug is one of the rule's in
  docs/rules.txt and the prose right above it has the id in brackets.

Docstrings, comments in code and other prose never count, nor do tests that are skipped, expected to fail, or
empty. An id with others below it (M.2) counts for none of those.

The same run refuses ids that docs/rules.txt does not have, wherever they are cited: a mistyped id would look
like a reference and be none. `--check` compares the page instead of writing it. This program runs no test.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULES = "docs/rules.txt"
PAGE = "docs/conformance.md"
REFERENCE = "docs/language.md"
SHOWN = 3

SCANNED = ("relax_lang", "cli", "grammar", "tests", "tools", "samples", "benchmarks", "docs", "*.md")
SUFFIXES = (".py", ".md", ".txt", ".rlx", ".lark", ".asdl")
# The page and the table are generated; the test of this program is about ids that it makes up.
NOT_SCANNED = (PAGE, RULES, "relax_lang/syntax/table.py", "tests/docs/test_conformance.py")

# How an id looks, whatever the sections are called. The last part may be a letter: W.2.a.
_SHAPE = r"[A-Z][A-Z0-9]{0,3}\.[A-Z]?\d+(?:\.(?:\d+|[a-z](?!\w)))*(?!\w)"
_LIST = rf"{_SHAPE}(?:(?:,? +| ?[-–] ?){_SHAPE})*"
_BRACKETS = re.compile(rf"\[({_LIST})\]")
_LEADING = re.compile(rf"#+ +({_LIST})(?=[ :]|$)")
_ONLY_IDS = re.compile(_LIST)
_ITEM = re.compile(rf"({_SHAPE})(?: ?[-–] ?({_SHAPE}))?")

NAMED, LISTED, CASE, EXAMPLE = range(4)  # kinds of tests, the most telling first
Tests = dict[str, set[tuple[int, str]]]  # rule id -> (kind, file::name)


@dataclass
class Rule:
    """One line of docs/rules.txt."""

    id: str
    statement: str
    slugs: list[str] = field(default_factory=list[str])
    same: list[str] = field(default_factory=list[str])
    """Ids or prefixes of the rules that say the same; their tests are this rule's."""
    void: bool = False
    """There is nothing that a test could see."""


class Rules:
    """All rules in order, by section."""

    def __init__(self, text: str) -> None:
        self.sections: dict[str, list[Rule]] = {}
        """Rules by title of their section; the first word of a title is the section's prefix."""
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("== "):
                self.sections[line[3:]] = []
            elif line and not line.startswith("#"):
                if not self.sections:
                    raise SystemExit(f"{RULES}:{number}: a rule before the first section")
                [*self.sections.values()][-1].append(_rule(line, number))
        self.by_id: dict[str, Rule] = {}
        for rule in self.all():
            if rule.id in self.by_id:
                raise SystemExit(f"{RULES}: {rule.id} is there twice")
            self.by_id[rule.id] = rule
        for rule in self.all():
            for target in rule.same:
                if target == rule.id or not self.below(target):
                    raise SystemExit(f"{RULES}: {rule.id} refers to {target}, which is no other rule")

    def all(self) -> list[Rule]:
        """Return the rules in the order of the file."""
        return [rule for section in self.sections.values() for rule in section]

    @cached_property
    def known(self) -> set[str]:
        """Every id, and every prefix of one that stands for all rules below it."""
        parts = [rule_id.split(".") for rule_id in self.by_id]
        return {".".join(part[:n]) for part in parts for n in range(1, len(part) + 1)}

    @cached_property
    def sorts(self) -> set[tuple[str, str]]:
        """Every prefix, with the sorts of parts that follow it."""
        splits = [one.rpartition(".") for one in self.known]
        return {(prefix, _sort(part)) for prefix, _, part in splits if prefix}

    @cached_property
    def bare(self) -> re.Pattern[str]:
        """Match what looks like an id of one of the sections, in any text."""
        names = "|".join(title.split()[0] for title in self.sections)
        return re.compile(rf"(?<![\w.\-])(?=(?:{names})\.){_SHAPE}")

    def below(self, prefix: str) -> list[Rule]:
        """Return the rule of that id, or those that the prefix stands for."""
        return [r for r in self.all() if r.id == prefix or r.id.startswith(prefix + ".")]

    def expand(self, text: str) -> set[str]:
        """Return the ids of a list such as `W.2.a S.10, N.1-N.10`; unknown ones are left out."""
        found: set[str] = set()
        for first, last in _ITEM.findall(text):
            found |= self.between(first, last or first)
        return found & self.by_id.keys()

    def between(self, first: str, last: str) -> set[str]:
        """Return the ids of the rules from one to the other, both included, in the order of the file."""
        order = list(self.by_id)
        if first == last or first not in order or last not in order:
            return {first, last}
        start, end = sorted((order.index(first), order.index(last)))
        return set(order[start : end + 1])


def _rule(line: str, number: int) -> Rule:
    head, _, tail = line.partition(" -- ")
    rule_id, _, statement = head.partition(" ")
    if not statement.strip() or not _ONLY_IDS.fullmatch(rule_id):
        raise SystemExit(f"{RULES}:{number}: expected an id and a statement")
    rule = Rule(rule_id, statement.strip())
    for word in tail.split():
        if word == "void":
            rule.void = True
        elif word.startswith("="):
            rule.same.append(word[1:])
        else:
            rule.slugs.append(word)
    return rule


# Names of tests.


def ids_in_name(name: str, rules: Rules) -> tuple[set[str], list[str]]:
    """Return the rules that a test's name carries, and what looks like an id there and is none."""
    words = name.split("_")
    found: list[str] = []
    unknown: list[str] = []
    at = 0
    last = ""
    while at < len(words):
        prefix, length = _id_at(words, at, rules)
        if length < 2:
            at += 1
            continue
        if prefix in rules.known:
            if last and words[at - 1] == "to":
                found += rules.between(last, prefix)
            found.append(prefix)
        else:
            unknown.append(prefix)
        at += length
        last = prefix if at < len(words) and words[at] == "to" else ""
    return set(found) & rules.by_id.keys(), unknown


def _id_at(words: list[str], at: int, rules: Rules) -> tuple[str, int]:
    """Return the longest id that begins at a word, with its number of words.

    A number or a single letter belongs to the id, known or not, if others of its sort stand there: in `W_2_z`
    the z cannot be a word, because W.2 goes on with letters; in `X_11_a_thousand` the a is one.
    """
    prefix, length = words[at], 1
    if prefix not in rules.known or "." in prefix:
        return prefix, 0
    for word in words[at + 1 :]:
        longer = f"{prefix}.{word}"
        if longer not in rules.known and (prefix, _sort(word)) not in rules.sorts:
            break
        prefix, length = longer, length + 1
    return prefix, length


def _sort(word: str) -> str:
    """Return what sort of a part a word would be: a number, a letter, or none."""
    if re.fullmatch(r"[A-Z]?\d+", word):
        return "number"
    return "letter" if re.fullmatch(r"[a-z]", word) else ""


# Tests in Python.


def tests_in_module(path: str, module: ast.Module, rules: Rules) -> Tests:
    """Return the rules that the tests of a module carry."""
    tables = _tables(module)
    found: Tests = {}
    if _is_off(tables.get("pytestmark")):
        return found
    for name, function in test_functions(module):
        label = (NAMED, f"{path}::{name}")
        by_name, _ = ids_in_name(function.name, rules)
        for rule_id in by_name:
            found.setdefault(rule_id, set()).add(label)
        for rule_id in _ids_in_tables(function, tables, rules) - by_name:
            found.setdefault(rule_id, set()).add((LISTED, label[1]))
    return found


def test_functions(module: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Find the tests that pytest would run and that can fail, with their names below the module."""
    groups: list[tuple[str, list[ast.stmt]]] = [("", module.body)]
    for node in module.body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            marks = [*node.decorator_list, _tables(node).get("pytestmark")]
            groups.append((f"{node.name}::", [] if any(map(_is_off, marks)) else node.body))
    for prefix, body in groups:
        functions = [node for node in body if isinstance(node, ast.FunctionDef)]
        yield from ((prefix + one.name, one) for one in functions if _is_test(one))


def _is_test(function: ast.FunctionDef) -> bool:
    if not function.name.startswith("test_") or any(_is_off(mark) for mark in function.decorator_list):
        return False
    # A body of constants only (`pass`, a docstring, `...`) tests nothing.
    return not all(
        isinstance(one, ast.Pass) or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        for one in function.body
    )


def _is_off(mark: ast.expr | None) -> bool:
    """Is this a mark with which a test is never run, or may fail?"""
    if mark is None:
        return False
    return any(isinstance(n, ast.Attribute) and n.attr in ("skip", "xfail") for n in ast.walk(mark))


def _tables(module: ast.Module | ast.ClassDef) -> dict[str, ast.expr]:
    tables: dict[str, ast.expr] = {}
    for node in module.body:
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            tables |= dict.fromkeys(names, node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            tables[node.target.id] = node.value
    return tables


def _ids_in_tables(function: ast.FunctionDef, tables: dict[str, ast.expr], rules: Rules) -> set[str]:
    """Return the ids in the marks of a test and in the tables that it reads, or that these read."""
    found: set[str] = set()
    waiting: list[ast.AST] = list(function.decorator_list)
    names = [n.id for part in function.body for n in ast.walk(part) if isinstance(n, ast.Name)]
    seen: set[str] = set()
    while waiting or names:
        if names:
            name = names.pop()
            if name in tables and name not in seen:
                seen.add(name)
                waiting.append(tables[name])
            continue
        node = waiting.pop()
        if isinstance(node, ast.Name):
            names.append(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= _ids_in_text(node.value, rules)
        elif not (isinstance(node, ast.Call) and any(_is_off(k.value) for k in node.keywords)):
            waiting += ast.iter_child_nodes(node)
    return found


def _ids_in_text(text: str, rules: Rules) -> set[str]:
    if _ONLY_IDS.fullmatch(text):
        return rules.expand(text)
    return _ids_in_brackets(text, rules)


def _ids_in_brackets(text: str, rules: Rules) -> set[str]:
    return {rule_id for ids in _BRACKETS.findall(text) for rule_id in rules.expand(ids)}


# Tests as text.


def tests_in_case_file(path: str, text: str, rules: Rules) -> Tests:
    """Return the rules that the marked cases of a file carry."""
    found: Tests = {}
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if not line.startswith("#"):
            continue
        ids = _BRACKETS.findall(line) + _LEADING.findall(line)
        if not any(rest and not rest.startswith("#") for rest in lines[number + 1 :]):
            break  # no case follows
        for rule_id in {rule_id for one in ids for rule_id in rules.expand(one)}:
            found.setdefault(rule_id, set()).add((CASE, path))
    return found


def tests_in_reference(text: str, rules: Rules) -> Tests:
    """Return the rules that wrong examples of the language reference carry.

    What is right, or fails only when it runs, shows a rule but could not tell that nobody checks it.
    """
    found: Tests = {}
    chapter = ""
    above: list[str] = []  # the prose above an example, or above the first of several
    used = fence = False
    for line in text.splitlines():
        if line.startswith("```"):
            fence = not fence
            slug = re.fullmatch(r"```relax(?: fragment| tir)? error=(\S+)", line)
            for rule_id in sorted(_ids_in_brackets("\n".join(above), rules)) if slug and fence else ():
                if slug and slug[1] in rules.by_id[rule_id].slugs:
                    found.setdefault(rule_id, set()).add((EXAMPLE, f"{REFERENCE}::{chapter}"))
            used = used or line.startswith("```relax")
        elif line and not fence:
            chapter = line[3:] if line.startswith("## ") else chapter
            above = [line] if used or line.startswith("#") else [*above, line]
            used = False
    return found


def all_tests(root: Path, rules: Rules) -> Tests:
    """Return the tests of every rule."""
    found: Tests = {}
    sources = {path: path.read_text(encoding="utf-8") for path in sorted((root / "tests").rglob("*.py"))}
    for path, text in sources.items():
        if path.name.startswith("test_"):
            _add(found, tests_in_module(_name(path, root), _parsed(path, text, root), rules))
    for path in sorted((root / "tests").rglob("*")):
        if path.suffix in (".txt", ".md", ".rlx") and _is_read(path, sources, root):
            _add(found, tests_in_case_file(_name(path, root), path.read_text(encoding="utf-8"), rules))
    if any(Path(REFERENCE).name in text for text in sources.values()):
        _add(found, tests_in_reference((root / REFERENCE).read_text(encoding="utf-8"), rules))
    return found


def _is_read(path: Path, sources: dict[Path, str], root: Path) -> bool:
    """Does a Python file of the same package of tests name this case file, or its folder?"""
    package = root / "tests" / path.relative_to(root / "tests").parts[0]
    names = [path.name, *(folder.name for folder in path.relative_to(package).parents if folder.name)]
    words = re.compile(rf"""["'/](?:{"|".join(map(re.escape, names))})["'/]""")
    return any(source.is_relative_to(package) and words.search(text) for source, text in sources.items())


def _add(found: Tests, more: Tests) -> None:
    for rule_id, tests in more.items():
        found.setdefault(rule_id, set()).update(tests)


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _parsed(path: Path, text: str, root: Path) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise SystemExit(f"{_name(path, root)}:{error.lineno}: {error.msg}") from None


# Ids that do not exist.


def unknown_ids(root: Path, rules: Rules) -> list[str]:
    """Return `file:line: message` for every id that is cited and not in docs/rules.txt."""
    found: list[str] = []
    for path in _scanned(root):
        text = path.read_text(encoding="utf-8")
        name = _name(path, root)
        wrong = {(_line(text, at), one) for at, one in _cited(text, rules) if one not in rules.known}
        if path.suffix == ".py":
            if "@rule(" in text:
                wrong |= _wrong_cites(_parsed(path, text, root), rules)
            for match in re.finditer(r"^ *def (test_\w+)", text, re.M) if name.startswith("tests/") else ():
                line = _line(text, match.start(1))
                wrong |= {(line, one) for one in ids_in_name(match[1], rules)[1]}
        found += [f"{name}:{line}: there is no rule {one} in {RULES}" for line, one in sorted(wrong)]
    return found


def _scanned(root: Path) -> list[Path]:
    files: set[Path] = set()
    for start in SCANNED:
        for path in root.glob(start):
            files.update(path.rglob("*") if path.is_dir() else [path])
    chosen = [path for path in files if path.suffix in SUFFIXES and path.is_file()]
    return sorted(path for path in chosen if _name(path, root) not in NOT_SCANNED)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _cited(text: str, rules: Rules) -> Iterator[tuple[int, str]]:
    for match in rules.bare.finditer(text):
        yield match.start(), match[0]
    for match in _BRACKETS.finditer(text):  # here the section may be wrong too
        for one in re.findall(_SHAPE, match[1]):
            yield match.start(), one


def _wrong_cites(module: ast.Module, rules: Rules) -> set[tuple[int, str]]:
    """Return the words in the cites of `@rule(code, slug, severity, cites)` that are no ids."""
    wrong: set[tuple[int, str]] = set()
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
    for mark in [mark for function in functions for mark in function.decorator_list]:
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "rule":
            for cites in [*mark.args[3:], *(k.value for k in mark.keywords if k.arg == "cites")]:
                text = cites.value if isinstance(cites, ast.Constant) else ast.unparse(cites)
                wrong |= {(mark.lineno, word) for word in str(text).split() if word not in rules.known}
    return wrong


# The page.

_INTRODUCTION = f"""\
# Conformance: rules and their tests

Generated by `tools/make_conformance.py` from [{Path(RULES).name}]({Path(RULES).name}) and the tests; do not edit.
A rule is *tested* if a test carries its id: in the name of a test function (`test_W_3_…`), in a table that a test
reads, in a case file, or above an example of the [language reference](language.md) for which a test expects one of
the rule's diagnostics. Prose never counts. *Same as* names the rules that say the same: a rule is tested if all of
these are. What no test could see has the status –. At most {SHOWN} tests are shown; `pytest -k W_3` runs those that
have the id in their name.
"""


def page(root: Path) -> str:
    """Return the text of docs/conformance.md."""
    rules = Rules((root / RULES).read_text(encoding="utf-8"))
    tests = all_tests(root, rules)
    summary = ["| section | tested | of |", "|---|--:|--:|"]
    body: list[str] = []
    counts: list[tuple[int, int]] = []
    for title, section in rules.sections.items():
        rows = [_row(rule, tests, rules) for rule in section]
        asked = [rule for rule in section if not rule.void]
        counts.append((sum(is_tested(rule, tests, rules) for rule in asked), len(asked)))
        summary.append(
            f"| [{_heading(title)}](#{_anchor(_heading(title))}) | {counts[-1][0]} | {counts[-1][1]} |"
        )
        body += [
            f"## {_heading(title)}",
            "",
            "| rule | statement | tests | status |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    tested, total = sum(n for n, _ in counts), sum(m for _, m in counts)
    summary.append(f"| **all** | **{tested}** | **{total}** |")
    shown = [r for r in rules.all() if r.id in tests and all(kind == EXAMPLE for kind, _ in tests[r.id])]
    same = [r for r in rules.all() if r.id not in tests and not r.void and is_tested(r, tests, rules)]
    figures = (
        f"**{tested} of {total} rules are tested**, {len(same)} of them through the rules that they repeat "
        f"and {len(shown)} by examples of the language reference alone."
    )
    return "\n".join([_INTRODUCTION, figures, "", *summary, "", *body[:-1]]) + "\n"


def is_tested(rule: Rule, tests: Tests, rules: Rules) -> bool:
    """Has the rule a test, or does it repeat rules that all have one?"""
    if rule.id in tests:
        return True
    repeated = [other for target in rule.same for other in rules.below(target) if not other.void]
    return bool(repeated) and all(is_tested(other, tests, rules) for other in repeated)


def _row(rule: Rule, tests: Tests, rules: Rules) -> str:
    status = "–" if rule.void else "tested" if is_tested(rule, tests, rules) else "not yet"
    labels = [label for _, label in sorted(tests.get(rule.id, ()))]
    cells = [f"`{label}`" for label in labels[:SHOWN]]
    if len(labels) > SHOWN:
        cells.append(f"and {len(labels) - SHOWN} more")
    if rule.same:
        cells.append(f"same as {', '.join(rule.same)}")
    slugs = "".join(f"<br>`{slug}`" if n == 0 else f" `{slug}`" for n, slug in enumerate(rule.slugs))
    statement = rule.statement.replace("|", "\\|")
    return f"| {rule.id} | {statement}{slugs} | {'<br>'.join(cells)} | {status} |"


def _heading(title: str) -> str:
    prefix, _, words = title.partition(" ")
    return f"{prefix}: {words.strip()}"


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def main() -> None:
    """Write the page, or with --check compare it; refuse unknown ids in either case."""
    wrong = unknown_ids(ROOT, Rules((ROOT / RULES).read_text(encoding="utf-8")))
    if wrong:
        raise SystemExit("\n".join(wrong))
    text = page(ROOT)
    target = ROOT / PAGE
    if "--check" not in sys.argv:
        target.write_text(text, encoding="utf-8", newline="\n")
        return
    old = target.read_text(encoding="utf-8").splitlines() if target.exists() else []
    changed = sorted(set(old) ^ set(text.splitlines()))
    if old != text.splitlines():
        shown = "\n".join(f"  {line[:120]}" for line in changed[:5])
        raise SystemExit(
            f"{PAGE} is stale ({len(changed)} lines differ); run tools/make_conformance.py\n{shown}"
        )


if __name__ == "__main__":
    main()
