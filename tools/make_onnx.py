"""Write the table of operators in docs/onnx.md: run all node tests of the package `onnx` and count what passes.

It takes the extra `test` and about a minute. `--check` compares the committed page with a fresh one.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

PAGE = ROOT / "docs/onnx.md"
BEGIN = "<!-- tests: written by tools/make_onnx.py -->\n"
END = "<!-- end of tests -->\n"


def main() -> int:
    """Write the page, or compare it."""
    text = PAGE.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit("docs/onnx.md has lost the markers around its table of tests")
    made = f"{before}{begin}\n{table()}\n{end}{after}"
    if "--check" in sys.argv:
        return 0 if made == text else 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


def table() -> str:
    """Return a Markdown table with a row for each operator, and one for what is out of scope."""
    from tests.onnx.suites.node_tests import OUT_OF_SCOPE, PASSED, collect, run

    counts: dict[str, list[int]] = {}
    outside = 0
    for case in collect():
        outcome = run(case)
        if outcome.result == OUT_OF_SCOPE:
            outside += 1
            continue
        row = counts.setdefault(case.op, [0, 0, 0])
        row[0] += 1
        row[1] += outcome.result == PASSED
        row[2] += outcome.constants > 0
    total = [sum([row[at] for row in counts.values()]) for at in range(3)]
    lines = [
        "| operator | tests | pass | with a value given at import |",
        "|---|---|---|---|",
        f"| **all in scope** | {total[0]} | {total[1]} | {total[2]} |",
    ]
    lines += [
        f"| {name or 'several nodes'} | {row[0]} | {row[1]} | {row[2] or ''} |"
        for name, row in sorted(counts.items())
    ]
    lines.append(f"\n{outside} further tests use types that Relax does not have.")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
