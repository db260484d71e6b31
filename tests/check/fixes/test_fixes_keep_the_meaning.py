"""No safe fix makes a program that does something else than what was meant; none leads to the next mistake. (Y.7)

What was meant is known where a mistake was made on purpose: a right program loses a token, or is written in syntax
of another language. What safe fixes make of it either is that program again (up to what the normal form leaves out) or
still has errors.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, Diagnostic, Fix
from relax_lang.format.printer import show
from relax_lang.syntax import lalr_table
from tests.docs.examples import examples
from tests.edits import applied

SAMPLES = sorted((Path(__file__).parents[3] / "samples").glob("[0-9]*.rlx"))
PER_PROGRAM = 12
"""How many mutations of each program are tried: `make fuzz` would try all of them."""


def right_programs() -> list[str]:
    texts = [path.read_text(encoding="utf-8") for path in SAMPLES if path.stat().st_size < 6000]
    texts += [
        one.text for one in examples() if one.error is None and one.kind in ("", "run", "fragment", "tir")
    ]
    return [text for text in texts if len(text) < 6000 and not api.check(text).has_errors]


PROGRAMS = right_programs()


def meaning(text: str) -> str | None:
    """Return what a program means: its normal form, and PrimFuncs as they are formatted; None if it has errors."""
    checked = api.check(text)
    if checked.has_errors:
        return None
    return show(checked.normal)


def tokens(text: str) -> list[tuple[int, int]]:
    """Return the spans of the tokens of a text, without comments."""
    found: list[tuple[int, int]] = []
    for match in lalr_table.TOKEN.finditer(text):
        group = match.lastindex or 0
        if not match[group].startswith("#"):
            found.append((match.start(group), match.end()))
    return found


def without_a_token(text: str, rng: random.Random) -> Iterator[str]:
    """Yield texts that each lack one token."""
    for pos, end in rng.sample(spans := tokens(text), min(len(spans), PER_PROGRAM)):
        yield text[:pos] + text[end:]


FOREIGN = (
    (r"\blet (\w+)(: [^=\n]+)? =(?!=)", r"\1\2 ="),  # no `let`
    (r"\blet (\w+) =(?!=)", r"let \1 :="),
    (r"\blet (\w+) =(?!=)", r"var \1 ="),
    (r"(?<!`)\blet\b(?!`)", "let mut"),
    (r";\n", "\n"),
    (r"\b(float32|int32|int64|bool)\b", r'"\1"'),
    (r"\btrue\b", "True"),
    (r" && ", " and "),
    (r" \|\| ", " or "),
    (r"!(?!=)", "not "),
    (r"\belse if\b", "elif"),
    (r"# ", "// "),
    (r"\bTensor\[([^\[\]]*)\]", r"Tensor(\1)"),
    (r"dtype=(\w+)", r"\1"),
    (r"axis=(-?\d+)", r"\1"),
    (r"axis=\[([^\]]*)\]", r"axis=(\1)"),
    (r"\bshape\(", "("),
    (r"\bshape\(([^()]*)\)", r"[\1]"),
    (r"\[(\w+), (\w+)\]", r"[\1][\2]"),
    (r"\bblock (\w+)", r'block("\1")'),
    (r"\b0\.\.(\w+)", r"range(\1)"),
    (r", \)", ")"),
    (r"-> ", ""),
    (r"@(\w)", r"\1"),
)


def with_foreign_syntax(text: str, rng: random.Random) -> Iterator[str]:
    """Yield texts in which one place, or all of them, are written as elsewhere."""
    for pattern, replacement in FOREIGN:
        places = list(re.finditer(pattern, text))
        if not places:
            continue
        match = rng.choice(places)
        yield text[: match.start()] + match.expand(replacement) + text[match.end() :]
        if not pattern.startswith(
            "@"
        ):  # `@mean(x)` without `@` everywhere is a right program that calls an operator
            yield re.sub(pattern, replacement, text)


def mutated(text: str) -> Iterator[str]:
    rng = random.Random(len(text))
    yield from without_a_token(text, rng)
    yield from with_foreign_syntax(text, rng)


@pytest.mark.parametrize("text", PROGRAMS, ids=range(len(PROGRAMS)))
def test_Y_7_a_safe_fix_never_changes_what_runs(text: str) -> None:
    meant = meaning(text)
    assert meant is not None
    for broken in mutated(text):
        result = api.fix_text(broken)
        if not result.changed or not any(one.severity == ERROR for one in result.fixed):
            continue
        found = meaning(result.text)
        assert found is None or found == meant, f"{broken}\n--- is mended into ---\n{result.text}"


def lines_of(text: str, fix: Fix) -> tuple[int, int]:
    """Return the lines that a fix touches."""
    first = min(edit.pos for edit in fix.edits)
    last = max(edit.end for edit in fix.edits)
    return text.count("\n", 0, first), text.count("\n", 0, last)


def new_errors(text: str, found: list[Diagnostic], fix: Fix) -> list[Diagnostic]:
    """Return the errors at the place of a fix that are there only after it."""
    after = applied(text, fix)
    first, last = lines_of(text, fix)
    known = {(one.slug, one.message) for one in found}
    new = [one for one in api.check(after).diagnostics if one.severity == ERROR]
    new = [one for one in new if (one.slug, one.message) not in known]
    return [one for one in new if first <= after.count("\n", 0, one.pos) <= last]


BAD = sorted((Path(__file__).parents[3] / "samples" / "bad").glob("*.rlx"))


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_Y_7_no_fix_leads_to_the_next_error(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = api.check(text).diagnostics
    for one in found:
        for fix in one.fixes:
            assert new_errors(text, found, fix) == [], f"{one}: {fix.title}\n{applied(text, fix)}"


@pytest.mark.parametrize("text", PROGRAMS, ids=range(len(PROGRAMS)))
def test_Y_7_a_safe_fix_leads_to_no_error_at_its_place(text: str) -> None:
    for broken in with_foreign_syntax(text, random.Random(len(text))):
        found = api.check(broken).diagnostics
        if sum(one.severity == ERROR for one in found) > 1:
            continue  # a mistake may hide another
        for one in found:
            for fix in one.fixes:
                if fix.applicability == SAFE:
                    assert new_errors(broken, found, fix) == [], f"{one}: {fix.title}\n{applied(broken, fix)}"


@pytest.mark.parametrize(("dims", "is_mended"), [("(3)", True), ("(2 * n)", True), ("(n)", False)])
def test_Y_7_a_name_in_parentheses_may_be_a_shape(dims: str, is_mended: bool) -> None:
    text = f"def @f(x: Tensor[(n,), float32], y: Tensor[{dims}, float32]) {{\n  x\n}}\n"
    assert api.fix_text(text).changed is is_mended
