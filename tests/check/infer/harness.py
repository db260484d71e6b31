"""What the tests of inference share: the example context of the rules, findings with their text, infos by name."""

from __future__ import annotations

from relax_lang import api
from relax_lang.base.diagnostic import OFF, Diagnostic
from relax_lang.check.driver import Checked
from relax_lang.format.printer import show

PARAMS = (
    "x: Tensor[(2, 3), float32], y4: Tensor[(2, 4), float32], s: Tensor[(n, 3), float32], u: Tensor, "
    "r2: Tensor[ndim=2, float32], c: Tensor[(), bool], o: Object, "
    "t: (Tensor[(2, 3), float32], Shape[ndim=2]), sh: Shape[ndim=2], w: Tensor[(m, 3), float32]"
)
"""The parameters that every body may use: they are those of the rules' examples."""

HELPERS = """
def @g(a: Tensor[(n, m), float32]) -> Tensor[(m, n), float32] { permute_dims(a) }
def @g2(a: Tensor[ndim=2, float32]) -> Tensor[ndim=2, float32] { a }
def @h(a: Tensor[(2, 4), float32]) -> Tensor[(2, 4), float32] { a }
def @two(a: Tensor[(n,), float32], b: Tensor[(n,), float32]) -> Tensor[(n,), float32] { add(a, b) }
def @sink(v: Object) -> () { () }
prim_func @relu(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { Y[i, j] = max(X[i, j], 0.0); }
}
"""


def program(body: str, result: str = "") -> str:
    """Return a program with a function of this body; `result` is its annotation."""
    arrow = f" -> {result}" if result else ""
    return f"def @main({PARAMS}){arrow} {{ {body} }}{HELPERS}"


def check(text: str) -> Checked:
    return api.check(text)


def found(text: str) -> list[tuple[str, str]]:
    """Return every finding, with the text that it marks."""
    return [(one.slug, text[one.pos : one.end]) for one in check(text).diagnostics if one.severity != OFF]


def in_body(body: str, result: str = "") -> list[tuple[str, str]]:
    """Return the findings in a body."""
    return found(program(body, result))


def slugs(body: str) -> list[str]:
    """Return the slugs of the findings in a body."""
    return [slug for slug, _ in in_body(body)]


def infos(text: str) -> dict[str, str]:
    """Return the info of every variable of the program, by its name in normal form."""
    return {getattr(var, "name_hint", ""): show(info) for var, info in check(text).inferred.infos.items()}


def info_of(value: str, before: str = "") -> str:
    """Return what is known of the value of an expression."""
    text = program(f"{before} let result = {value}; result")
    checked = check(text)
    assert not checked.has_errors, checked.diagnostics
    return infos(text)["result"]


def only(text: str) -> Diagnostic:
    """Return the one finding of a program."""
    (one,) = check(text).diagnostics
    return one


def fixed(text: str) -> str:
    """Return a program with the fixes applied that it needs."""
    return api.fix_text(
        text, unsafe=True, want=lambda all_: [one for one in all_ if one.severity == "error"]
    ).text
