"""The subscripts of `einsum`: `"...ij,jk->...ik"`. The kernel and the struct info rule both read them here."""

from __future__ import annotations

from relax_lang.base.wording import counted
from relax_lang.ops.core.errors import bad_attribute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Term:
    """The labels of one operand, or of the result: letters before and after `...`, if there is one."""

    __slots__ = ("after", "before", "dots")

    def __init__(self, text: str) -> None:
        self.before, dots, self.after = text.partition("...")
        self.dots = bool(dots)

    @property
    def letters(self) -> str:
        """The letters from left to right."""
        return self.before + self.after

    def axes(self, rank: int) -> list[int]:
        """Return the axes that the letters name, of a tensor of that rank, which fits."""
        return [*range(len(self.before)), *range(rank - len(self.after), rank)]

    def leading(self, rank: int) -> tuple[int, int]:
        """Return where the axes of `...` begin and end."""
        return len(self.before), rank - len(self.after)


class Subscripts:
    """What each axis of each operand is called, and which axes the result has."""

    __slots__ = ("result", "terms")

    def __init__(self, terms: Sequence[Term], result: Term) -> None:
        self.terms = terms
        self.result = result

    def check_ranks(self, ranks: Sequence[int | None]) -> None:
        """Check that every operand has as many axes as it has letters; a rank may be unknown. Raises OpError. [OP.4]"""
        for index, (term, rank) in enumerate(zip(self.terms, ranks, strict=True)):
            count = len(term.letters)
            if rank is None or (rank >= count if term.dots else rank == count):
                if rank is not None and rank > count and not self.result.dots:
                    raise bad_attribute(
                        "subscripts", "the axes of `...` must be on the right of the arrow too"
                    )
                continue
            shown = term.before + ("..." if term.dots else "") + term.after
            raise bad_attribute(
                "subscripts", f'"{shown}" has {counted(count, "letter")}, operands[{index}] has rank {rank}'
            )


def parse(text: str, count: int) -> Subscripts:
    """Parse the subscripts of `count` operands. Raises OpError. [OP.4]"""
    left, arrow, right = "".join(text.split()).partition("->")
    parts = left.split(",")
    if len(parts) != count:
        given = f"{count} {'is' if count == 1 else 'are'} given"
        raise bad_attribute("subscripts", f'"{left}" names {counted(len(parts), "operand")}, {given}')
    terms = [_term(part) for part in parts]
    letters = "".join([term.letters for term in terms])
    if not arrow:
        single = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
        dots = "..." if any(term.dots for term in terms) else ""
        return Subscripts(terms, Term(dots + "".join(single)))
    if right.count("...") > 1:
        raise bad_attribute("subscripts", "`...` is written twice after the arrow")
    result = Term(right)
    for letter in result.letters:
        if letter not in letters or result.letters.count(letter) > 1:
            raise bad_attribute("subscripts", f"`{letter}` right of the arrow must name one axis on its left")
    return Subscripts(terms, result)


def _term(text: str) -> Term:
    term = Term(text)
    if not all(letter.isascii() and letter.isalpha() for letter in term.letters):
        raise bad_attribute("subscripts", f'"{text}" is not made of letters')
    return term
