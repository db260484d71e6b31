"""The fast path of `relax check`, `relax fmt`, `relax run` and `relax lsp`: reads plain command lines by hand.

Typer takes longer to import than a file takes to check, or an executable to run. What is not plain, help, mistakes,
anything unknown, is left to it.
"""

from __future__ import annotations

from .options import COUNT, FLAG, SHARE, WORDS, CheckOptions, FmtOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .options import Kind, Value


def run(words: Sequence[str]) -> int | None:
    """Run `check`, `fmt`, `run` or `lsp`; None if Typer has to look at the command line."""
    command, rest = words[0], words[1:]
    if command == "run":
        return _run(rest)
    if command == "lsp":
        return _lsp(rest)
    parsed = parse(rest, CheckOptions.TABLE if command == "check" else FmtOptions.TABLE)
    if parsed is None:
        return None
    paths, given = parsed
    if command == "check":
        from .check import check

        return check.check(paths or ["."], CheckOptions(given))
    from . import fmt

    return fmt.fmt(paths or ["."], FmtOptions(given))


def _run(words: Sequence[str]) -> int | None:
    from .run.options import RunOptions
    from .run.words import spread_args

    parsed = parse(spread_args(words), RunOptions.TABLE)
    if parsed is None or len(parsed[0]) != 1:
        return None
    from .run.run import run as run_program

    return run_program(parsed[0][0], RunOptions(parsed[1]))


def _lsp(words: Sequence[str]) -> int | None:
    if [word for word in words if word != "--stdio"]:
        return None
    from .lsp import serve

    return serve(None)


def parse(
    words: Sequence[str], table: Mapping[str, tuple[str, Kind, tuple[str, ...]]]
) -> tuple[list[str], dict[str, Value]] | None:
    """Return paths and options, or None for a line that is not plain."""
    paths: list[str] = []
    given: dict[str, Value] = {}
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word == "--":
            paths += reversed(rest)
            break
        if word == "-" or not word.startswith("-"):
            paths.append(word)
            continue
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if name not in table:
            return None
        dest, kind, choices = table[name]
        if kind == FLAG:
            if equals:
                return None
            given[dest] = True
            continue
        if not equals:
            if not rest or rest[-1].startswith("-"):
                return None
            value = rest.pop()
        if choices and value not in choices:
            return None
        if kind == WORDS:
            listed = given.setdefault(dest, [])
            assert isinstance(listed, list)
            listed.append(value)
            continue
        found = _number(value, kind) if kind in (COUNT, SHARE) else value
        if found is None:
            return None
        given[dest] = found
    return paths, given


def _number(word: str, kind: Kind) -> int | float | None:
    """Return a number that is written plainly: digits, for a share with a point among them."""
    whole, _, rest = word.partition(".")
    if not (word.isascii() and whole.isdigit() and len(whole) < 16):
        return None
    if kind == COUNT:
        return int(word) if whole == word else None
    return float(word) if not rest or rest.isdigit() else None
