"""Texts in, texts out: a pass on a program, verified."""

from __future__ import annotations

from relax_lang import api, transform
from relax_lang.transform.catalogue import parse_passes

HEAD = "def @main(x: Tensor[(n,), float32], c: Tensor[(), bool]) {"


def after(passes: str, text: str) -> str:
    """Return the text of a program after passes, which are verified and compared on made-up arguments."""
    watching = [transform.Verify(), transform.Compare(seed=1, packed=PACKED)]
    return str(parse_passes(passes)(api.typed(text), transform.PassContext(instruments=watching)))


def main(passes: str, statements: str) -> str:
    """Return the statements of `@main` after passes, on one line."""
    made = after(passes, HEAD + statements + "}")
    return " ".join(made.partition("{")[2].rpartition("}")[0].split())


def negate(array: object) -> object:
    """Change an array in place."""
    array *= -1  # pyright: ignore[reportOperatorIssue]
    return array


PACKED = {"change": negate, "relu": lambda x: x.clip(0)}
