"""Upper bounds of shape variables: sizes that are numbers for the plan, and the checks that make them true."""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import tree
from relax_lang.transform.lowering.statements import bound, operator, statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from relax_lang.base.names import FreshNames
    from relax_lang.base.node import Node
    from relax_lang.transform.pass_manager.passes import Run


def read_bounds(run: Run, texts: Sequence[str]) -> dict[str, int]:
    """Return the bounds that an option names, `"n=1024"` each. Raises PassRefused."""
    found: dict[str, int] = {}
    for text in texts:
        name, _, number = text.partition("=")
        if not name.strip().isidentifier() or not number.strip().isdecimal():
            run.refuse(None, f'an upper bound is written `"n=1024"`, not `"{text}"`')
        found[name.strip()] = int(number)
    return found


def at_most(size: Polynomial, bounds: Mapping[str, int]) -> int | None:
    """Return a number that a size does not exceed; None unless it grows with names that all have bounds."""
    total = 0
    for monomial, factor in size.terms.items():
        if factor < 0 or not all(name in bounds for name in monomial):
            return None
        product = factor
        for name in monomial:
            product *= bounds[name]
        total += product
    return total


def checks(bounds: Mapping[str, int], names: FreshNames, place: Node) -> list[tree.Binding]:
    """Return the statements that end the program where a shape variable is larger than its bound."""
    found: list[tree.Binding] = []
    for name, most in bounds.items():
        fits, value = names.fresh("fits"), names.fresh("size")
        condition = tree.PrimValue(tree.LE(tree.PrimVar(name), tree.IntImm(most)))
        found += [
            bound(fits, operator("scalar", (condition,), place), place),
            bound(value, operator("scalar", (tree.PrimValue(tree.PrimVar(name)),), place), place),
        ]
        message = f"{name} is {{}}, but memory is planned for at most {most}"
        shown = (tree.Attr("format", tree.StrLit(message)),)
        args = (tree.Var(fits, None), tree.Var(value, None))
        call = tree.Call(tree.Op("assert_op"), args, shown, None, place.pos, place.end)
        found.append(statement(call, place))
    return found
