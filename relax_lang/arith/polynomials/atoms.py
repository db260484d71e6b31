"""What a normal form of dimensions consists of: polynomials over names and over terms, and conditions on them.

An `Atom` is a value that is not a polynomial: a quotient, a minimum, a choice. It is a text, so that it can take the
place of a name in a `Polynomial`, and carries the parts that the text was made of. The text identifies and sorts
terms; it is never an identifier, so no term is taken for a name. Nothing here simplifies: see `simplify` and
`conditions`.
"""

from __future__ import annotations

from math import gcd

from relax_lang.arith.polynomials.polynomial import Polynomial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FLOOR = "//"
TRUNCATE = "/"
MIN = "min"
MAX = "max"
SELECT = "select"
NAME = "name"  # a name that is not an identifier

TRUE = "true"
FALSE = "false"
NONNEGATIVE = ">="
ZERO = "=="
NONZERO = "!="
AND = "&&"
OR = "||"

_LONGEST = 4000
_MOST_MONOMIALS = 500
_HIGHEST_POWER = 32
_LOWEST = -(1 << 63)
_HIGHEST = (1 << 63) - 1


class TooComplexError(Exception):
    """An expression has no normal form of a reasonable size, or one with numbers that do not fit into int64."""


class Atom(str):
    """A quotient (`parts`: dividend and divisor), minimum, maximum, choice (then `condition` is set), or odd name."""

    __slots__ = ("condition", "kind", "name", "parts")
    kind: str
    name: str
    parts: tuple[Polynomial, ...]
    condition: Condition | None


class Condition(str):
    """A condition: `value >= 0`, `== 0` or `!= 0`, several of them joined by and / or (`parts`), true or false."""

    __slots__ = ("kind", "parts", "value")
    kind: str
    value: Polynomial
    parts: tuple[Condition, ...]


_ZERO = Polynomial({})


def term(kind: str, parts: tuple[Polynomial, ...], chosen_by: Condition | None = None) -> Atom:
    """Return the term of a kind (one of the constants above) with these parts."""
    if kind in (FLOOR, TRUNCATE):
        text = f"(({parts[0]}) {kind} ({parts[1]}))"
    elif chosen_by is not None:
        text = f"{kind}({chosen_by}, {parts[0]}, {parts[1]})"
    else:
        text = f"{kind}({', '.join([str(part) for part in parts])})"
    made = Atom(_short(text))
    made.kind = kind
    made.parts = parts
    made.condition = chosen_by
    return made


def odd_name(name: str) -> Atom:
    """Return the term for a name that could be taken for something else."""
    made = Atom(_short(f"({name!r})"))
    made.kind = NAME
    made.name = name
    made.parts = ()
    made.condition = None
    return made


def condition(kind: str, value: Polynomial = _ZERO, parts: tuple[Condition, ...] = ()) -> Condition:
    """Return a condition of a kind, one of the constants above."""
    if parts:
        text = f"({f' {kind} '.join(parts)})"
    elif kind in (TRUE, FALSE):
        text = kind
    else:
        text = f"({value} {kind} 0)"
    made = Condition(_short(text))
    made.kind = kind
    made.value = value
    made.parts = parts
    return made


def _short(text: str) -> str:
    if len(text) > _LONGEST:
        raise TooComplexError
    return text


ALWAYS = condition(TRUE)
NEVER = condition(FALSE)


def checked(value: Polynomial) -> Polynomial:
    """Return a polynomial whose size and numbers are those that programs have."""
    terms = value.terms
    if len(terms) > _MOST_MONOMIALS:
        raise TooComplexError
    for monomial, factor in terms.items():
        if not _LOWEST <= factor <= _HIGHEST or len(monomial) > _HIGHEST_POWER:
            raise TooComplexError
    return value


def product(a: Polynomial, b: Polynomial) -> Polynomial:
    """Multiply, unless the result would be too large."""
    if len(b.terms) == 1 and () in b.terms:
        number = b.terms[()]
        return checked(Polynomial({monomial: factor * number for monomial, factor in a.terms.items()}))
    if len(a.terms) * len(b.terms) > _MOST_MONOMIALS:
        raise TooComplexError
    return checked(a * b)


def replaced(value: Polynomial, values: Mapping[str, Polynomial]) -> Polynomial:
    """Return a polynomial with names and terms replaced; what is inside terms stays."""
    if values.keys().isdisjoint(value.names()):
        return value
    result = Polynomial({})
    for monomial, factor in value.terms.items():
        part = Polynomial({(): factor})
        for atom in monomial:
            part = product(part, values.get(atom) or Polynomial.name(atom))
        result = result + part
    return checked(result)


def content(value: Polynomial) -> int:
    """Return the greatest number that divides all factors but the constant one; 0 for a constant."""
    return gcd(*[factor for monomial, factor in value.terms.items() if monomial])


def total(value: Polynomial) -> int:
    """Return the constant in a polynomial."""
    return value.terms.get((), 0)


def divided(value: Polynomial, number: int) -> Polynomial:
    """Divide every factor by a positive number and floor it."""
    return Polynomial({monomial: factor // number for monomial, factor in value.terms.items()})


def is_plain(value: Polynomial) -> bool:
    """Return whether there are only names in a polynomial: no terms, of which more is known than limits."""
    return not any(isinstance(atom, Atom) for monomial in value.terms for atom in monomial)


def opens_negative(value: Polynomial) -> bool:
    """Return whether the factor of the first monomial, in their order, is negative: then `-value` is the usual form."""
    monomials = [monomial for monomial in value.terms if monomial]
    return value.terms[min(monomials)] < 0 if monomials else total(value) < 0


def atoms_below(roots: Iterable[str]) -> Iterator[str]:
    """Yield names and terms and all that these are made of."""
    stack = list(roots)
    while stack:
        atom = stack.pop()
        yield atom
        if isinstance(atom, Atom):
            for part in atom.parts:
                stack.extend(part.names())
            if atom.condition is not None:
                stack.extend(names_in_condition(atom.condition))


def names_in_condition(root: Condition) -> set[str]:
    """Return the names and terms that a condition compares."""
    found: set[str] = set()
    stack = [root]
    while stack:
        item = stack.pop()
        found |= item.value.names()
        stack.extend(item.parts)
    return found
