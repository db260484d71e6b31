"""The regular expressions of the code, how each is called, and texts on which one that backtracks takes very long."""

from __future__ import annotations

import ast
import importlib
import random
import re
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.processor_time import TookLongError, limited

codes: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"relax_lang": ROOT / "relax_lang", "relax_lang.cli": ROOT / "cli"}
METHODS = frozenset(("match", "fullmatch", "search", "sub", "subn", "findall", "finditer", "split"))
LENGTH = 25_000
"""Characters of a text. Quadratic time is some tenths of a second for it, linear time a millisecond."""
LIMIT = 0.1
"""Seconds of processor time for one text."""
PUMPS = (
    "a",
    "1",
    " ",
    "\n",
    "\t",
    ".",
    "_",
    '"',
    "(",
    "[",
    "{",
    ",",
    "-",
    ";",
    "a ",
    "a,",
    "a, ",
    "1,",
    "(a",
    '"a" ',
)
MOST_PREFIXES = 24


class Expression:
    """A regular expression, where it is written, and the methods that are called of it."""

    def __init__(self, pattern: re.Pattern[str], place: str, methods: set[str]) -> None:
        self.pattern = pattern
        self.place = place
        self.methods = methods


def modules() -> Iterator[tuple[str, Path]]:
    """Yield the modules of the code, but for those that run when they are imported."""
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            if "__main__" not in parts:
                yield ".".join((package, *parts)), path


def _patterns(value: Any, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    """Yield the patterns in a value of a module: itself, and those in tables."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 3 and isinstance(value, dict | list | tuple | set | frozenset):
        inside: list[Any] = [*value, *value.values()] if isinstance(value, dict) else [*value]
        for one in inside:
            yield from _patterns(one, depth + 1)


def _is_bounded(call: ast.Call) -> bool:
    """Return whether a call looks at a few characters alone: `search(text, max(0, pos - 80), pos)`."""
    return any(
        isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id in ("max", "min")
        for arg in call.args
        for one in ast.walk(arg)
    )


def _called(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """Return what is called of each name, as `module:name`, and as `.name` where it is one of another module."""
    found: dict[str, set[str]] = {}
    for module, tree in trees.items():
        for call in ast.walk(tree):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                continue
            if call.func.attr not in METHODS:
                continue
            methods: set[str] = set() if _is_bounded(call) else {call.func.attr}
            for part in ast.walk(call.func.value):
                if isinstance(part, ast.Name | ast.Attribute):
                    name = f"{module}:{part.id}" if isinstance(part, ast.Name) else f".{part.attr}"
                    found.setdefault(name, set()).update(methods)
    return found


def _written_in_calls(
    module: types.ModuleType, tree: ast.Module
) -> Iterator[tuple[re.Pattern[Any], int, str]]:
    """Yield what is written in calls, as `re.search("…", text)`, with its line and the method."""
    for call in ast.walk(tree):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args):
            continue
        if ast.unparse(call.func.value) != "re" or call.func.attr not in METHODS or _is_bounded(call):
            continue
        given = ast.Expression(
            ast.Call(ast.parse("re.compile", mode="eval").body, [call.args[0], *_flags(call)], [])
        )
        try:
            yield (
                eval(compile(ast.fix_missing_locations(given), "", "eval"), {**vars(module), "re": re}),
                call.lineno,
                call.func.attr,
            )
        except NameError:
            continue  # made of what a function was given


def _flags(call: ast.Call) -> list[ast.expr]:
    given = [*call.args[1:], *[one.value for one in call.keywords if one.arg == "flags"]]
    return [one for one in given if ast.unparse(one).startswith("re.")]


def expressions() -> list[Expression]:
    """Return the expressions of the code over text, each once."""
    trees = {module: ast.parse(path.read_text(encoding="utf-8")) for module, path in modules()}
    called = _called(trees)
    found: dict[tuple[str, int], Expression] = {}

    def add(pattern: re.Pattern[Any], place: str, methods: set[str]) -> None:
        if isinstance(pattern.pattern, str):
            one = found.setdefault((pattern.pattern, pattern.flags), Expression(pattern, place, set()))
            one.methods |= methods

    for module, tree in trees.items():
        imported = importlib.import_module(module)
        for name, value in vars(imported).copy().items():
            own, others = called.get(f"{module}:{name}"), called.get(f".{name}")
            methods = {"match"} if own is None and others is None else {*(own or ()), *(others or ())}
            for pattern in _patterns(value):
                add(pattern, f"{module}.{name}", methods)
        for pattern, line, method in _written_in_calls(imported, tree):
            add(pattern, f"{module}:{line}", {method})
    return list(found.values())


class Attacks:
    """Texts that are hard for an expression: what its parts match, again and again, after what begins a match."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.random = random.Random(1)
        self.groups: dict[object, str] = {}
        tree: Any = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
        self.pumps = {*PUMPS, *[self.sample(part) for part in self._repeated(tree)]} - {""}
        prefixes = {prefix for _ in range(3) for prefix in self._prefixes(tree)}
        self.prefixes = sorted(prefixes, key=len)[:MOST_PREFIXES]
        self.whole = max(prefixes, key=len)

    def texts(self) -> Iterator[str]:
        """Yield the texts."""
        for prefix in self.prefixes:
            for pump in sorted(self.pumps):
                made = prefix + pump * (LENGTH // len(pump))
                yield from (made + "\0", made)
        if self.whole:
            made = self.whole * (LENGTH // len(self.whole))
            yield from (made + "\0", made)

    def sample(self, tree: Any) -> str:
        """Return a text that a part of an expression matches, as far as that is easily found."""
        return "".join([self._one(code, given) for code, given in tree])

    def _one(self, code: Any, given: Any) -> str:
        if code is codes.LITERAL:
            return chr(given)
        if code is codes.NOT_LITERAL:
            return "b" if given == ord("a") else "a"
        if code is codes.ANY:
            return "a"
        if code is codes.IN:
            return self._member(given)
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            return self.sample(given[2]) * (given[0] or self.random.randrange(2))
        if code is codes.SUBPATTERN:
            made = self.groups[given[0]] = self.sample(given[3])
            return made
        if code is codes.ATOMIC_GROUP:
            return self.sample(given)
        if code is codes.BRANCH:
            return self.sample(self.random.choice(given[1]))
        return self.groups.get(given, "") if code is codes.GROUPREF else ""

    def _member(self, given: Any) -> str:
        """Return a character of a class."""
        members = re.compile("(?s).")
        try:
            negated = given[0][0] is codes.NEGATE
            text = "".join(_class_part(code, one) for code, one in given[1 if negated else 0 :])
            members = re.compile(f"[{'^' if negated else ''}{text}]")
        except re.error:
            pass
        found = [one for one in "a1 ,.(\n" if members.match(one)]
        found += [one for one in map(chr, range(32, 127)) if members.match(one)]
        return found[0] if found and self.random.random() < 0.7 else self.random.choice(found or ["a"])

    def _repeated(self, tree: Any) -> Iterator[Any]:
        """Yield what is repeated in an expression."""
        for code, given in tree:
            if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
                yield from (given[2], given[2])
            for part in _parts(code, given):
                yield from self._repeated(part)

    def _prefixes(self, tree: Any) -> Iterator[str]:
        """Yield texts that match the beginning of an expression, up to each of its parts."""
        before = ""
        for code, given in tree:
            yield before
            for part in _parts(code, given):
                for prefix in self._prefixes(part):
                    yield before + prefix
            before += self._one(code, given)
        yield before


def _parts(code: Any, given: Any) -> Sequence[Any]:
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        return (given[2],)
    if code is codes.SUBPATTERN:
        return (given[3],)
    if code is codes.ATOMIC_GROUP:
        return (given,)
    return given[1] if code is codes.BRANCH else ()


_CATEGORIES = {
    codes.CATEGORY_DIGIT: r"\d",
    codes.CATEGORY_NOT_DIGIT: r"\D",
    codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S",
    codes.CATEGORY_WORD: r"\w",
    codes.CATEGORY_NOT_WORD: r"\W",
}


def _class_part(code: Any, given: Any) -> str:
    if code is codes.CATEGORY:
        return _CATEGORIES[given]
    if code is codes.RANGE:
        return f"{re.escape(chr(given[0]))}-{re.escape(chr(given[1]))}"
    return re.escape(chr(given))


def hard_text(pattern: re.Pattern[str], methods: set[str]) -> str | None:
    """Return a text for which an expression takes very long in one of the ways that it is called, or None."""

    calls: list[Callable[[str], object]] = []
    if "match" in methods:
        calls.append(pattern.match)
    if "fullmatch" in methods:
        calls.append(pattern.fullmatch)
    if methods - {"match", "fullmatch"}:
        calls.append(lambda text: [0 for _ in pattern.finditer(text)])
    for text in Attacks(pattern).texts() if calls else ():
        for call in calls:
            try:
                with limited(LIMIT):
                    call(text)
            except TookLongError:
                return text
    return None
