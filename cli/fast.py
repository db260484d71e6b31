"""The fast path of `relax check` and `relax fmt`: reads plain command lines by hand.

Typer takes longer to import than a file takes to check. What is not plain, help, mistakes, anything unknown,
is left to it.
"""

from __future__ import annotations

from .options import FLAG, WORDS, CheckOptions, FmtOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .options import Kind, Value


def run(words: Sequence[str]) -> int | None:
    """Run `check` or `fmt`; None if Typer has to look at the command line."""
    command, rest = words[0], words[1:]
    parsed = parse(rest, CheckOptions.TABLE if command == "check" else FmtOptions.TABLE)
    if parsed is None:
        return None
    paths, given = parsed
    if command == "check":
        from .check import check

        return check.check(paths, CheckOptions(given))
    from . import fmt

    return fmt.fmt(paths, FmtOptions(given))


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
        else:
            given[dest] = value
    return paths or ["."], given
