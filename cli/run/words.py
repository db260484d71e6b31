"""The words of a command line of `relax run`, before anyone reads its options."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def spread_args(words: Sequence[str]) -> list[str]:
    """Give every word after `--args` its own `--args=`; they end at the next option or at the program."""
    spread: list[str] = []
    nothing: list[str] = []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word == "--":
            return [*spread, *nothing, word, *reversed(rest)]
        if word != "--args":
            spread.append(word)
            continue
        if not rest or _ends_args(rest[-1]):
            nothing = [word]  # at the end, where Typer reports that its value is missing
        while rest and not _ends_args(rest[-1]):
            spread.append(f"--args={rest.pop()}")
    return [*spread, *nothing]


def _ends_args(word: str) -> bool:
    # `-1` and `-.5` are numbers, other words with a dash are options.
    is_option = word.startswith("-") and word[1:2] not in "0123456789."
    return is_option or word.endswith((".rlx", ".rlxe", ".relay", ".rly"))
