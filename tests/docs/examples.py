"""The examples of docs/language.md, as programs. How fences are marked stands at the head of that page."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "language.md"

_BLOCK = re.compile(
    r"^```relax(?P<words>[^\n]*)\n(?P<text>.*?)^```\n(?:\n```output\n(?P<output>.*?)^```\n)?", re.M | re.S
)
_KINDS = {"", "run", "normal", "fragment", "tir"}

EXAMPLE = """\
def @example(
  x: Tensor[(2, 3), float32],
  s: Tensor[(n, 3), float32],
  u: Tensor,
  c: Tensor[(), bool],
  o: Object,
  sh: Shape[ndim=2],
) -> Object {
BODY
  ()
}
"""

KERNEL = """\
prim_func @kernel(
  X: Buffer[(n, m), float32],
  Y: Buffer[(n, m), float32],
  I: Buffer[(n,), int32],
  S: Buffer[(), float32],
  k: int64,
) {
BODY
}
"""


class Example:
    """One example: the whole program, what it prints, and the diagnostic that it must give."""

    def __init__(self, match: re.Match[str], page: str) -> None:
        self.line = page.count("\n", 0, match.start()) + 1
        words = match["words"].split()
        errors = [word.removeprefix("error=") for word in words if word.startswith("error=")]
        kinds = [word for word in words if not word.startswith("error=")]
        assert len(errors) <= 1, f"line {self.line}: two slugs"
        assert len(kinds) <= 1, f"line {self.line}: two kinds"
        self.error = errors[0] if errors else None
        self.kind = kinds[0] if kinds else ""
        assert self.kind in _KINDS, f"line {self.line}: unknown mark {self.kind}"
        self.output = match["output"]
        self.text = _whole(self.kind, match["text"])

    def __repr__(self) -> str:
        """Name the test case after the line of the page."""
        return f"line_{self.line}" + (f"_{self.error}" if self.error else "")


def _whole(kind: str, text: str) -> str:
    if kind not in ("fragment", "tir"):
        return text
    body = "\n".join([f"  {line}" if line else "" for line in text.rstrip("\n").split("\n")])
    return (EXAMPLE if kind == "fragment" else KERNEL).replace("BODY", body)


def examples() -> list[Example]:
    """Return the examples of the language reference in order."""
    page = PAGE.read_text(encoding="utf-8")
    return [Example(match, page) for match in _BLOCK.finditer(page)]
