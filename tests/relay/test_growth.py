"""Translation takes work that grows with the program, however deep its choices are: lines are counted. [R.38]"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relax_lang.base.source import RelayFile
from relax_lang.relay.checking import analyse
from relax_lang.relay.translation.program import translate
from tests.work import executed_lines

TENSOR = "Tensor[(8, 4), float32]"


def nested_ifs(count: int) -> str:
    """Return a program with so many `if`s in each other."""
    body = "%x"
    for at in range(count):
        body = f"if (%c) {{ let %a{at} = exp(%x); {body} }} else {{ %x + %x }}"
    return f"def @main(%x: {TENSOR}, %c: bool) {{ {body} }}"


def clauses(count: int) -> str:
    """Return a program with a `match` of so many clauses, which become `if`s in each other."""
    constructors = ", ".join([f"C{at}({TENSOR})" for at in range(count)])
    matched = " ".join([f"C{at}(%v) => exp(%v)," for at in range(count)])
    return f"type T {{ {constructors} }}\ndef @main(%t: T) -> {TENSOR} {{ match (%t) {{ {matched} }} }}"


@pytest.mark.parametrize("kind", [nested_ifs, clauses])
def test_what_branches_mention_is_found_once(kind: Callable[[int], str]) -> None:
    small, large = RelayFile(kind(30)), RelayFile(kind(60))
    assert not analyse(large).diagnostics
    lines = []
    for source in (small, large):
        both = executed_lines(lambda source=source: translate(source, "c.npz"))
        lines.append(both - executed_lines(lambda source=source: analyse(source)))
    assert lines[1] <= 2.3 * lines[0]
