"""The tests that hold the rules of docs/rules.txt.

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
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from rule_ids import BRACKETS, LEADING, ONLY_IDS, Rules, ids_in_name

REFERENCE = "docs/language.md"

NAMED, LISTED, CASE, EXAMPLE = range(4)  # kinds of tests, the most telling first
Tests = dict[str, set[tuple[int, str]]]  # rule id -> (kind, file::name)


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
    if ONLY_IDS.fullmatch(text):
        return rules.expand(text)
    return _ids_in_brackets(text, rules)


def _ids_in_brackets(text: str, rules: Rules) -> set[str]:
    return {rule_id for ids in BRACKETS.findall(text) for rule_id in rules.expand(ids)}


# Tests as text.


def tests_in_case_file(path: str, text: str, rules: Rules) -> Tests:
    """Return the rules that the marked cases of a file carry."""
    found: Tests = {}
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if not line.startswith("#"):
            continue
        ids = BRACKETS.findall(line) + LEADING.findall(line)
        if not any(rest and not rest.startswith("#") for rest in lines[number + 1 :]):
            break  # no case follows
        for rule_id in {rule_id for one in ids for rule_id in rules.expand(one)}:
            found.setdefault(rule_id, set()).add((CASE, path))
    return found


def tests_in_reference(text: str, rules: Rules) -> Tests:
    """Return the rules that wrong examples of the language reference carry.

    What is right, or fails only when it runs, shows a rule but could not show that nothing checks it.
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
            _add(found, tests_in_module(name_below(path, root), parsed(path, text, root), rules))
    for path in sorted((root / "tests").rglob("*")):
        if path.suffix in (".txt", ".md", ".rlx") and _is_read(path, sources, root):
            _add(found, tests_in_case_file(name_below(path, root), path.read_text(encoding="utf-8"), rules))
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


def name_below(path: Path, root: Path) -> str:
    """Return the path of a file below the project's root, as it is shown."""
    return path.relative_to(root).as_posix()


def parsed(path: Path, text: str, root: Path) -> ast.Module:
    """Return the tree of a Python file; one that is not Python ends the program."""
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise SystemExit(f"{name_below(path, root)}:{error.lineno}: {error.msg}") from None
