"""Heads of loops as other languages write them are read as tokens: in linear time, with whole bounds. [Y.7] [Y.9]"""

from __future__ import annotations

import subprocess
import sys

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import SAFE, UNSAFE
from relax_lang.syntax.builders.foreign_prim_funcs.loop_ranges import difference
from relax_lang.syntax.parser import parse

HEAD = "prim_func @k(A: Buffer[(n, m), float32], C: Buffer[(n, m), float32]) { "
BODY = " { C[i, 0] = 1.0; } }"
LOOP = "a loop is written `for i in 0..n { … }`"
LONG = 20_000

BLANK = " " * LONG
LINES = "\n" * LONG
LONG_HEADS = {
    "C": f"for (int i = 0{BLANK}; i < n{BLANK}; i{BLANK}++){BLANK}{{",
    "C without an end": f"for (int i = 0{BLANK}; i < n{BLANK}; i{BLANK}++){BLANK}",
    "C, another variable": f"for (int i = 0{BLANK}; i < n{BLANK}; j{BLANK}++){BLANK}{{",
    "C, terms": f"for (int i = 0{'+ 1' * LONG}; i < n{'+ 1' * LONG}; i{BLANK}-){BLANK}{{",
    "C, digits": f"for (int i = {'1' * LONG}; i <= {'1' * LONG}; i++) {{",
    "C, a digit is added": f"for (int i = 0; i <= n + {'1' * LONG}; i++) {{",
    "counted": f"for i = 0{BLANK}to{BLANK}n{BLANK}do{BLANK}{{",
    "counted, words": f"for i = 0 {'t ' * LONG} to n {'d ' * LONG} {{",
    "counted, no end": f"for i = 0{BLANK}to{BLANK}n{BLANK}do{BLANK}",
    "counted, colons": f"for i = 0{':' * LONG}",
    "lines": f"for{LINES}i{LINES}={LINES}0{LINES}to{LINES}n{LINES}",
    "in steps": f"for i in 0{BLANK}..{BLANK}n{BLANK}step{BLANK}2{BLANK}{{",
    "in steps, no brace": f"for i in 0{BLANK}..{BLANK}n{BLANK}step{BLANK}2{BLANK}",
    "in steps, digits": f"for i in 0..n step {'2' * LONG} {{",
    "names of steps": f"for i in 0..n step 2 {{ C[i, {'i_step' + '_' * LONG}] = 1.0; ",
    "several": f"for i in 0..n{', j in 0..m' * LONG}{BLANK}",
    "several, blanks": f"for i in 0{BLANK}..{BLANK}n{BLANK},{BLANK}j in 0{BLANK}..{BLANK}m{BLANK}",
    "reversed": f"for i in reversed({BLANK}0{BLANK}..{BLANK}n{BLANK}){BLANK}",
    "reversed, brackets": f"for i in reversed(0..{'(' * 200}n{BLANK}{')' * 200}{BLANK}{{",
    "parentheses": f"for ({BLANK}i{BLANK},{BLANK}j{BLANK},{BLANK}){BLANK}",
    "parentheses, names": f"for (i{', j' * LONG}{BLANK}",
}


def test_Y_9_long_heads_are_read_in_linear_time() -> None:
    """Where blanks are tried in all ways, one of these takes hours."""
    heads = repr([f"{HEAD}{head}{BODY}" for head in LONG_HEADS.values()])
    program = (
        f"import sys\nfrom relax_lang import api\nfor text in {heads}:\n"
        "    found = [one.slug for one in api.check(text).diagnostics]\n"
        "    assert found and 'internal-error' not in found, (text[:200], found)\n"
    )
    subprocess.run([sys.executable, "-"], input=program, text=True, check=True, timeout=120)


def test_Y_7_blanks_in_a_head_change_nothing() -> None:
    gap = " " * 1000
    text = f"{HEAD}for (int i = 0{gap}; i < n{gap}; i{gap}++){BODY}"
    found = api.check(text).diagnostics
    assert [(one.message, [(fix.title, fix.applicability) for fix in one.fixes]) for one in found] == [
        (LOOP, [("write `for i in 0..n`", SAFE)])
    ]


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("for i = 0 to min(n, m)", "write `for i in 0..min(n, m)`"),
        ("for i = 0, min(n, m)", "write `for i in 0..min(n, m)`"),
        ("for i = max(n, m) - 1 to n do", "write `for i in max(n, m) - 1..n`"),
        (
            "for i in 0..min(n, m) step 2",
            "write `for i_step in 0..(min(n, m) + 1) // 2 { let i = i_step * 2; …`",
        ),
        (
            "for i in reversed(0..min(n, m))",
            "write `for i_step in 0..min(n, m) { let i = min(n, m) - 1 - i_step; …`",
        ),
        ("for i in 0..min(n, m), j in 0..m", "write `for i, j in grid(min(n, m), m)`"),
        ("for (\n  int i = 0;\n  i < n;\n  i++\n)", "write `for i in 0..n`"),
    ],
)
def test_Y_7_bounds_are_whole(head: str, title: str) -> None:
    found = [one for one in parse(f"{HEAD}{head}{BODY}").diagnostics if one.fixes]
    assert [fix.title for one in found for fix in one.fixes] == [title]


@pytest.mark.parametrize(
    "head",
    [
        "for i in reversed(0.. )",
        "for i in 0..  step 2",
        "for i in 0..n step ",
        "for i = 0 to ",
        "for i in 0..n, j in 0..",
        "for (int i = 0; j < n; i++)",
        "for (int i = 0; i < n; j++)",
        "for (int i = ; i < n; i++)",
        "for i = 0 # from the first\n to n",
    ],
)
def test_Y_7_a_head_that_lacks_a_part_has_no_loop_as_its_fix(head: str) -> None:
    found = parse(f"{HEAD}{head}{BODY}").diagnostics
    assert found
    assert [fix.title for one in found for fix in one.fixes if fix.title.startswith("write `for")] == []


@pytest.mark.parametrize(("step", "how_sure"), [("2", SAFE), ("-1", SAFE), ("m", UNSAFE)])
def test_Y_7_whether_a_loop_counts_up_is_known_of_numbers_alone(step: str, how_sure: str) -> None:
    (found,) = parse(f"{HEAD}for i in 0..n step {step}{BODY}").diagnostics
    assert [fix.applicability for fix in found.fixes] == [how_sure]


def test_numbers_with_thousands_of_digits_are_not_computed_with() -> None:
    long = "9" * 5_000
    assert difference(f"n + {long}", "-1") == f"n + {long} + 1"
    assert difference("n", long) == f"n - {long}"
    assert difference(long, "1") == f"{long} - 1"
