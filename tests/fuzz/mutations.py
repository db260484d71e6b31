"""Programs with mistakes that no author made: pieces of the samples, changed at random.

`mutated(seed)` always gives the same text. A text is a few items of the samples, so that it is checked quickly, with
one to eight changes of its tokens, lines or characters; most of them would be slips of the hand, some are rubbish.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

SAMPLES = Path(__file__).parents[2] / "samples"
TOO_LARGE = 20_000  # characters of a file; constants of a thousand elements only cost time
TOKEN = re.compile(r"#[^\n]*|\"[^\"\n]*\"|`[^`\n]*`|@?\w+|->|\*\*|//|<=|>=|==|!=|&&|\|\||\s+|.", re.DOTALL)
ITEM = re.compile(r"^(?=\S)(?!\})", re.MULTILINE)
ODD = "\x00\t\r\n\u2028\ufeff\ud800é数😀“”…`\"'#\\{}()[]<>;:,.@%&|!?~^$"
NUMBERS = ("0", "-1", "1", "2147483648", "9223372036854775808", "1e400", "0.5", "1" + "0" * 400, "inf", "nan")
WORDS = (
    *(
        "def",
        "fn",
        "let",
        "if",
        "else",
        "dataflow",
        "output",
        "private",
        "pure",
        "impure",
        "force_pure",
        "const",
    ),
    *(
        "Tensor",
        "Shape",
        "Object",
        "PackedFunc",
        "Buffer",
        "float32",
        "int64",
        "bool",
        "_",
        "ndim",
        "extern",
        "shape",
    ),
    *(
        "prim_func",
        "for",
        "in",
        "grid",
        "block",
        "spatial",
        "reduce",
        "init",
        "where",
        "alloc",
        "while",
        "assert",
    ),
    *(
        "match_cast",
        "match_shape",
        "cast",
        "call_tir",
        "add",
        "matmul",
        "attrs",
        "module",
        "bindings",
        "null",
        "true",
    ),
    *(
        "# relax: ignore[all]\n",
        "# relax: ignore[syntax",
        "# error: arity\n",
        "# reveals: Tensor[(n,)]\n",
        "##",
    ),
)

Tokens = list[str]


@cache
def pieces(folder: str = "") -> list[list[str]]:
    """Return the items of every sample, or of those in a folder, file by file."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((SAMPLES / folder).rglob("*.rlx"))]
    found = [
        [piece for piece in ITEM.split(text) if piece.strip()] for text in texts if len(text) < TOO_LARGE
    ]
    return [items for items in found if items]


@cache
def good_pieces() -> list[list[str]]:
    """Return the items of the samples without mistakes; they are longer."""
    bad = {"".join(items) for items in pieces("bad")}
    return [items for items in pieces() if "".join(items) not in bad]


def some_items(random: Random) -> list[str]:
    """Return the items of some sample."""
    return random.choice(good_pieces() if random.random() < 0.75 else pieces("bad"))


@cache
def alike() -> dict[str, list[str]]:
    """Return the tokens of all samples by kind, so that one can stand for another without being out of place."""
    found: dict[str, list[str]] = {}
    for token in pool():
        found.setdefault(kind(token), []).append(token)
    return found


def kind(token: str) -> str:
    """Return what kind of token one is: only those of one kind fit where the other did."""
    if token[0].isdigit():
        return "number"
    if token[0] == "@" or token[0] in '"`#':
        return token[0]
    if token in ("+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!=", "&&", "||"):
        return "infix"
    if re.match(r"(float|int|uint)\d+|bool", token):
        return "dtype"
    if token in WORDS:
        return token
    return "name" if token[0].isalpha() or token[0] == "_" else token


@cache
def pool() -> list[str]:
    """Return tokens to put in: those of the samples, and words that are worth more tries."""
    found = {token for items in pieces() for item in items for token in TOKEN.findall(item) if token.strip()}
    return [*sorted(found), *WORDS, *NUMBERS]


def mutated(seed: int) -> str:
    """Return the program of a seed."""
    random = Random(seed)
    items = some_items(random)
    start = random.randrange(len(items))
    text = "".join(items[start : start + random.randint(1, 6)])
    if random.random() < 0.2:
        text += random.choice(some_items(random))
    tokens = TOKEN.findall(text)
    # Half of the texts can still be read, mostly, so that what is behind the parser gets its share.
    mutations = FITTING if random.random() < 0.6 else MUTATIONS
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        if tokens:
            random.choice(mutations)(tokens, random)
    return "".join(tokens)


def _at(tokens: Tokens, random: Random) -> int:
    """Return the place of a token that is not a blank, mostly."""
    for _ in range(5):
        at = random.randrange(len(tokens))
        if tokens[at].strip():
            return at
    return random.randrange(len(tokens))


def _delete(tokens: Tokens, random: Random) -> None:
    del tokens[_at(tokens, random)]


def _repeat(tokens: Tokens, random: Random) -> None:
    at = _at(tokens, random)
    tokens[at:at] = [tokens[at]] * random.choice((1, 1, 1, 2, 50))


def _insert(tokens: Tokens, random: Random) -> None:
    tokens.insert(_at(tokens, random), random.choice((" ", "", "\n")) + random.choice(pool()) + " ")


def _replace(tokens: Tokens, random: Random) -> None:
    tokens[_at(tokens, random)] = random.choice(pool())


def _swap(tokens: Tokens, random: Random) -> None:
    left, right = _at(tokens, random), _at(tokens, random)
    tokens[left], tokens[right] = tokens[right], tokens[left]


def _exchange(tokens: Tokens, random: Random) -> None:
    """Put a name or number of the program in the place of another."""
    words = [at for at, token in enumerate(tokens) if re.match(r"@?\w", token)]
    if words:
        tokens[random.choice(words)] = tokens[random.choice(words)]


def _number(tokens: Tokens, random: Random) -> None:
    numbers = [at for at, token in enumerate(tokens) if token[:1].isdigit()]
    if numbers:
        tokens[random.choice(numbers)] = random.choice(NUMBERS)


def _cut(tokens: Tokens, random: Random) -> None:
    start = _at(tokens, random)
    del tokens[start : start + random.randint(1, 30)]


def _move(tokens: Tokens, random: Random) -> None:
    start = _at(tokens, random)
    moved = tokens[start : start + random.randint(1, 20)]
    del tokens[start : start + len(moved)]
    at = _at(tokens, random) if tokens else 0
    tokens[at:at] = moved


def _splice(tokens: Tokens, random: Random) -> None:
    """Put a part of another sample in."""
    other = TOKEN.findall(random.choice(some_items(random)))
    start = random.randrange(len(other))
    at = _at(tokens, random)
    tokens[at:at] = other[start : start + random.randint(1, 25)]


def _truncate(tokens: Tokens, random: Random) -> None:
    del tokens[_at(tokens, random) :]


def _character(tokens: Tokens, random: Random) -> None:
    """Change the characters of one token."""
    at = _at(tokens, random)
    token = tokens[at]
    where = random.randrange(len(token) + 1)
    what = random.choice((random.choice(ODD), "", token[:1]))
    tokens[at] = token[:where] + what + token[where + random.randint(0, 1) :]


def _nest(tokens: Tokens, random: Random) -> None:
    """Put brackets around a part of the program, few or very many."""
    start = _at(tokens, random)
    end = min(len(tokens), start + random.randint(1, 5))
    left, right = random.choice((("(", ")"), ("{", "}"), ("[", "]"), ("shape(", ")"), ("-", ""), ("((", ")")))
    depth = random.choice((1, 1, 2, 40, 1_200 if random.random() < 0.02 else 3))
    tokens[end:end] = [right * depth]
    tokens[start:start] = [left * depth]


def _drop_annotation(tokens: Tokens, random: Random) -> None:
    colons = [at for at, token in enumerate(tokens) if token in (":", "->")]
    if colons:
        start = random.choice(colons)
        del tokens[start : start + random.randint(1, 6)]


def _replace_alike(tokens: Tokens, random: Random) -> None:
    at = _at(tokens, random)
    tokens[at] = random.choice(alike().get(kind(tokens[at]), [tokens[at]]))


def _exchange_alike(tokens: Tokens, random: Random) -> None:
    at = _at(tokens, random)
    tokens[at] = random.choice([token for token in tokens if kind(token) == kind(tokens[at])])


def _lines(tokens: Tokens) -> list[tuple[int, int]]:
    """Return where the tokens of each line begin and end; the line end counts to its line."""
    ends = [at + 1 for at, token in enumerate(tokens) if "\n" in token] + [len(tokens)]
    return [(start, end) for start, end in zip([0, *ends], ends, strict=False) if start < end]


def _statements(tokens: Tokens) -> list[tuple[int, int]]:
    return [(start, end) for start, end in _lines(tokens) if ";" in tokens[start:end]] or _lines(tokens)


def _delete_statement(tokens: Tokens, random: Random) -> None:
    start, end = random.choice(_statements(tokens))
    del tokens[start:end]


def _move_statement(tokens: Tokens, random: Random) -> None:
    """Move or copy a statement to another place, maybe into another block."""
    start, end = random.choice(_statements(tokens))
    moved = tokens[start:end]
    if random.random() < 0.6:
        del tokens[start:end]
    at = random.choice(_statements(tokens))[0] if tokens else 0
    tokens[at:at] = moved


def _take_statement(tokens: Tokens, random: Random) -> None:
    """Take a statement out of another sample."""
    other = TOKEN.findall(random.choice(some_items(random)))
    start, end = random.choice(_statements(other))
    at = random.choice(_statements(tokens))[0]
    tokens[at:at] = other[start:end]


def _brackets(tokens: Tokens) -> list[tuple[int, int]]:
    """Return where each pair of brackets begins and ends, with the word before it."""
    found: list[tuple[int, int]] = []
    open_ones: list[int] = []
    for at, token in enumerate(tokens):
        if token in ("(", "["):
            open_ones.append(at - 1 if at and tokens[at - 1][-1:].isalnum() else at)
        elif token in (")", "]") and open_ones:
            found.append((open_ones.pop(), at + 1))
    return found


def _exchange_brackets(tokens: Tokens, random: Random) -> None:
    """Put a call, a tuple, or a struct info in the place of another."""
    source = tokens if random.random() < 0.7 else TOKEN.findall(random.choice(some_items(random)))
    here, there = _brackets(tokens), _brackets(source)
    if here and there:
        (start, end), (low, high) = random.choice(here), random.choice(there)
        tokens[start:end] = source[low:high]


FITTING: tuple[Callable[[Tokens, Random], None], ...] = (
    *(
        _replace_alike,
        _replace_alike,
        _replace_alike,
        _exchange_alike,
        _exchange_alike,
        _exchange_alike,
        _number,
    ),
    *(
        _delete_statement,
        _move_statement,
        _move_statement,
        _take_statement,
        _take_statement,
        _exchange_brackets,
    ),
    *(_exchange_brackets, _exchange_brackets),
)
"""Changes after which a program can mostly be read still."""

MUTATIONS: tuple[Callable[[Tokens, Random], None], ...] = (
    *(
        _delete,
        _delete,
        _replace,
        _replace,
        _insert,
        _insert,
        _exchange,
        _exchange,
        _exchange,
        _number,
        _swap,
    ),
    *(_repeat, _cut, _move, _splice, _truncate, _character, _character, _nest, _drop_annotation),
)
