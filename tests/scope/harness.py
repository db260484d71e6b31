"""What the tests of name resolution share: programs around statements, and the slugs that are found in them."""

from __future__ import annotations

from relax_lang.base.diagnostic import Diagnostic
from relax_lang.scope.context import Resolved
from relax_lang.scope.resolve import resolve
from relax_lang.syntax.parser import parse
from tests.edits import applied

PARAMETERS = (
    "x: Tensor[(2, 3), float32], y4: Tensor[(2, 4), float32], s: Tensor[(n, 3), float32], u: Tensor, "
    "r2: Tensor[ndim=2, float32], c: Tensor[(), bool], o: Object, t: (Tensor[(2, 3), float32], Shape[ndim=2]), "
    "sh: Shape[ndim=2], z2: Tensor[(m,), float32]"
)
RELU = """
prim_func @relu(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) {
    Y[i, j] = max(X[i, j], 0.0);
  }
}
"""


def body(statements: str) -> str:
    """Return a program whose `@main` has the usual parameters and these statements; the result is `()` if none is."""
    value = "" if not statements.rstrip().endswith((";", "}")) else " ()"
    return f"{RELU}\ndef @main({PARAMETERS}) -> Object {{\n{statements}{value}\n}}\n"


def resolved(text: str) -> Resolved:
    """Resolve a program that has no syntax error."""
    parsed = parse(text)
    assert not parsed.diagnostics, parsed.diagnostics
    return resolve(parsed.tree)


def diagnostics(text: str) -> list[Diagnostic]:
    """Return what is found, without lints that are off."""
    return [one for one in resolved(text).diagnostics if one.severity != "off"]


def slugs(text: str) -> list[str]:
    """Return the slugs that are found, in order."""
    return [one.slug for one in diagnostics(text)]


def marked(text: str) -> list[tuple[str, str]]:
    """Return slug and marked text of what is found."""
    return [(one.slug, text[one.pos : one.end]) for one in diagnostics(text)]


def ok(statements: str) -> None:
    """Check that statements are accepted."""
    assert diagnostics(body(statements)) == []


def bad(statements: str, slug: str, mark: str | None = None) -> Diagnostic:
    """Check that statements give one diagnostic, with that slug, at that text; return it."""
    text = body(statements)
    found = diagnostics(text)
    assert [one.slug for one in found] == [slug], found
    if mark is not None:
        assert text[found[0].pos : found[0].end] == mark
    return found[0]


def fixed(text: str) -> str:
    """Apply the first fix of the only diagnostic of a program."""
    (one,) = diagnostics(text)
    return applied(text, one.fixes[0])
