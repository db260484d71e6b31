"""Long constants are read row by row: the tree is that of reading token by token, and so is every message. [G.22]"""

from __future__ import annotations

import random

import pytest

from relax_lang import api
from relax_lang.base.node import same
from relax_lang.syntax import driver
from relax_lang.syntax.parser import parse


@pytest.fixture(autouse=True)
def also_in_shorter_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "LONG", 2_000)


def program(rows: str, dtype: str = "float32") -> str:
    body = f"  let a = const({rows}, {dtype});\n  (a, const([1.5]))\n"
    return f"# first\ndef @main() -> Object {{\n{body}}}\n# last [1,\n"


def listed(depth: int, write: object, rng: random.Random) -> str:
    """Return a list of about nine hundred numbers in each row, with blanks and commas as authors may write them."""
    assert callable(write)
    if depth == 0:
        words = [write(rng) for _ in range(900)]
        blank = rng.choice(["", " ", "\n    "])
        return f"[{blank}{f',{blank}'.join(words)}{rng.choice(['', ',', ' , '])}]"
    rows = ",\n".join([listed(depth - 1, write, rng) for _ in range(2)])
    return f"[ {rows}{rng.choice(['', ','])}]"


def fraction(rng: random.Random) -> str:
    return rng.choice(
        [f"{rng.uniform(-9, 9):.4f}", f"{rng.uniform(0, 9)!r}", "1_0.5", "1e-3", "-2.5E+4", "0.0", "-0.0"]
    )


def integer(rng: random.Random) -> str:
    return rng.choice([str(rng.randrange(-999, 999)), "1_000", "0", "-0"])


def either(rng: random.Random) -> str:
    return rng.choice([fraction, integer])(rng)


def with_names(rng: random.Random) -> str:
    return rng.choice(["inf", "nan", "- 1.5", "1.5"])


def token_by_token(text: str, monkeypatch: pytest.MonkeyPatch) -> driver.Parsed:
    with monkeypatch.context() as patch:
        patch.setattr(driver, "LONG", 1 << 60)
        return parse(text)


@pytest.mark.parametrize("write", [fraction, integer, either, with_names])
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_G_22_the_tree_is_the_same(write: object, depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(depth)
    text = program(listed(depth, write, rng), "float64")
    fast, slow = parse(text), token_by_token(text, monkeypatch)
    assert same(fast.tree, slow.tree)
    assert [one.text for one in fast.comments] == [one.text for one in slow.comments]
    assert [(one.message, one.pos, one.end) for one in fast.diagnostics] == [
        (one.message, one.pos, one.end) for one in slow.diagnostics
    ]
    formatted = api.format_text(text)
    with monkeypatch.context() as patch:
        patch.setattr(driver, "LONG", 1 << 60)
        patch.setattr("relax_lang.format.literals._MANY", 1 << 60)
        patch.setattr("relax_lang.base.node._MANY", 1 << 60)
        assert api.format_text(text) == formatted


LONG = ", ".join(["1.5"] * 1000)


@pytest.mark.parametrize(
    "rows",
    [
        f"[{LONG}, 1e999]",
        f"[{LONG}, 3.5e38]",
        f"[{LONG},, 1.5]",
        f"[{LONG} 1.5]",
        f"[{LONG}, 1.]",
        f"[{LONG}, [1.5]]",
        f"[[{LONG}], [1.5, 2.5]]",
        f"[[{LONG}] 1.5]",
        f"[{LONG}, # a comment\n 1.5]",
        f"[{LONG}, true]",
        f"[{LONG}",
        f"[[{LONG}]",
        f"[{LONG}]]",
        f"[{LONG}, {'9' * 5000}]",
        f"[{', '.join(['1'] * 2000)}, 300]",
    ],
)
def test_Y_8_messages_are_the_same(rows: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for dtype in ("float32", "uint8"):
        text = program(rows, dtype)
        fast, slow = parse(text), token_by_token(text, monkeypatch)
        assert [(one.slug, one.message, one.pos, one.end) for one in fast.diagnostics] == [
            (one.slug, one.message, one.pos, one.end) for one in slow.diagnostics
        ]
        assert same(fast.tree, slow.tree)


def test_Y_2_a_list_in_a_comment_or_a_string_is_left_alone() -> None:
    text = f'# [{LONG}]\ndef @main() -> Object attrs {{ note: "[{LONG}]" }} {{\n  ()\n}}\n'
    assert api.check(text).diagnostics == []
    assert parse(text).comments[0].text == f"# [{LONG}]"
