"""Documents that the server has open, and places in them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lsp.client import applied

CLEAN = """## Doubles what it gets.
def @twice(x: Tensor[(n, 4), float32]) -> Tensor[(n, 4), float32] {
  let y = add(x, x);
  y
}

def @main(a: Tensor[(3, 4), float32]) {
  let half = const(0.5, float32);
  dataflow {
    let b = @twice(a);
    let c = multiply(b, half);
    let d = exp(c);
    output d;
  }
  nn.softmax(d, axis=1)
}

prim_func @copy(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n {
    Y[i] = X[i];
  }
}
"""


BROKEN = (
    CLEAN.replace("let d = exp(c);", "let d = nn.\n    let e = exp(c);")
    .replace("output d", "output e")
    .replace("(d,", "(e,")
)


# Characters beyond the BMP before names: columns in UTF-16 differ from offsets.
WIDE = CLEAN.replace("  let y = add", "  let `\U0001d11e` = x; let y = add").replace(
    "const(0.5, float32);", "const(0.5, float32); # e\u0301 \U0001d11e"
)


TEXTS = {"clean": CLEAN, "broken": BROKEN, "wide": WIDE}


def uri(name: str) -> str:
    return f"file:///nowhere/{name}.rlx"


def place(name: str, words: str, after: str = "") -> tuple[int, int]:
    """Line and UTF-16 column of some words of a text, or behind their beginning `after`."""
    text = TEXTS[name]
    at = text.index(words) + len(after)
    line = text.count("\n", 0, at)
    before = text[text.rfind("\n", 0, at) + 1 : at]
    return line, len(before.encode("utf-16-le")) // 2


def changed(name: str, edit: dict[str, Any]) -> str:
    """A text after a workspace edit."""
    (document,) = edit["documentChanges"]
    return applied(TEXTS[name], document["edits"])


each = pytest.mark.parametrize("name", TEXTS)
